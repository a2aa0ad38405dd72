package session

import (
	"sort"
	"sync"
	"sync/atomic"
	"time"

	"perfdeck/cooker"
)

// rawSample is the raw readings of one counterset at one moment, kept while a
// view shows values cooked from them.
type rawSample struct {
	counters []int
	readings []cooker.Reading // row by row
	texts    []cooker.Text    // that readings point at
	clocks   cooker.Clocks
	moments  []cooker.Clocks // as SetBatch.Moments

	refs     atomic.Int32
	recycler *recycler
}

// reading returns the reading of a row and counter (index in Set.Counters),
// nil when that counter was not read.
func (s *rawSample) reading(row, counter int) *cooker.Reading {
	col := sort.SearchInts(s.counters, counter)
	if len(s.readings) == 0 || col == len(s.counters) || s.counters[col] != counter {
		return nil
	}
	return &s.readings[row*len(s.counters)+col]
}

// clocksOf are the clocks of the readings of a row.
func (s *rawSample) clocksOf(row int) *cooker.Clocks { return clocksOf(&s.clocks, s.moments, row) }

// text is the text of a reading; empty if it is none.
func (s *rawSample) text(r *cooker.Reading) (t cooker.Text) {
	if r != nil && r.Size == cooker.SizeText && r.Raw < uint64(len(s.texts)) {
		t = s.texts[r.Raw]
	}
	return t
}

func (s *rawSample) hold() *rawSample {
	if s != nil {
		s.refs.Add(1)
	}
	return s
}

func (s *rawSample) release() {
	if s != nil && s.refs.Add(-1) == 0 {
		s.recycler.putRaw(s)
	}
}

// recycler keeps views and samples that nobody holds any more, so that a steady
// beat allocates nothing.
type recycler struct {
	views spares[SetView]
	raws  spares[rawSample]
}

// spares are unused buffers of one kind.
type spares[T any] struct {
	mu   sync.Mutex
	free []*T
}

// mostSpares is how many unused buffers are kept of each kind.
const mostSpares = 4

// get gives a spare, nil when there is none.
func (s *spares[T]) get() *T {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.free)
	if n == 0 {
		return nil
	}
	last := s.free[n-1]
	s.free = s.free[:n-1]
	return last
}

// put keeps a buffer that nobody holds, unless there are enough.
func (s *spares[T]) put(unused *T) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.free) < mostSpares {
		s.free = append(s.free, unused)
	}
}

// view returns an empty view with one reference.
func (r *recycler) view() *SetView {
	v := r.views.get()
	if v == nil {
		v = &SetView{recycler: r}
	}
	v.refs.Store(1)
	return v
}

// raw returns an empty sample with one reference.
func (r *recycler) raw() *rawSample {
	s := r.raws.get()
	if s == nil {
		s = &rawSample{recycler: r}
	}
	s.refs.Store(1)
	return s
}

func (r *recycler) putView(v *SetView) {
	older, newer, earlier := v.older, v.newer, v.before
	v.older, v.newer, v.before, v.beforeRow = nil, nil, nil, v.beforeRow[:0]
	clear(v.kept) // they hold on to old rings
	v.Rows, v.Values, v.olderRow, v.kept = v.Rows[:0], v.Values[:0], v.olderRow[:0], v.kept[:0]
	v.recent.forget()
	v.departed, v.Forgotten = nil, time.Time{}
	v.Facts, v.Left, v.Err = v.Facts[:0], 0, nil
	v.Time, v.Rate, v.live, v.combined, v.arranged = time.Time{}, Rate{}, 0, 0, nil
	r.views.put(v)
	older.release()
	newer.release()
	earlier.release()
}

func (r *recycler) putRaw(s *rawSample) {
	clear(s.texts) // what nobody shows is not kept
	s.readings, s.texts, s.moments = s.readings[:0], s.texts[:0], s.moments[:0]
	r.raws.put(s)
}
