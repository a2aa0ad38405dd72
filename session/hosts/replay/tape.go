package replay

import (
	"errors"
	"io"
	"slices"
	"time"

	"perfdeck/session"
	"perfdeck/session/files/logs"
)

// tape is one recording, perhaps of several files, with the hosts in it and the
// part of it that is shown. The rows of a tape are the samples of all its hosts.
type tape struct {
	source *source
	reader logs.Reader
	tracks []*track

	columns []int // that the tracks need
	kept    int   // of them, of which history is kept

	// The window: the part that ends at the moment that is shown.
	size           int       // samples that are kept
	taken          int       // samples since it was emptied
	newest, before time.Time // of the last two; zero: there is none

	ahead     logs.Row // the row behind the window
	hasAhead  bool
	isOverlay bool  // it is laid over the first recording
	short     bool  // the window was not read as far back as it should be
	err       error // why it cannot be read; nil: it can
}

// errInterrupted: there is something more urgent than to read on.
var errInterrupted = errors.New("interrupted")

// checkRows is how many rows are read between two looks at what is more urgent.
const checkRows = 64

// whole is more samples than any window keeps.
const whole = mostSamples

// load reads the window anew so that it ends with the last row not after a
// moment. Less than the whole window is read if samples says so.
func (t *tape) load(at time.Time, samples int, stop func() bool) error {
	t.hasAhead, t.short = false, true
	if err := t.reader.SeekTime(at.Add(1)); err != nil {
		return err
	}
	err := t.fill(samples, 0, 0, stop)
	t.short = err != nil || samples < t.size
	return err
}

// reload reads the window anew so that it ends so many rows earlier than it did.
func (t *tape) reload(earlier int) error {
	ahead := 0
	if t.hasAhead {
		ahead = 1
	}
	t.hasAhead = false
	return t.fill(whole, earlier, ahead, nil)
}

// isLong tells whether it takes so long to read a window that a short one is to
// be shown first.
func (t *tape) isLong() bool {
	const bytes, values = 4 << 20, 200_000
	size := t.samples()
	return int64(size)*t.source.rowBytes > bytes || size*len(t.columns) > values
}

// fill goes back from where the reader is and reads the window, which ends so
// many rows before, and ahead rows more were read.
func (t *tape) fill(samples, earlier, ahead int, stop func() bool) error {
	size := t.samples()
	t.reader.Only(t.columns)
	t.begin(0, size)
	samples = min(samples, size)
	went, err := t.reader.Back(samples + 1 + earlier + ahead) // one more, from which the first is cooked
	if err != nil {
		return err
	}
	n := went - earlier - ahead
	if n <= 0 { // before the first row
		_, err := t.reader.Back(went)
		return err
	}
	row := &t.ahead
	for i := range n {
		if i%checkRows == 0 && stop != nil && stop() {
			return errInterrupted
		}
		if err := t.reader.Next(row); err != nil {
			return err
		}
		if i == 0 {
			t.begin(t.source.numberOf(row.Time), size)
		}
		t.record(row)
	}
	return nil
}

// begin empties the window for samples from an absolute number on.
func (t *tape) begin(number uint64, size int) {
	t.size, t.taken, t.newest, t.before = size, 0, time.Time{}, time.Time{}
	for _, track := range t.tracks {
		track.begin(number, size)
	}
}

// record takes a row as a sample.
func (t *tape) record(row *logs.Row) {
	t.before, t.newest = t.newest, row.Time
	t.taken++
	rate := session.Rate{}
	if t.taken > 1 {
		rate.Interval = max(t.newest.Sub(t.before), 0)
		rate.Missed = session.Missed(rate.Interval, t.source.every(t.before))
	}
	for _, track := range t.tracks {
		track.add(row, t.source.columns, rate, t.taken == 1)
	}
}

// peek reads the row behind the window. Without one ok is false.
func (t *tape) peek() (at time.Time, ok bool, err error) {
	if t.hasAhead {
		return t.ahead.Time, true, nil
	}
	err = t.reader.Next(&t.ahead)
	if errors.Is(err, io.EOF) {
		return at, false, nil
	}
	t.hasAhead = err == nil
	return t.ahead.Time, t.hasAhead, err
}

// advance takes rows that are not after a moment, so many at most. more tells that there are
// others.
func (t *tape) advance(until time.Time, most int) (took int, more bool, err error) {
	for took < most {
		at, ok, err := t.peek()
		if err != nil || !ok || at.After(until) {
			return took, false, err
		}
		t.hasAhead = false
		t.record(&t.ahead)
		took++
	}
	return took, true, nil
}

// collect collects the columns that the tracks need.
func (t *tape) collect() {
	columns := []int{}
	t.kept = 0
	for _, track := range t.tracks {
		for _, p := range track.plans {
			var kept int
			columns, kept = p.columns(columns)
			t.kept += kept
		}
	}
	slices.Sort(columns)
	t.columns = slices.Compact(columns)
}

// samples is how many samples the window is to keep.
func (t *tape) samples() int { return t.source.size(t.kept) }
