package chart

import (
	"fmt"
	"math"
	"strconv"

	"perfdeck/cooker"
	"perfdeck/tui/pane"
)

// A series is drawn times a power of ten, as in perfmon. Until the user chooses
// the scale it is chosen here: counters of one quantity are drawn as they are,
// on an axis with their unit; different ones are brought on the axis, each by
// the scale that its provider gives if that fits.

// axisTop is the top of the axis on which different quantities share a chart.
const axisTop = 100

// settleScales chooses the scales that the user left to us. It reports whether
// all series are of one quantity.
func (c *Chart) settleScales(shown []*series) (uniform bool) {
	uniform = len(shown) > 0
	for _, s := range shown {
		uniform = uniform && s.quantity() == shown[0].quantity()
	}
	for _, s := range shown {
		switch {
		case s.pinned:
		case uniform && c.rule.mode != ruleHundred:
			s.scale = 0
		default:
			s.scale = s.fit(c.rule.top())
		}
	}
	return uniform
}

// fit is the scale that brings the window's values on an axis. It stays while
// they fit and are no less than a 25th of it, so that it changes seldom.
// Percentages are enlarged by nobody but the user.
func (s *series) fit(top float64) int {
	const least = 25
	limit := s.limit()
	if s.quantity().Kind == cooker.Percent && limit <= top {
		return 0
	}
	if now := limit * pane.Power(s.scale); limit == 0 || now <= top && now > top/least {
		return s.scale
	}
	return cooker.FitScale(limit, top)
}

// rescale moves the scale of the chosen series by a power of ten.
func (c *Chart) rescale(by int) {
	for _, s := range c.list.Chosen() {
		s.scale, s.pinned = cooker.ClampScale(s.scale+by), true
		s.keepScale(c.desk)
	}
	c.version++
}

// fitChosen brings the chosen series on the axis that there is. Those that fit
// already follow their values again.
func (c *Chart) fitChosen() {
	said := ""
	for _, s := range c.list.Chosen() {
		if s.limit() == 0 {
			said = "there is nothing but zero in the window"
			continue
		}
		scale := cooker.FitScale(s.limit(), c.picture.axis.top())
		if s.pinned && s.scale == scale {
			s.pinned, said = false, "the scale follows the values"
		} else {
			s.scale, s.pinned, said = scale, true, "scaled to fit: "+scaleText(scale)
		}
		s.keepScale(c.desk)
	}
	c.version++
	if said != "" {
		c.desk.Say(said)
	}
}

// scaleText is a scale as the legend writes it.
func scaleText(scale int) string {
	switch scale {
	case 0:
		return "1"
	case 1:
		return "10"
	}
	return "10^" + strconv.Itoa(scale)
}

// rule says how the y axis is chosen. It is comparable.
type rule struct {
	mode   ruleMode
	lo, hi float64 // of ruleFixed
}

type ruleMode int

const (
	ruleAuto    ruleMode = iota // from 0 to the largest value
	ruleClose                   // from the smallest to the largest
	ruleHundred                 // 0 to 100, as in perfmon
	ruleFixed                   // as the user says
	ruleModes
)

// top is the height on which different quantities are brought.
func (r rule) top() float64 {
	if r.mode == ruleFixed && r.hi > 0 {
		return r.hi
	}
	return axisTop
}

// nextRule goes through the ways to choose the axis; the last one asks.
func (c *Chart) nextRule() {
	if c.rule.mode == ruleHundred {
		c.askRange()
		return
	}
	c.rule = rule{mode: (c.rule.mode + 1) % ruleModes}
}

// askRange asks for the ends of the axis. Without an answer it is chosen
// automatically again.
func (c *Chart) askRange() {
	a := c.picture.axis
	c.rule = rule{}
	c.desk.Send(pane.AskText{
		Title: "Y axis", Text: plain(a.lo) + " " + plain(a.hi),
		Help: "its lowest and highest value, as drawn: 0 5000",
		Done: func(text string) error {
			r, err := parseRange(text)
			if err == nil {
				c.rule = r
			}
			return err
		},
	})
}

// parseRange reads the ends of the axis.
func parseRange(text string) (rule, error) {
	const most = 1e15
	r := rule{mode: ruleFixed}
	if n, err := fmt.Sscan(text, &r.lo, &r.hi); n != 2 || err != nil {
		return r, fmt.Errorf("axis %q: two numbers are needed, as 0 5000", text)
	}
	if !(r.lo < r.hi) || math.Abs(r.lo) > most || math.Abs(r.hi) > most || r.hi-r.lo < 1e-9*max(math.Abs(r.lo), math.Abs(r.hi)) {
		return r, fmt.Errorf("axis %q: the second number must be greater, and none beyond a thousand million millions", text)
	}
	return r, nil
}
