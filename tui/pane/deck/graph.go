package deck

import (
	"cmp"
	"strings"
	"time"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/text/english"
	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/kit/graph"
	"perfdeck/tui/kit/kind"
	"perfdeck/tui/kit/scale"
	"perfdeck/tui/layout"
	"perfdeck/tui/pane"
)

// graphWidth is the cells of the graph of a pane, beside its values or above them.
func graphWidth(s *scene) int {
	switch w := s.w; {
	case s.matrix:
		return s.plot.cell
	case s.kind == kind.Graph:
		return max(1, w-2-layout.ValueColumn(w))
	case s.kind == kind.Rows:
		return w - graphLeft - graphRight
	default:
		return w - 2
	}
}

// setWindow says which time the graph of a pane shows. It goes on with the newest sample until the
// moment that is looked at is not in it; from then on it stands still until that is now again.
func (b *block) setWindow(s *scene, wipe bool) {
	if s.plot.end = s.when.end; s.when.at.IsZero() || b.made == nil {
		b.window, s.plot.end = 0, max(1, s.when.end) // before the first beat it is as with it
		return
	}
	edge, w := b.made.Timeline.Next(), graphWidth(s)
	if b.window == 0 {
		b.window = edge
	}
	b.window = graph.EndFor(w, s.perDot(w), b.window, s.when.end, edge, wipe)
	s.plot.end, s.plot.cursor = b.window, s.when.end
	if b.window == edge {
		b.window = 0
	}
}

// setTop measures the graph of a scene by a scale.
func (s *scene) setTop(by *scale.Scale, n *scale.Need) {
	s.plot.hi, s.plot.held = by.TopFor(n), by.IsHeld()
}

// setAxis says of the graph of a pane, if it has one, since when it is, its unit and its
// limits, and returns what its scale is to show.
func (d *Deck) setAxis(s *scene, b *block, board *alert.Board) (n scale.Need, ok bool) {
	b.setWindow(s, d.desk.Wipe)
	if s.kind != kind.Graph && s.plot.graph == 0 || s.plot.graphed < 0 || s.plot.graphed >= len(b.lines) || b.made == nil {
		return n, false
	}
	ln := &b.lines[s.plot.graphed]
	if id := ln.id(); id != b.scaled {
		b.scaled, b.scale = id, scale.Scale{}
	}
	limit := ln.item.drawn.LimitNow(b.made, ln.key)
	r := d.rowOf(b, 0, &scene{facts: s.facts, signs: []sign{{slot: slot{line: s.plot.graphed}}}})
	s.plot.unit, s.plot.format = r.Unit, r.Look.Format // those of its row
	n = scale.Need{Rule: b.ruleIn(s), Unit: s.plot.unit, Format: s.plot.format, Now: b.made.Time}
	if n.Rule.Limit == 0 { // else that is the top
		for k := range b.graphs(s.plot.graphed) {
			n.Most = max(n.Most, d.history(b, s.plot.graphed+k, s, k).Highest())
		}
	}
	d.setLimits(s, b, board, limit)
	return n, true
}

// ruleIn is what the graph of a pane is measured against: a share of a limit against 100.
func (b *block) ruleIn(s *scene) scale.Rule {
	if s.plot.share {
		return scale.Rule{Limit: 100}
	}
	ln := &b.lines[s.plot.graphed]
	return ln.item.drawn.Rule(ln.item.drawn.LimitNow(b.made, ln.key))
}

// setLimits are the lines of alerts in the graph.
func (d *Deck) setLimits(s *scene, b *block, board *alert.Board, limit float64) {
	ln := &b.lines[s.plot.graphed]
	for _, l := range b.limits(ln, board) { // low is what is left where much is used
		at, below := ln.item.drawn.Level(l.Value, limit), (l.Op == paths.Below) != (ln.item.drawn.Used != "")
		if s.plot.share {
			at *= 100 / limit
		}
		line := graph.Limit{Value: float32(at), Below: below, State: pane.LevelOf(l.Severity).Style()}
		if !s.matrix {
			line.Text = s.plot.short(at)
		}
		s.limits = append(s.limits, line)
	}
}

// limits are those of the rules for the value of a line.
func (b *block) limits(ln *line, board *alert.Board) []alert.Limit {
	var in *session.Instance
	if view, ok := b.viewOf(ln); ok {
		in = &view.Rows[ln.row].Instance
	}
	return board.Limits(b.host.Name, ln.item.sel.Set, ln.item.counter, in)
}

// graphs are the lines that the graph of a pane shows: one, or the two of a pair.
func (b *block) graphs(first int) int {
	if b.kinds.as.Paired && first+1 < len(b.lines) {
		return 2
	}
	return 1
}

// history is what the graph shows of a line.
func (d *Deck) history(b *block, n int, s *scene, buf int) (out session.Series) {
	ln := &b.lines[n]
	view, ok := b.viewOf(ln)
	switch {
	case !ok:
		return out
	case b.made.Timeline.Next() == 0: // before the first beat: its number, if it has one
		r := d.readingOf(b, ln, &s.when)
		v, ok := r.Value.Float()
		if s.plot.share {
			v, ok = r.Share, r.Share == r.Share
		}
		if ok {
			out.Values = []float32{float32(v)}
		}
		return out
	}
	w := graphWidth(s)
	per := s.perDot(w)
	out = view.Series(ln.row, ln.col).Cut(s.plot.end, graph.Samples(w, per)+2*per)
	d.asDrawn(&out, b, ln, s.plot.share, buf)
	return out
}

// asDrawn makes a history of a line what is drawn, good until its memory is used again.
func (d *Deck) asDrawn(s *session.Series, b *block, ln *line, share bool, buf int) {
	if of := &ln.item.drawn; share || of.Used != "" {
		*s = of.History(d.histories[buf][:0], *s, of.Limit.Series(b.made, ln.key), share)
		d.histories[buf] = s.Values
	}
}

// text writes a number of the graph, short without its unit.
func (p *plot) text(v float64) string {
	var buf [32]byte
	return string(p.format.AppendTop(buf[:0], v, p.unit))
}

func (p *plot) short(v float64) string {
	u := p.unit
	u.Label = ""
	return string(p.format.AppendTop(nil, v, u))
}

// drawCurve draws the graph of a pane over a frame: of a line, or of the two of a pair.
func (d *Deck) drawCurve(f pane.Frame, b *block, s *scene) {
	g := graph.Graph{
		Upper: graph.Series{Series: d.history(b, s.plot.graphed, s, 0), Limits: s.limits},
		End:   s.plot.end, Cursor: s.plot.cursor, Hi: s.plot.hi, PerDot: s.perDot(f.Width()), Wipe: f.Wipe,
	}
	if s.kind == kind.Graph && b.graphs(s.plot.graphed) == 2 {
		g.Lower = &graph.Series{Series: d.history(b, s.plot.graphed+1, s, 1), Limits: s.limits}
	}
	f.Zone(0, 0, f.Width(), f.Height(), hitGraph, s.pane, s.plot.graphed)
	if len(s.limits) > 0 { // their numbers open the rules
		g.Said = func(_, y, w int) { f.Zone(0, y, w, 1, hitSign, s.pane) }
	}
	f.Picture(&g)
}

// drawGraph draws a pane as a graph with its values at the right.
func (d *Deck) drawGraph(f pane.Frame, b *block, s *scene) {
	gw, vw := graphWidth(s), layout.ValueColumn(s.w)
	vx := s.w - vw
	x := pane.DrawTitle(f, s.title)
	l := layout.ValueRow(vw)
	muted := themes.Muted
	heads := f.Sub(vx, 0, vw, 1)
	pane.DrawValueHeads(heads, l, s.when.at)
	if s.plot.graphed >= 0 && b.made != nil && s.title.Problem == "" {
		if rest := d.drawGraphHead(f, b, s, x, gw); rest != "" && x < vx+2 {
			_, span, _ := strings.Cut(rest, ", ")
			room := l.ValueX - 1
			if !s.when.at.IsZero() { // the moment stands there in place of a word
				room = l.ValueX + layout.ValueW - 1 - len(time.TimeOnly) - 4
			}
			rest = canvas.Fitting(room, rest, span, strings.TrimPrefix(cmp.Or(span, rest), "since "))
			heads.Put(2, 0, ' ', muted)
			n := heads.Left(3, 0, room, rest, muted)
			heads.Put(3+n, 0, ' ', muted)
			heads.Zone(3, 0, n, 1, hitSpan, s.pane)
		}
	}
	if s.plot.graphed >= 0 {
		d.drawCurve(f.Sub(1, 1, gw, s.h-1), b, s)
	}
	rows := f.Sub(vx, 1, vw, s.h-1)
	s.eachRow(rows, 0, func(y, n, row int) {
		r := d.rowOf(b, row, s)
		if r.Instance != "" {
			r.Name, r.Instance = r.Instance, ""
		}
		if !r.Set.Counters[r.Counter].IsFlow() {
			r.Window = session.Window{} // the peak and the mean of what stands, as of an up time, tell little
		}
		pane.DrawRow(rows, y, l, &r)
		b.swatch(n, s.plot.graphed).Draw(rows.Region, 2, y)
	})
}

// swatch says how the graph draws a line.
func (b *block) swatch(n, graphed int) graph.Swatch {
	if graphed < 0 {
		return graph.NoSwatch
	}
	return graph.SwatchOf(n-graphed, b.graphs(graphed))
}

// drawGraphHead tells above a graph what it shows, how far back, and up to what.
func (d *Deck) drawGraphHead(f pane.Frame, b *block, s *scene, x, gw int) (rest string) {
	ln := &b.lines[s.plot.graphed]
	per := s.perDot(gw)
	h := graph.Head{Every: b.every, PerDot: per, Max: s.topText()}
	span, full := b.spanText(s, gw)
	if h.Span = span; !full {
		h.Every = 0
	}
	if b.graphs(s.plot.graphed) == 2 {
		short := func(ln *line) string { return ln.item.names.Of(ln.name, b.set.Name, 11) }
		h.Name, h.Lower = short(ln), short(&b.lines[s.plot.graphed+1])
	} else {
		h.Name = ln.item.drawn.Name(ln.name)
		switch {
		case s.kind == kind.Meters: // the graph is not all that the title is of
			h.Every = 0
		case full:
			all := d.history(b, s.plot.graphed, s, 0)
			if most, ok := all.Window(s.plot.end, len(all.Values)).Max.Float(); ok && most >= 0 {
				h.Peak = "peak " + s.plot.short(most)
			}
		}
	}
	if full && kind.IsSum(ln.inst) {
		h.Of = "sum, "
	}
	if s.kind == kind.Meters { // the end of the rule follows
		gw--
	}
	at := h.Draw(f.Region, 0, x+1, 1, gw)
	headZones(f, &at, s)
	return at.Rest
}

// spanText tells how far back a graph of some cells reaches, and whether it is full: "since
// 12 s", once another span was chosen "12 s of 10 min".
func (b *block) spanText(s *scene, gw int) (text string, full bool) {
	per := s.perDot(gw)
	text, full = graph.SpanSince(b.made.Timeline.First, s.plot.end, gw, per, b.every)
	if full || s.when.span == 0 {
		return text, full
	}
	of := english.Short(graph.Span(gw, per, b.every))
	if per > graph.PerDot(gw) { // it shows what was asked for
		of = english.Span(s.when.span)
	}
	return strings.TrimPrefix(text, "since ") + " of " + of, false
}

// headZones lets clicks reach the span and the scale above a graph.
func headZones(f pane.Frame, at *graph.Places, s *scene) {
	f.Zone(at.Span.X, 0, at.Span.W, 1, hitSpan, s.pane)
	f.Zone(at.Max.X, 0, at.Max.W, 1, hitScale, s.pane)
}

// topText is the top of the scale as heads write it; "=" says that it is held, "own" that other hosts have theirs.
func (s *scene) topText() string {
	text := s.plot.text(float64(s.plot.hi))
	if s.plot.held {
		text = "=" + text
	}
	if s.own {
		text = "own " + text
	}
	return text
}

// The axis of a graph above rows is labelled at its right, a cell apart.
const graphLeft, graphRight = 3, 11

// drawHistory draws the history of the line of the scene above rows; in a zoomed pane it says which that is.
func (d *Deck) drawHistory(f pane.Frame, b *block, s *scene) {
	if s.plot.graphed >= len(b.lines) {
		return
	}
	l := &b.lines[s.plot.graphed]
	view, ok := b.viewOf(l)
	w := graphWidth(s)
	if w < 1 || s.when.end == 0 {
		return
	}
	body := f.Sub(graphLeft, 0, w, f.Height())
	if ok && l.isText() {
		drawWhole(body, view.Value(l.row, l.col), view.Series(l.row, l.col), s)
		return
	}
	if s.plot.zoomed {
		text, _ := b.spanText(s, w)
		n := body.Left(0, 0, w, l.name+"  "+text, themes.Muted)
		body.Zone(0, 0, n, 1, hitSpan, s.pane)
		body, f = body.Below(1), f.Below(1)
	}
	h, low, foot := session.Series{}, 0.0, "0"
	if s.plot.zoomed {
		h = d.history(b, s.plot.graphed, s, 0)
		low, _ = h.Window(s.plot.end, len(h.Values)).Min.Float()
	}
	if low < 0 {
		low = -cooker.RoundOver(-low, s.plot.format.One(s.plot.unit))
		foot = s.plot.text(low)
		pane.DrawSigned(body.Region, &graph.Graph{Upper: graph.Series{Series: h}, End: s.plot.end, Cursor: s.plot.cursor, Hi: s.plot.hi, PerDot: s.perDot(w)}, low)
	} else {
		d.drawCurve(body, b, s)
	}
	end := f.Sub(f.Width()-graphRight+1, 0, graphRight-1, f.Height())
	end.Right(0, 0, end.Width(), s.plot.text(float64(s.plot.hi)), themes.Muted)
	end.Right(0, end.Height()-1, end.Width(), foot, themes.Muted)
}

// drawWhole shows a text, which has no curve, with all its lines.
func drawWhole(f pane.Frame, v cooker.Value, series session.Series, s *scene) {
	if !s.when.at.IsZero() {
		v = pane.PastValue(series, s.when.end, v)
	}
	text, _ := v.Text()
	for y, line := range canvas.Fold(text, f.Width()) {
		f.Rest(0, y, line, themes.Text)
	}
}
