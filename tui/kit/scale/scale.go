// Package scale chooses what the top of a picture stands for, in one way for graphs,
// sparklines, meters and axes of all screens: 100 of percentages, a limit where there
// is one, else the next round number over what is shown, which changes seldom.
package scale

import (
	"math"
	"time"

	"perfdeck/cooker"
)

// Rule is what a counter's numbers are measured against. The zero Rule is nothing.
type Rule struct {
	Limit float64 // is always the top; 0 or NaN: there is none
	Least float64 // is the top until a number is over it, as 100 of percentages; 0: none
}

// The top goes down when all numbers were less than so much of the lower step for so
// long.
const (
	lowShare = 0.6
	lowHold  = 10 * time.Second
)

// Scale is the top of one picture, or of several that are compared: it goes up at once,
// and down one step at a time. The zero value is ready.
type Scale struct {
	top   float64
	lower float64 // the step below it
	one   float64 // what the unit that is shown is in the counter's own
	isLow bool    // all numbers have been since a time
	since time.Time
	down  time.Time // when it went down last: not twice in a tick
	most  float64   // of them
	held  bool
}

// Hold holds the top where it is, or lets it follow the numbers again. It reports
// whether it is held.
func (s *Scale) Hold() bool {
	s.held = !s.held && s.top > 0
	return s.held
}

// IsHeld tells whether the top is held.
func (s *Scale) IsHeld() bool { return s.held }

// Top is the top at a time, in the counter's own unit, given the largest magnitude that
// is shown then, and how it is written. It is 0 as long as there was nothing but zeros.
func (s *Scale) Top(r Rule, largest float64, f cooker.Format, u cooker.Unit, now time.Time) float64 {
	if r.Limit > 0 {
		return r.Limit
	}
	if s.held {
		return max(s.top, r.Least)
	}
	largest = math.Abs(largest)
	if !cooker.IsFinite(largest) { // nothing to go by
		largest = 0
	}
	if one := f.Grid(max(s.top, largest), u); one != s.one {
		s.regrid(one)
	}
	switch {
	case s.top == 0 && largest == 0: // nothing to measure
		return r.Least
	case s.top == 0 || largest > s.top:
		s.step(cooker.RoundOver(largest, s.one))
	case largest > 0:
		s.settle(largest, now)
	}
	return max(s.top, r.Least)
}

// Need is what a scale is to show: of one picture, or of all that are compared.
type Need struct {
	Rule   Rule
	Most   float32 // the largest number
	Unit   cooker.Unit
	Format cooker.Format
	Now    time.Time // zero: there is nothing to show
}

// Add lets a scale show another picture too.
func (n *Need) Add(o *Need) {
	if o.Most >= n.Most {
		n.Most, n.Unit, n.Format = o.Most, o.Unit, o.Format
	}
	if !(o.Rule.Limit < n.Rule.Limit) {
		n.Rule = o.Rule
	}
	n.Now = o.Now
}

// TopFor is Top for a need, 0 where there is nothing to show.
func (s *Scale) TopFor(n *Need) float32 {
	if n.Now.IsZero() {
		return 0
	}
	return float32(s.Top(n.Rule, float64(n.Most), n.Format, n.Unit, n.Now))
}

// regrid goes on with numbers in another unit.
func (s *Scale) regrid(one float64) {
	if s.one = one; s.top > 0 {
		s.step(cooker.RoundAtMost(s.top, one))
	}
}

// step goes to a round number.
func (s *Scale) step(top float64) {
	s.top, s.lower, s.isLow = top, cooker.RoundBelow(top, s.one), false
}

// settle goes down a step when it is time.
func (s *Scale) settle(largest float64, now time.Time) {
	if s.lower == s.top || largest >= lowShare*s.lower {
		s.isLow = false
		return
	}
	if !s.isLow || now.Before(s.since) {
		s.isLow, s.since, s.most = true, now, 0
	}
	s.most = max(s.most, largest)
	if now.Sub(s.since) < lowHold || now.Equal(s.down) {
		return
	}
	s.down = now
	s.step(s.lower)
	// What was low enough for the step after it too need not wait again.
	s.isLow = s.most < lowShare*s.lower
}

// Gauge is the unit and the top of one row, or of rows that are compared: they are
// chosen from what the rows show, and change seldom. The top follows the unit.
type Gauge struct {
	Scale

	chooser cooker.UnitChooser
	unit    cooker.Unit
}

// NewGauge is a gauge that has not chosen yet.
func NewGauge(c cooker.UnitChooser) Gauge { return Gauge{chooser: c} }

// Choose is the unit at a time, from the largest magnitude that is shown then. It
// reports whether it is another one than before.
func (g *Gauge) Choose(largest float64, now time.Time) (u cooker.Unit, changed bool) {
	u = g.chooser.Choose(largest, now)
	changed = u != g.unit
	g.unit = u
	return u, changed
}

// Unit is what was chosen last.
func (g *Gauge) Unit() cooker.Unit { return g.unit }
