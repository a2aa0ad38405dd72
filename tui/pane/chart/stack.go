package chart

import (
	"math"
	"slices"
	"time"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/tui/chart"
	"perfdeck/tui/kit/kind"
	"perfdeck/tui/pane"
)

// stack is the series of the stacked view above each other. Each column of dots
// shows one moment, that with the largest sum: the highest values of different
// moments would add up to what never was.
type stack struct {
	key     stackKey
	moments []int64     // by column of dots, Unix ns
	sums    []float64   // of that moment; NaN: nothing is known
	tops    [][]float64 // by series that is not hidden, in the order of the legend
}

// stackKey is all that a stack depends on.
type stackKey struct {
	win   window
	data  uint64
	shown uint64 // which series, and how large
}

// areas are the surfaces of the stack.
func (k *stack) areas(c *Chart) (out []chart.Area) {
	for _, s := range c.stacks() {
		if len(out) < len(k.tops) {
			out = append(out, chart.Area{Values: k.tops[len(out)], Style: c.styleOf(s), Letter: s.letter()})
		}
	}
	return out
}

// stacks are the series that are put above each other: of those shown none that adds again
// what others do, as one within another, or the total of others.
func (c *Chart) stacks() []*series {
	return slices.DeleteFunc(slices.Clone(c.series), func(s *series) bool {
		return s.hidden || slices.ContainsFunc(c.series, func(o *series) bool { return o != s && !o.hidden && s.addsAgain(o) })
	})
}

// addsAgain tells whether a sum with another series must not have this one, too.
func (s *series) addsAgain(o *series) bool {
	t, u := s.target, o.target
	if t.Host != u.Host || t.Set != u.Set || t.Counter != u.Counter {
		return false
	}
	if isTotal(t.Key.Name) || isTotal(u.Key.Name) {
		return !isTotal(u.Key.Name)
	}
	keys := []session.InstanceKey{t.Key, u.Key}
	outer := t.Set.Outermost([]int{0, 1}, func(i int) (*session.Instance, cooker.Value) {
		return &session.Instance{Key: keys[i]}, cooker.WholeValue(0)
	})
	return !slices.Contains(outer, 0)
}

func isTotal(name string) bool { return paths.IsTotal(name) || kind.IsSum(name) }

// settleStack stacks the series anew if the window shows others than before.
func (c *Chart) settleStack(win window) *stack {
	p := &c.picture
	key := stackKey{win: win, data: p.key.data, shown: 14695981039346656037} // FNV-1a
	for _, s := range c.series {
		if !s.hidden { // by which it is known which are stacked, too
			key.shown = (key.shown ^ (uint64(s.slot)<<32 + uint64(s.scale+1<<16))) * 1099511628211
		}
	}
	if p.stack.key != key || p.stack.sums == nil {
		p.stack = c.stackOf(win, c.tracks)
		p.stack.key = key
	}
	return &p.stack
}

// stackOf stacks what the tracks have in a window.
func (c *Chart) stackOf(win window, tracks []track) stack {
	b := stacker{win: win}
	held := make([]heldTrack, len(tracks))
	for i := range tracks {
		held[i] = heldTrack{track: &tracks[i], at: -1}
	}
	for _, s := range c.stacks() {
		i := slices.IndexFunc(tracks, func(t track) bool { return t.host == s.target.Host })
		if i < 0 {
			continue
		}
		b.series = append(b.series, stackedSeries{series: s, track: &held[i], power: pane.Power(s.scale)})
		if !slices.Contains(b.tracks, &held[i]) {
			b.tracks = append(b.tracks, &held[i])
		}
	}
	columns := win.w * chart.DotsAcross
	b.stack = stack{moments: make([]int64, columns), sums: blank(columns)}
	for range b.series {
		b.tops = append(b.tops, blank(columns))
	}
	b.now, b.before = blank(len(b.series)), blank(len(b.series))
	b.eachMoment(b.tracks, math.MinInt64, math.MaxInt64)
	return b.stack
}

// blank is n places where nothing is known.
func blank(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = math.NaN()
	}
	return out
}

// stacked brings a moment to the one that its cell shows: in the stacked view
// what the cursor reads is what is drawn.
func (c *Chart) stacked(at time.Time) time.Time {
	cell := c.picture.key.win.cell
	if c.picture.key.view != stackedView || cell == 0 || at.IsZero() {
		return at
	}
	win := window{from: floorDiv(at.UnixNano(), cell) * cell, cell: cell, w: 1}
	var tracks []track
	for _, h := range c.hosts() {
		t := track{host: h}
		t.follow(win)
		tracks = append(tracks, t)
	}
	k := c.stackOf(win, tracks)
	best, highest := at, math.Inf(-1)
	for d, sum := range k.sums {
		if sum > highest && k.moments[d] != 0 {
			best, highest = time.Unix(0, k.moments[d]), sum
		}
	}
	return best
}

// stacker finds the moments of a window and what the series are at each.
type stacker struct {
	stack

	win    window
	series []stackedSeries
	tracks []*heldTrack

	now, before []float64 // by series: at the moment, and at that before
	dot         int       // of the moment before
	any         bool      // there is one before
}

type stackedSeries struct {
	*series

	track *heldTrack
	power float64
}

// heldTrack is a track with the sample that counts at a moment.
type heldTrack struct {
	*track

	at, before int   // in Timeline.Nanos; -1: none
	until      int64 // the sample at counts until then
	ahead      int   // the first sample after the moment that is looked at
}

// eachMoment takes the moments between two times at which the tracks were
// sampled. Hosts of one interval are not sampled at once, and what they show
// together is of the samples nearest to each other: the moment is the last of
// these. So the host with the shortest interval gives the moments, the others
// where it has a gap.
func (b *stacker) eachMoment(tracks []*heldTrack, from, to int64) {
	if len(tracks) == 0 || from >= to {
		return
	}
	lead := finest(tracks)
	rest := slices.DeleteFunc(slices.Clone(tracks), func(t *heldTrack) bool { return t == lead })
	nanos, end := lead.timeline.Nanos, from
	for i := lead.lo; i < lead.hi; i++ {
		t, half := nanos[i], halfway(lead.track, i)
		if i == 0 || lead.gaps[i-lead.lo] {
			b.eachMoment(rest, end, min(to, t-half))
		}
		if t >= to {
			return
		}
		if t <= from {
			continue
		}
		if at, ok := settle(rest, t, half); ok {
			b.stackAt(at)
		}
		end = max(end, t+half)
	}
	if n := len(nanos); lead.hi == n && (n == 0 || session.IsLate(nanos, n-1, newest(rest))) {
		b.eachMoment(rest, end, to)
	}
}

// finest is the track with the shortest interval; of those that are about as
// short the first one.
func finest(tracks []*heldTrack) *heldTrack {
	interval := func(t *heldTrack) float64 {
		if usual := session.UsualInterval(t.timeline.Nanos, true); usual > 0 {
			return float64(usual)
		}
		return math.Inf(1)
	}
	const shorter = 0.75
	found := tracks[0]
	for _, t := range tracks[1:] {
		if interval(t) < shorter*interval(found) {
			found = t
		}
	}
	return found
}

// halfway is half the interval at a sample, in ns.
func halfway(t *track, i int) int64 {
	nanos := t.timeline.Nanos
	switch {
	case i > 0 && !t.gaps[i-t.lo]:
		return max(0, nanos[i]-nanos[i-1]) / 2
	case i+1 < len(nanos):
		return max(0, nanos[i+1]-nanos[i]) / 2
	}
	return 0
}

// newest is the time of the newest sample of any track.
func newest(tracks []*heldTrack) int64 {
	last := int64(math.MinInt64)
	for _, t := range tracks {
		if n := len(t.timeline.Nanos); n > 0 {
			last = max(last, t.timeline.Nanos[n-1])
		}
	}
	return last
}

// settle is the last of the samples that belong to one at t: those less than half
// an interval behind it. ok is false while one of them is still to come.
func settle(tracks []*heldTrack, t, half int64) (at int64, ok bool) {
	at = t
	for _, k := range tracks {
		nanos := k.timeline.Nanos
		for k.ahead < len(nanos) && nanos[k.ahead] <= t {
			k.ahead++
		}
		for k.ahead > 0 && nanos[k.ahead-1] > t {
			k.ahead--
		}
		switch {
		case k.ahead < len(nanos):
			if next := nanos[k.ahead]; next-t < half {
				at = max(at, next)
			}
		case k.ahead > 0:
			expected := nanos[k.ahead-1] + session.UsualInterval(nanos, true)
			if expected-t < half && t-expected < 3*half {
				return at, false
			}
		}
	}
	return at, true
}

// hold makes the newest sample at a moment the one that counts.
func (t *heldTrack) hold(at int64) {
	nanos, was := t.timeline.Nanos, t.at
	if was < 0 {
		t.at = max(0, t.lo) - 1
	}
	for t.at+1 < len(nanos) && nanos[t.at+1] <= at {
		t.at++
	}
	for t.at >= 0 && nanos[t.at] > at {
		t.at--
	}
	if t.at >= 0 && (t.at != was || t.until == 0) {
		t.until = session.LateFrom(nanos, t.at)
	}
}

// isJoined tells whether there is no gap since the moment before.
func (t *heldTrack) isJoined() bool {
	for i := max(t.before+1, t.lo); i <= min(t.at, t.hi-1); i++ {
		if t.gaps[i-t.lo] {
			return false
		}
	}
	return true
}

// stackAt takes a moment into its column, and leads there from that before.
func (b *stacker) stackAt(at int64) {
	for _, t := range b.tracks {
		t.before = t.at
		t.hold(at)
	}
	sum, known := 0.0, false
	for i := range b.series {
		s := &b.series[i]
		v := math.NaN()
		if t := s.track; t.at >= 0 && at <= t.until {
			if v = s.power * s.history.At(s.held(t.timeline, t.at)); !cooker.IsFinite(v) {
				v = math.NaN()
			}
		}
		if b.now[i] = v; v == v {
			sum, known = sum+max(0, v), true
		}
	}
	dot := b.win.dot(at)
	if b.any {
		b.lead(dot)
	}
	if known && dot >= 0 && dot < len(b.sums) && !(b.sums[dot] >= sum) {
		b.moments[dot] = at
		b.put(dot, func(i int) float64 { return b.now[i] })
	}
	b.now, b.before, b.dot, b.any = b.before, b.now, dot, true
}

// lead fills the columns without a moment between the one before and this one
// with straight lines.
func (b *stacker) lead(dot int) {
	from, to := max(0, b.dot+1), min(dot, len(b.sums))
	if from >= to {
		return
	}
	joined := make([]bool, len(b.series))
	for i := range joined {
		joined[i] = b.series[i].track.isJoined()
	}
	for d := from; d < to; d++ {
		part := float64(d-b.dot) / float64(dot-b.dot)
		b.put(d, func(i int) float64 {
			if !joined[i] {
				return math.NaN()
			}
			return b.before[i] + (b.now[i]-b.before[i])*part
		})
	}
}

// put stacks the values of the series in a column of dots. What is negative adds
// nothing.
func (b *stacker) put(dot int, value func(i int) float64) {
	total, known := 0.0, false
	for i := range b.series {
		v := value(i)
		b.tops[i][dot] = math.NaN()
		if cooker.IsFinite(v) {
			total, known = total+max(0, v), true
			b.tops[i][dot] = total
		}
	}
	if known {
		b.sums[dot] = total
	}
}
