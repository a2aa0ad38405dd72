package top

import (
	"slices"
	"strings"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/text/printable"
	"perfdeck/tui/kit/graph"
	"perfdeck/tui/kit/kind"
	"perfdeck/tui/kit/names"
	"perfdeck/tui/kit/scale"
	"perfdeck/tui/kit/table"
	"perfdeck/tui/layout"
	"perfdeck/tui/pane"
)

// topsOf is what the scales of the graphs are of.
type topsOf struct {
	key     session.InstanceKey
	set     *session.Counterset
	sort, n int
}

// drawPictures draws n graphs of the selected instance, which share the height.
func (t *Top) drawPictures(f pane.Frame, n int, m *table.Frame) {
	in := t.selected(m.View)
	if n == 0 || in == nil {
		t.pics.drawn = nil
		return
	}
	t.pics.drawn = t.pictures(n, (f.Height()+n-1)/n-1)
	if of := (topsOf{in.Key, t.set, t.table.Sort, len(t.pics.drawn)}); of != t.pics.topsOf {
		t.pics.topsOf, t.pics.tops = of, make([]scale.Scale, len(t.pics.drawn))
	}
	at := t.rows()[t.list.Line()].At
	edge := func(i int) int { return (i*f.Height() + len(t.pics.drawn) - 1) / len(t.pics.drawn) }
	for i := range t.pics.drawn {
		g := graphing{Top: t, m: m, row: at, in: &m.View.Rows[at], p: &t.pics.drawn[i], top: &t.pics.tops[i]}
		g.draw(f.Lines(edge(i), edge(i+1)-edge(i)))
	}
}

// graphing is the drawing of one picture.
type graphing struct {
	*Top

	m   *table.Frame
	row int
	in  *session.Row // there
	p   *picture
	top *scale.Scale

	w    int // cells of the graph
	span int // samples
}

func (g *graphing) draw(f pane.Frame) {
	side := layout.ValueColumn(f.Width())
	g.w = f.Width() - 2 - side
	g.span = graph.Samples(g.w, graph.PerDot(g.w))
	x := pane.DrawTitle(f, pane.Title{Name: names.Instance(&g.in.Instance)})
	l := layout.ValueRow(side)
	pane.DrawValueHeads(f.Sub(f.Width()-side, 0, side, 1), l, g.m.At)
	hi, unit, look := g.scale()
	head := graph.Head{
		Name: printable.Text(g.set.Counters[g.p.of[0]].Name), Max: string(look.AppendTop(nil, hi, unit)),
		PerDot: graph.PerDot(g.w),
	}
	head.Span, _ = graph.SpanSince(g.since(), g.m.End, g.w, head.PerDot, g.m.Every)
	if len(g.p.of) > 1 {
		head.Lower = printable.Text(g.set.Counters[g.p.of[1]].Name)
	} else {
		head.Name = g.p.drawn.Name(head.Name)
	}
	head.Draw(f.Region, 0, x+1, 1, g.w)
	limits := g.limits(unit, look)
	picture := graph.Graph{
		Upper: graph.Series{Series: g.history(0), Limits: limits},
		End:   g.m.End, Hi: float32(hi), PerDot: graph.PerDot(g.w), Wipe: f.Wipe,
	}
	if len(g.p.of) > 1 {
		picture.Lower = &graph.Series{Series: g.history(1), Limits: limits}
	}
	f.Sub(1, 1, g.w, f.Height()-1).Picture(&picture)
	rows := f.Sub(f.Width()-side, 1, side, f.Height()-1)
	for i := range min(len(g.p.lines), rows.Height()) {
		r := g.line(&g.p.lines[i], unit)
		pane.DrawRow(rows, i, l, &r)
		graph.SwatchOf(i, len(g.p.of)).Draw(rows.Region, 2, i)
	}
}

// series is what is kept of a counter.
func (g *graphing) series(counter int) (s session.Series) {
	if col := g.m.View.Column(counter); col >= 0 {
		s = g.m.View.Series(g.row, col)
	}
	return s
}

// history is that of the n-th counter of the graph as it is drawn.
func (g *graphing) history(n int) session.Series {
	s := g.series(g.p.of[n]).Cut(g.m.End, g.span+2)
	if n == 0 {
		_, s = g.p.drawn.As(nil, g.host.Snap, g.in.Key, cooker.Value{}, s)
	}
	return s
}

// since is the first sample that is kept of what the graph shows.
func (g *graphing) since() uint64 {
	first := g.m.End
	for _, c := range g.p.of {
		if s := g.series(c); len(s.Values) > 0 {
			first = min(first, s.First)
		}
	}
	return first
}

// scale is what the top of the graph stands for, and how its numbers are written.
func (g *graphing) scale() (hi float64, u cooker.Unit, look session.Look) {
	d := &g.p.drawn
	most := float32(0)
	for n := range g.p.of {
		most = max(most, g.history(n).Highest())
	}
	largest := float64(most)
	for _, c := range g.p.of {
		v, _ := g.value(c).Float()
		largest = max(largest, v, -v)
	}
	u, look = g.pics.units.Choose(g.key(g.p.of[0]), largest, g.m.View.Time)
	rule := d.Rule(d.Read(g.value(g.p.of[0]), g.given(d)).Limit)
	if len(g.p.of) > 1 {
		rule.Limit = 0
	}
	return g.top.Top(rule, float64(most), look.Format, u, g.m.View.Time), u, look
}

func (g *graphing) key(counter int) pane.UnitKey {
	return pane.UnitKey{Set: g.set, Counter: counter, Key: g.in.Key}
}

// value is what a counter is at the moment that is shown.
func (g *graphing) value(counter int) cooker.Value {
	if g.m.IsGone(g.in) {
		return cooker.Absent(cooker.Gone)
	}
	if col := g.m.View.Column(counter); col >= 0 {
		return g.m.Value(g.row, col)
	}
	return cooker.Absent(cooker.FirstSample) // it was asked for just now
}

// given is what limits a counter.
func (g *graphing) given(d *kind.Drawn) cooker.Value {
	snap, key := g.host.Snap, g.in.Key
	return g.desk.Shown(snap, d.Limit.Series(snap, key), d.Limit.Value(snap, key))
}

// limits are those of alert rules on what is drawn.
func (g *graphing) limits(u cooker.Unit, look session.Look) (out []graph.Limit) {
	d := &g.p.drawn
	for _, l := range g.desk.Board().Limits(g.host.Name, g.set, g.p.of[0], nil) {
		at := d.Level(l.Value, d.Read(g.value(g.p.of[0]), g.given(d)).Limit)
		unlabelled := u
		unlabelled.Label = ""
		out = append(out, graph.Limit{
			Value: float32(at), Below: (l.Op == paths.Below) != (d.Used != ""), State: pane.LevelOf(l.Severity).Style(),
			Text: string(look.AppendTop(nil, at, unlabelled)),
		})
	}
	return out
}

// line is a line of the values beside the graph.
func (g *graphing) line(l *valueLine, pair cooker.Unit) pane.Row {
	counter := &g.set.Counters[l.counter]
	s := g.series(l.counter)
	r := pane.Row{
		Name: printable.Text(counter.Name), Short: g.set.Name, Names: g.pics.names, Set: g.set, Counter: l.counter, Alert: g.mark(l),
		Recent: pane.Recent{Value: g.value(l.counter), Series: s, End: g.m.End, Every: g.m.Every, Window: s.Window(g.m.End, g.span)},
	}
	isOwn := slices.Contains(g.p.of, l.counter) && l.share == nil
	if !isOwn && r.Window.Min == r.Window.Max {
		r.Window.Count = 0 // peak and mean of what never changed tell nothing
	}
	if l.share != nil {
		g.share(l, &r)
		return r
	}
	if r.Unit, r.Look = g.pics.units.Choose(g.key(l.counter), r.Window.Largest(r.Value), g.m.View.Time); isOwn {
		r.Unit = pair
	}
	if names.Hundredths(counter.InEnglish()) && r.Look.Scale == 0 {
		r.Look.Scale = -2 // the short name does not say so
	}
	return r
}

// share makes a line that tells how much of its limit a counter is.
func (g *graphing) share(l *valueLine, r *pane.Row) {
	d := l.share.Drawn()
	given := g.given(d)
	of := func(v cooker.Value) cooker.Value { return cooker.FloatValue(d.Read(v, given).Share) }
	r.Value = l.share.Share(g.m, g.row)
	r.Name = strings.TrimPrefix(l.share.Head, "use ")
	w := &r.Window
	switch {
	case d.Limit.IsShare:
		*w = g.series(d.Limit.Counter).Window(g.m.End, g.span)
	case d.Used != "":
		w.Min, w.Mean, w.Max = of(w.Max), of(w.Mean), of(w.Min)
	default:
		w.Min, w.Mean, w.Max = of(w.Min), of(w.Mean), of(w.Max)
	}
	if !w.Max.Valid() {
		w.Count = 0
	}
	r.Unit = cooker.Unit{Label: "%"}
	r.Look.Format = cooker.Format{Digits: cooker.DefaultDigits}
}

// mark is the alert of a line.
func (g *graphing) mark(l *valueLine) alert.Mark {
	if l.share != nil {
		return alert.Mark{}
	}
	return g.desk.Mark(g.host, g.set, l.counter, g.in.Key)
}
