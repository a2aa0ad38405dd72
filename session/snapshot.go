package session

import (
	"slices"
	"sort"
	"sync/atomic"
	"time"

	"perfdeck/cooker"
)

// Snapshot is what a feed saw at one moment. It does not change while it is
// held; Release gives its memory back.
type Snapshot struct {
	Host     string
	Time     time.Time // of the newest sample
	State    HostState
	Timeline Timeline
	Sets     []*SetView

	feed *Feed
}

// Moment is when the newest sample was, on both clocks, told now that it came.
func (s *Snapshot) Moment(now Instant) Instant {
	if s.State.Err == nil && !s.Time.IsZero() {
		now.Wall, now.Mono = s.Time, now.Mono-s.State.Latency
	}
	return now
}

// Set returns the view of a counterset, nil when the feed does not ask for it
// or nothing came yet.
func (s *Snapshot) Set(set *Counterset) *SetView {
	if s == nil {
		return nil
	}
	for _, v := range s.Sets {
		if v.Set == set {
			return v
		}
	}
	return nil
}

// Next is the number of the sample that comes after the newest one, 0 before the first.
func (s *Snapshot) Next() uint64 {
	if s == nil {
		return 0
	}
	return s.Timeline.Next()
}

// Release gives the memory of the snapshot back. Nothing of it may be used
// afterwards. Releasing nil does nothing.
func (s *Snapshot) Release() {
	if s == nil {
		return
	}
	for _, v := range s.Sets {
		v.release()
	}
}

// SetView is one counterset in a snapshot: rows of instances, columns of
// counters, cooked, with the raw readings and clocks they were cooked from.
type SetView struct {
	Set      *Counterset
	Counters []int // columns: indices in Set.Counters
	Time     time.Time
	Rows     []Row
	Values   []cooker.Value // row by row, len(Rows) x len(Counters)
	Left     int            // instances besides, which nobody asked for; -1: it is not known how many
	FactKeys []string
	Facts    []string // row by row, or empty
	Err      error    // why the set could not be read; Rows are then those of before
	Rate     Rate
	// Forgotten is until when not all is kept of what was shown, since it took too much: what used
	// most is. Zero: all is.
	Forgotten time.Time

	older, newer *rawSample // what the values were cooked from
	olderRow     []int32    // for each live row its row in older, -1 if new
	before       *rawSample // older readings of rows that are new, which the source had, too; nil: none
	beforeRow    []int32    // for each live row its row in before, -1 if it has none
	live         int        // rows that were in the batch
	combined     int        // rows behind them that were made of them; the rest are gone
	kept         []keptSeries
	recent       recentView
	departed     []*departed // rows that are shown no more, see Snapshot.Then
	arranged     *arrangement

	refs     atomic.Int32
	recycler *recycler
}

// Rate tells what the interval before a sample was worth.
type Rate struct {
	Interval time.Duration // 0 for the first sample
	Missed   int           // beats that were missed
	Gap      bool          // two-sample values could not be cooked
}

// Row is one instance in a view.
type Row struct {
	Instance
	Gone  bool      // it vanished; shown for a while
	Came  bool      // it was seen to come: the sample before it had all that there were, without it
	Since time.Time // when it was first seen, or went
	// Lived is how long one was seen that went; 0 of one that was there from the
	// first sample on, the age of which is not known.
	Lived time.Duration
	// Vanished is how many vanished instances a combined row still counts with
	// their last values, and of how many processes that ended in the interval a row is.
	Vanished int
}

type keptSeries struct {
	row, col int32
	Series
}

// Column returns the column of a counter (index in Set.Counters), or -1.
func (v *SetView) Column(counter int) int {
	if v == nil {
		return -1
	}
	i := sort.SearchInts(v.Counters, counter)
	if i < len(v.Counters) && v.Counters[i] == counter {
		return i
	}
	return -1
}

// Lack is why a view, nil before there is one, has no row of an instance.
func (v *SetView) Lack() cooker.Status {
	if v == nil || v.Err == nil {
		return cooker.Pending
	}
	return StatusOf(v.Err)
}

// Value returns the cooked value of a row and column.
func (v *SetView) Value(row, col int) cooker.Value { return v.Values[row*len(v.Counters)+col] }

// Fact returns a text fact of a row by its key, "" when not read. One that vanished has those
// that were read last.
func (v *SetView) Fact(row int, key string) string {
	col := slices.Index(v.FactKeys, key)
	if at := row*len(v.FactKeys) + col; col >= 0 && at < len(v.Facts) {
		return v.Facts[at]
	}
	return ""
}

// Series returns the history of a row and column; it is empty when none is
// kept.
func (v *SetView) Series(row, col int) Series {
	i := sort.Search(len(v.kept), func(i int) bool {
		k := &v.kept[i]
		return k.row > int32(row) || k.row == int32(row) && k.col >= int32(col)
	})
	if i < len(v.kept) && v.kept[i].row == int32(row) && v.kept[i].col == int32(col) {
		return v.kept[i].Series
	}
	return Series{}
}

// Raw returns the two samples that a value was cooked from, with their clocks.
// The older one is nil when there was none; ok is false for rows that are gone,
// and where only values are known, as of a recording.
func (v *SetView) Raw(row, col int) (older, newer *cooker.Reading, olderClocks, newerClocks *cooker.Clocks, ok bool) {
	if row >= v.live || v.newer == nil || v.Rows[row].Gone {
		return nil, nil, nil, nil, false
	}
	newer, newerClocks = v.newer.reading(row, v.Counters[col]), v.newer.clocksOf(row)
	if newer == nil || newer.State == cooker.Pending {
		return nil, nil, nil, nil, false
	}
	older, olderClocks = v.olderReading(row, v.Counters[col])
	if older != nil && older.State == cooker.Pending {
		older, olderClocks = nil, nil
	}
	return older, newer, olderClocks, newerClocks, true
}

// olderReading is what a live row's value was cooked from besides the newer one, nil if it is
// new.
func (v *SetView) olderReading(row, counter int) (*cooker.Reading, *cooker.Clocks) {
	if v.before != nil && v.beforeRow[row] >= 0 {
		at := int(v.beforeRow[row])
		return v.before.reading(at, counter), v.before.clocksOf(at)
	}
	if at := int(v.olderRow[row]); v.older != nil && at >= 0 {
		return v.older.reading(at, counter), v.older.clocksOf(at)
	}
	return nil, nil
}

// Texts are the texts of the two samples that Raw gives of a text counter.
func (v *SetView) Texts(row, col int) (older, newer cooker.Text) {
	before, now, _, _, ok := v.Raw(row, col)
	if ok {
		older, newer = v.older.text(before), v.newer.text(now)
	}
	return older, newer
}

// Reading is what a row and column were read as, with the clocks of that reply, as the
// batch had it; ok is false for rows that the batch did not have.
func (v *SetView) Reading(row, col int) (r *cooker.Reading, clocks *cooker.Clocks, ok bool) {
	if row >= v.live || v.newer == nil {
		return nil, nil, false
	}
	r = v.newer.reading(row, v.Counters[col])
	return r, v.newer.clocksOf(row), r != nil && r.State != cooker.Pending
}

// Find returns the row of an instance, or -1. hint is the row where it was
// last.
func (v *SetView) Find(key InstanceKey, hint int) int {
	if v == nil {
		return -1
	}
	if hint >= 0 && hint < len(v.Rows) && v.Rows[hint].Key == key {
		return hint
	}
	for i := range v.Rows {
		if v.Rows[i].Key == key {
			return i
		}
	}
	return -1
}

func (v *SetView) release() {
	if v != nil && v.refs.Add(-1) == 0 {
		v.recycler.putView(v)
	}
}
