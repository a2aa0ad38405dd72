package alert

import (
	"slices"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
)

// thin makes, of all samples of a host in a recording, those that rules of an
// interval would have seen: values over that interval, made of all samples in it.
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
	session.Target // its counters over time: of others the newest value counts

	combine []session.Combine
	rows    session.Rows
	cells   session.Places[*cooker.Accumulator] // since the last sample that was judged
	view    session.SetView
}

func newThin(every time.Duration, asks []session.Ask) *thin {
	t := &thin{every: every}
	for _, a := range session.MergeAsks(asks) {
		s := &thinSet{combine: a.Combine}
		s.Set, s.Counters = a.Set, slices.DeleteFunc(slices.Clone(a.Counters), func(c int) bool { return !newSum(&a.Set.Counters[c]).IsOverTime() })
		t.sets = append(t.sets, s)
	}
	return t
}

// early is by how much a sample may come before its beat: recorders do not keep
// theirs exactly.
func (t *thin) early(h *pastHost) time.Duration {
	const part = 8 // of the interval
	if half := h.every / 2; half > 0 {
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
	usual := max(t.every, h.every)
	rate := session.Rate{Missed: session.Missed(since, usual)}
	if !t.begun {
		rate.Missed = 0
	} else {
		rate.Interval, rate.Gap = since, rate.Missed > session.MostMissed || since <= 0
	}
	t.out = session.Snapshot{Host: s.Host, Time: s.Time, State: h.state, Sets: t.out.Sets[:0]}
	for _, set := range t.sets {
		if v := s.Set(set.Set); v != nil {
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
	if !s.rows.Same(v) {
		moved, added := s.rows.Next(v)
		s.cells.Follow(v, &s.Target, moved, added, s.Matches, func(_ *session.Instance, c int) *cooker.Accumulator { return newSum(&s.Set.Counters[c]) })
	}
	for i := range s.cells {
		if at := &s.cells[i]; at.Column >= 0 {
			newer, clocks, ok := v.Reading(at.Row, at.Column)
			if !ok {
				clocks = nil
			}
			at.As.Add(v.Time, v.Value(at.Row, at.Column), newer, clocks)
		}
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
	for i := range s.cells {
		s.cells[i].As.Next()
	}
	return o
}

// thin replaces the newest values by those of the whole interval.
func (s *thinSet) thin(v, o *session.SetView) {
	w := len(v.Counters)
	blank := !slices.ContainsFunc(v.Values, func(v cooker.Value) bool { return isTold(v.Status()) })
	for i := range s.cells {
		at := &s.cells[i]
		if blank || at.Column < 0 || v.Rows[at.Row].Flags&session.FlagCombined != 0 {
			continue
		}
		switch value := &o.Values[at.Row*w+at.Column]; {
		case !o.Rate.Gap:
			*value = at.As.Value()
		case at.As.Newest.Valid():
			*value = cooker.Absent(cooker.Gap)
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

func newSum(c *session.Counter) *cooker.Accumulator {
	return new(cooker.NewAccumulator(c.SummedAs()))
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
