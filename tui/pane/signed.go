package pane

import (
	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/chart"
	"perfdeck/tui/kit/graph"
)

// DrawSigned draws the upper history of a graph as a line, between lo and its top: a graph stands
// on 0, and shows nothing of what is below.
func DrawSigned(r canvas.Region, g *graph.Graph, lo float64) {
	w, h := r.Width(), g.Upper
	points := make([]chart.Point, len(h.Values))
	for i, v := range h.Values {
		points[i] = chart.Point{Dot: graph.Dot(w, g.PerDot, g.End, h.First+uint64(i)), Value: float64(v)}
	}
	chart.Draw(r, chart.Chart{Lines: []chart.Line{{Points: points, Style: themes.S1}}, Lo: lo, Hi: float64(g.Hi)})
	if x, ok := graph.Column(w, g.PerDot, g.End, g.Cursor); ok {
		graph.DrawCursor(r, x)
	}
}
