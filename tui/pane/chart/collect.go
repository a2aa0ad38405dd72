package chart

import (
	"math"
	"slices"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/tui/chart"
	"perfdeck/tui/pane"
)

// samples tells which samples of a series are in a window, by their absolute
// numbers. It is comparable.
type samples struct {
	win          window
	lo, hi       uint64 // of the host
	first, after uint64 // of them, those of the series
}

// samplesIn are the samples of a series in the window. Where a cell holds many,
// as in a window of a day, a new one counts only with others: an eighth of a
// cell is not seen.
func (s *series) samplesIn(win window) samples {
	const unseen = 8
	t := s.target.Host.Timeline()
	lo, hi := pane.EndAt(t, time.Unix(0, win.from-1)), pane.EndAt(t, time.Unix(0, win.to()-1))
	few := max(1, (hi-lo)/uint64(max(1, win.w)*unseen))
	lo, hi = lo/few*few, hi/few*few
	return samples{win, lo, hi, min(max(s.history.First, lo), hi), min(s.history.End(), hi)}
}

// dataKey tells pictures of other samples apart (FNV-1a of their numbers).
func (c *Chart) dataKey(win window) uint64 {
	key := uint64(14695981039346656037)
	for _, s := range c.series {
		in := s.samplesIn(win)
		for _, n := range [...]uint64{uint64(s.slot), in.lo, in.hi, in.first, in.after} {
			key = (key ^ n) * 1099511628211
		}
	}
	return key
}

// collect makes the points and the statistics of the series of which the window
// shows other samples than before.
func (c *Chart) collect(win window) {
	hosts := c.hosts()
	for len(c.tracks) < len(hosts) {
		c.tracks = append(c.tracks, track{})
	}
	c.tracks = c.tracks[:len(hosts)]
	for _, s := range c.series {
		i := slices.Index(hosts, s.target.Host)
		in := s.samplesIn(win)
		if i < 0 {
			continue
		}
		t := &c.tracks[i]
		if t.host != hosts[i] || t.win != win || t.in != [2]uint64{in.lo, in.hi} {
			t.host, t.in = hosts[i], [2]uint64{in.lo, in.hi}
			t.follow(win)
		}
		if s.collected != in || s.points == nil {
			s.collected = in
			c.collectSeries(s, t, win)
		}
	}
}

func (c *Chart) collectSeries(s *series, t *track, win window) {
	nan := math.NaN()
	s.points = s.points[:0]
	s.low, s.high, s.peak = math.Inf(1), math.Inf(-1), -1
	to := win.to()
	var group thinned
	past := s.collectPast(&group, win)
	first, last := -1, -1 // in the window
	for i := t.lo; i < t.hi; i++ {
		nanos := t.timeline.Nanos[i]
		dot, v := win.dot(nanos), s.history.At(t.timeline.First+uint64(i))
		if t.gaps[i-t.lo] {
			s.points = group.add(s.points, dot, nan)
		}
		s.points = group.add(s.points, dot, v)
		if nanos < win.from || nanos >= to {
			continue
		}
		if last = i; first < 0 {
			first = i
		}
		if cooker.IsFinite(v) {
			s.low = min(s.low, v)
			if v > s.high {
				s.high, s.peak = v, dot
			}
		}
	}
	s.points = group.flush(s.points)
	if s.peak < 0 {
		s.low, s.high = 0, 0
	}
	s.sum(t, first, last, &past)
}

// statistics are those of perfmon's legend.
type statistics struct {
	session.Window

	last     cooker.Value
	duration time.Duration // from the first value to the last
}

// sum sums up the samples of a track from one to another, and what was told of the time before.
func (s *series) sum(t *track, first, last int, past *windowSums) {
	s.stats = statistics{last: past.last}
	begin, end := past.begin, past.end
	if first >= 0 {
		next := t.timeline.First + uint64(last) + 1
		s.stats.Window, s.stats.last = s.history.Window(next, last+1-first), s.history.Value(next-1)
		if end = t.timeline.Nanos[last]; past.count == 0 {
			begin = t.timeline.Nanos[first]
		}
	}
	s.stats.duration = time.Duration(end - begin)
	if past.count > 0 {
		mean, _ := s.stats.Mean.Float()
		if s.stats.Count > 0 {
			past.add(mean, time.Duration(end-past.end))
		}
		s.stats.Min, s.stats.Max = cooker.FloatValue(s.low), cooker.FloatValue(s.high)
		s.stats.Mean, s.stats.ByTime = cooker.FloatValue(past.sum/past.seconds), true
		s.stats.Count += past.count
	}
	if s.stats.Count == 0 {
		s.stats.Mean, s.stats.Min, s.stats.Max = s.stats.last, s.stats.last, s.stats.last
	}
}

// thinned are the samples of one column of dots of which no more is kept than is
// seen: the first, the lowest, the highest and the last. Many samples are drawn
// as quickly as few.
type thinned struct {
	n                      int
	dot                    int
	first, low, high, last float64
}

// add takes a sample and appends the column before when it is complete.
func (g *thinned) add(points []chart.Point, dot int, v float64) []chart.Point {
	if !cooker.IsFinite(v) {
		points = g.flush(points)
		if n := len(points); n > 0 && points[n-1].Value-points[n-1].Value != 0 {
			return points // one gap is as good as many
		}
		return append(points, chart.Point{Dot: dot, Value: v})
	}
	if g.n > 0 && g.dot == dot {
		g.low, g.high, g.last = min(g.low, v), max(g.high, v), v
		g.n++
		return points
	}
	points = g.flush(points)
	*g = thinned{1, dot, v, v, v, v}
	return points
}

func (g *thinned) flush(points []chart.Point) []chart.Point {
	values := [...]float64{g.first, g.low, g.high, g.last}
	n := len(values)
	if g.n <= n/2 {
		n, values[1] = g.n, g.last
	}
	for _, v := range values[:n] {
		points = append(points, chart.Point{Dot: g.dot, Value: v})
	}
	g.n = 0
	return points
}
