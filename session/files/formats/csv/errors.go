package csv

import "errors"

// What may be wrong with a PDH text.
var (
	errNotATime    = errors.New("not a time as 11/26/2016 13:46:30.874")
	errDateLost    = errors.New("the date was lost when the file was saved, and the hour where the clock has two parts")
	errClockLost   = errors.New("the time of day was lost when the file was saved")
	errHalfLost    = errors.New("the clock has 12 hours, and AM and PM were lost when the file was saved")
	errFewCells    = errors.New("fewer cells than counters")
	errManyCells   = errors.New("more cells than counters")
	errZeros       = errors.New("bytes of zero, as after a power cut")
	errManyHeaders = errors.New("too many headers")
	errNoColumns   = errors.New("the header names no counter")
	errWide        = errors.New("a file of UTF-16 cannot be continued")
	errDayFirst    = errors.New("a file whose dates have the day first cannot be continued")
)
