package csv

import (
	"os"
	"time"

	"perfdeck/session/files/logs"
)

const WallClockLayout = wallClockLayout

type CodePageError = codePageError

var (
	ErrClockLost = errClockLost
	ErrDateLost  = errDateLost
	ErrHalfLost  = errHalfLost
	ErrWide      = errWide
	NewWallClock = newWallClock
	TellPage     = tellPage
)

// SetFile gives a writer a file that what it writes to leads to.
func SetFile(w logs.Writer, file *os.File) { w.(*writer).out.File = file }

func (e *codePageError) Pages() []string { return e.pages }

func (w *wallClock) AppendTo(b []byte, t time.Time) []byte { return w.appendTo(b, t) }

func (w *wallClock) Parse(b []byte) (time.Time, bool) { return w.parse(b) }
