package alerts

import (
	"math"
	"strings"
	"time"

	"perfdeck/cooker"
	"perfdeck/session/alert"
	"perfdeck/themes"
	"perfdeck/tui/chart"
	"perfdeck/tui/kit/columns"
	"perfdeck/tui/pane"
)

// The graph of a value around a moment, in rows and cells.
const (
	leastGraph = 5  // with the line of times
	axisW      = 10 // of labels in a unit
	graphSpan  = 5 * time.Minute
)

// window is the time that the graph shows: two thirds of it before the moment,
// but nothing after the newest sample.
func (d *detail) window() (from, to int64) {
	nanos := d.past.Nanos
	newest := nanos[len(nanos)-1]
	if d.around && newest > nanos[0] {
		return nanos[0], newest
	}
	if d.moment.IsZero() {
		return newest - int64(graphSpan), newest
	}
	to = min(newest, d.moment.UnixNano()+int64(graphSpan/3))
	return to - int64(graphSpan), to
}

// points are the values of the window, by columns of dots.
func (d *detail) points(from, to int64, w int) (points []chart.Point, lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for i, at := range d.past.Nanos {
		if at < from || at > to {
			continue
		}
		v := d.past.Number(i)
		dot := int(float64(at-from) / float64(max(1, to-from)) * float64(w*chart.DotsAcross-1))
		points = append(points, chart.Point{Dot: dot, Value: v})
		if cooker.IsFinite(v) {
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	return points, lo, hi
}

// drawGraph draws the value with its limit and the moment, or says why it cannot
// be shown.
func (d *detail) drawGraph(f pane.Frame) {
	axisW := d.axisW()
	w, h := f.Width()-axisW-1, f.Height()-1
	if !chart.Fits(w, h) {
		return
	}
	if len(d.past.Values) == 0 {
		f.Rest(0, 0, "No history of the value is kept yet; c charts it from now on.", themes.Muted)
		return
	}
	from, to := d.window()
	points, lo, hi := d.points(from, to, w)
	if lo > hi {
		first := d.past.Timeline.At(d.past.Series.First)
		f.Rest(0, 0, "The history that is kept begins at "+pane.Clock(first, f.Now)+".", themes.Muted)
		return
	}
	c := d.value.Of()
	limit := math.NaN()
	if d.rule != nil && d.rule.Kind == alert.Threshold && (d.around || !d.rule.IsDerived()) { // of what is drawn
		limit = d.rule.When.Limit
		lo, hi = min(lo, limit), max(hi, limit)
	}
	lo, hi = bounds(lo, hi, c.Quantity)
	plot := f.Sub(axisW+1, 0, w, h)
	d.drawAxis(f, lo, hi, limit, h)
	if limit == limit {
		plot.Repeat(0, chart.Row(limit, lo, hi, h), w, f.Glyphs().Rule, pane.LevelOf(d.rule.Severity).Style())
	}
	at := -1
	if !d.moment.IsZero() {
		at = int(float64(d.moment.UnixNano()-from) / float64(max(1, to-from)) * float64(w-1))
	}
	if at >= 0 && at < w {
		plot.Fill(at, 0, 1, h, f.Glyphs().Vertical, themes.Focus)
	}
	chart.Draw(plot.Region, chart.Chart{Lines: []chart.Line{{Points: points, Style: themes.S1}}, Lo: lo, Hi: hi})
	d.drawTimes(f.Sub(axisW+1, h, w, 1), from, to, at)
}

// bounds is the range of the axis: percentages whole, others from zero on.
func bounds(lo, hi float64, q cooker.Quantity) (float64, float64) {
	if q.Kind == cooker.Percent && lo >= 0 && hi <= 100 {
		return 0, 100
	}
	lo = min(lo, 0)
	if hi = max(hi, 0); hi <= lo {
		return lo, lo + 1
	}
	return lo, hi + (hi-lo)/20
}

// axisW is the room for the labels of the axis.
func (d *detail) axisW() int {
	switch {
	case d.look.IsHex():
		return len("0x") + d.look.HexWidth
	case d.look.IsOneNumber():
		return 2 * axisW
	}
	return axisW
}

// drawAxis writes the ends of the axis and the limit, in one unit.
func (d *detail) drawAxis(f pane.Frame, lo, hi, limit float64, h int) {
	look := d.look
	look.Scale = 0
	u := look.Unit(max(hi, -lo))
	if d.around && d.rule != nil { // what was judged
		u.Label += d.rule.UnitSuffix()
	}
	write := func(y int, v float64, st themes.Style) {
		text := strings.TrimSpace(look.StatField(cooker.FloatValue(v), u) + " " + u.Label)
		columns.DrawNumber(f.Region, 0, y, d.axisW(), text, st)
	}
	muted := themes.Muted
	write(0, hi, muted)
	write(h-1, lo, muted)
	if limit == limit {
		write(chart.Row(limit, lo, hi, h), limit, pane.LevelOf(d.rule.Severity).Style())
	}
}

// drawTimes writes when the window begins and ends, and the moment.
func (d *detail) drawTimes(f pane.Frame, from, to int64, at int) {
	muted := themes.Muted
	first, last := clock(time.Unix(0, from), f.Now), clock(time.Unix(0, to), f.Now)
	f.Rest(0, 0, first, muted)
	if f.Width() > len(first)+len(last) {
		f.Right(0, 0, f.Width(), last, muted)
	}
	if at < 0 {
		return
	}
	moment := clock(d.moment, f.Now)
	x := max(0, min(at-len(moment)/2, f.Width()-len(moment)))
	if x > len(first)+1 && x+len(moment)+1 < f.Width()-len(last) {
		f.Text(x, 0, moment, themes.Focus)
	}
}
