package alert

import (
	"slices"
	"strings"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
)

// thin makes, of all samples of a host in a recording, those that rules of an
// interval would have seen: values over that interval. Where the raw samples are
// known they are cooked anew; otherwise rates are averaged over time, and of what
// is no rate the newest value counts.
type thin struct {
	every time.Duration
	sets  []*thinSet

	begun bool
	since time.Duration // monotonic, of the last sample that was judged
	next  time.Duration // when the next one is due
	rows  int           // samples since
	out   session.Snapshot
}

// thinSet is one counterset of a thin.
type thinSet struct {
	set      *session.Counterset
	counters []int // that are wanted
	combine  []session.Combine

	average []bool                // by column of the views
	keys    []session.InstanceKey // of the rows of cells
	cells   []thinCell            // row by row, a column each
	spare   []thinCell
	clocks  cooker.Clocks // of the older readings
	view    session.SetView
}

// thinCell is a value since the last sample that was judged.
type thinCell struct {
	older    cooker.Reading
	known    bool    // older is
	sum, dur float64 // values by the time that they are of; seconds
}

func newThin(every time.Duration, asks []session.Ask) *thin {
	t := &thin{every: every}
	for _, a := range session.MergeAsks(asks) {
		t.sets = append(t.sets, &thinSet{set: a.Set, counters: a.Counters, combine: a.Combine})
	}
	return t
}

// early is by how much a sample may come before its beat: recorders do not keep
// theirs exactly.
func (t *thin) early(h *pastHost) time.Duration {
	const part = 8 // of the interval
	if half := h.Interval / 2; half > 0 {
		return min(t.every/part, half)
	}
	return t.every / part
}

// isDue tells whether a sample is judged: the one that is nearest to a beat.
func (t *thin) isDue(h *pastHost, now time.Duration) bool {
	return !t.begun || now+t.early(h) >= t.next
}

// beat finds the beat after a sample that was judged. As with live feeds beats come
// evenly, whatever was missed.
func (t *thin) beat(h *pastHost, now time.Duration) {
	if !t.begun {
		t.next = now
	}
	t.begun, t.since, t.rows = true, now, 0
	t.next += ((now+t.early(h)-t.next)/t.every + 1) * t.every //nolint:durationcheck // a count of intervals, times the interval
}

// thinned takes a sample. It returns what is to be judged, until the next call; nil:
// nothing is due.
func (t *thin) thinned(s *session.Snapshot, h *pastHost, now time.Duration) *session.Snapshot {
	t.rows++
	since := now - t.since
	due := t.isDue(h, now)
	usual := max(t.every, h.Interval)
	const mostBeats = 1 << 30 // so that it fits any int
	rate := session.Rate{Missed: int(min(max(0, (since+usual/2)/usual-1), mostBeats))}
	const mostMissed = 3 // of a live feed: from then on it is a gap
	if !t.begun {
		rate.Missed = 0
	} else {
		rate.Interval, rate.Gap = since, rate.Missed > mostMissed || since <= 0
	}
	t.out = session.Snapshot{Host: s.Host, Time: s.Time, State: h.state, Sets: t.out.Sets[:0]}
	for _, set := range t.sets {
		if v := s.Set(set.set); v != nil {
			if view := set.thinned(v, due, t.rows == 1, rate); view != nil {
				t.out.Sets = append(t.out.Sets, view)
			}
		}
	}
	if !due {
		return nil
	}
	t.beat(h, now)
	return &t.out
}

// thinned takes a view. Of the only one since the last that was judged the values
// are what they are.
func (s *thinSet) thinned(v *session.SetView, due, only bool, rate session.Rate) *session.SetView {
	s.align(v)
	if !due || !only {
		s.add(v, v.Rate.Interval.Seconds())
	}
	if !due {
		return nil
	}
	o := &s.view
	o.Set, o.Counters, o.Time, o.Rate, o.Rows, o.Err = v.Set, v.Counters, v.Time, rate, v.Rows, v.Err
	o.Values = append(o.Values[:0], v.Values...)
	if !only || rate.Gap {
		s.thin(v, o)
	}
	s.begin(v)
	return o
}

// align gives the cells the rows of a view.
func (s *thinSet) align(v *session.SetView) {
	w := len(v.Counters)
	if s.average == nil {
		for _, c := range v.Counters {
			s.average = append(s.average, isAveraged(&v.Set.Counters[c]))
		}
	}
	if len(s.keys) == len(v.Rows) {
		same := true
		for i := range v.Rows {
			same = same && v.Rows[i].Key == s.keys[i]
		}
		if same {
			return
		}
	}
	old := make(map[session.InstanceKey]int, len(s.keys))
	for i, key := range s.keys {
		old[key] = i
	}
	s.spare = slices.Grow(s.spare[:0], len(v.Rows)*w)[:len(v.Rows)*w]
	clear(s.spare)
	s.keys = s.keys[:0]
	for i := range v.Rows {
		key := v.Rows[i].Key
		if at, ok := old[key]; ok {
			copy(s.spare[i*w:(i+1)*w], s.cells[at*w:(at+1)*w])
		}
		s.keys = append(s.keys, key)
	}
	s.cells, s.spare = s.spare, s.cells
}

// add adds the values of a view that are averaged.
func (s *thinSet) add(v *session.SetView, seconds float64) {
	w := len(v.Counters)
	for col, average := range s.average {
		if !average {
			continue
		}
		for row := range v.Rows {
			if f, ok := v.Value(row, col).Float(); ok {
				c := &s.cells[row*w+col]
				c.sum, c.dur = c.sum+f*seconds, c.dur+seconds
			}
		}
	}
}

// thin replaces the newest values by those of the whole interval.
func (s *thinSet) thin(v, o *session.SetView) {
	w := len(v.Counters)
	blank := !slices.ContainsFunc(v.Values, func(v cooker.Value) bool { return isTold(v.Status()) })
	for row := range v.Rows {
		if blank || v.Rows[row].Gone || v.Rows[row].Flags&session.FlagCombined != 0 {
			continue
		}
		for col, counter := range v.Counters {
			at := row*w + col
			o.Values[at] = s.value(v, row, col, &v.Set.Counters[counter], o.Rate.Gap)
		}
	}
	for row := range v.Rows {
		if v.Rows[row].Flags&session.FlagCombined == 0 {
			continue
		}
		i := slices.IndexFunc(s.combine, func(c session.Combine) bool { return c.Name == v.Rows[row].Key.Name })
		if i < 0 {
			continue
		}
		c := &s.combine[i]
		members := c.Members(o, nil)
		for col, counter := range v.Counters {
			o.Values[row*w+col] = c.Value(o, members, col, counter)
		}
	}
}

// value is the value of one cell over the interval.
func (s *thinSet) value(v *session.SetView, row, col int, counter *session.Counter, gap bool) cooker.Value {
	newest := v.Value(row, col)
	cell := &s.cells[row*len(v.Counters)+col]
	info, _ := counter.Type.Info()
	twice := info.Samples == 2 || s.average[col]
	switch {
	case !twice:
		return newest
	case gap && newest.Valid():
		return cooker.Absent(cooker.Gap)
	case !newest.Valid() && newest.Status() != cooker.ZeroBase && newest.Status() != cooker.Gap:
		return newest
	}
	if _, newer, _, clocks, ok := v.Raw(row, col); ok && cell.known {
		if f := cooker.Cook(counter.Type, &cell.older, newer, &s.clocks, clocks, nil); f.Valid() && f.Status() != cooker.OKWrap || f.Status() == cooker.ZeroBase {
			return f
		}
	}
	if s.average[col] && cell.dur > 0 {
		return cooker.FloatValue(cell.sum / cell.dur)
	}
	return newest
}

// begin begins the next interval with a view.
func (s *thinSet) begin(v *session.SetView) {
	w := len(v.Counters)
	for row := range v.Rows {
		for col := range v.Counters {
			c := &s.cells[row*w+col]
			*c = thinCell{}
			if _, newer, _, clocks, ok := v.Raw(row, col); ok {
				c.older, c.known, s.clocks = *newer, true, *clocks
			}
		}
	}
}

// isAveraged tells whether a value is one over the time since the sample before.
// Where a recording does not tell the type of a counter its name does.
func isAveraged(c *session.Counter) bool {
	if c.Type != cooker.CounterLargeRawCount {
		info, _ := c.Type.Info()
		return info.Samples == 2
	}
	switch c.Quantity.Kind {
	case cooker.PerSecond, cooker.BytesPerSecond, cooker.BitsPerSecond, cooker.Percent:
		return true
	case cooker.Count, cooker.Bytes, cooker.Seconds, cooker.Hertz:
	}
	return strings.HasPrefix(c.Name, "Avg. ")
}

// isTold tells whether a value says anything of its host: a blank cell does not.
func isTold(s cooker.Status) bool {
	switch s {
	case cooker.Gap, cooker.Pending, cooker.Unavailable, cooker.Gone:
		return false
	default:
		return true
	}
}
