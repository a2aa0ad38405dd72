package chart

import (
	"time"

	"perfdeck/session/text/english"
	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/pane"
)

// spanColumns are the cells of the plot in which the selected span is; an end that is not
// in the window is beyond them.
func (c *Chart) spanColumns() (first, last int, ok bool) {
	from, to, ok := c.desk.SpanEnds()
	win := c.picture.key.win
	if !ok || win.w == 0 || c.view == barView {
		return 0, 0, false
	}
	first, last = win.column(from.UnixNano()), win.column(to.UnixNano()-1)
	return first, last, first < win.w && last >= 0
}

// drawSpan shades the paper where the selected span is.
func (c *Chart) drawSpan(body canvas.Region) {
	if first, last, ok := c.spanColumns(); ok {
		first, last = max(first, 0), min(last, c.picture.key.win.w-1)
		body.SetBackground(first, 0, last-first+1, body.Height(), themes.Surface)
	}
}

// drawSpanEnds marks the ends of the selected span on the axis.
func (c *Chart) drawSpanEnds(f pane.Frame) {
	first, last, ok := c.spanColumns()
	if !ok {
		return
	}
	r, st := c.place.plot, themes.Focus.Bold()
	if first >= 0 {
		f.Put(r.X+first, r.Y+r.H, '[', st)
	}
	if last < r.W && !c.desk.Selected.IsOpen() {
		f.Put(r.X+last, r.Y+r.H, ']', st)
	}
}

// spanPart tells of the selected span in the header.
func (c *Chart) spanPart(zone *time.Location) (p headerPart, ok bool) {
	from, to, ok := c.desk.SpanEnds()
	if !ok && !c.desk.Selected.IsOpen() {
		return p, false
	}
	if c.desk.Selected.IsOpen() {
		return headerPart{"selecting", from.In(zone).Format(time.TimeOnly) + ", " + english.Short(to.Sub(from))}, true
	}
	return headerPart{"selected", SpanTimes(from, to, zone)}, true
}

// SpanTimes tells when a span is, and how long: "14:05:10-14:07:20, 2:10".
func SpanTimes(from, to time.Time, zone *time.Location) string {
	from, to = from.In(zone), to.In(zone)
	form := time.TimeOnly
	if to.Sub(from) >= 24*time.Hour || from.Day() != to.Day() {
		form = "Jan 2 15:04:05"
	}
	return from.Format(form) + "-" + to.Format(form) + ", " + english.Short(to.Sub(from))
}

// zoomIntoSpan shows the selected span alone, unless that is what is shown. It reports
// whether it did.
func (c *Chart) zoomIntoSpan() bool {
	from, to, ok := c.desk.SpanEnds()
	if !ok || c.desk.Selected.IsOpen() || c.isZoomedIntoSpan() || c.view == barView || c.view == reportView {
		return false
	}
	c.zoomInto(from, to)
	c.zoom.into = c.desk.Selected
	if at := c.desk.At; c.desk.Past() && (at.Before(from) || at.After(to)) {
		c.desk.MoveTo(to.Add(-1)) // the window shows where the cursor is
	}
	return true
}

// isZoomedIntoSpan tells whether the selected span is what is shown.
func (c *Chart) isZoomedIntoSpan() bool {
	return c.zoom.span > 0 && !c.desk.Selected.IsNone() && c.zoom.into == c.desk.Selected
}

// ShowTime zooms into a stretch of time.
func (c *Chart) ShowTime(from, to time.Time) {
	c.zoomInto(from, to)
	if at := c.desk.At; c.desk.Past() && (at.Before(from) || at.After(to)) {
		c.desk.MoveTo(time.Time{}) // the window shows where the cursor is
	}
}

// ShowLanes shows the view of lanes.
func (c *Chart) ShowLanes() {
	c.turnTo(lanesView)
}
