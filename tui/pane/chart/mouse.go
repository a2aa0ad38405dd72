package chart

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"perfdeck/tui/pane"
)

// drag is a range of columns that the mouse draws across the plot.
type drag struct {
	pane.Dragged

	before time.Time // the moment that was shown when the button went down
}

// Click moves the cursor to a column, or selects a series; on the selected one
// it opens it.
func (c *Chart) Click(hit pane.Hit, button tea.MouseButton) {
	switch hit.Kind {
	case hitPlot:
		win := c.picture.key.win
		c.drag = drag{before: c.desk.At}
		if button != tea.MouseLeft || win.w == 0 || c.view == barView {
			return
		}
		at := c.sampleBefore(win.start(hit.A + 1))
		if at.IsZero() || win.column(at.UnixNano()) < hit.A {
			at = win.start(hit.A) // no sample: the moment itself
		} else {
			at = c.stacked(at)
		}
		c.desk.MoveTo(at)
	case pane.HitRow:
		if len(c.series) == 0 && c.offer.list.Opens(hit, button) || pane.Pressed(&c.list, hit.B, button) {
			c.open()
		}
	}
}

// Drag selects a span across the plot.
func (c *Chart) Drag(from pane.Hit, x, _ int, released bool) {
	win := c.picture.key.win
	if from.Kind != hitPlot || win.w == 0 || c.view == barView || c.place.report {
		return
	}
	c.drag.Dragged = pane.Dragged{Active: true, From: from.A, To: x - c.place.plot.X}
	first, last, ok := c.drag.Within(win.w)
	if !released {
		return
	}
	before := c.drag.before
	c.drag = drag{}
	if !ok {
		return
	}
	c.desk.MoveTo(before) // the button that went down moved the cursor
	c.desk.Send(pane.SelectSpan{Span: pane.SpanOf(win.start(first), win.start(last+1))})
}

// zoomInto shows a range of time alone.
func (c *Chart) zoomInto(from, to time.Time) {
	const shortest = time.Second
	c.zoom = zoom{end: to.Add(-1), span: max(to.Sub(from), shortest), deskSpan: c.desk.Span}
}

// Wheel changes the span over the plot, and scrolls what is below it. The
// span doubles and halves.
func (c *Chart) Wheel(hit pane.Hit, lines int) {
	if len(c.series) == 0 {
		c.offer.list.Wheel(lines)
		return
	}
	if hit.Kind != hitPlot {
		if !c.place.report {
			c.list.Scroll(lines)
			return
		}
		was := c.reported.Line()
		c.reported.Scroll(lines)
		c.move(c.reported.Line() - was)
		return
	}
	if z := &c.zoom; z.span > 0 { // around its middle
		span := wheeled(z.span, lines)
		z.end, z.span = z.end.Add((span-z.span)/2), span
		return
	}
	c.desk.Span = wheeled(c.span(), lines)
}

func wheeled(span time.Duration, lines int) time.Duration {
	const shortest, longest = 10 * time.Second, 7 * 24 * time.Hour
	if lines < 0 {
		span /= 2
	} else {
		span *= 2
	}
	return max(shortest, min(span.Round(time.Second), longest))
}
