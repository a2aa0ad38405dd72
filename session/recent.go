package session

import (
	"math"
	"slices"
	"time"

	"perfdeck/cooker"
)

// What is busy next is not known, so the last minute is kept of all instances of a
// counterset: of a process that slept, too. A sample is a column with a number for each
// instance, in blocks that a sample shares with the one before where nothing in them
// changed: of thousands of processes that sleep the minute takes next to nothing. A block of
// which numbers need it has their rests beside it, as histories have. Columns never change
// once they are made, so views hold them without a copy.
//
// Of the time before that minute some samples of all instances are held longer, as marks, so
// that it can be told of each how much it grew. They take what changed between them.

const (
	recentReach = time.Minute
	leastRecent = 20 // samples, where few are taken in that time
	blockOf     = 64 // instances
	mostMarks   = 120
	leastApart  = 15 // samples from one mark to the next
)

// block is one sample of some instances.
type block[T comparable] [blockOf]T

// blocks are one sample of all instances, none a gap. Of a block that is nil all are 0.
type blocks[T comparable] []*block[T]

// at is what a slot has; ok is false where nothing is known of it.
func (b blocks[T]) at(slot int32) (v T, ok bool) {
	i := int(slot) / blockOf
	switch {
	case i >= len(b):
		return v, false
	case b[i] == nil:
		return v, true
	}
	return b[i][slot%blockOf], true
}

// fill makes blocks of what the slots have: of those that are as they were before, those.
// fresh is scratch.
func (b blocks[T]) fill(flat []T, before blocks[T], fresh []int) []int {
	fresh = fresh[:0]
	var none block[T]
	for i := range b {
		switch is := (*block[T])(flat[i*blockOf:]); {
		case *is == none:
		case i < len(before) && before[i] != nil && *before[i] == *is:
			b[i] = before[i]
		default:
			fresh = append(fresh, i)
		}
	}
	all := make([]block[T], len(fresh))
	for k, i := range fresh {
		copy(all[k][:], flat[i*blockOf:])
		b[i] = &all[k]
	}
	return fresh
}

// recents is the last minute of the counters of a counterset.
type recents struct {
	n      int // samples
	grids  []recentGrid
	places []recentPlace // of the rows of the view before; views share them
	used   []bool        // slots
	next   uint64        // absolute number of the sample that comes next
	apart  uint64        // samples from one mark to the next

	// Scratch: one sample by slot, and blocks of it that are not as they were.
	flat  []uint32
	rests []int64
	fresh []int
}

// recentGrid is the samples of one counter.
type recentGrid struct {
	counter int
	fine    bool                  // as that of Series
	values  ring[blocks[uint32]]  // the bits of float32: a NaN is like another one then
	rests   sparse[blocks[int64]] // as those of Series
	marks   ring[recentMark]

	weights *weights             // by a clock, or none
	own     ring[blocks[uint32]] // weights as values are, where each row has its own; n is 0 where none has
	weighed weighed              // weights, as of a view
}

// recentMark is a sample that is held longer, in the form of values.
type recentMark struct {
	sample uint64
	values blocks[uint32]
}

// recentPlace is where the values of a row are.
type recentPlace struct {
	slot  int32  // noSlot: nowhere
	first uint64 // sample from which on they are of this row
}

const noSlot = -1

// recentView is what a view has of the last minute.
type recentView struct {
	apart  uint64
	next   uint64
	places []recentPlace // by row
	grids  []recentGrid  // with columns as of then
}

// recentSamples is how many samples the last minute has.
func recentSamples(history int, every time.Duration) int {
	return min(history, max(leastRecent, int(recentReach/max(every, MinInterval))))
}

// ask makes the grids those of the counters that are asked for, of n samples, with marks in so
// many.
func (r *recents) ask(a *Ask, n, history int, clocks *clockWeights) {
	r.n, r.apart = n, uint64(max(leastApart, history/mostMarks))
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
		g := recentGrid{counter: c, fine: a.Set.Counters[c].Look().IsOneNumber()}
		if at := slices.IndexFunc(was, func(o recentGrid) bool { return o.counter == c }); at >= 0 {
			g = was[at]
		}
		g.values.n, g.weights = n, clocks.by(a.Set.Counters[c].Type)
		g.marks.n = history/int(r.apart) + 2
		if _, own := cooker.WeighedBy(a.Set.Counters[c].Type); own {
			g.own.n = n
		}
		r.grids = append(r.grids, g)
	}
	if len(r.grids) == 0 {
		*r = recents{n: n, apart: r.apart}
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
	heads := make(blocks[uint32], len(r.grids)*len(r.used)/blockOf)
	for i := range r.grids {
		n := len(r.used) / blockOf
		head := heads[i*n : (i+1)*n : (i+1)*n]
		g := &r.grids[i]
		rests := r.column(g, v, head)
		own := r.weigh(g, v, skipped, filled)
		for range skipped {
			if filled {
				g.add(head, rests, own)
			} else {
				g.add(nil, nil, nil)
			}
		}
		g.add(head, rests, own)
		if len(g.marks.buf) == 0 || sample >= g.marks.newest().sample+r.apart {
			g.marks.add(recentMark{sample, head})
		}
	}
	r.next = sample + 1
	r.show(v, r.places)
}

func (g *recentGrid) add(values blocks[uint32], rests blocks[int64], own blocks[uint32]) {
	g.values.add(values)
	g.rests.put(rests, rests != nil, g.values.n)
	if g.own.n > 0 {
		g.own.add(own)
	}
}

// weigh is what the newest sample of a counter counts of each row, where each has its own.
func (r *recents) weigh(g *recentGrid, v *SetView, skipped int, filled bool) blocks[uint32] {
	col := v.Column(g.counter)
	if g.own.n == 0 || col < 0 {
		return nil
	}
	of := 1.0 // samples
	if filled {
		of += float64(skipped)
	}
	r.flat = cleared(r.flat, len(r.used))
	for row, p := range r.places {
		over := v.interval(row, col)
		r.flat[p.slot] = math.Float32bits(float32(over.weight(v.Set.Counters[g.counter].Type) / of))
	}
	all := make(blocks[uint32], len(r.used)/blockOf)
	r.fresh = all.fill(r.flat, g.own.newest(), r.fresh)
	return all
}

// column puts the newest sample of a counter together, and what its numbers lack.
func (r *recents) column(g *recentGrid, v *SetView, head blocks[uint32]) (rests blocks[int64]) {
	r.flat = cleared(r.flat, len(r.used))
	col := v.Column(g.counter)
	for row, p := range r.places {
		var value cooker.Value
		if col >= 0 {
			value = v.Value(row, col)
		}
		if number, ok := value.Float(); ok && !g.fine && isShort(number) { // nearly all
			r.flat[p.slot] = math.Float32bits(float32(number))
			continue
		}
		f, rest := split(value, g.fine)
		r.flat[p.slot] = math.Float32bits(f)
		if rest == 0 {
			continue
		}
		if rests == nil {
			rests, r.rests = make(blocks[int64], len(head)), cleared(r.rests, len(r.used))
		}
		r.rests[p.slot] = rest
	}
	r.fresh = head.fill(r.flat, g.values.newest(), r.fresh)
	if rests != nil {
		r.fresh = rests.fill(r.rests, g.rests.newest(), r.fresh)
	}
	return rests
}

// cleared is scratch of n zeros.
func cleared[T any](s []T, n int) []T {
	s = slices.Grow(s[:0], n)[:n]
	clear(s)
	return s
}

// place finds where the rows of a view have their values: mostly where those of the view
// before have them. With all, new rows get a place.
func (r *recents) place(v, before *SetView, all bool, sample uint64) []recentPlace {
	known := before != nil && len(r.places) == before.live+before.combined
	if known && v.arranged == before.arranged {
		return r.places
	}
	out := make([]recentPlace, v.live+v.combined)
	for i := range out {
		if out[i].slot = noSlot; !known {
			continue
		}
		if j := v.rowBefore(before, i); j >= 0 {
			out[i] = r.places[j]
		}
	}
	if all {
		r.settle(out, sample)
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
	v.recent.apart, v.recent.next, v.recent.places = r.apart, r.next, places
	for i := range r.grids {
		g := &r.grids[i]
		held := *g
		held.values.buf, held.rests.buf, held.own.buf, held.marks.buf = g.values.last(), g.rests.last(), g.own.last(), g.marks.last()
		if g.weights != nil {
			held.weighed = g.weights.before(g.weights.next)
		}
		v.recent.grids = append(v.recent.grids, held)
	}
}

// share gives a view what another one has.
func (m *recentView) share(o *recentView) {
	m.apart, m.next, m.places, m.grids = o.apart, o.next, o.places, append(m.grids[:0], o.grids...)
}

// forget lets go of what a view had.
func (m *recentView) forget() {
	clear(m.grids)
	m.next, m.places, m.grids = 0, nil, m.grids[:0]
}

// Recalled is memory for what SetView.Recent tells, which is used again.
type Recalled struct {
	values, weights []float32
	rests           []int64
}

// recalled is what there is of the last minute of a row and a counter, put into memory.
func (v *SetView) recalled(into *Recalled, row, counter int) Series {
	m := &v.recent
	at := slices.IndexFunc(m.grids, func(g recentGrid) bool { return g.counter == counter })
	if at < 0 || row >= len(m.places) || m.places[row].slot == noSlot {
		return Series{}
	}
	g, p := &m.grids[at], m.places[row]
	first := m.next - uint64(len(g.values.buf))
	if p.first > first {
		first = min(p.first, m.next)
	}
	values := appendFloats(into.values[:0], newest(g.values.buf, m.next-first), p.slot)
	rests := into.rests[:0]
	for _, sample := range newest(g.rests.buf, m.next-first) {
		rest, _ := sample.at(p.slot)
		rests = append(rests, rest)
	}
	into.values, into.rests = values, rests
	s := Series{First: first, Values: values, rests: rests, fine: g.fine, weighed: g.weighed}
	if g.own.n > 0 {
		into.weights = appendFloats(into.weights[:0], newest(g.own.buf, m.next-first), p.slot)
		s.weighed = weighed{by: into.weights, first: first, own: true}
	}
	if col := v.Column(counter); col >= 0 {
		s.whole = v.Value(row, col).IsWhole()
	}
	return s
}

// newest is the last n samples.
func newest[T any](all []T, n uint64) []T { return all[len(all)-int(min(n, uint64(len(all)))):] }

// appendFloats adds what a slot has in samples, NaN where it has nothing.
func appendFloats(to []float32, samples []blocks[uint32], slot int32) []float32 {
	for _, sample := range samples {
		v := float32(math.NaN())
		if bits, ok := sample.at(slot); ok {
			v = math.Float32frombits(bits)
		}
		to = append(to, v)
	}
	return to
}

// Recent is the history of a row and column: where none is kept of it, what there is of
// the last minute, good until the memory is used again.
func (v *SetView) Recent(into *Recalled, row, col int) Series {
	if s := v.Series(row, col); len(s.Values) > 0 || col < 0 {
		return s
	}
	return v.recalled(into, row, v.Counters[col])
}

// Earliest is the number of a row and column in a sample, or in the one nearest to it that is held,
// or in the first one behind it of which any is known; ok is false where none is.
func (v *SetView) Earliest(into *Recalled, row, col int, sample uint64) (number float64, ok bool) {
	s := v.Recent(into, row, col)
	end := s.End()
	for n := max(sample, s.First); n < end && !ok; n++ {
		if number = s.At(n); number == number {
			end, ok = n, true
		}
	}
	if ok && end == sample {
		return number, true
	}
	m := &v.recent
	at := slices.IndexFunc(m.grids, func(g recentGrid) bool { return g.counter == v.Counters[col] })
	if at < 0 || row >= len(m.places) || m.places[row].slot == noSlot {
		return number, ok
	}
	p := m.places[row]
	for _, mark := range m.grids[at].marks.buf {
		if mark.sample+m.apart/2 < sample || mark.sample < p.first || ok && mark.sample >= end {
			continue
		}
		if bits, has := mark.values.at(p.slot); has && math.Float32frombits(bits) == math.Float32frombits(bits) {
			return float64(math.Float32frombits(bits)), true
		}
	}
	return number, ok
}
