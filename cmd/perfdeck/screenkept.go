package main

import (
	"fmt"
	"os"
	"strings"
	"time"

	"perfdeck/session"
	"perfdeck/session/config"
	"perfdeck/session/record/daybook"
	"perfdeck/session/record/note/desk"
	"perfdeck/session/record/note/notebook"
	"perfdeck/tui/pane"
)

// liveNotes are those of this user; nil where there is no place for them.
func (p *program) liveNotes(report func(error)) *desk.Live {
	dir, err := config.MakeStateDir()
	if err != nil {
		return nil // the journal of alerts told why
	}
	return desk.NewLive(p.context(), dir, notebook.New(dir, p.noteFiles()...), report)
}

// recordedNotes are those of recordings that are played. Of those that are laid over the
// first the times are others.
func (p *program) recordedNotes(names []string, overlay bool) (played *desk.Played, damaged []error) {
	if overlay {
		names = names[:1]
	}
	all, damaged := notebook.Of(names, time.Time{}, time.Time{})
	for i, err := range damaged {
		damaged[i] = fmt.Errorf("%s", session.Printable(p.shown(err.Error()))) // a folder of ours says nothing to the user
	}
	file := names[0]
	if _, err := os.Stat(file); err != nil {
		file, _, _ = strings.Cut(file, "!") // what is behind it is a set
	}
	if p.spooled().IsMade(file) {
		file = ""
	}
	return desk.NewPlayed(p.context(), file, all), damaged
}

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
