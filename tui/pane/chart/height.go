package chart

import (
	"cmp"
	"math"
	"time"

	"perfdeck/cooker"
	"perfdeck/tui/kit/kind"
	"perfdeck/tui/kit/scale"
)

// height is the unit and the top of the axis. They change seldom as long as nothing
// but time passed, and are chosen anew when something else is shown.
type height struct {
	gauge   scale.Gauge
	natural bool // all that is shown is of one quantity, and drawn as it is
	of      heightKey
}

// heightKey tells apart what is shown. It is comparable.
type heightKey struct {
	span   time.Duration
	view   view
	rule   rule
	series uint64 // which, and how each is drawn
}

// settleHeight chooses the units of the numbers. What shares the axis shares its unit,
// but for numbers of which nothing was left in it.
func (c *Chart) settleHeight(shown []*series, uniform bool, drawn float64, now time.Time) *height {
	g, p := &c.height, &c.picture.key
	of := heightKey{span: cmp.Or(c.zoom.span, c.span()), view: p.view, rule: p.rule, series: 14695981039346656037}
	natural := uniform && p.view != lanesView // of which each has its own
	for _, s := range shown {
		natural = natural && s.scale == 0
		for _, n := range [...]int{s.slot, s.scale, s.generation} { // FNV-1a
			of.series = (of.series ^ uint64(n)) * 1099511628211
		}
	}
	if g.of != of || !c.zoom.end.IsZero() {
		*g = height{of: of}
		if natural {
			g.gauge = scale.NewGauge(shown[0].look.Chooser())
		}
	}
	g.natural = natural
	if natural {
		largest := 0.
		if cooker.IsFinite(drawn) {
			largest = drawn
		}
		for _, s := range shown {
			largest = max(largest, s.largest())
		}
		g.gauge.Choose(largest, now)
	}
	for _, s := range c.series {
		s.unit = s.units.Choose(s.largest(), now)
		if natural && !s.hidden && isMeasuredAlike(s.look.Format, shown[0].look.Format) {
			s.share(g.gauge.Unit())
		}
	}
	return g
}

// isMeasuredAlike tells whether numbers of one quantity have the same units.
func isMeasuredAlike(a, b cooker.Format) bool {
	return a.Style == b.Style && a.Scale == b.Scale && a.IsHex() == b.IsHex() && a.IsOneNumber() == b.IsOneNumber()
}

// share takes the unit of the axis, unless the numbers read near zero in it.
func (s *series) share(u cooker.Unit) {
	const join, leave = 0.1, 0.05 // of the unit
	least := join
	if s.shares {
		least = leave
	}
	largest := s.largest()
	if s.shares = largest == 0 || largest >= least*s.look.One(u); s.shares {
		s.unit = u
	}
}

// top is the top of an axis from 0.
func (c *Chart) top(shown []*series, uniform bool, hi float64, now time.Time) float64 {
	g := &c.height
	rule, f := scale.Rule{}, cooker.DefaultFormat()
	if !uniform || allPercent(shown) {
		rule.Least = axisTop
	}
	if g.natural {
		f = shown[0].look.Format
	}
	if top := g.gauge.Top(rule, hi, f, g.gauge.Unit(), now); top > 0 {
		return top
	}
	return cooker.RoundOver(0, f.One(g.gauge.Unit()))
}

// allPercent tells whether all are percentages that end at 100.
func allPercent(shown []*series) bool {
	for _, s := range shown {
		if kind.RuleOf(s.target.Set, s.target.Counter).Least != axisTop {
			return false
		}
	}
	return true
}

// largest is the largest magnitude that is shown of a series.
func (s *series) largest() float64 {
	largest := s.limit()
	if v, ok := s.value.Float(); ok {
		largest = max(largest, math.Abs(v))
	}
	return largest
}
