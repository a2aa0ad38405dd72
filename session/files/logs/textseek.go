package logs

import "time"

// rowFinder finds rows in a file of lines by their times.
type rowFinder struct {
	window *textWindow
	first  int64 // where the first row is; -1: there is none so far
	// timeOf tells whether a line is a complete row, and its time.
	timeOf func(at int64, line []byte, whole bool) (t time.Time, ok bool)
}

// bisectBytes is below what distance lines are read one after the other.
const bisectBytes = 64 << 10

// from finds the first row that begins at or after a place and before high. at
// is negative if there is none.
func (f *rowFinder) from(place, high int64) (at int64, when time.Time, err error) {
	if at = place; at > f.first {
		_, at, _, err = f.window.line(place - 1) // to the next beginning of a line
	}
	for err == nil && at < high {
		line, next, whole, err := f.window.line(at)
		if err != nil || line == nil {
			return -1, when, err
		}
		if when, ok := f.timeOf(at, line, whole); ok {
			return at, when, nil
		}
		at = next
	}
	return -1, when, err
}

// before finds the row before a place. at is negative if there is none.
func (f *rowFinder) before(place int64) (at, end int64, when time.Time, whole bool, err error) {
	for at = place; at > f.first; {
		start, err := f.window.before(at, f.first)
		if err != nil || start >= at {
			return -1, f.first, when, true, err
		}
		line, next, whole, err := f.window.line(start)
		if err != nil {
			return -1, f.first, when, true, err
		}
		at = start
		if when, ok := f.timeOf(start, line, whole); ok && !hasZeros(line) {
			return at, next, when, whole, nil
		}
	}
	return -1, f.first, when, true, nil
}

// last finds the last row that is complete, and where it ends.
func (f *rowFinder) last() (at, end int64, when time.Time, whole bool, err error) {
	size, err := f.window.source.size()
	if err != nil {
		return -1, 0, when, true, err
	}
	return f.before(size)
}

const rowProbes = 16 // places where the length of rows is measured

// span tells the extent of a file with a first row. The number of rows is guessed
// from the length of some: they differ by a few digits.
func (f *rowFinder) span() (s Span, err error) {
	if s.Bytes, err = f.window.source.size(); err != nil {
		return s, err
	}
	line, next, whole, err := f.window.line(f.first)
	if err != nil {
		return s, err
	}
	s.First, _ = f.timeOf(f.first, line, whole)
	at, end, when, _, err := f.last()
	if err != nil || at < 0 {
		return s, err
	}
	s.Last = when
	probes, bytes := int64(1), next-f.first
	for i := int64(1); i < rowProbes; i++ {
		at, _, err := f.from(f.first+(end-f.first)/rowProbes*i, end)
		if err != nil {
			return s, err
		}
		if at < 0 {
			break
		}
		if _, next, _, err = f.window.line(at); err != nil {
			return s, err
		}
		probes, bytes = probes+1, bytes+next-at
	}
	s.Rows = max((end-f.first)*probes/max(bytes, 1), 1)
	return s, nil
}
