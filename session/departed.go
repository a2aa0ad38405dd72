package session

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"time"

	"perfdeck/cooker"
)

// Who looks at a moment of the past wants the rows of then: instances that ended are kept
// behind the views with their histories, as long as these reach. Of a counterset they are
// bounded by their number and by their samples: at 1 s and ten minutes of history these take
// 150 KiB at most, the rows with their facts some 500 KiB. Of more those that used most are
// kept.
const (
	mostDeparted      = 1024 // instances; an eighth more before the least of them go
	departedHistories = 64   // whole histories, of which they have as many samples together
)

// departed is an instance that ended, as views showed it last. It does not change.
type departed struct {
	ghost

	kept   []keptSeries // by counter, in place of the column
	end    uint64       // number of the sample in which it was missing
	weight float64      // what it used, by the first of its counters that flows
}

// samples is how many there are of it.
func (d *departed) samples() (n int) {
	for i := range d.kept {
		n += d.kept[i].size()
	}
	return n
}

// use is what an instance used, by the first of its counters that flows.
func (d *departed) use(set *Counterset) (sum float64) {
	at := slices.IndexFunc(d.kept, func(k keptSeries) bool { return set.Counters[k.col].IsFlow() })
	if at < 0 {
		return 0
	}
	for _, v := range d.kept[at].Values {
		if v == v {
			sum += float64(v)
		}
	}
	return sum
}

// depart keeps an instance that views show no more, and as few others for that as need be:
// those that used least go.
func (t *track) depart(g *ghost) {
	d := &departed{ghost: *g, end: g.sample}
	most, samples, first := mostDeparted, departedHistories*t.history, uint64(0)
	if t.reel != nil {
		most, samples, first = mostReeled, math.MaxInt, t.reel.began(&g.row)
	}
	for _, c := range t.ask.Counters {
		if s := t.series.byKey[seriesKey{g.row.Key, c}]; s != nil {
			d.kept = append(d.kept, keptSeries{col: int32(c), Series: s.view().from(first).clone()})
		}
	}
	for _, k := range g.recent {
		if !slices.ContainsFunc(d.kept, func(o keptSeries) bool { return o.col == k.col }) {
			d.kept = append(d.kept, k)
		}
	}
	if d.recent, d.values = nil, nil; len(d.kept) == 0 {
		return
	}
	d.weight = d.use(t.ask.Set)
	t.departed = append(t.departed, d)
	t.departedSamples += d.samples()
	if t.departedSamples > samples || len(t.departed) > most+most/8 {
		t.forget(most, samples)
	}
}

// forget lets go of those that ended and used least, until so many instances and samples are left.
func (t *track) forget(most, samples int) {
	byUse := slices.Clone(t.departed)
	slices.SortStableFunc(byUse, func(a, b *departed) int { return cmp.Compare(b.weight, a.weight) })
	n, left := 0, 0
	for n < min(len(byUse), most) && left+byUse[n].samples() <= samples*7/8 {
		left += byUse[n].samples()
		n++
	}
	gone := make(map[*departed]bool, len(byUse)-n)
	for _, d := range byUse[n:] {
		gone[d], t.forgotten = true, Later(t.forgotten, d.row.Since)
	}
	t.departed = slices.DeleteFunc(slices.Clone(t.departed), func(d *departed) bool { return gone[d] }) // views hold the others
	t.departedSamples = left
}

// expire lets go of what ended before the history that is kept begins.
func (t *track) expire(sample uint64) {
	n := 0
	for n < len(t.departed) && t.departed[n].end+uint64(t.history) <= sample {
		n++
	}
	for _, d := range t.departed[:n] {
		t.departedSamples -= d.samples()
	}
	if n > 0 {
		t.departed = slices.Clone(t.departed[n:])
	}
}

// recentOf is the last minute of a row of a view, which leaves it.
func (t *track) recentOf(v *SetView, row int) (out []keptSeries) {
	for i := range v.recent.grids {
		counter := v.recent.grids[i].counter
		if s := v.recalled(&t.recalled, row, counter); len(s.Values) > 0 {
			out = append(out, keptSeries{col: int32(counter), Series: s.clone()})
		}
	}
	return out
}

// Then is the snapshot for who looks at a moment of the past: behind the rows that it has
// stand those that were there then and ended since, as far as they are kept. It is good as
// long as the snapshot is held.
func (s *Snapshot) Then(at time.Time) *Snapshot {
	if s == nil || at.IsZero() {
		return s
	}
	out := s
	for i, v := range s.Sets {
		if w := v.then(at); w != v {
			if out == s {
				out = &Snapshot{Host: s.Host, Time: s.Time, State: s.State, Timeline: s.Timeline, Sets: slices.Clone(s.Sets), feed: s.feed}
			}
			out.Sets[i] = w
		}
	}
	return out
}

// wasThere tells whether one that ended had begun at a moment, and not ended.
func (row *Row) wasThere(at time.Time) bool {
	return at.Before(row.Since) && (row.Lived == 0 || !at.Before(row.Since.Add(-row.Lived)))
}

// Ended gives each history of instances that ended and are shown no more, as far as they are kept.
func (v *SetView) Ended(each func(row *Row, counter int, s Series)) {
	for _, d := range v.departed {
		for i := range d.kept {
			each(&d.row, int(d.kept[i].col), d.kept[i].Series)
		}
	}
}

func (v *SetView) then(at time.Time) *SetView {
	w := v
	for _, d := range v.departed {
		if !d.row.wasThere(at) {
			continue
		}
		row := w.Find(d.row.Key, -1)
		if row >= 0 && w.Rows[row].isThere(at) {
			continue
		}
		if w == v {
			w = v.copy()
		}
		w.show(row, d)
	}
	return w
}

// isThere tells whether the instance of a row was there at a moment.
func (row *Row) isThere(at time.Time) bool {
	if row.Gone {
		return row.wasThere(at)
	}
	return !at.Before(row.Since)
}

// show gives one that ended a row: that of the one that has its name by now, or, below 0, the
// next.
func (v *SetView) show(row int, d *departed) {
	if row < 0 {
		row = len(v.Rows)
		v.showGone(&d.ghost)
	} else {
		v.Rows[row] = d.row
		if n := len(v.FactKeys); (row+1)*n <= len(v.Facts) {
			facts := v.Facts[row*n : (row+1)*n]
			clear(facts)
			if slices.Equal(d.keys, v.FactKeys) {
				copy(facts, d.facts)
			}
		}
		for col := range v.Counters {
			v.Values[row*len(v.Counters)+col] = cooker.Absent(cooker.Gone)
		}
		v.kept = slices.DeleteFunc(v.kept, func(k keptSeries) bool { return k.row == int32(row) })
	}
	at := sort.Search(len(v.kept), func(i int) bool { return v.kept[i].row > int32(row) })
	var kept []keptSeries
	for _, k := range d.kept {
		if col := v.Column(int(k.col)); col >= 0 {
			kept = append(kept, keptSeries{int32(row), int32(col), k.Series})
		}
	}
	sortKept(kept)
	v.kept = slices.Insert(v.kept, at, kept...)
}

// copy is a view that takes more rows, beside the one that is held.
func (v *SetView) copy() *SetView {
	return &SetView{
		Set: v.Set, Counters: v.Counters, Time: v.Time, Left: v.Left, FactKeys: v.FactKeys, Err: v.Err, Rate: v.Rate,
		Rows: slices.Clone(v.Rows), Values: slices.Clone(v.Values), Facts: slices.Clone(v.Facts), kept: slices.Clone(v.kept),
		older: v.older, newer: v.newer, olderRow: v.olderRow, before: v.before, beforeRow: v.beforeRow,
		live: v.live, combined: v.combined, recent: v.recent, departed: v.departed, Forgotten: v.Forgotten,
	}
}
