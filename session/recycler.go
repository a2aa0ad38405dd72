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
	keys     []InstanceKey
	readings []cooker.Reading // row by row
	clocks   cooker.Clocks

	refs     atomic.Int32
	recycler *recycler
}

// reading returns the reading of a row and counter (index in Set.Counters),
// nil when that counter was not read.
func (s *rawSample) reading(row, counter int) *cooker.Reading {
	col := sort.SearchInts(s.counters, counter)
	if col == len(s.counters) || s.counters[col] != counter {
		return nil
	}
	return &s.readings[row*len(s.counters)+col]
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
	mu    sync.Mutex
	views []*SetView
	raws  []*rawSample
}

// spare is how many unused buffers are kept of each kind.
const spare = 4

// view returns an empty view with one reference.
func (r *recycler) view() *SetView {
	r.mu.Lock()
	defer r.mu.Unlock()
	var v *SetView
	if n := len(r.views); n > 0 {
		v, r.views = r.views[n-1], r.views[:n-1]
	} else {
		v = &SetView{recycler: r}
	}
	v.refs.Store(1)
	return v
}

// raw returns an empty sample with one reference.
func (r *recycler) raw() *rawSample {
	r.mu.Lock()
	defer r.mu.Unlock()
	var s *rawSample
	if n := len(r.raws); n > 0 {
		s, r.raws = r.raws[n-1], r.raws[:n-1]
	} else {
		s = &rawSample{recycler: r}
	}
	s.refs.Store(1)
	return s
}

func (r *recycler) putView(v *SetView) {
	older, newer := v.older, v.newer
	v.older, v.newer = nil, nil
	clear(v.kept) // they hold on to old rings
	v.Rows, v.Values, v.olderRow, v.kept = v.Rows[:0], v.Values[:0], v.olderRow[:0], v.kept[:0]
	v.Facts, v.Err = v.Facts[:0], nil
	v.Time, v.Rate, v.live, v.combined = time.Time{}, Rate{}, 0, 0
	r.mu.Lock()
	if len(r.views) < spare {
		r.views = append(r.views, v)
	}
	r.mu.Unlock()
	older.release()
	newer.release()
}

func (r *recycler) putRaw(s *rawSample) {
	s.keys, s.readings = s.keys[:0], s.readings[:0]
	r.mu.Lock()
	if len(r.raws) < spare {
		r.raws = append(r.raws, s)
	}
	r.mu.Unlock()
}
