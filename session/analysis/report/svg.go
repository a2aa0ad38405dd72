package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"perfdeck/session/text/english"
)

// Charts are SVG without viewBox, x in percent and y in pixels, so that text is never
// scaled; only paths lie in an inner one that is stretched.

// dot is a point of a path: y NaN is a gap.
type dot struct {
	x int
	y float64
}

// across is a share of the width of a picture.
type across float64

// String is it as an attribute.
func (a across) String() string {
	text := strconv.FormatFloat(100*float64(a), 'f', 2, 64)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".") + "%"
}

// pixels is a length in a picture.
type pixels float64

// String is it as an attribute.
func (f pixels) String() string {
	return strings.TrimSuffix(strconv.FormatFloat(float64(f), 'f', 1, 64), ".0")
}

// frame is what a path is drawn in: so many pixels high, from a value to another.
type frame struct{ height, low, high float64 }

// y is the place of a value in half pixels.
func (f frame) y(v float64) int {
	v = min(max(v, f.low), f.high)
	return int(math.Round(2 * (f.height - (v-f.low)/max(f.high-f.low, math.SmallestNonzeroFloat64)*f.height)))
}

// steps writes relative moves, as short as it goes.
type steps struct {
	b    strings.Builder
	x, y int
	many bool
}

func (s *steps) to(x, y int) {
	dx, dy := x-s.x, y-s.y
	if s.many && dx >= 0 {
		s.b.WriteByte(' ')
	}
	s.b.WriteString(strconv.Itoa(dx))
	if dy >= 0 {
		s.b.WriteByte(' ')
	}
	s.b.WriteString(strconv.Itoa(dy))
	s.x, s.y, s.many = x, y, true
}

func (s *steps) from(x, y int) {
	fmt.Fprintf(&s.b, "M%d %dl", x, y)
	s.x, s.y, s.many = x, y, false
}

// along goes along a run of values.
func (s *steps) along(f frame, run []dot) {
	s.from(run[0].x, f.y(run[0].y))
	for _, d := range run[1:] {
		s.to(d.x, f.y(d.y))
	}
}

// line is a stroke for each run of values.
func (f frame) line(dots []dot) markup {
	var s steps
	for _, run := range runs(dots) {
		if s.along(f, run); len(run) == 1 {
			s.b.WriteString("1 0")
		}
	}
	return markup(s.b.String())
}

// area is between the values and a base.
func (f frame) area(dots []dot, base float64) markup {
	var s steps
	b := f.y(base)
	for _, run := range runs(dots) {
		if len(run) < 2 {
			continue
		}
		s.from(run[0].x, b)
		for _, d := range run {
			s.to(d.x, f.y(d.y))
		}
		s.to(run[len(run)-1].x, b)
		s.b.WriteByte('z')
	}
	return markup(s.b.String())
}

// band is between the lowest and the highest values.
func (f frame) band(low, high []float64) markup {
	var s steps
	for _, run := range runs(dotsOf(high)) {
		if len(run) < 2 {
			continue
		}
		s.along(f, run)
		for _, d := range slices.Backward(run) {
			s.to(d.x, f.y(low[d.x]))
		}
		s.b.WriteByte('z')
	}
	return markup(s.b.String())
}

// runs are the parts without gaps.
func runs(dots []dot) (out [][]dot) {
	begin := -1
	for i, d := range dots {
		switch is := d.y == d.y; {
		case is && begin < 0:
			begin = i
		case !is && begin >= 0:
			out, begin = append(out, dots[begin:i]), -1
		}
	}
	if begin >= 0 {
		out = append(out, dots[begin:])
	}
	return out
}

func dotsOf(v []float64) []dot {
	out := make([]dot, len(v))
	for i, y := range v {
		out[i] = dot{i, y}
	}
	return out
}

// spark is a small course.
func (p *page) spark(v []float64, width, height int, shadeA, shadeB across) {
	top, low := math.Inf(-1), 0.0
	for _, f := range v {
		if f == f {
			top, low = max(top, f), min(low, f)
		}
	}
	if math.IsInf(top, 0) || len(v) < 2 {
		return
	}
	if top *= 1.02; top <= low {
		top = low + 1
	}
	p.f(`<svg class="sp" aria-hidden="true" width="%d" height="%d">`, width, height)
	if shadeB > shadeA {
		p.f(`<rect class="iv" x="%s" width="%s" height="100%%"/>`, shadeA, shadeB-shadeA)
	}
	p.f(`<svg width="100%%" height="100%%" viewBox="0 -2 %d %d" preserveAspectRatio="none"><path class="ln" d="%s"/></svg></svg>`,
		len(v)-1, 2*height+4, frame{float64(height), low, top}.line(dotsOf(v)))
}

// place is where a time lies in a span.
func place(t, from, to time.Time) across {
	return min(max(across(t.Sub(from))/across(max(to.Sub(from), 1)), 0), 1)
}

// cellOf is in which of n parts of a span a time lies, the nearest where it lies in none.
func cellOf(t, from, to time.Time, n int) int { return min(int(place(t, from, to)*across(n)), n-1) }

// The measures of the chart of a verdict, in pixels.
const (
	above, height, below = 30, 196, 22

	evidenceWidth = 1600 // units of paths
	fewSamples    = 20
)

// picture is the chart of a verdict while it is drawn.
type picture struct {
	*page
	*Verdict
	*Chart
	frame
	clock
}

func (e *picture) x(t time.Time) across { return place(t, e.From, e.To) }
func (e *picture) at(v float64) pixels  { return above + pixels(e.y(v))/2 }

// evidence draws the chart of a verdict.
func (p *page) evidence(v *Verdict, k clock) {
	c := v.Chart
	e := &picture{p, v, c, frame{height, 0, c.Top}, k}
	for _, d := range c.Points {
		if d.Value < e.low {
			e.low = d.Value
		}
	}
	p.f(`<figure><svg class="ev" width="100%%" height="%d" role="img" aria-labelledby="c%[2]d-t c%[2]d-d"><title id="c%[2]d-t">%[3]s</title><desc id="c%[2]d-d">%[4]s</desc>`,
		above+height+below, v.Number, c.Title, c.Story)
	e.interval()
	e.grid()
	k.ticks(c.From, c.To, func(x across, class, anchor markup, label string) {
		p.f(`<line class="tk" x1="%[1]s" x2="%[1]s" y1="%d" y2="%d"/><text class="%s" x="%[1]s" y="%[5]d" text-anchor="%s">%s</text>`, x, above+height, above+height+4, class, above+height+17, anchor, label)
	})
	e.values()
	if v.Limit != nil {
		e.limit(e.at(*v.Limit))
	}
	if a, b := e.x(c.GapFrom), e.x(c.GapTo); !c.GapFrom.IsZero() && b-a > .03 {
		p.f(`<text class="gp" x="%[1]s" y="%d" text-anchor="middle">no data</text><text class="gp" x="%[1]s" y="%[3]d" text-anchor="middle">%s</text>`, (a+b)/2, above+height/2, above+height/2+15, english.Span(c.GapTo.Sub(c.GapFrom)))
	}
	e.notes()
	if v.Peak != nil {
		e.peak(e.x(v.PeakAt), e.at(*v.Peak))
	}
	p.f(`</svg><figcaption><code>%s</code><span>%s to %s, a point is %s</span></figcaption></figure>`, c.Path, k.minute(c.From), k.minute(c.To), c.Point)
}

// interval draws the time of the verdict, and says when and how long it was.
func (e *picture) interval() {
	a, b := e.x(e.Begin), e.x(e.End)
	e.f(`<rect class="iv" x="%s" width="%s" y="%d" height="%d"/>`, a, max(b-a, .002), above-8, height+8)
	e.f(`<g class="iv-l"><line x1="%s" x2="%s" y1="%[3]d" y2="%[3]d" class="st-%[4]s"/></g>`, a, max(b, a+.002), above-8, e.Severity)
	if a > .14 {
		e.f(`<text class="tm" x="%s" y="%d" dx="-5" text-anchor="end">%s</text>`, a, above-4, e.second(e.Begin))
	}
	if b < .86 {
		e.f(`<text class="tm" x="%s" y="%d" dx="5">%s</text>`, b, above-4, e.second(e.End))
	}
	middle, anchor := (a+b)/2, markup("middle")
	switch {
	case middle < .06:
		middle, anchor = a, "start"
	case middle > .94:
		middle, anchor = b, "end"
	}
	e.f(`<text class="tm b" x="%s" y="%d" text-anchor="%s">%s</text>`, middle, above-13, anchor, english.Span(e.End.Sub(e.Begin)))
}

// limit draws its line and says which it is, where the peak leaves room.
func (e *picture) limit(y pixels) {
	e.f(`<line class="lim st-%[1]s" x1="0" x2="100%%" y1="%[2]s" y2="%[2]s"/><text class="yl f-%[1]s" x="0" dx="-6" y="%[3]s" text-anchor="end">%[4]s</text>`,
		e.Severity, y, y+4, bare(e.Scale, *e.Limit))
	down := pixels(-5)
	if e.IsBelow && y < above+height-16 || y+down < above+8 {
		down = 14
	}
	if e.Peak == nil || math.Abs(float64(e.at(*e.Peak)-y)) > 26 || e.x(e.PeakAt) > .3 {
		e.f(`<text class="lt f-%s" x="0" dx="4" y="%s">%s</text>`, e.Severity, y+down, e.LimitText)
	}
}

// bare is a number of an axis without its unit.
func bare(s Scale, v float64) string {
	s.Unit.Label = ""
	if v == 0 {
		return "0"
	}
	return s.limit(v)
}

// grid draws the lines at quarters, and their numbers.
func (e *picture) grid() {
	for i := range 5 {
		v := e.low + (e.high-e.low)*float64(i)/4
		class := markup("gr")
		if i == 0 {
			class = "ax"
		}
		y := e.at(v)
		e.f(`<line class="%s" x1="0" x2="100%%" y1="%[2]s" y2="%[2]s"/>`, class, y)
		if i%2 == 1 || e.Limit != nil && math.Abs(float64(e.at(*e.Limit)-y)) <= 13 {
			continue
		}
		text := bare(e.Scale, v)
		if i == 4 {
			text = e.Scale.limit(v)
		}
		e.f(`<text class="yl" x="0" dx="-6" y="%s" text-anchor="end">%s</text>`, y+4, text)
	}
}

// ticks hands out the labels of an axis of time, where and how they stand.
func (c clock) ticks(from, to time.Time, draw func(x across, class, anchor markup, label string)) {
	step := stepFor(to.Sub(from), 9)
	class, other := markup("xl"), markup("xl x2")
	for at := firstTick(from.In(c.zone), step); !at.After(to); at = at.Add(step) {
		x, anchor := place(at, from, to), markup("middle")
		switch {
		case x < .02:
			anchor = "start"
		case x > .98:
			anchor = "end"
		}
		draw(x, class, anchor, c.tick(at, step))
		class, other = other, class
	}
}

// values draws them.
func (e *picture) values() {
	dots := make([]dot, len(e.Points))
	beyond := make([]dot, len(e.Points))
	numbers, side := 0, e.To.Sub(e.From)/9
	for i, d := range e.Points {
		at := int(math.Round(float64(e.x(d.At) * evidenceWidth)))
		dots[i], beyond[i] = dot{at, d.Value}, dot{at, math.NaN()}
		if d.Value != d.Value {
			continue
		}
		numbers++
		switch {
		case e.Limit == nil || d.At.Before(e.Begin.Add(-side)) || d.At.After(e.End.Add(side)):
		case e.IsBelow:
			beyond[i].y = min(d.Value, *e.Limit)
		default:
			beyond[i].y = max(d.Value, *e.Limit)
		}
	}
	e.f(`<svg y="%d" width="100%%" height="%d" viewBox="0 0 %d %d" preserveAspectRatio="none">`, above, height, evidenceWidth, 2*height)
	if !e.IsBelow {
		e.f(`<path class="ar" d="%s"/>`, e.area(dots, max(0, e.low)))
	}
	if e.Limit != nil {
		e.f(`<path class="ov f-%s" d="%s"/>`, e.Severity, e.area(beyond, *e.Limit))
	}
	e.f(`<path class="ln" d="%s"/></svg>`, e.line(dots))
	for _, d := range e.Points {
		if d.Value == d.Value && numbers < fewSamples {
			e.f(`<circle class="dot" cx="%s" cy="%s" r="3"/>`, e.x(d.At), e.at(d.Value))
		}
	}
}

const (
	mostChartNotes = 4
	mostNoteCells  = 32 // of the text of a note in a chart
)

func (e *picture) notes() {
	for i, n := range e.Notes[:min(len(e.Notes), mostChartNotes)] {
		x, dx, anchor := e.x(n.Time), 6, markup("start")
		if x > .5 {
			dx, anchor = -6, "end"
		}
		e.f(`<line class="nt" x1="%[1]s" x2="%[1]s" y1="%d" y2="%d"/><text class="ntl" x="%[1]s" dx="%[4]d" y="%d" text-anchor="%s">%s</text>`,
			x, above-8, above+height, dx, above+22+14*i, anchor, short(n.Text, mostNoteCells))
	}
}

// peak names the worst value.
func (e *picture) peak(x across, y pixels) {
	dx, anchor, dy := 9, markup("start"), pixels(4)
	if x > .55 {
		dx, anchor = -9, "end"
	}
	if e.IsBelow {
		dx, anchor, dy = 0, "middle", -22
	} else if e.Limit != nil && e.at(*e.Limit)-y < 26 { // it would stand on the line of the limit
		dx, anchor, dy = 0, "middle", e.at(*e.Limit)-y+16
	}
	switch {
	case anchor == "middle" && x < .12:
		anchor = "start"
	case anchor == "middle" && x > .88:
		anchor = "end"
	}
	e.f(`<circle class="pd" cx="%[1]s" cy="%s" r="3.5"/><text class="pk" x="%[1]s" y="%[3]s" dx="%d" text-anchor="%s">%s</text>`, x, y, y+dy, dx, anchor, e.PeakText)
}
