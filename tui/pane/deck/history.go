package deck

import (
	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/chart"
	"perfdeck/tui/kit/graph"
	"perfdeck/tui/layout"
	"perfdeck/tui/pane"
)

// The axis of a graph above rows is labelled at its right, a cell apart.
const graphLeft, graphRight = 3, 11

// drawHistory draws the history of the line of the scene above rows; in a zoomed pane as a
// chart.
func (d *Deck) drawHistory(f pane.Frame, b *block, s *scene) {
	if s.plot.graphed >= len(b.lines) {
		return
	}
	l := &b.lines[s.plot.graphed]
	view, ok := b.viewOf(l)
	w := graphWidth(s)
	if !ok || w < 1 || s.when.end == 0 {
		return
	}
	body := f.At(layout.Rect{X: graphLeft, W: w, H: f.Height()})
	if l.isText() {
		drawWhole(body, view.Value(l.row, l.col), view.Series(l.row, l.col), s)
		return
	}
	per := s.perDot(w)
	lo := float64(0)
	if s.plot.zoomed && chart.Fits(w, f.Height()) {
		lo = -float64(s.plot.lo)
		h := d.history(b, s.plot.graphed, s, 0)
		points := make([]chart.Point, len(h.Values))
		for i, v := range h.Values {
			points[i] = chart.Point{Dot: graph.Dot(w, per, s.plot.end, h.First+uint64(i)), Value: float64(v)}
		}
		chart.Draw(body.Region, chart.Chart{Lines: []chart.Line{{Points: points, Style: themes.S1.Style()}}, Lo: lo, Hi: float64(s.plot.hi)})
		if x, ok := graph.Column(w, per, s.plot.end, s.plot.cursor); ok {
			graph.DrawCursor(body.Region, x)
		}
		text, _ := b.spanText(s, w)
		n := f.Left(graphLeft, 0, w, l.name+"  "+text, themes.Muted.Style())
		f.Zone(graphLeft, 0, n, 1, pane.Hit{Kind: hitSpan, A: s.pane})
	} else {
		d.drawCurve(body, b, s)
	}
	drawEnd(f, 0, float64(s.plot.hi), s)
	drawEnd(f, f.Height()-1, lo, s)
}

// drawEnd labels an end of the axis.
func drawEnd(f pane.Frame, y int, v float64, s *scene) {
	text := s.plot.text(v)
	if v == 0 {
		text = "0"
	}
	f.Right(f.Width()-graphRight+1, y, graphRight-1, text, themes.Muted.Style())
}

// drawWhole shows a text, which has no curve, with all its lines.
func drawWhole(f pane.Frame, v cooker.Value, series session.Series, s *scene) {
	if s.when.isPast {
		v = pane.PastValue(series, s.when.end, v)
	}
	text, _ := v.Text()
	for y, line := range canvas.Fold(session.Printable(text), f.Width()) {
		if y < f.Height() {
			f.Left(0, y, f.Width(), line, themes.Text.Style())
		}
	}
}
