package chart

import (
	"context"
	"errors"
	"math"
	"slices"
	"sort"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/tui/pane"
)

// past is what a host's historian told of a series: what it was before the first sample that
// is kept.
type past struct {
	step     time.Duration
	from, to time.Time // that it was asked for
	bands    []session.Band
}

// question is what a historian is asked, and when it may be again.
type question struct {
	step   time.Duration // of the question under way; 0: there is none
	cancel context.CancelFunc
	again  time.Time
}

// A historian that failed is asked again later. It may take so long.
const (
	pastAgain  = 10 * time.Second
	pastWithin = 40 * time.Second
)

// kept is the time of the first sample that is kept of a series; zero: there is none yet.
func (s *series) kept() time.Time {
	snap := s.target.Host.Snap
	if snap == nil || len(s.history.Values) == 0 {
		return time.Time{}
	}
	return snap.Timeline.At(max(s.history.First, snap.Timeline.First))
}

// keptNanos is the same in Unix nanoseconds, and behind all times where there is none yet.
func (s *series) keptNanos() int64 {
	if kept := s.kept(); !kept.IsZero() {
		return kept.UnixNano()
	}
	return math.MaxInt64
}

// lacks tells whether the window shows a time of the series that neither is kept nor was
// asked for.
func (s *series) lacks(win window) bool {
	kept := s.kept()
	if s.keptNanos() < win.from+win.cell {
		return false
	}
	return s.past.step != win.step() || s.past.from.UnixNano() > win.from || s.past.to.Before(kept) && s.past.to.UnixNano() < win.to()
}

// step is how long a band of the window is: the time of a cell.
func (w window) step() time.Duration { return max(time.Duration(w.cell), time.Second) }

// askPast asks historians for what the window shows of times of which nothing is kept, with
// some more on the left, and all series of a host together.
func (c *Chart) askPast(win window, now time.Time) {
	for _, h := range c.hosts() {
		if h.Historian == nil {
			continue
		}
		q := c.questions[h]
		if q == nil {
			if c.questions == nil {
				c.questions = map[*pane.Host]*question{}
			}
			q = new(question)
			c.questions[h] = q
		}
		var lacking []*series
		for _, s := range c.series {
			if s.target.Host == h && s.lacks(win) {
				lacking = append(lacking, s)
			}
		}
		switch {
		case q.step > 0 && q.step != win.step():
			q.cancel() // nobody waits for that any more
		case len(lacking) > 0 && q.step == 0 && !now.Before(q.again):
			c.ask(h, q, lacking, win)
		}
	}
}

func (c *Chart) ask(h *pane.Host, q *question, lacking []*series, win window) {
	const more = 2 // of the window, a part
	asked := past{step: win.step(), from: win.start(-win.w / more), to: time.Unix(0, win.to())}
	of := make([]session.Valued, len(lacking))
	for i, s := range lacking {
		if kept := s.keptNanos(); kept < asked.to.UnixNano() {
			asked.to = time.Unix(0, kept)
		}
		of[i] = s.target.UnitKey()
	}
	for _, s := range lacking {
		if kept := min(s.keptNanos(), win.to()); kept > asked.to.UnixNano() {
			asked.to = time.Unix(0, kept)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), pastWithin)
	q.step, q.cancel = asked.step, cancel
	c.desk.Wait("", func() func(bool) {
		defer cancel()
		bands, err := h.Historian.Bands(ctx, of, asked.from, asked.to, asked.step)
		return func(bool) {
			q.step = 0
			if errors.Is(err, context.Canceled) {
				return
			}
			if err != nil {
				q.again = c.desk.Now().Add(pastAgain)
				c.problem = problem{text: "what was before: " + err.Error()}
				return
			}
			c.version++
			for i, s := range lacking {
				s.past, s.points = asked, nil
				s.past.bands = s.bandsOf(bands[i])
			}
		}
	})
}

// bandsOf are bands of the counter as they are drawn, by what limits it now.
func (s *series) bandsOf(list []session.Band) []session.Band {
	if s.drawn.Used == "" {
		return list
	}
	limit := s.drawn.LimitNow(s.target.Host.Snap, s.target.Key)
	for i := range list {
		b := &list[i]
		b.Mean, b.Low, b.High = limit-b.Mean, limit-b.High, limit-b.Low
	}
	return list
}

// windowSums is what the bands in a window sum up to, weighted by time.
type windowSums struct {
	sum, seconds float64
	count        int
	begin, end   int64 // middles of the first and the last one
	last         cooker.Value
}

func (p *windowSums) add(mean float64, d time.Duration) {
	p.sum, p.seconds = p.sum+mean*d.Seconds(), p.seconds+d.Seconds()
}

// collectPast makes points of the bands in the window that lie before what is kept.
func (s *series) collectPast(group *thinned, win window) (all windowSums) {
	kept, to := s.keptNanos(), win.to()
	var before *session.Band
	for i, b := range s.past.bands {
		middle := b.Middle()
		if b.End > kept || middle < win.from || middle >= to {
			continue
		}
		dot := win.dot(middle)
		if before != nil && isGap(before, b.Begin) {
			s.points = group.add(s.points, dot, math.NaN())
		}
		before = &s.past.bands[i]
		for _, v := range [...]float64{b.Mean, b.Low, b.High, b.Mean} {
			s.points = group.add(s.points, dot, v)
		}
		s.low = min(s.low, b.Low)
		if b.High > s.high {
			s.high, s.peak = b.High, dot
		}
		all.add(b.Mean, time.Duration(b.End-b.Begin))
		if all.end, all.last = middle, cooker.FloatValue(b.Mean); all.count == 0 {
			all.begin = middle
		}
		all.count++
	}
	if before != nil && isGap(before, kept) && kept < to {
		s.points = group.add(s.points, win.dot(kept), math.NaN())
	}
	return all
}

// isGap tells whether more than a step is lacking between a band and what comes next.
func isGap(b *session.Band, next int64) bool { return next-b.End > b.End-b.Begin }

// bandAt is what a series was at a moment before the samples that are kept.
func (s *series) bandAt(moment time.Time) cooker.Value {
	nanos := moment.UnixNano()
	i := sort.Search(len(s.past.bands), func(i int) bool { return s.past.bands[i].End >= nanos })
	if i == len(s.past.bands) || s.past.bands[i].Begin > nanos {
		return cooker.Absent(cooker.NotKept)
	}
	return cooker.FloatValue(s.past.bands[i].Mean)
}

// Earliest is the first moment that the chart can show; zero: nothing is known of any before
// those that are kept.
func (c *Chart) Earliest() (first time.Time) {
	for _, s := range c.series {
		if len(s.past.bands) == 0 {
			continue
		}
		if at := s.past.middle(0); first.IsZero() || at.Before(first) {
			first = at
		}
	}
	return first
}

// middle is the moment that a band stands for.
func (p *past) middle(i int) time.Time { return time.Unix(0, p.bands[i].Middle()) }

// nearestBand is the moment of the last band before a moment, else of the first from it on, of
// those before what is kept.
func (s *series) nearestBand(t time.Time, before bool) (at time.Time, ok bool) {
	end, _ := slices.BinarySearchFunc(s.past.bands, s.keptNanos(), func(b session.Band, nanos int64) int {
		if b.End > nanos {
			return 1
		}
		return -1
	})
	i := sort.Search(end, func(i int) bool { return !s.past.middle(i).Before(t) })
	if before {
		i--
	}
	if i < 0 || i >= end {
		return at, false
	}
	return s.past.middle(i), true
}
