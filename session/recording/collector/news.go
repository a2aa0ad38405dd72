package collector

import (
	"fmt"
	"path/filepath"
	"time"

	"perfdeck/session/text/printable"
)

// News are the recordings of other processes, described in dir, that a user who starts the
// screens should know of: those that go on, and, once, those that ended. A command
// is a line of its own, so that it is not cut.
func News(dir string, now time.Time) (news []string) {
	list, _ := List(dir, now)
	for i := range list {
		e := &list[i]
		file := filepath.Base(e.File())
		switch e.State {
		case Running:
			news = append(news, fmt.Sprintf("%s is being recorded by process %d", file, e.PID), "perfdeck record --stop "+e.ID+" ends it")
		case Interrupted:
			text := "recording of " + file + " was interrupted"
			if e.Reason != "" {
				text += ": " + e.Reason
			}
			news = append(news, text, "perfdeck record --resume "+e.ID)
		case Ended:
			news = append(news, fmt.Sprintf("recording of %s ended %s: %s", file, e.Stopped.Local().Format(time.DateTime), e.Reason))
			_ = Forget(dir, e.ID)
		}
	}
	for i := range news {
		news[i] = printable.Text(news[i])
	}
	return news
}
