package chart

import (
	"cmp"
	"math"
	"strconv"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/chart"
	"perfdeck/tui/pane"
)

// axis is the y axis.
type axis struct {
	lo, hi float64       // of what is drawn: values times their scale
	step   float64       // between labels
	first  float64       // label
	factor float64       // labels are divided by it
	unit   string        // of the labels, if all series have it
	whole  bool          // labels have all their digits
	look   *session.Look // of the numbers, if they have a unit
	rule   ruleMode
}

// axis is the y axis for series, of which the areas, if any, are what is drawn.
func (c *Chart) axis(shown []*series, uniform bool, areas []chart.Area, h int, now time.Time) axis {
	r := c.rule
	a := axis{factor: 1, rule: r.mode}
	lo, hi := extent(shown, areas)
	g := c.settleHeight(shown, uniform, max(math.Abs(lo), math.Abs(hi)), now)
	if g.natural && (r.mode == ruleAuto || r.mode == ruleClose) {
		a.in(shown[0], g.gauge.Unit())
	}
	want := max(1, min(h/5, 5))
	switch {
	case r.mode == ruleFixed:
		a.lo, a.hi = r.lo, r.hi
		a.step = niceStep(a.hi-a.lo, want)
		a.first = math.Ceil(a.lo/a.step) * a.step
	case r.mode == ruleHundred, lo > hi:
		a.fit(0, axisTop, want)
	case r.mode == ruleAuto && lo >= 0:
		a.rise(c.top(shown, uniform, hi, now), want)
	case r.mode == ruleAuto || lo == hi:
		a.fit(min(0, lo), max(0, hi), want)
	default:
		a.fit(lo, hi, want)
	}
	return a
}

// extent is the lowest and the highest of what is drawn; lo is above hi when
// that is nothing.
func extent(shown []*series, areas []chart.Area) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, s := range shown {
		if s.peak >= 0 {
			f := pane.Power(s.scale)
			lo, hi = min(lo, s.low*f), max(hi, s.high*f)
		}
	}
	for i := range areas {
		for _, v := range areas[i].Values {
			if cooker.IsFinite(v) {
				lo, hi = min(lo, v), max(hi, v)
			}
		}
	}
	return lo, hi
}

// in labels the axis in the unit that the numbers of a series have.
func (a *axis) in(s *series, u cooker.Unit) {
	a.look, a.unit, a.factor = &s.look, u.Label, cmp.Or(u.Factor, 1)
	if !s.look.IsHex() {
		a.factor /= pane.Power(s.look.Scale)
	}
	a.whole = s.look.IsOneNumber()
}

// rise is an axis from 0 to a top that is one of the steps of scales, with labels that
// part it evenly. Where the top had more than 4 places the labels have the next unit.
func (a *axis) rise(top float64, want int) {
	if a.look != nil && top/a.factor >= cooker.MostPlaces && !a.whole {
		u := a.look.Unit(top)
		a.factor, a.unit = a.look.One(u), u.Label
	}
	a.lo, a.hi, a.first, a.step = 0, top, 0, top
	for n := want; n > 1; n-- {
		if step := top / float64(n); isRound(step/a.factor, n) {
			a.step = step
			return
		}
	}
}

// isRound tells whether the n parts of an axis are easily read.
func isRound(step float64, n int) bool {
	const near = 1e-9
	step /= math.Pow(10, math.Floor(math.Log10(step)+near))
	for _, m := range [...]float64{1, 2, 2.5, 5} {
		if math.Abs(step-m) < near*m {
			return true
		}
	}
	return n == 2 && math.Abs(step*2-math.Round(step*2)) < near // the half
}

// fit rounds the ends of the axis to whole steps.
func (a *axis) fit(lo, hi float64, want int) {
	if !(hi > lo) {
		hi = lo + 1
	}
	step := niceStep((hi-lo)/a.factor, want) * a.factor
	const rounding = 1e-9 // of a step
	a.step = step
	a.lo = math.Floor(lo/step+rounding) * step
	a.hi = math.Ceil(hi/step-rounding) * step
	a.first = a.lo
}

// top is the largest magnitude that has room on the axis.
func (a *axis) top() float64 { return max(math.Abs(a.lo), math.Abs(a.hi)) }

// niceStep is the smallest of 1, 2, 2.5 and 5 times a power of ten of which no
// more than want make a span.
func niceStep(span float64, want int) float64 {
	rough := span / float64(want)
	power := math.Pow(10, math.Floor(math.Log10(rough)))
	for _, m := range []float64{1, 2, 2.5, 5} {
		if m*power >= rough*(1-1e-9) {
			return m * power
		}
	}
	return 10 * power
}

// label is a place on the axis and what stands there.
type label struct {
	row  int
	text string
}

// labels are those of an axis of h rows, no two in one row.
func (a *axis) labels(h int) (out []label) {
	const most = 12
	if !(a.step > 0) || !(a.hi > a.lo) {
		return nil
	}
	for i := range most {
		v := a.first + float64(i)*a.step
		if v > a.hi+a.step/1000 {
			break
		}
		row := chart.Row(v, a.lo, a.hi, h)
		if n := len(out); n > 0 && out[n-1].row == row {
			continue
		}
		out = append(out, label{row, a.text(v)})
	}
	return out
}

// text is a label: as many decimals as the step has.
func (a *axis) text(v float64) string {
	v, step := v/a.factor, a.step/a.factor
	if math.Abs(v) < step/1000 {
		v = 0
	}
	decimals := 0
	for f := step; decimals < 6 && math.Abs(f-math.Round(f)) > 1e-6*f; f *= 10 {
		decimals++
	}
	const longest = 7
	if text := strconv.FormatFloat(v, 'f', decimals, 64); a.whole || len(text) <= longest {
		return text
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

// width is how many cells the labels take, with a blank on their left.
func (a *axis) width(h int) int {
	const least = 4
	w := least
	for _, l := range a.labels(h) {
		w = max(w, len(l.text)+1)
	}
	return w
}

// extent is the range as the header tells it.
func (a *axis) extent() (text string) {
	switch a.rule {
	case ruleAuto:
		text = "auto "
	case ruleClose:
		text = "close "
	case ruleFixed:
		text = "fixed "
	}
	text += a.text(a.lo) + "-" + a.text(a.hi)
	if a.unit != "" {
		text += " " + a.unit
	}
	return text
}

// plain is a number as it can be typed.
func plain(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }

// grid dots the rows of the labels. ASCII lines are made of dots themselves.
func (a *axis) grid(r canvas.Region, w, h int) {
	const every = 4
	if r.Glyphs() == canvas.ASCII.Glyphs() {
		return
	}
	for _, l := range a.labels(h) {
		for x := 0; x < w; x += every {
			r.Put(x, l.row, r.Glyphs().Middot, themes.Rule)
		}
	}
}

// tick is a label of the time axis.
type tick struct {
	x    int
	text string
}

// ticks label a window at round times of the clock.
func (w window) ticks(zone *time.Location) (out []tick) {
	const apart = 16 // cells between labels, at least
	const most = 20  // steps: a week
	step := pane.TimeSteps[most-1]
	for _, s := range pane.TimeSteps[:most] {
		if int64(s)/w.cell >= apart {
			step = s
			break
		}
	}
	form := "15:04:05"
	if step >= 12*time.Hour {
		form = "Jan 2 15:04"
	}
	_, offset := time.Unix(0, w.from).In(zone).Zone()
	shift := int64(offset) * int64(time.Second) // round on the clock that is read
	first := (floorDiv(w.from+shift-1, int64(step)) + 1) * int64(step)
	for t := first - shift; t < w.to(); t += int64(step) {
		out = append(out, tick{w.column(t), time.Unix(0, t).In(zone).Format(form)})
	}
	return out
}
