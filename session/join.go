package session

import (
	"math"
	"slices"
	"time"

	"perfdeck/cooker"
)

// What was recorded of a host is joined to what its screens keep: a reel shows the rows of a moment
// before their first sample, its histories go on over what was recorded behind that moment, and the
// samples of the screens stand behind them.

// Extend lets what a reel showed at a moment go on over the samples that it took since: histories
// reach to the newest, and what came since has rows, which were not there at that moment.
func (r *Reel) Extend(s *Snapshot) {
	s.Timeline = r.line()
	for _, t := range r.tracks {
		v := s.Set(t.ask.Set)
		if v == nil || t.view == nil {
			continue
		}
		for i := range v.kept {
			k := &v.kept[i]
			if h := t.series.byKey[seriesKey{v.Rows[k.row].Key, v.Counters[k.col]}]; h != nil {
				k.Series = h.view()
			}
		}
		has := v.keys()
		for i := range t.view.Rows {
			if row := &t.view.Rows[i]; !has[row.Key] {
				v.show(-1, &departed{ghost: ghost{row: *row}, kept: t.historiesOf(row.Key)})
			}
		}
		for _, d := range t.departed {
			if d.row.Since.After(v.Time) && !has[d.row.Key] {
				v.show(-1, d)
			}
		}
	}
}

// keys are those of the rows of a view.
func (v *SetView) keys() map[InstanceKey]bool {
	has := make(map[InstanceKey]bool, len(v.Rows))
	for i := range v.Rows {
		has[v.Rows[i].Key] = true
	}
	return has
}

// historiesOf are those of an instance, by counter.
func (t *track) historiesOf(key InstanceKey) (out []keptSeries) {
	for _, c := range t.ask.Counters {
		if h := t.series.byKey[seriesKey{key, c}]; h != nil {
			out = append(out, keptSeries{col: int32(c), Series: h.view()})
		}
	}
	return out
}

// Join puts the samples that screens have behind those of a snapshot that a reel made for them, up
// to a moment; nil: there are none. Rows, values and raw samples stay those of the moment that the reel shows, which is
// Snapshot.Time; rows that came later were not there. Neither is changed; the recorded one is
// not to be released before the result.
func Join(recorded, live *Snapshot, until time.Time) *Snapshot {
	out := &Snapshot{Host: recorded.Host, Time: recorded.Time, State: recorded.State, Timeline: recorded.Timeline}
	var copies Copies
	for _, v := range recorded.Sets {
		out.Sets = append(out.Sets, copies.of(v))
	}
	if live == nil {
		return out
	}
	line := live.Timeline
	out.State = live.State
	last := int64(math.MinInt64)
	if n := len(out.Timeline.Nanos); n > 0 {
		last = out.Timeline.Nanos[n-1]
	}
	first, _ := slices.BinarySearch(line.Nanos, last+1)
	end, _ := slices.BinarySearch(line.Nanos, until.UnixNano()+1)
	if first >= end {
		return out
	}
	j := joint{out.Timeline.Next(), line.First + uint64(first), line.First + uint64(end)}
	out.Timeline.Nanos = slices.Concat(out.Timeline.Nanos, line.Nanos[first:end])
	for _, v := range out.Sets {
		if w := live.Set(v.Set); w != nil {
			j.extend(v, w)
		}
	}
	return out
}

// Hold keeps a snapshot beside who has it: each of both releases it.
func (s *Snapshot) Hold() *Snapshot {
	if s != nil {
		for _, v := range s.Sets {
			v.refs.Add(1)
		}
	}
	return s
}

// joint is where samples stand behind others: those from one absolute number up to another get
// the numbers from at on.
type joint struct{ at, from, to uint64 }

// extend lets the histories of a recorded view go on in a live one.
func (j *joint) extend(out, live *SetView) {
	for i := range out.kept {
		k := &out.kept[i]
		if row := live.Find(out.Rows[k.row].Key, int(k.row)); row >= 0 {
			if col := live.Column(out.Counters[k.col]); col >= 0 {
				k.Series = j.series(k.Series, live.Series(row, col))
			}
		}
	}
	has := out.keys()
	for row := range live.Rows {
		if has[live.Rows[row].Key] {
			continue
		}
		d := &departed{ghost: ghost{row: live.Rows[row]}}
		for col, counter := range live.Counters {
			if s := live.Series(row, col); len(s.Values) > 0 {
				d.kept = append(d.kept, keptSeries{col: int32(counter), Series: j.series(Series{First: j.at}, s)})
			}
		}
		if len(d.kept) == 0 {
			continue
		}
		out.show(-1, d)
		for i := range out.Counters { // nobody knows whether it was there
			out.Values[len(out.Values)-1-i] = cooker.Absent(cooker.NotKept)
		}
	}
}

// series is one that goes on in another.
func (j *joint) series(a, b Series) Series {
	b = b.Cut(j.to, int(j.to-j.from))
	if len(b.Values) == 0 {
		return a
	}
	begin := j.at + b.First - j.from // of b, among the numbers of a
	if len(a.Values) == 0 {
		a.First = begin
	}
	out := Series{First: a.First, Values: make([]float32, 0, begin-a.First+uint64(len(b.Values))), fine: a.fine || b.fine, whole: a.whole || b.whole, texts: a.texts}
	out.Values = append(out.Values, a.Values...)
	for out.End() < begin {
		out.Values = append(out.Values, float32(math.NaN()))
	}
	out.Values = append(out.Values, b.Values...)
	if len(a.rests)+len(b.rests) > 0 {
		out.rests = make([]int64, len(out.Values))
		copy(out.rests[len(a.Values)-len(a.rests):], a.rests)
		copy(out.rests[len(out.rests)-len(b.rests):], b.rests)
	}
	if a.weighed.by == nil && b.weighed.by == nil {
		return out
	}
	out.weighed = weighed{by: make([]float32, len(out.Values)), first: out.First, own: true, byTime: a.weighed.byTime || b.weighed.byTime}
	for i := range a.Values {
		out.weighed.by[i] = float32(a.weighed.at(a.First + uint64(i)))
	}
	for i := range b.Values {
		out.weighed.by[len(out.Values)-len(b.Values)+i] = float32(b.weighed.at(b.First + uint64(i)))
	}
	return out
}
