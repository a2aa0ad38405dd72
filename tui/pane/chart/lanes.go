package chart

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"perfdeck/cooker"
	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/chart"
	table "perfdeck/tui/kit/columns"
	"perfdeck/tui/kit/graph"
	"perfdeck/tui/kit/kind"
	"perfdeck/tui/kit/names"
	"perfdeck/tui/kit/scale"
	"perfdeck/tui/pane"
)

// In the view of lanes each series has a strip of its own: a rule with its name and
// numbers, and below it its graph, with a scale of its own. All have one time axis. As
// many as have room are in view, around the selected one.

// leastLane is how many rows a lane has at least: its rule, and two of the graph.
const leastLane = 3

// lane is where the lane of a series stands, in rows of the plot.
type lane struct {
	series *series
	y, h   int // with the rule
}

// laneScale is what the top of a lane stands for, and its ground: 0, or a round number
// below what is negative.
type laneScale struct {
	top    scale.Scale
	of     laneKey
	lo, hi float64
}

// laneKey tells apart what a lane shows besides time that passes: of something else its
// scale is chosen anew.
type laneKey struct {
	span       time.Duration
	generation int
}

// laneEdges divides h rows among the lanes that have room, of n: where each begins, and
// where the last ends. A lane has its place whatever is hidden.
func laneEdges(h, n int) []int {
	n = max(1, min(n, h/leastLane))
	edges := make([]int, n+1)
	for i := range edges {
		edges[i] = i*(h/n) + min(i, h%n)
	}
	return edges
}

// paintLanes draws the graphs of the lanes from one series on.
func (c *Chart) paintLanes(r canvas.Region, from int, now time.Time) {
	p := &c.picture
	edges := laneEdges(r.Height(), len(c.series))
	p.lanes = p.lanes[:0]
	for _, s := range c.series {
		if of := (laneKey{cmp.Or(c.zoom.span, c.span()), s.generation}); s.lane.of != of || !c.zoom.end.IsZero() {
			s.lane = laneScale{of: of}
		}
		s.lane.settle(s, now)
	}
	for i, s := range c.series[from:min(len(c.series), from+len(edges)-1)] {
		l := lane{series: s, y: edges[i], h: edges[i+1] - edges[i]}
		p.lanes = append(p.lanes, l)
		if !s.hidden {
			c.paintLane(r.Sub(0, l.y+1, p.key.win.w, l.h-1), &l)
		}
	}
}

// settle chooses the scale for what the window shows.
func (l *laneScale) settle(s *series, now time.Time) {
	l.hi = l.top.Top(kind.RuleOf(s.target.Set, s.target.Counter), max(s.high, 0), s.look.Format, s.unit, now)
	l.lo = 0
	if s.low < 0 {
		l.lo = -cooker.RoundOver(-s.low, s.look.One(s.unit))
	}
	if !(l.hi > l.lo) {
		l.hi = l.lo + 1 // nothing but zeros
	}
}

// text tells the scale as short as it goes.
func (l *laneScale) text(s *series) string {
	top := string(s.look.AppendTop(nil, l.hi, s.unit))
	if l.lo == 0 {
		return top
	}
	lo := strings.TrimSuffix(string(s.look.AppendTop(nil, l.lo, s.unit)), " "+s.unit.Label)
	return lo + " to " + top
}

func (c *Chart) paintLane(r canvas.Region, l *lane) {
	s, win := l.series, c.picture.key.win
	g := graph.Graph{
		Upper: graph.Series{Plain: c.styleOf(s), Limits: c.laneLimits(l, r)},
		End:   uint64(max(int64(win.w), win.to()/win.cell)) * chart.DotsAcross,
		Hi:    float32(s.lane.hi - s.lane.lo),
	}
	high, _ := columns(s.points, win.w*chart.DotsAcross, 1)
	g.Upper.First = g.End - uint64(len(high))
	for _, v := range high {
		g.Upper.Values = append(g.Upper.Values, float32(v-s.lane.lo))
	}
	r.Picture(&g)
}

// laneLimits are the limits that are watched of a lane's value, as far as its scale
// reaches.
func (c *Chart) laneLimits(l *lane, r canvas.Region) (out []graph.Limit) {
	if c.Notes == nil {
		return nil
	}
	of := &l.series.lane
	for _, t := range c.Notes.Thresholds(l.series.target) {
		if !(t.Value >= of.lo && t.Value <= of.hi) {
			continue
		}
		limit := graph.Limit{Value: float32(t.Value - of.lo), Below: t.Below, State: t.Level.Style().Foreground()}
		if r.Height() >= leastLane {
			limit.Text = t.Text + " "
		}
		out = append(out, limit)
	}
	slices.SortStableFunc(out, func(a, b graph.Limit) int { return cmp.Compare(a.Value, b.Value) })
	return out
}

// drawLanes shows the lanes with their rules and what changes on them.
func (c *Chart) drawLanes(f pane.Frame) {
	r, p := c.place.plot, &c.picture
	body := f.Region.Sub(r.X, r.Y, r.W, r.H)
	body.Paste(p.cells)
	f.Put(0, r.Y+r.H, f.Glyphs().Rule, themes.Rule)
	f.Repeat(r.X, r.Y+r.H, f.Width()-r.X, f.Glyphs().Rule, themes.Rule)
	c.drawTimeAxis(f)
	for x := range r.W {
		f.Zone(r.X+x, r.Y, 1, r.H+1, hitPlot, x)
	}
	c.drawLaneCursor(body)
	c.drawLaneNotes(body)
	c.drawSpan(body)
	c.drawDrag(body)
	c.drawSpanEnds(f)
	rules := f.Lines(r.Y, r.H)
	cols := c.laneColumns(f)
	for i := range p.lanes {
		c.drawLaneRule(rules, &p.lanes[i], &cols)
	}
}

// drawLaneCursor draws the upright line at the moment that is looked at.
func (c *Chart) drawLaneCursor(body canvas.Region) {
	if !c.desk.Past() {
		return
	}
	if x := c.picture.key.win.column(c.desk.At.UnixNano()); x >= 0 && x < body.Width() {
		graph.DrawCursor(body, x)
	}
}

// drawLaneNotes draws the notes through all lanes; the rule of the first one hides no text
// of theirs.
func (c *Chart) drawLaneNotes(body canvas.Region) {
	p := &c.picture
	below := min(1, body.Height())
	free := func(x, y int) bool { return p.isFree(x, y+below) }
	c.drawNotes(body.Sub(0, below, p.key.win.w, body.Height()-below), free, free)
}

// The columns of the rule of a lane.
const (
	laneName = iota
	laneInstance
	laneComputer
	laneValue
	laneUnit
	laneMin
	laneMax
	laneTop
	laneColumns
)

// laneText is what stands in a column of a lane's rule.
func (c *Chart) laneText(s *series, column int) string {
	switch {
	case column == laneName:
		return s.called()
	case column == laneInstance:
		return s.name
	case column == laneComputer:
		return s.target.Host.Name
	case column == laneValue && s.hidden:
		return "hidden"
	case column == laneValue:
		return s.number(c.now(s))
	case column == laneUnit:
		return s.unit.Label
	case s.stats.Count == 0:
	case column == laneMin:
		return "min " + s.brief(s.stats.Min)
	case column == laneMax:
		return "max " + s.brief(s.stats.Max)
	case column == laneTop:
		return s.lane.text(s)
	}
	return ""
}

// laneColumns lays the rules of all lanes out alike.
func (c *Chart) laneColumns(f pane.Frame) table.Layout {
	set := f.GlyphSet()
	list := make([]table.Column, laneColumns)
	for i := range list {
		list[i] = table.Column{Align: table.Name, Gap: 2, Rank: 1}
		for _, s := range c.series {
			list[i].Min = max(list[i].Min, set.TextWidth(c.laneText(s, i)))
		}
	}
	const leastName, leastInstance, widest = 14, 6, 40
	for i, least := range [...]int{laneName: leastName, laneInstance: leastInstance, laneComputer: leastInstance} {
		list[i].Want = min(list[i].Min, widest)
		list[i].Min = min(list[i].Want, least)
	}
	if len(c.hosts()) < 2 {
		list[laneComputer] = table.Column{}
	}
	list[laneName].Gap = 0
	list[laneName].Rank, list[laneInstance].Rank, list[laneComputer].Rank = table.Stays, 6, 5
	for i := laneValue; i < laneColumns; i++ {
		list[i].Align = table.Number
	}
	list[laneValue].Min = max(list[laneValue].Min, cooker.FieldWidthCells)
	list[laneValue].Rank = table.Stays
	list[laneUnit] = table.Column{Min: list[laneUnit].Min, Gap: 1, Rank: 7, Align: table.Left}
	list[laneTop].Rank, list[laneMax].Rank, list[laneMin].Rank = 4, 3, 2
	cols := table.Fit(0, f.Width()-letterCells-1, 0, list)
	// Names stand at the left, numbers at the right.
	shift := f.Width() - 1 - letterCells - cols.End()
	for i := range cols.Places {
		cols.Places[i].X += letterCells
		if i >= laneValue {
			cols.Places[i].X += shift
		}
	}
	return cols
}

// drawLaneRule draws the rule of a lane over what is there.
func (c *Chart) drawLaneRule(f pane.Frame, l *lane, cols *table.Layout) {
	s := l.series
	f.Repeat(0, l.y, f.Width(), f.Glyphs().Rule, themes.Rule)
	f.Repeat(0, l.y, letterCells, ' ', themes.Text)
	if p := cols.Places[laneValue]; p.W > 0 {
		f.Repeat(p.X-1, l.y, f.Width()-p.X+1, ' ', themes.Text)
	}
	c.drawLead(f, l.y, s, s == c.selected())
	st := s.paper()
	value := st
	if st == themes.Text {
		if value = themes.Strong.Bold(); c.desk.Past() {
			value = themes.Focus.Bold()
		}
	}
	set := f.GlyphSet()
	for i := range laneColumns {
		text := c.laneText(s, i)
		if !cols.Has(i) || text == "" {
			continue
		}
		p, style := cols.Places[i], quiet(st)
		switch i {
		case laneName:
			style = st
			text = names.Counter(text, s.target.Set.Name, p.W)
		case laneInstance:
			text = names.Cut(f.Region, p.W, text, "")
		case laneValue:
			text, style = f.Glyphs().Word(text), value
		}
		if i < laneValue { // over the rule
			f.Put(p.X-1, l.y, ' ', style)
			f.Put(p.X+min(set.TextWidth(text), p.W), l.y, ' ', style)
		}
		cols.Draw(f.Region, l.y, i, text, style)
	}
	f.Highlight(l.y, s == c.selected())
	f.ZoneLine(l.y, pane.HitRow, 0, slices.Index(c.series, s))
}
