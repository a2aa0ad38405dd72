package csv

const (
	WallClockLayout = wallClockLayout
)

type (
	CodePageError = codePageError
	Writer        = writer
)

var (
	ErrClockLost = errClockLost
	ErrDateLost  = errDateLost
	ErrHalfLost  = errHalfLost
	NewWallClock = newWallClock
	TellPage     = tellPage
)
