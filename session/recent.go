package session

import (
	"math"
	"slices"
	"time"
)

// What is busy next is not known, so the last minute is kept of all instances of a
// counterset: of a process that slept, too. A sample is a column with a number for each
// instance, in blocks that a sample shares with the one before where nothing in them
// changed: of thousands of processes that sleep the minute takes next to nothing. Columns
// never change once they are made, so views hold them without a copy.

const (
	recentReach = time.Minute
	leastRecent = 20 // samples, where few are taken in that time
	blockOf     = 64 // instances
)

// recentBlock is one sample of some instances: the bits of float32, for a NaN is like
// another one then.
type recentBlock [blockOf]uint32

// recents is the last minute of the counters of a counterset.
type recents struct {
	n      int // samples
	grids  []recentGrid
	places []recentPlace // of the rows of the view before; views share them
	used   []bool        // slots
	next   uint64        // absolute number of the sample that comes next

	flat  []uint32 // scratch: one sample by slot
	fresh []int    // scratch: blocks of it that are not as they were
}

// recentGrid is the samples of one counter.
type recentGrid struct {
	counter int
	columns ring[[]*recentBlock] // nil: a gap
}

// recentPlace is where the values of a row are.
type recentPlace struct {
	slot  int32  // noSlot: nowhere
	first uint64 // sample from which on they are of this row
}

const noSlot = -1

// recentView is what a view has of the last minute.
type recentView struct {
	next   uint64
	places []recentPlace // by row
	grids  []recentGrid  // with columns as of then
}

// recentSamples is how many samples the last minute has.
func recentSamples(history int, every time.Duration) int {
	return min(history, max(leastRecent, int(recentReach/max(every, MinInterval))))
}

// ask makes the grids those of the counters that are asked for.
func (r *recents) ask(a *Ask, n int) {
	r.n = n
	var counters []int
	for i := range a.Keep {
		if a.Keep[i].Recent {
			counters = sortedUnion(counters, a.Keep[i].Counters)
		}
	}
	was := r.grids
	r.grids = nil
	for _, c := range counters {
		if a.Set.Counters[c].Type.IsText() {
			continue
		}
		g := recentGrid{counter: c}
		if at := slices.IndexFunc(was, func(o recentGrid) bool { return o.counter == c }); at >= 0 {
			g = was[at]
		}
		g.columns.n = n
		r.grids = append(r.grids, g)
	}
	if len(r.grids) == 0 {
		*r = recents{n: n}
	}
}

// record adds a sample of all rows of a view. before is the view before it.
func (r *recents) record(v, before *SetView, sample uint64, filled bool) {
	if len(r.grids) == 0 {
		return
	}
	r.places = r.place(v, before, true, sample)
	skipped := 0
	if r.next > 0 {
		skipped = int(min(sample-r.next, uint64(r.n)))
	}
	heads := make([]*recentBlock, len(r.grids)*len(r.used)/blockOf)
	for i := range r.grids {
		n := len(r.used) / blockOf
		head := heads[i*n : (i+1)*n : (i+1)*n]
		g := &r.grids[i]
		r.column(g, v, head)
		for range skipped {
			if filled {
				g.columns.add(head)
			} else {
				g.columns.add(nil)
			}
		}
		g.columns.add(head)
	}
	r.next = sample + 1
	r.show(v, r.places)
}

// column puts the newest sample of a counter together: of blocks that are as they were
// before, those.
func (r *recents) column(g *recentGrid, v *SetView, head []*recentBlock) {
	r.flat = slices.Grow(r.flat[:0], len(r.used))[:len(r.used)]
	clear(r.flat)
	col := v.Column(g.counter)
	for row, p := range r.places {
		value := math.NaN()
		if col >= 0 {
			value = historyValue(v.Value(row, col))
		}
		r.flat[p.slot] = math.Float32bits(float32(value))
	}
	var last []*recentBlock
	if n := len(g.columns.buf); n > 0 {
		last = g.columns.buf[n-1]
	}
	r.fresh = r.fresh[:0]
	for i := range head {
		if i < len(last) && *last[i] == recentBlock(r.flat[i*blockOf:]) {
			head[i] = last[i]
		} else {
			r.fresh = append(r.fresh, i)
		}
	}
	blocks := make([]recentBlock, len(r.fresh))
	for k, i := range r.fresh {
		copy(blocks[k][:], r.flat[i*blockOf:])
		head[i] = &blocks[k]
	}
}

// place finds where the rows of a view have their values: mostly where those of the view
// before have them. With all, new rows get a place.
func (r *recents) place(v, before *SetView, all bool, sample uint64) []recentPlace {
	n := v.live + v.combined
	var old []Row
	if before != nil && len(r.places) == before.live+before.combined {
		old = before.Rows[:len(r.places)]
	}
	if len(old) == n && n > 0 && slices.EqualFunc(old, v.Rows[:n], func(a, b Row) bool { return a.Key == b.Key }) {
		return r.places
	}
	out := r.moved(v, before, old)
	if all {
		r.settle(out, sample)
	}
	return out
}

// moved are the places of the rows of a view, given the rows of the one before.
func (r *recents) moved(v, before *SetView, old []Row) []recentPlace {
	out := make([]recentPlace, v.live+v.combined)
	for i := range out {
		if out[i].slot = noSlot; len(old) == 0 {
			continue
		}
		if j := v.rowBefore(before, i); j >= 0 {
			out[i] = r.places[j]
		}
	}
	return out
}

// rowBefore is where a row was in the view before, -1 where it was not.
func (v *SetView) rowBefore(before *SetView, row int) int {
	if row < v.live && v.older != nil {
		return int(v.olderRow[row])
	}
	first, end := 0, before.live // after a gap
	if row >= v.live {
		first, end = before.live, before.live+before.combined
	}
	if at := before.Find(v.Rows[row].Key, row); at >= first && at < end {
		return at
	}
	return -1
}

// settle gives rows without a place one that is free.
func (r *recents) settle(places []recentPlace, sample uint64) {
	clear(r.used)
	for _, p := range places {
		if p.slot != noSlot {
			r.used[p.slot] = true
		}
	}
	free := 0
	for i := range places {
		if places[i].slot != noSlot {
			continue
		}
		for free < len(r.used) && r.used[free] {
			free++
		}
		if free == len(r.used) {
			r.used = append(r.used, make([]bool, blockOf)...)
		}
		r.used[free], places[i] = true, recentPlace{int32(free), sample}
	}
	last := len(r.used) // what nobody has any more goes
	for last > 0 && !r.used[last-1] {
		last--
	}
	r.used = r.used[:(last+blockOf-1)/blockOf*blockOf]
}

// show gives a view what there is of the last minute.
func (r *recents) show(v *SetView, places []recentPlace) {
	v.recent.next, v.recent.places = r.next, places
	for i := range r.grids {
		g := &r.grids[i]
		v.recent.grids = append(v.recent.grids, recentGrid{g.counter, ring[[]*recentBlock]{n: g.columns.n, buf: g.columns.last()}})
	}
}

// share gives a view what another one has.
func (m *recentView) share(o *recentView) {
	m.next, m.places, m.grids = o.next, o.places, append(m.grids[:0], o.grids...)
}

// forget lets go of what a view had.
func (m *recentView) forget() {
	clear(m.grids)
	m.next, m.places, m.grids = 0, nil, m.grids[:0]
}

// series is what there is of a row and a counter, put into a buffer.
func (m *recentView) series(into *[]float32, row, counter int) Series {
	at := slices.IndexFunc(m.grids, func(g recentGrid) bool { return g.counter == counter })
	if at < 0 || row >= len(m.places) || m.places[row].slot == noSlot {
		return Series{}
	}
	p, columns := m.places[row], m.grids[at].columns.buf
	first := m.next - uint64(len(columns))
	if p.first > first {
		columns = columns[min(p.first-first, uint64(len(columns))):]
	}
	block, in := int(p.slot)/blockOf, int(p.slot)%blockOf
	buf := (*into)[:0]
	for _, column := range columns {
		v := float32(math.NaN())
		if block < len(column) {
			v = math.Float32frombits(column[block][in])
		}
		buf = append(buf, v)
	}
	*into = buf
	return Series{First: m.next - uint64(len(buf)), Values: buf}
}

// Recent is the history of a row and column: where none is kept of it, what there is of
// the last minute, put into a buffer, which grows.
func (v *SetView) Recent(into *[]float32, row, col int) Series {
	if s := v.Series(row, col); len(s.Values) > 0 || col < 0 {
		return s
	}
	return v.recent.series(into, row, v.Counters[col])
}
