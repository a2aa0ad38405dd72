package session

import (
	"slices"
	"sort"
	"time"
)

// Reel shows what was recorded: rows that somebody hands over become snapshots by the tracks
// that feeds have. Who is busy at last is not known as rows pass, so histories are kept of all
// that an ask may want them of.
type Reel struct {
	samples

	tracks []*track
	wants  []Want // of them
}

// reeled is what the track of a reel has besides.
type reeled struct {
	*samples

	held  Ask      // what the histories are of, whatever is shown of them since
	first uint64   // number of the first sample
	told  *SetView // the newest that is no gap: it is known who was there
}

// mostReeled bounds those that ended in a reel, whose histories are parts of those that it keeps.
const mostReeled = 4096

// Ask replaces what is asked for, once of each counterset. rows are the instances that a
// recording has of one. It reports whether snapshots are others then, and whether that was not
// kept: Begin has to be called.
func (r *Reel) Ask(asks []Ask, rows func(*Counterset) []Instance) (isOther, anew bool) {
	old := r.tracks
	r.tracks, r.wants = nil, wantsOf(0, asks)
	r.times.n = max(r.times.n, 2)
	isOther = len(asks) != len(old)
	for i, a := range asks {
		at := slices.IndexFunc(old, func(t *track) bool { return t.ask.Set == a.Set })
		isOther = isOther || at != i
		if at < 0 {
			anew = true
			r.tracks = append(r.tracks, r.track(a))
			continue
		}
		t, all := old[at], slices.Clone(rows(a.Set))
		for i := range a.Combine {
			all = append(all, a.Combine[i].Instance())
		}
		if !sameAsk(t.ask, a, all) {
			isOther, anew = true, anew || !t.reel.held.covers(&a, all)
		}
		t.ask = a
		r.tracks = append(r.tracks, t)
	}
	for _, t := range old {
		if !slices.Contains(r.tracks, t) {
			t.close()
		}
	}
	return isOther, anew
}

// Wants are the countersets and counters that samples have, one for each ask.
func (r *Reel) Wants() []Want { return r.wants }

// covers tells whether what is kept for an ask is enough for another one, of all instances that
// there can be.
func (a *Ask) covers(o *Ask, rows []Instance) bool {
	return slices.Equal(a.Counters, o.Counters) &&
		slices.EqualFunc(a.Combine, o.Combine, func(a, b Combine) bool { return a.same(&b, rows) }) &&
		!slices.ContainsFunc(rows, func(in Instance) bool {
			return slices.ContainsFunc(o.Counters, func(c int) bool { return o.MayKeep(&in, c) && !a.MayKeep(&in, c) })
		})
}

// MayKeep tells whether the history of a counter of an instance may come to be kept.
func (a *Ask) MayKeep(in *Instance, counter int) bool {
	return slices.ContainsFunc(a.Keep, func(k Keep) bool {
		return slices.Contains(k.Counters, counter) && (k.Busiest > 0 || k.Recent || k.names(in))
	})
}

// names tells whether history is kept of an instance whatever its values.
func (k *Keep) names(in *Instance) bool {
	return k.Match != nil && k.Match(in) || slices.Contains(k.Rows, in.Key)
}

// Begin empties the reel for samples from an absolute number on, of which it keeps so many.
func (r *Reel) Begin(number uint64, samples int) {
	r.next, r.times = number, ring[int64]{n: samples}
	for i, old := range r.tracks {
		old.close()
		r.tracks[i] = r.track(old.ask)
		r.tracks[i].pool = old.pool
	}
}

// track is one that has no samples.
func (r *Reel) track(a Ask) *track {
	t := newTrack(a, r.times.n)
	t.reel = &reeled{samples: &r.samples, held: a, first: r.next}
	t.clocks.ask(&t.ask, t.history)
	t.combiners = combinersOf(a, nil)
	return t
}

// Add takes a sample of Wants.
func (r *Reel) Add(b *Batch, rate Rate) {
	sample := r.add(b.Time)
	for i, t := range r.tracks {
		t.cook(&b.Sets[i], b.Time, sample, rate)
		if b.Sets[i].Left == 0 {
			t.reel.told.release()
			t.view.refs.Add(1)
			t.reel.told = t.view
		}
	}
}

// Snapshot is what there is by now.
func (r *Reel) Snapshot(host string, at time.Time, state HostState) *Snapshot {
	s := &Snapshot{Host: host, Time: at, State: state, Timeline: r.line()}
	for _, t := range r.tracks {
		if t.view != nil {
			s.Sets = append(s.Sets, t.shown(s.Timeline))
		}
	}
	return s
}

// shown is a view of the newest sample of a reel. What was before its times is not known.
func (t *track) shown(line Timeline) *SetView {
	began := line.At(line.First)
	v := t.again(t.view)
	v.Left, v.departed = 0, t.departed
	asked := t.asked(v)
	for i := range t.ghosts {
		if row := v.live + v.combined + i; asked[row] {
			v.showGone(&t.ghosts[i])
		}
	}
	asked = append(asked[:v.live+v.combined], slices.Repeat([]bool{true}, len(v.Rows)-v.live-v.combined)...)
	t.series.next = 0
	for i := range v.Rows {
		row := &v.Rows[i]
		if row.Since.Add(-row.Lived).Before(began) {
			row.Lived = 0
		}
		if row.Since.Before(began) {
			row.Since, row.Came = began, false // what was before that moment is not in the view
		}
		for col, counter := range v.Counters {
			if !asked[i] || !slices.ContainsFunc(t.ask.Keep, func(k Keep) bool { return slices.Contains(k.Counters, counter) }) {
				continue
			}
			if s := t.series.find(seriesKey{row.Key, counter}); s != nil {
				v.kept = append(v.kept, keptSeries{int32(i), int32(col), s.view().from(line.First)})
			}
		}
	}
	return v
}

// asked tells of the rows of a view, and of the ghosts behind them, whether their history is
// asked for.
func (t *track) asked(v *SetView) []bool {
	n := len(v.Rows)
	asked := make([]bool, n+len(t.ghosts))
	for i := range t.ask.Keep {
		k := &t.ask.Keep[i]
		for row := range asked {
			if row < n {
				asked[row] = asked[row] || k.Recent || k.names(&v.Rows[row].Instance)
			} else {
				asked[row] = asked[row] || k.names(&t.ghosts[row-n].row.Instance)
			}
		}
		if k.Busiest > 0 && t.reel.told != nil {
			for _, r := range t.busiest(t.reel.told, k) {
				asked[r.row] = true
			}
		}
	}
	return asked
}

// began is the number of the first sample of an instance that ended.
func (r *reeled) began(row *Row) uint64 {
	if row.Lived == 0 {
		return 0
	}
	nanos := row.Since.Add(-row.Lived).UnixNano()
	line := r.line()
	return line.First + uint64(sort.Search(len(line.Nanos), func(i int) bool { return line.Nanos[i] >= nanos }))
}
