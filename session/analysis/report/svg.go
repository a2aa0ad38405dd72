package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Charts are SVG without viewBox, x in percent and y in pixels, so that text is never
// scaled; only paths lie in an inner one that is stretched.

// dot is a point of a path: y NaN is a gap.
type dot struct {
	x int
	y float64
}

// percent is a share as an attribute.
func percent(f float64) markup {
	text := strconv.FormatFloat(100*f, 'f', 2, 64)
	return markup(strings.TrimSuffix(strings.TrimRight(text, "0"), ".") + "%")
}

// pixel is a length as an attribute.
func pixel(f float64) markup {
	text := strconv.FormatFloat(f, 'f', 1, 64)
	return markup(strings.TrimSuffix(text, ".0"))
}

// frame is what a path is drawn in: so many pixels high, from a value to another.
type frame struct{ height, low, high float64 }

// y is the place of a value in half pixels.
func (f frame) y(v float64) int {
	v = math.Min(math.Max(v, f.low), f.high)
	return int(math.Round(2 * (f.height - (v-f.low)/math.Max(f.high-f.low, math.SmallestNonzeroFloat64)*f.height)))
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

// line is a stroke for each run of values.
func (f frame) line(dots []dot) markup {
	var s steps
	for _, run := range runs(dots) {
		s.from(run[0].x, f.y(run[0].y))
		if len(run) == 1 {
			s.b.WriteString("1 0")
			continue
		}
		for _, d := range run[1:] {
			s.to(d.x, f.y(d.y))
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
		s.from(run[0].x, f.y(run[0].y))
		for _, d := range run[1:] {
			s.to(d.x, f.y(d.y))
		}
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
func (p *page) spark(v []float64, width, height int, shadeA, shadeB float64) {
	top, low := math.Inf(-1), 0.0
	for _, f := range v {
		if f == f {
			top, low = math.Max(top, f), math.Min(low, f)
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
		p.f(`<rect class="iv" x="%s" width="%s" height="100%%"/>`, percent(shadeA), percent(shadeB-shadeA))
	}
	p.f(`<svg width="100%%" height="100%%" viewBox="0 -2 %d %d" preserveAspectRatio="none"><path class="ln" d="%s"/></svg></svg>`,
		len(v)-1, 2*height+4, frame{float64(height), low, top}.line(dotsOf(v)))
}

// place is where a time lies in a span, 0 to 1.
func place(t, from, to time.Time) float64 {
	return math.Min(math.Max(float64(t.Sub(from))/float64(max(to.Sub(from), 1)), 0), 1)
}

// cellOf is in which of n parts of a span a time lies, the nearest where it lies in none.
func cellOf(t, from, to time.Time, n int) int { return min(int(place(t, from, to)*float64(n)), n-1) }

// The measures of the chart of a verdict, in pixels.
const (
	evidenceHeight = 196
	evidenceAbove  = 30
	evidenceBelow  = 22
	evidenceWidth  = 1600 // units of paths
	fewSamples     = 20
)

// evidence draws the chart of a verdict.
func (p *page) evidence(c *Chart, id string, k clock) {
	const above, height = evidenceAbove, evidenceHeight
	x := func(t time.Time) float64 { return place(t, c.From, c.To) }
	low := 0.0
	for _, d := range c.Points {
		if d.Value < low {
			low = d.Value
		}
	}
	f := frame{height, low, c.Top}
	y := func(v float64) float64 { return above + float64(f.y(v))/2 }
	severity := markup(c.Severity.String())
	p.f(`<svg class="ev" width="100%%" height="%d" role="img" aria-labelledby="%s-t %s-d"><title id="%s-t">%s</title><desc id="%s-d">%s</desc>`,
		above+height+evidenceBelow, markup(id), markup(id), markup(id), c.Title, markup(id), c.Story)
	p.interval(c, x(c.Begin), x(c.End), severity, k)
	p.grid(c, f, y)
	k.ticks(c.From, c.To, func(x, class, anchor markup, label string) {
		p.f(`<line class="tk" x1="%s" x2="%s" y1="%d" y2="%d"/><text class="%s" x="%s" y="%d" text-anchor="%s">%s</text>`, x, x, above+height, above+height+4, class, x, above+height+17, anchor, label)
	})
	p.lines(c, f, severity)
	if c.Limit != nil {
		p.limit(c, x, y, severity)
	}
	if !c.GapFrom.IsZero() && x(c.GapTo)-x(c.GapFrom) > .03 {
		m := percent((x(c.GapFrom) + x(c.GapTo)) / 2)
		p.f(`<text class="gp" x="%s" y="%d" text-anchor="middle">no data</text><text class="gp" x="%s" y="%d" text-anchor="middle">%s</text>`, m, above+height/2, m, above+height/2+15, span(c.GapTo.Sub(c.GapFrom)))
	}
	p.chartNotes(c, x)
	if c.Peak != nil {
		limitY := math.Inf(1)
		if c.Limit != nil {
			limitY = y(*c.Limit)
		}
		p.peak(c, x(c.Peak.At), y(c.Peak.Value), limitY)
	}
	p.raw(`</svg>`)
}

// interval draws the time of the verdict, from a to b of the width, and says when and how
// long it was.
func (p *page) interval(c *Chart, a, b float64, severity markup, k clock) {
	const above, height = evidenceAbove, evidenceHeight
	p.f(`<rect class="iv" x="%s" width="%s" y="%d" height="%d"/>`, percent(a), percent(math.Max(b-a, .002)), above-8, height+8)
	p.f(`<g class="iv-l"><line x1="%s" x2="%s" y1="%d" y2="%d" class="st-%s"/></g>`, percent(a), percent(math.Max(b, a+.002)), above-8, above-8, severity)
	if a > .14 {
		p.f(`<text class="tm" x="%s" y="%d" dx="-5" text-anchor="end">%s</text>`, percent(a), above-4, k.second(c.Begin))
	}
	if b < .86 {
		p.f(`<text class="tm" x="%s" y="%d" dx="5">%s</text>`, percent(b), above-4, k.second(c.End))
	}
	middle, anchor := (a+b)/2, markup("middle")
	switch {
	case middle < .06:
		middle, anchor = a, "start"
	case middle > .94:
		middle, anchor = b, "end"
	}
	p.f(`<text class="tm b" x="%s" y="%d" text-anchor="%s">%s</text>`, percent(middle), above-13, anchor, c.IntervalWords)
}

// limit draws the line of the limit and says which it is, where the peak leaves room.
func (p *page) limit(c *Chart, x func(time.Time) float64, y func(float64) float64, severity markup) {
	const above, height = evidenceAbove, evidenceHeight
	p.f(`<line class="lim st-%s" x1="0" x2="100%%" y1="%s" y2="%s"/>`, severity, pixel(y(*c.Limit)), pixel(y(*c.Limit)))
	p.f(`<text class="yl f-%s" x="0" dx="-6" y="%s" text-anchor="end">%s</text>`, severity, pixel(y(*c.Limit)+4), bare(c.Scale, *c.Limit))
	down := -5.0
	if c.IsBelow && y(*c.Limit) < above+height-16 {
		down = 14
	}
	if y(*c.Limit)+down < above+8 {
		down = 14
	}
	if c.Peak == nil || math.Abs(y(c.Peak.Value)-y(*c.Limit)) > 26 || x(c.Peak.At) > .3 {
		p.f(`<text class="lt f-%s" x="0" dx="4" y="%s">%s</text>`, severity, pixel(y(*c.Limit)+down), c.LimitText)
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
func (p *page) grid(c *Chart, f frame, y func(float64) float64) {
	for i := range 5 {
		v := f.low + (f.high-f.low)*float64(i)/4
		class := markup("gr")
		if i == 0 {
			class = "ax"
		}
		p.f(`<line class="%s" x1="0" x2="100%%" y1="%s" y2="%s"/>`, class, pixel(y(v)), pixel(y(v)))
		if i%2 == 1 || c.Limit != nil && math.Abs(y(*c.Limit)-y(v)) <= 13 {
			continue
		}
		text := bare(c.Scale, v)
		if i == 4 {
			text = c.Scale.limit(v)
			if v <= 0 {
				text = c.Scale.With(v)
			}
		}
		p.f(`<text class="yl" x="0" dx="-6" y="%s" text-anchor="end">%s</text>`, pixel(y(v)+4), text)
	}
}

// ticks hands out the labels of an axis of time, where and how they stand.
func (c clock) ticks(from, to time.Time, draw func(x, class, anchor markup, label string)) {
	step := stepFor(to.Sub(from), 9)
	n := 0
	for at := firstTick(from.In(c.zone), step); !at.After(to); at = at.Add(step) {
		f := place(at, from, to)
		class, anchor := markup("xl"), markup("middle")
		if n%2 == 1 {
			class = "xl x2"
		}
		switch {
		case f < .02:
			anchor = "start"
		case f > .98:
			anchor = "end"
		}
		draw(percent(f), class, anchor, c.tick(at, step))
		n++
	}
}

// lines draws the values.
func (p *page) lines(c *Chart, f frame, severity markup) {
	dots := make([]dot, len(c.Points))
	beyond := make([]dot, len(c.Points))
	numbers := 0
	for i, d := range c.Points {
		at := int(math.Round(place(d.At, c.From, c.To) * evidenceWidth))
		dots[i], beyond[i] = dot{at, d.Value}, dot{at, math.NaN()}
		if d.Value != d.Value {
			continue
		}
		numbers++
		if c.Limit == nil || d.At.Before(c.Begin.Add(-c.To.Sub(c.From)/9)) || d.At.After(c.End.Add(c.To.Sub(c.From)/9)) {
			continue
		}
		if c.IsBelow {
			beyond[i].y = math.Min(d.Value, *c.Limit)
		} else {
			beyond[i].y = math.Max(d.Value, *c.Limit)
		}
	}
	p.f(`<svg y="%d" width="100%%" height="%d" viewBox="0 0 %d %d" preserveAspectRatio="none">`, evidenceAbove, evidenceHeight, evidenceWidth, 2*evidenceHeight)
	if !c.IsBelow {
		p.f(`<path class="ar" d="%s"/>`, f.area(dots, math.Max(0, f.low)))
	}
	if c.Limit != nil {
		p.f(`<path class="ov f-%s" d="%s"/>`, severity, f.area(beyond, *c.Limit))
	}
	p.f(`<path class="ln" d="%s"/></svg>`, f.line(dots))
	if numbers >= fewSamples {
		return
	}
	for _, d := range c.Points {
		if d.Value == d.Value {
			p.f(`<circle class="dot" cx="%s" cy="%s" r="3"/>`, percent(place(d.At, c.From, c.To)), pixel(evidenceAbove+float64(f.y(d.Value))/2))
		}
	}
}

// mostChartNotes bounds the notes of a chart.
const mostChartNotes = 4

func (p *page) chartNotes(c *Chart, x func(time.Time) float64) {
	for i, n := range c.Notes {
		if i == mostChartNotes {
			break
		}
		f := x(n.Time)
		dx, anchor := 6, markup("start")
		if f > .5 {
			dx, anchor = -6, "end"
		}
		p.f(`<line class="nt" x1="%s" x2="%s" y1="%d" y2="%d"/><text class="ntl" x="%s" dx="%d" y="%d" text-anchor="%s">%s</text>`,
			percent(f), percent(f), evidenceAbove-8, evidenceAbove+evidenceHeight, percent(f), dx, evidenceAbove+22+14*i, anchor, short(n.Text, mostNoteCells))
	}
}

// mostNoteCells bounds the text of a note in a chart.
const mostNoteCells = 32

// peak names the worst value.
func (p *page) peak(c *Chart, f, y, limitY float64) {
	p.f(`<circle class="pd" cx="%s" cy="%s" r="3.5"/>`, percent(f), pixel(y))
	dx, anchor, dy := 9, markup("start"), 4.0
	if f > .55 {
		dx, anchor = -9, "end"
	}
	if c.IsBelow {
		dx, anchor, dy = 0, "middle", -22
	} else if c.Limit != nil && limitY-y < 26 { // it would stand on the line of the limit
		dx, anchor, dy = 0, "middle", limitY-y+16
	}
	if anchor == "middle" && (f < .12 || f > .88) {
		anchor = "start"
		if f > .88 {
			anchor = "end"
		}
	}
	p.f(`<text class="pk" x="%s" y="%s" dx="%d" text-anchor="%s">%s</text>`, percent(f), pixel(y+dy), dx, anchor, c.PeakText)
}
