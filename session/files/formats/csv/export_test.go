package csv

import (
	"os"

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
