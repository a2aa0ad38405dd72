package alert

import (
	"cmp"
	"math"
	"slices"
	"time"

	"perfdeck/cooker"
	"perfdeck/cooker/compare"
)

// The bounds of what is known of what may leak: so many means, over about a day at most.
const (
	growthParts = 96
	growthKnown = 30 * time.Hour
)

// growth is how a value went, as means of equal times.
type growth struct {
	begin time.Duration // monotonic, of the first
	wide  time.Duration // 0: there is none
	sums  []float64
	count []uint32
	found float64 // by how much it leaks; 0: it does not
}

// observe adds a value and returns by how much it leaks, which is looked at whenever a part is full.
// left is how much memory is left, 0: not known.
func (g *growth) observe(now time.Duration, v cooker.Value, r *Rule, isBytes bool, left float64) cooker.Value {
	f, ok := v.Float()
	if !ok {
		return v
	}
	if g.wide == 0 || now < g.begin {
		*g = growth{begin: now, wide: max(cmp.Or(r.Interval, DefaultInterval), MinInterval)}
	}
	for now-g.begin >= growthParts*g.wide {
		g.thin(now)
	}
	slot := int((now - g.begin) / g.wide)
	if n := len(g.sums); slot >= n {
		if n > 0 {
			g.judge(now, r, isBytes, left)
		}
		g.sums, g.count = append(g.sums, make([]float64, slot+1-n)...), append(g.count, make([]uint32, slot+1-n)...)
	}
	g.sums[slot] += f
	g.count[slot]++
	return cooker.FloatValue(g.found)
}

// thin makes room: parts become twice as long or, where they would reach too far, the oldest go.
func (g *growth) thin(now time.Duration) {
	const oldest = growthParts / 8
	n := len(g.sums)
	switch {
	case now-g.begin >= 2*growthKnown: // nobody asked for that long
		*g = growth{begin: now, wide: g.wide, found: g.found}
	case 2*g.wide*growthParts > growthKnown:
		g.sums, g.count = slices.Clone(g.sums[min(oldest, n):]), slices.Clone(g.count[min(oldest, n):])
		g.begin += oldest * g.wide
	default:
		for i := 0; i < n; i += 2 {
			sum, count := g.sums[i], g.count[i]
			if i+1 < n {
				sum, count = sum+g.sums[i+1], count+g.count[i+1]
			}
			g.sums[i/2], g.count[i/2] = sum, count
		}
		g.sums, g.count = g.sums[:(n+1)/2], g.count[:(n+1)/2]
		g.wide *= 2
	}
}

// judge looks whether it leaks, as reports do: against what is left, and for long enough.
func (g *growth) judge(now time.Duration, r *Rule, isBytes bool, left float64) {
	means := make([]float64, len(g.sums))
	for i, sum := range g.sums {
		means[i] = sum / float64(g.count[i]) // NaN without one
	}
	least, times := r.When.Limit, r.Grows
	if r.Clear != nil && g.found != 0 { // it goes on, though what is known begins later by now
		least, times = math.Copysign(*r.Clear, r.When.Limit), 0
	}
	found, ok := compare.GrowthOf(means, least, times)
	by, length := found.Is-found.Was, now-g.begin-time.Duration(found.From)*g.wide
	if !ok || length < compare.LeastGrowth || isBytes && by > 0 && by < compare.SmallGrowth*left || by < 0 && found.Lasts(length) > compare.Soon {
		by = 0
	}
	g.found = by
}
