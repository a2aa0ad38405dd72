package main

import (
	"time"

	"perfdeck/session/config"
	"perfdeck/session/record/daybook"
	"perfdeck/tui/pane"
)

// logClosing bounds how long the end of the screens waits for the disk of the log.
const logClosing = time.Second

// keepLog keeps what the Log of the screens tells, for perfdeck bundle: in the folder of
// the state, the last lines. Invented hosts have no log worth keeping. done writes what
// waits.
func (p *program) keepLog() (keep func(pane.Entry), done func()) {
	dir, err := config.MakeStateDir()
	if err != nil || p.flags.demo {
		return nil, func() {}
	}
	book := daybook.Open(dir, func(f func()) { p.guard.Go(f) })
	return func(e pane.Entry) {
		level := daybook.Levels[min(int(e.Level), len(daybook.Levels)-1)]
		book.Add(daybook.Entry{Time: e.Time, Level: level, Host: e.Host, Text: e.Text})
	}, func() { book.Close(logClosing) }
}
