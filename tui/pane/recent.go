package pane

import (
	"cmp"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/chart"
	"perfdeck/tui/kit/graph"
	"perfdeck/tui/kit/scale"
	"perfdeck/tui/kit/table"
)

// Recent is what a value is, and what it was in the last minute.
type Recent struct {
	Value  cooker.Value
	Unit   cooker.Unit
	Look   session.Look
	Series session.Series
	Window session.Window // what the statistics show
	End    uint64         // number of the sample behind the last one that is shown
	Every  time.Duration  // from one sample to the next; 0: a cell is one
	Scale  scale.Rule     // what it is measured against
	Hi     float32        // what the highest level stands for; 0: as Scale and Top have it
	Top    *scale.Scale   // which goes down seldom; nil: it is chosen each time
	Now    time.Time      // of the newest sample
	Limits []graph.Limit  // beyond which it has the colour of a state
	Plain  themes.Style   // of cells beyond no limit; Text: shades by their level
}

// Recent is the value of a row and column at the moment that is shown, with as many samples up
// to it summed up.
func (d *Desk) Recent(snap *session.Snapshot, view *session.SetView, row, col, samples int) Recent {
	r := Recent{Series: view.Series(row, col), End: d.End(snap), Every: d.EveryOf(snap)}
	r.Value, r.Window = d.Shown(snap, r.Series, view.Value(row, col)), r.Series.Window(r.End, samples)
	return r
}

// TableMoment is what a table shows of a view of a snapshot: the newest sample, or the moment
// that is shown, where its history is kept.
func (d *Desk) TableMoment(snap *session.Snapshot, view *session.SetView) table.Frame {
	m := table.Frame{View: view, End: d.End(snap), Every: d.EveryOf(snap), Wipe: d.Wipe}
	if m.At = d.At; d.Past() {
		m.Past = func(s session.Series, newest cooker.Value) cooker.Value { return d.Shown(snap, s, newest) }
	}
	return m
}

// EveryOf is the usual time from one sample to the next at the moment that is shown, 0 if there are
// not two.
func (d *Desk) EveryOf(s *session.Snapshot) time.Duration {
	if s == nil {
		return 0
	}
	return s.Timeline.Every(cmp.Or(d.At, s.Time))
}

// DrawRecent draws a sparkline in w cells.
func (f Frame) DrawRecent(x, y, w int, r *Recent) {
	per := graph.PerCell(graph.SparkReach, w, r.Every)
	shown := r.Series.Cut(r.End, w*per)
	if len(shown.Values) == 0 {
		return
	}
	s := graph.Spark{
		Series: shown, End: r.End, PerCell: per, Limits: r.Limits, Plain: r.Plain, Wipe: f.Wipe, Hi: r.Hi,
	}
	if s.Hi == 0 {
		s.Hi = r.top(shown.Highest())
	}
	s.Draw(f.Region, x, y, w)
}

// top is what the highest level stands for of values that are shown alone, of which that is the largest.
func (r *Recent) top(most float32) float32 {
	top := r.Top
	if top == nil {
		top = new(scale.Scale)
	}
	return float32(top.Top(r.Scale, float64(most), r.Look.Format, r.Unit, r.Now))
}

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
