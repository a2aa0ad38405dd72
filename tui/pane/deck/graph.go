package deck

import (
	"math"
	"time"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session/alert"
	"perfdeck/themes"
	"perfdeck/tui/kit/graph"
	"perfdeck/tui/kit/kind"
	"perfdeck/tui/kit/scale"
	"perfdeck/tui/layout"
	"perfdeck/tui/pane"
)

// graphWidth is the cells of the graph of a pane, beside its values.
func graphWidth(s *scene) int {
	if s.matrix {
		return max(1, s.w-1)
	}
	return max(1, s.w-2-layout.ValueColumn(s.w)-s.inset)
}

// setAxis chooses the scale of the graph of a pane, and its limits.
func (d *Deck) setAxis(s *scene, b *block, board *alert.Board) {
	if s.graphed < 0 || b.made == nil {
		return
	}
	ln := &b.lines[s.graphed]
	r := d.rowOf(b, s.graphed, 0, &scene{facts: s.facts, signs: []sign{{}}})
	s.unit = r.Unit
	drawn := &ln.item.drawn
	limit := drawn.Limit.Number
	if drawn.Limit.Set != nil {
		limit = drawn.Read(cooker.FloatValue(0), drawn.Limit.Value(b.made, ln.key)).Limit
	}
	most := float32(0)
	rule := drawn.Rule(limit)
	if !(rule.Limit > 0) {
		for k := range b.graphs(s.graphed) {
			for _, v := range d.history(b, s.graphed+k, s, k) {
				if v > most {
					most = v
				}
			}
		}
	}
	s.hi = float32(b.scale.Top(rule, float64(most), r.Look.Format, r.Unit, b.made.Time))
	s.format = r.Look.Format
	if b.host == nil {
		return
	}
	for _, l := range board.Limits(b.host.Name, ln.item.sel.Set, ln.item.counter, nil) {
		level := pane.LevelOf(l.Severity)
		at := drawn.Level(l.Value, limit)
		if !b.drawsUsed(ln.item) {
			at = l.Value
		}
		below := l.Op == paths.Below
		if b.drawsUsed(ln.item) {
			below = !below
		}
		s.limits = append(s.limits, graph.Limit{Value: float32(at), Below: below, State: stateOf(level), Text: shortNumber(at, r.Look.Format, r.Unit)})
	}
}

func stateOf(l pane.Level) themes.Token {
	switch l {
	case pane.Careful:
		return themes.Careful
	case pane.Warning:
		return themes.Warning
	case pane.Critical, pane.Info:
	}
	return themes.Critical
}

// graphs are the lines that the graph of a pane shows: one, or the two of a pair.
func (b *block) graphs(first int) int {
	if b.as.Paired && first+1 < len(b.lines) {
		return 2
	}
	return 1
}

// history is what the graph shows of a line, which ends with the sample before the
// scene's end.
func (d *Deck) history(b *block, n int, s *scene, buf int) []float32 {
	ln := &b.lines[n]
	view := b.made.Set(ln.item.sel.Set)
	if view == nil || ln.row < 0 || ln.col < 0 {
		return nil
	}
	w := graphWidth(s)
	if s.kind != kind.Graph {
		w = s.w - 2
	}
	series := view.Series(ln.row, ln.col)
	values := series.Slice(s.end, graph.Samples(w, graph.PerDot(w))+2)
	end := min(s.end, series.First+uint64(len(series.Values)))
	if b.drawsUsed(ln.item) {
		given := ln.item.drawn.Limit.Series(b.made, ln.key).Slice(end, len(values))
		d.scratch[buf] = ln.item.drawn.Samples(d.scratch[buf][:0], values, given)
		values = d.scratch[buf]
	}
	if end < s.end { // its history ended before
		if !b.drawsUsed(ln.item) {
			d.scratch[buf] = append(d.scratch[buf][:0], values...)
		}
		for range min(s.end-end, 1<<12) {
			d.scratch[buf] = append(d.scratch[buf], float32(math.NaN()))
		}
		values = d.scratch[buf]
	}
	return values
}

// shortNumber writes a number as short as it goes.
func shortNumber(v float64, f cooker.Format, u cooker.Unit) string {
	u.Label = ""
	return string(scale.AppendTop(nil, v, f, u))
}

// drawGraph draws a pane as a graph with its values at the right.
func (d *Deck) drawGraph(f pane.Frame, b *block, s *scene) {
	gw, vw := graphWidth(s), layout.ValueColumn(s.w)
	vx := s.w - vw
	t := s.title
	t.Heads = false
	x := pane.DrawTitle(f, layout.Row{}, t)
	l := layout.ValueRow(vw)
	muted := themes.Muted.Style()
	heads := f.At(layout.Rect{X: vx, W: vw, H: 1})
	pane.DrawValueHeads(heads, l)
	if s.graphed >= 0 && b.made != nil && t.Problem == "" {
		rest := d.drawGraphHead(f, b, s, x, gw)
		if rest != "" {
			heads.Put(2, 0, ' ', muted)
			n := heads.Left(3, 0, l.ValueX-1, rest, muted)
			heads.Put(3+n, 0, ' ', muted)
		}
	}
	if s.graphed >= 0 && b.made != nil {
		g := graph.Graph{
			Upper: graph.Series{Values: d.history(b, s.graphed, s, 0), Limits: s.limits},
			End:   s.end, Hi: s.hi, PerDot: graph.PerDot(gw), Wipe: f.Wipe,
		}
		if b.graphs(s.graphed) == 2 {
			g.Lower = &graph.Series{Values: d.history(b, s.graphed+1, s, 1), Limits: s.limits}
		}
		area := f.Sub(1, 1, gw, s.h-1)
		g.Draw(area)
		f.Zone(1, 1, gw, s.h-1, pane.Hit{Kind: hitGraph, A: s.pane, B: s.graphed})
	}
	rows := f.At(layout.Rect{X: vx, Y: 1, W: vw, H: s.h - 1})
	for row := range s.rows {
		n := s.lineAt(row)
		r := d.rowOf(b, n, row, s)
		if r.Instance != "" {
			r.Name, r.Instance = r.Instance, ""
		}
		pane.DrawRow(rows, row, l, &r)
		b.swatch(n, s.graphed).Draw(rows.Region, 2, row)
		rows.Zone(0, row, vw, 1, pane.Hit{Kind: hitRow, A: s.pane, B: n})
	}
}

// swatch says how the graph draws a line.
func (b *block) swatch(n, graphed int) graph.Swatch {
	switch {
	case graphed < 0 || n < graphed:
	case b.graphs(graphed) == 1 && n == graphed:
		return graph.WholeSwatch
	case b.graphs(graphed) == 2 && n == graphed:
		return graph.UpperSwatch
	case b.graphs(graphed) == 2 && n == graphed+1:
		return graph.LowerSwatch
	}
	return graph.NoSwatch
}

// drawGraphHead tells above a graph what it shows, how far back, and up to what.
func (d *Deck) drawGraphHead(f pane.Frame, b *block, s *scene, x, gw int) (rest string) {
	ln := &b.lines[s.graphed]
	per := graph.PerDot(gw)
	h := graph.Head{Every: b.every, PerDot: per, Max: string(scale.AppendTop(nil, float64(s.hi), s.format, s.unit))}
	span, full := b.spanText(s, gw)
	if h.Span = span; !full {
		h.Every = 0
	}
	if b.graphs(s.graphed) == 2 {
		h.Name, h.Lower = d.shortName(b, ln), d.shortName(b, &b.lines[s.graphed+1])
	} else {
		if h.Name = ln.name; b.drawsUsed(ln.item) {
			h.Name = ln.item.drawn.Name(ln.name)
		}
		if full {
			h.Peak = d.peak(b, s)
		}
	}
	rest = h.Draw(f.Region, 0, x+1, 1, gw)
	if rest != "" && full && kind.IsSum(ln.inst) {
		rest = "sum, " + rest
	}
	return rest
}

// spanText tells how far back a graph of some cells reaches, and whether it is full.
func (b *block) spanText(s *scene, gw int) (text string, full bool) {
	per := graph.PerDot(gw)
	from, samples := b.made.Timeline.First, uint64(graph.Samples(gw, per))
	if s.end > samples {
		from = max(from, s.end-samples)
	}
	if s.end-from >= samples {
		return graph.SpanText(graph.Span(gw, per, b.every)), true
	}
	span := time.Duration(s.end-from) * b.every
	return "since " + graph.SpanText(max(time.Second, span.Round(time.Second))), false
}

func (d *Deck) shortName(b *block, ln *line) string {
	return pane.ShortName(ln.name, b.set.Name, 11)
}

// peak is the highest number in the graph.
func (d *Deck) peak(b *block, s *scene) string {
	most := float32(math.Inf(-1))
	for _, v := range d.history(b, s.graphed, s, 0) {
		if v > most {
			most = v
		}
	}
	if most < 0 {
		return ""
	}
	return "peak " + shortNumber(float64(most), s.format, s.unit)
}
