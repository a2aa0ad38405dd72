package textfile

import (
	"time"

	"perfdeck/session/files/logs"
)

// Finder finds rows in a file of lines by their times.
type Finder struct {
	Window *Window
	First  int64 // where the first row is; -1: there is none so far
	// TimeOf tells whether a line is a complete row, and its time.
	TimeOf func(at int64, line []byte, whole bool) (t time.Time, ok bool)
}

// BisectBytes is below what distance lines are read one after the other.
const BisectBytes = 64 << 10

// from finds the first row that begins at or after a place and before high. at
// is negative if there is none.
func (f *Finder) from(place, high int64) (at int64, when time.Time, err error) {
	if at = place; at > f.First {
		_, at, _, err = f.Window.Line(place - 1) // to the next beginning of a line
	}
	for err == nil && at < high {
		line, next, whole, err := f.Window.Line(at)
		if err != nil || line == nil {
			return -1, when, err
		}
		if when, ok := f.TimeOf(at, line, whole); ok {
			return at, when, nil
		}
		at = next
	}
	return -1, when, err
}

// Before finds the row before a place. at is negative if there is none.
func (f *Finder) Before(place int64) (at, end int64, when time.Time, whole bool, err error) {
	for at = place; at > f.First; {
		start, err := f.Window.before(at, f.First)
		if err != nil || start >= at {
			return -1, f.First, when, true, err
		}
		line, next, whole, err := f.Window.Line(start)
		if err != nil {
			return -1, f.First, when, true, err
		}
		at = start
		if when, ok := f.TimeOf(start, line, whole); ok && !HasZeros(line) {
			return at, next, when, whole, nil
		}
	}
	return -1, f.First, when, true, nil
}

// Last finds the last row that is complete, and where it ends.
func (f *Finder) Last() (at, end int64, when time.Time, whole bool, err error) {
	size, err := f.Window.Source.Size()
	if err != nil {
		return -1, 0, when, true, err
	}
	return f.Before(size)
}

// RowProbes are the places where the length of rows is measured.
const RowProbes = 16

// span tells the extent of a file with a first row. The number of rows is guessed
// from the length of some: they differ by a few digits.
func (f *Finder) span() (s logs.Span, err error) {
	if s.Bytes, err = f.Window.Source.Size(); err != nil {
		return s, err
	}
	line, next, whole, err := f.Window.Line(f.First)
	if err != nil {
		return s, err
	}
	s.First, _ = f.TimeOf(f.First, line, whole)
	at, end, when, _, err := f.Last()
	if err != nil || at < 0 {
		return s, err
	}
	s.Last = when
	probes, bytes := int64(1), next-f.First
	for i := int64(1); i < RowProbes; i++ {
		at, _, err := f.from(f.First+(end-f.First)/RowProbes*i, end)
		if err != nil {
			return s, err
		}
		if at < 0 {
			break
		}
		if _, next, _, err = f.Window.Line(at); err != nil {
			return s, err
		}
		probes, bytes = probes+1, bytes+next-at
	}
	s.Rows = max((end-f.First)*probes/max(bytes, 1), 1)
	return s, nil
}
