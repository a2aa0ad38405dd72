package session

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"time"

	"perfdeck/cooker"
)

// Who looks at a moment of the past wants what was seen then: histories that were asked for a
// while, of instances that are there and are asked for no more, and of those that ended, which are
// kept behind the views, with their facts, as long as these reach. Of a feed they take so many
// bytes at most; what used most is kept longest. A counterset that nobody asks for is not read,
// but keeps what it has.
const (
	askedFor      = 10 * time.Second // at least, of what is kept when nobody asks for it
	historyMemory = 1 << 20          // bytes, unless the feed is told

	// What they take besides their samples, with what allocations round up.
	seriesBytes   = 256
	departedBytes = 512
)

// departed is an instance that ended, as views showed it last. It does not change.
type departed struct {
	ghost

	kept   []keptSeries // by counter, in place of the column
	end    uint64       // number of the sample in which it was missing
	weight float64      // what it used, by the first of its counters that flows
}

// bytes is what it takes.
func (d *departed) bytes() int {
	n := departedBytes
	for i := range d.kept {
		n += seriesBytes/2 + 4*d.kept[i].size()
	}
	for _, fact := range d.facts {
		n += len(fact)
	}
	return n
}

// bytes is what a history takes.
func (s *series) bytes() int { return seriesBytes + 4*room(s.values.buf) + 8*cap(s.rests.buf) }

// held is what a track has of what nobody asks for, in bytes.
func (t *track) held() int { return t.left + t.departedBytes }

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

// depart keeps an instance that views show no more.
func (t *track) depart(g *ghost) {
	d, first := &departed{ghost: *g, end: g.sample}, uint64(0)
	if t.reel != nil {
		first = t.reel.began(&g.row)
	}
	for c := range t.ask.Set.Counters {
		if s := t.series.byKey[seriesKey{g.row.Key, c}]; s != nil {
			d.kept = append(d.kept, keptSeries{col: int32(c), Series: s.view().from(first).clone()})
			s.asked = 0
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
	t.departedBytes += d.bytes()
	if t.reel != nil && len(t.departed) > mostReeled+mostReeled/8 {
		t.forget(mostReeled, math.MaxInt, time.Time{})
	}
}

// forget lets go of what is shown no more and used least, until so many instances and bytes are left.
func (t *track) forget(most, bytes int, now time.Time) {
	all := slices.Clone(t.departed)
	if t.reel == nil {
		all = append(all, t.unasked(now)...)
	}
	slices.SortStableFunc(all, func(a, b *departed) int { return cmp.Compare(b.weight, a.weight) })
	n, left := 0, 0
	for n < min(len(all), most) && left+all[n].bytes() <= bytes {
		left += all[n].bytes()
		n++
	}
	gone := make(map[*departed]bool, len(all)-n)
	for _, d := range all[n:] {
		gone[d], t.forgotten = true, Later(t.forgotten, d.row.Since)
		for _, k := range d.kept {
			if s := t.series.byKey[seriesKey{d.row.Key, int(k.col)}]; s != nil && !d.row.Gone {
				s.asked = 0
				t.left -= s.bytes()
			}
		}
	}
	t.departed = slices.DeleteFunc(slices.Clone(t.departed), func(d *departed) bool { return gone[d] }) // views hold the others
	t.departedBytes = 0
	for _, d := range t.departed {
		t.departedBytes += d.bytes()
	}
	if t.away {
		t.series.drop(func(s *series) bool { return s.asked == 0 })
	}
}

// unasked are those that are there, as if they had ended, with the histories that nobody asks for.
func (t *track) unasked(now time.Time) (out []*departed) {
	of := map[InstanceKey]*departed{}
	for _, s := range t.series.list {
		d := of[s.key.instance]
		if d == nil {
			d = &departed{}
			d.row.Key, d.row.Since = s.key.instance, now
			of[s.key.instance], out = d, append(out, d)
		}
		d.kept = append(d.kept, keptSeries{col: int32(s.key.counter), Series: s.view()})
	}
	for _, d := range out {
		slices.SortFunc(d.kept, func(a, b keptSeries) int { return cmp.Compare(a.col, b.col) })
		d.weight = d.use(t.ask.Set)
		d.kept = slices.DeleteFunc(d.kept, func(k keptSeries) bool {
			s := t.series.byKey[seriesKey{d.row.Key, int(k.col)}]
			return !t.away && s.seen == t.sample || s.asked == 0
		})
	}
	return slices.DeleteFunc(out, func(d *departed) bool { return len(d.kept) == 0 })
}

// leave lets go of what a track needs to be read, when nobody asks for it from a sample on; what was
// kept waits. It reports whether there is anything.
func (t *track) leave(next uint64) bool {
	t.series.drop(func(s *series) bool { return s.asked < t.least && !t.isGhost(s.key.instance) })
	if t.view == nil || len(t.series.list)+len(t.departed) == 0 {
		return false
	}
	t.raw.release()
	t.endPeek()
	t.raw, t.away, t.awaySince, t.left = nil, true, next, 0
	for _, s := range t.series.list {
		t.left += s.bytes()
	}
	return true
}

// departAway keeps those that ended while nobody asked, of which it is not known when.
func (t *track) departAway(v, before *SetView, at time.Time) {
	for _, s := range t.series.list {
		j := before.Find(s.key.instance, s.row)
		if j < 0 || j >= before.live || s.asked == 0 || t.isGhost(s.key.instance) {
			continue
		}
		if is := v.Find(s.key.instance, j); is < 0 && v.Left == 0 && before.Left == 0 || is >= 0 && before.Rows[j].isOther(&v.Rows[is].Instance) {
			g := t.ghostOf(before, j, at, t.awaySince)
			t.depart(&g)
		}
	}
}

// expire lets go of what ended before the history that is kept begins.
func (t *track) expire(sample uint64) {
	n := 0
	for n < len(t.departed) && t.departed[n].end+uint64(t.history) <= sample {
		n++
	}
	for _, d := range t.departed[:n] {
		t.departedBytes -= d.bytes()
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

// Copies is the memory of views that have more rows than those that are held. Who looks at one snapshot after
// the other gives it along, and no beat makes garbage of it.
type Copies struct {
	views []*SetView
	used  int
}

// Then is the snapshot for who looks at a moment, the zero time is now. Behind the rows that it has stand those
// that were there then and ended since, as far as they are kept, and what is no process that lives: FlagEnded is
// set there, Vanished tells how many ended. It is good as long as the snapshot is held, and until what was given
// for its memory, or nil, is given for another one.
func (s *Snapshot) Then(at time.Time, memory *Copies) *Snapshot {
	if s == nil {
		return nil
	}
	if memory == nil {
		memory = new(Copies)
	}
	memory.used = 0
	out := s
	show := func(set int, w *SetView) {
		if w == out.Sets[set] {
			return
		}
		if out == s {
			out = s.again()
		}
		out.Sets[set] = w
	}
	if !at.IsZero() {
		for i, v := range s.Sets {
			show(i, v.then(at, memory))
		}
	}
	for _, b := range besides {
		from := slices.IndexFunc(s.Sets, func(v *SetView) bool { return v.Set.Name == b.set && len(v.Rows) > 0 })
		if from < 0 {
			continue
		}
		for i, v := range out.Sets {
			if IsOfProcesses(v.Set.InEnglish()) && !slices.ContainsFunc(v.Rows, func(r Row) bool { return r.Flags&FlagEnded != 0 && r.Key.ID == b.id }) {
				show(i, v.accounted(s.Sets[from], b.id, memory))
			}
		}
	}
	return out
}

// again is a snapshot of the same moment, to be given other views.
func (s *Snapshot) again() *Snapshot {
	return &Snapshot{Host: s.Host, Time: s.Time, State: s.State, Timeline: s.Timeline, Sets: slices.Clone(s.Sets), feed: s.feed}
}

// Forgotten is until when not all is kept of what was shown, since it took too much; zero: all is.
func (s *Snapshot) Forgotten() (until time.Time) {
	if s != nil {
		for _, v := range s.Sets {
			until = Later(until, v.Forgotten)
		}
	}
	return until
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

func (v *SetView) then(at time.Time, memory *Copies) *SetView {
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
			w = memory.of(v)
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

// of is a view that takes more rows, beside the one that is held: that itself where it is a copy.
func (c *Copies) of(v *SetView) *SetView {
	if slices.Contains(c.views[:c.used], v) {
		return v
	}
	if c.used == len(c.views) {
		c.views = append(c.views, new(SetView))
	}
	w := c.views[c.used]
	c.used++
	clear(w.kept) // they hold on to old rings
	w.take(v)
	return w
}
