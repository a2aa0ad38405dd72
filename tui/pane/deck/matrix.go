package deck

import (
	"cmp"
	"iter"
	"slices"

	"perfdeck/cooker"
	"perfdeck/session/alert"
	"perfdeck/tui/kit/graph"
	"perfdeck/tui/kit/kind"
	"perfdeck/tui/kit/list"
	"perfdeck/tui/kit/scale"
	"perfdeck/tui/layout"
	"perfdeck/tui/pane"
)

const (
	silentRows = 2   // lines of a host that never answered
	retryKey   = "R" // which tries again to reach it
)

// matrix is the hosts one below the other: a band a host, a column a pane of their decks.
type matrix struct {
	laid // in the first band

	shown    []int         // hosts that have a band
	columns  [][]int       // panes that have a place, from left to right, those of each from top to bottom
	rects    []layout.Rect // of the columns in the lowest band
	measures []measure     // of each pane of their decks
	ranking  int           // the pane of the busiest processes; -1: none
	own      bool          // each host has its own scale
}

// measure is what a pane has in common on all hosts.
type measure struct {
	top    int // the first value that is shown
	scale  scale.Scale
	need   scale.Need
	graphs bool // there are graphs
	share  bool // they are shares of limits
}

// slot is a value in the matrix, of which there may be more than have room.
type slot struct{ pane, line int }

// beside are the hosts that have a band, with one of their panes.
func (a *Abreast) beside(p int) iter.Seq2[*Deck, *block] {
	return func(yield func(*Deck, *block) bool) {
		for _, i := range a.matrix.shown {
			if b := a.decks[i].pane(p); b != nil && !yield(a.decks[i], b) {
				return
			}
		}
	}
}

// columnOf is the column in which a pane stands, the first one if it has no place.
func (m *matrix) columnOf(p int) int {
	return max(0, slices.IndexFunc(m.columns, func(column []int) bool { return slices.Contains(column, p) }))
}

// height is the lines of the band of a host, of one that has none those of the lowest.
func (m *matrix) height(i int) int {
	n := max(1, m.by.Bands)
	k := slices.Index(m.shown, i)
	return (m.body.H + (2*n-1-k)%n) / n
}

// stack is a column with those above it and below it, from top to bottom.
func (m *matrix) stack(c int) []int {
	out := []int{c}
	for next := layout.Beyond(m.rects, c, layout.Above, -1); next >= 0; next = layout.Beyond(m.rects, next, layout.Above, -1) {
		out = slices.Insert(out, 0, next)
	}
	for next := layout.Beyond(m.rects, c, layout.Above, 1); next >= 0; next = layout.Beyond(m.rects, next, layout.Above, 1) {
		out = append(out, next)
	}
	return out
}

// placeOf is the place of a pane in the band of a host: what ends with the lowest band has the lines that
// others lack, and what is a graph on no host has rows in place of that, and on others alone where there are more values.
func (a *Abreast) placeOf(i, p int) (at layout.Placed, of plot) {
	m, d := &a.matrix, a.decks[i]
	if at, of.graphed = m.places[p], -1; at.Hidden {
		return at, of
	}
	more, r := m.height(i)-m.body.H/max(1, m.by.Bands), m.rects[m.columnOf(p)]
	if r.Y+r.H+more < m.height(i) {
		more = 0
	}
	if at.Bare {
		at.Y += more
	} else {
		if at.H, at.Graph = at.H+more, at.Graph+more; !m.measures[p].graphs {
			at.Graph, at.Rows = 0, at.H-1
		}
		if b := d.pane(p); b != nil {
			of.graphed, of.share = d.graphIn(b)
			if m.measures[p].share && !of.share { // an amount among shares has no scale
				of.graphed = -1
			}
			if of.graphed < 0 && slices.ContainsFunc(b.lines[min(at.Rows, len(b.lines)):], func(l line) bool { return !l.item.also }) {
				at.Rows = at.H - 1
			}
		}
	}
	of.cell, of.bare, of.graph = at.W, at.Bare, at.Graph
	return at, of
}

// pane is one of the panes, nil if it is not there.
func (d *Deck) pane(p int) *block {
	if p < 0 || p >= len(d.panes) {
		return nil
	}
	return d.panes[p]
}

// lay gives the panes of all hosts their places, in bands of the body. All decks have the same panes,
// of which one may have more than another.
func (a *Abreast) lay(body layout.Rect) {
	m, first := &a.matrix, a.decks[a.matrix.shown[0]]
	m.ranking = -1
	parts := make([]layout.Pane, len(first.panes))
	for p := range parts {
		for _, b := range a.beside(p) {
			b.joins(&parts[p])
		}
		if first.panes[p].spec.Busiest > 0 {
			m.ranking = p
		}
	}
	if !m.lay(body, layout.Division{Bands: len(m.shown)}, parts) {
		return
	}
	var order []int
	for p, at := range m.places {
		if !at.Hidden {
			order = append(order, p)
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(m.places[a].X, m.places[b].X), cmp.Compare(m.places[a].Y, m.places[b].Y))
	})
	m.columns, m.rects = nil, nil
	for _, p := range order {
		at := m.places[p].Rect
		if !m.places[p].Bare {
			m.columns, m.rects = append(m.columns, nil), append(m.rects, at)
		}
		last := len(m.columns) - 1
		m.columns[last], m.rects[last].H = append(m.columns[last], p), at.Y+at.H-m.rects[last].Y
	}
	m.measures = append(m.measures, make([]measure, max(0, len(parts)-len(m.measures)))...)
}

// joins makes a pane of all hosts, as the layout sees it, one of this host too.
func (b *block) joins(o *layout.Pane) {
	switch {
	case b.spec.Busiest > 0:
		o.Form, o.Instances = layout.FormTable, layout.Elastic
	case b.isListed():
		o.Form, o.Instances = layout.FormCells, max(o.Instances, b.cells)
	case b.items[0].sel.Wild: // more may come
		o.Rows = layout.Elastic
	default:
		o.Rows = max(o.Rows, len(b.items))
	}
	o.Pair, o.Spare, o.Wide = o.Pair || b.graphs(0) > 1, b.spec.Spare, b.spec.AsNamed && b.kinds.as.Kind == kind.Table
}

// Draw draws as many bands as fit, the focused one among them, and below them the hosts that never answered.
func (a *Abreast) Draw(f pane.Frame) {
	m, board := &a.matrix, a.desk.Board()
	answering, silent := a.answering()
	room := f.Height()
	if len(answering) > 0 { // they have half of it, and one band at least
		room = max(0, min(room/2, room-layout.LeastBand))
	}
	quiet := a.page(silent, room/silentRows)
	height := f.Height() - silentRows*len(quiet)
	m.shown = a.page(answering, max(1, height/layout.LeastBand))
	a.inView = append(append(a.inView[:0], m.shown...), quiet...)
	rest, n := "", len(m.shown)
	if n < len(answering) {
		first := slices.Index(answering, m.shown[0])
		rest = list.Range(first+1, first+n, len(answering)) + ", 2 Fleet"
	}
	if n > 0 {
		arrive(a.desk, a.decks[m.shown[0]:m.shown[n-1]+1]...)
		a.lay(layout.Rect{W: f.Width(), H: height})
		a.settle()
	}
	for _, i := range m.shown {
		a.setBand(i, board)
	}
	y := 0
	for _, i := range m.shown { // on the scales of all
		a.drawBand(f.Lines(y, m.height(i)), i, board, rest)
		y += m.height(i)
	}
	a.drawQuiet(f, y, quiet, len(silent))
}

// answering are the hosts that have values, or had some, and those that never did.
func (a *Abreast) answering() (answer, never []int) {
	for i, d := range a.decks {
		if d.loaded && !d.isForeign() || d.late != nil {
			answer = append(answer, i)
		} else {
			never = append(never, i)
		}
	}
	return answer, never
}

// page are as many hosts as have room, the focused one among them if it is one of all.
func (a *Abreast) page(all []int, most int) []int {
	first := max(0, slices.Index(all, a.focus)) / max(1, most) * most
	return all[first:min(len(all), first+most)]
}

// settle brings the decks that are shown up to date and finds out what their graphs have in common.
func (a *Abreast) settle() {
	m := &a.matrix
	a.settleRows()
	decks := make([]*Deck, len(m.shown))
	for k, i := range m.shown {
		if b := a.decks[i].pane(m.ranking); b != nil {
			if at, _ := a.placeOf(i, m.ranking); b.most != max(1, at.Rows) {
				b.made, b.most = nil, max(1, at.Rows)
			}
		}
		decks[k] = a.decks[i]
		decks[k].sync()
	}
	a.shared.settle(decks)
	a.reach = 0
	for p := range m.measures {
		of := &m.measures[p]
		of.need, of.graphs, of.share = scale.Need{}, false, false
		for d, b := range a.beside(p) {
			n, share := d.graphIn(b)
			of.graphs, of.share = of.graphs || n >= 0, of.share || share
		}
	}
	a.keepSeen()
}

// settleRows lets the same rows of hosts stand level: what one draws as used others say that they lack.
func (a *Abreast) settleRows() {
	for p := range a.matrix.measures {
		level := "" // of the first that draws it
		for _, b := range a.beside(p) {
			level = cmp.Or(level, b.items[0].drawn.Name(""))
		}
		for d, b := range a.beside(p) {
			if b.level != level {
				b.level = level
				d.remake(b)
			}
		}
	}
}

// kindBeside is what a pane is beside other hosts: all that is neither a list nor meant to be rows alone has a graph.
func (b *block) kindBeside() kind.Kind {
	switch {
	case b.isListed():
		return b.kinds.as.Kind
	case b.spec.Kind == kind.Rows.String():
		return kind.Rows
	}
	return kind.Graph
}

// isListed tells that the rows of a cell are instances, below no graph.
func (b *block) isListed() bool {
	return b.kinds.as.Kind == kind.Table || b.kinds.as.Kind == kind.Cells
}

// graphIn is the line that a cell shows the graph of, -1 without one, and whether that is how much of its limit it is.
func (d *Deck) graphIn(b *block) (n int, share bool) {
	n = b.graphed()
	if n < 0 || b.kindBeside() != kind.Graph {
		return -1, false
	}
	drawn := &b.lines[n].item.drawn
	return n, drawn.Limit.Is() && !drawn.IsPercent && !b.spec.AsNamed
}

// needOfRanks is what the histories of the busiest instances of a pane show; ok is false where it has none.
func (d *Deck) needOfRanks(b *block) (n scale.Need, ok bool) {
	if b.made == nil || len(b.lines) == 0 || b.lines[0].row < 0 {
		return n, false
	}
	it := b.items[0]
	view, end := b.made.Set(it.sel.Set), d.desk.End(b.made)
	for i := range b.lines {
		if ln := &b.lines[i]; ln.row >= 0 && ln.col >= 0 {
			n.Most = max(n.Most, view.Recent(&d.recent, ln.row, ln.col).Cut(end, graph.PerCell(graph.SparkReach, 1, b.every)).Highest())
		}
	}
	look := d.desk.Numbers.Look(it.sel.Set, it.counter)
	n.Rule, n.Format, n.Now = kind.RuleOf(it.sel.Set, it.counter), look.Format, b.made.Time
	n.Unit = cooker.UnitFor(look.Quantity, look.Style, float64(n.Most))
	return n, true
}

// setBand says what is drawn of a host, but for titles and the scales of all hosts.
func (a *Abreast) setBand(i int, board *alert.Board) {
	m, d := &a.matrix, a.decks[i]
	for c, column := range m.columns {
		for k, p := range column {
			b := d.pane(p)
			if b == nil {
				continue
			}
			s := b.picture.stage()
			s.facts = d.facts(b, &a.shared, d.host.Sampler.State().Phase)
			s.lines, s.pane, s.kind, s.matrix = d.made, a.cell(i, p), kind.Graph, true // rows may be of other panes
			hidden := a.setRows(s, i, p, board)
			if first := d.pane(column[0]); first != nil { // its title counts them
				first.picture.next.list.hidden += hidden
			}
			d.showAlarm(s, board, func(q int) bool { return q == p || c == 0 && k == len(column)-1 && m.isUnplaced(q) })
			n, ok := d.setAxis(s, b, board)
			if ok {
				a.reach = a.reach.with(s.plot.cell, b.every)
			} else if p == m.ranking {
				n, ok = d.needOfRanks(b)
			}
			if ok && m.own {
				s.setTop(&b.scale, &n)
				s.own = n.Rule == scale.Rule{}
			} else if ok {
				m.measures[p].need.Add(&n)
			}
		}
	}
}

// setRows says which rows of a pane of a host are in view, and what graph; it returns how many are missed.
func (a *Abreast) setRows(s *scene, i, p int, board *alert.Board) (hidden int) {
	d, b := a.decks[i], a.decks[i].panes[p]
	at, drawn := a.placeOf(i, p)
	s.plot, s.list.top = drawn, min(a.matrix.measures[p].top, max(0, len(b.lines)-1))
	s.list.rows = min(at.Rows, len(b.lines)-s.list.top)
	if i == a.focus && p == d.focus {
		s.list.selected = d.selectedLine() - s.list.top
	}
	for n := range b.lines {
		if row := n - s.list.top; row >= 0 && row < s.list.rows {
			s.signs = append(s.signs, d.signOf(slot{p, n}, board))
		} else if b.spec.Busiest == 0 && !b.lines[n].item.also {
			hidden++
		}
	}
	return hidden
}

// isUnplaced tells that a pane has no place.
func (m *matrix) isUnplaced(p int) bool { return p >= len(m.places) || m.places[p].Hidden }

// slots are the values of a host that stand in a column, one below the other, with those of its
// first pane that are scrolled out of view, unless they are there for the room alone.
func (a *Abreast) slots(i, c int) (out []slot) {
	if c >= len(a.matrix.columns) { // not drawn yet
		return nil
	}
	column := a.matrix.columns[c]
	for k, p := range column {
		b := a.decks[i].pane(p)
		at, _ := a.placeOf(i, p)
		for n := 0; b != nil && n < len(b.lines); n++ {
			if n < at.Rows || k == 0 && (len(column) == 1 || !b.lines[n].item.also) {
				out = append(out, slot{p, n})
			}
		}
	}
	return out
}

// at is the column and the slot of what is selected; ok is false where it is not to be seen.
func (a *Abreast) at() (c, n int, ok bool) {
	d := a.focused()
	c = a.matrix.columnOf(d.focus)
	n = slices.Index(a.slots(a.focus, c), slot{d.focus, d.selectedLine()})
	return c, max(0, n), n >= 0
}

// choose selects a slot of a host, or the last one of its column.
func (a *Abreast) choose(i, c, n int) {
	a.focus = i
	if slots, d := a.slots(i, c), a.decks[i]; len(slots) > 0 {
		at := slots[max(0, min(n, len(slots)-1))]
		d.touched, d.focus = a.desk.Now(), at.pane
		d.selectLine(at.line)
	}
}

// keepSeen keeps the selection of the focused host on what is to be seen, and scrolls the panes so far.
func (a *Abreast) keepSeen() {
	m, d := &a.matrix, a.focused()
	if !slices.Contains(m.shown, a.focus) || len(m.columns) == 0 {
		return
	}
	if _, _, ok := a.at(); !ok {
		a.choose(a.focus, 0, 0)
	}
	if c := m.columnOf(d.focus); m.columns[c][0] == d.focus {
		of, n := &m.measures[d.focus], d.selectedLine()
		at, _ := a.placeOf(a.focus, d.focus)
		of.top = max(min(of.top, n, len(d.panes[d.focus].lines)-at.Rows), n-max(0, at.Rows-1), 0)
	}
}
