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

// silentRows is the lines of a host that never answered.
const silentRows = 2

// matrix is the hosts one below the other (deck.md 7): a band a host, a column a pane of their decks.
type matrix struct {
	shown    []int // hosts that have a band
	columns  []layout.Column
	measures []measure // of each pane of their decks
	ranking  int       // the pane of the busiest processes; -1: none
	rows     int       // values of a cell with a graph
	least    int       // those of one without, at least
	own      bool      // each host has its own scale
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

// columnOf is the column in which values of a pane stand, the first one if it has no place.
func (m *matrix) columnOf(p int) int {
	return max(0, slices.IndexFunc(m.columns, func(c layout.Column) bool {
		return c.Pane == p || slices.ContainsFunc(c.Below, func(v layout.Value) bool { return v.Pane == p })
	}))
}

// pane is one of the panes, nil if it is not there.
func (d *Deck) pane(p int) *block {
	if p < 0 || p >= len(d.panes) {
		return nil
	}
	return d.panes[p]
}

// lay gives the columns and what stands below others their places, in a width and in bands of so
// many rows at least. All decks have the same panes, of which one may have more than another.
func (a *Abreast) lay(w, h int) {
	m, first := &a.matrix, a.decks[a.matrix.shown[0]]
	parts := make([]layout.Pane, len(first.panes))
	m.ranking = -1
	for p := range parts {
		for _, b := range a.beside(p) {
			b.joins(&parts[p])
		}
		if first.panes[p].spec.Busiest > 0 {
			m.ranking = p
		}
	}
	m.columns, m.rows = layout.Band(w, h, parts)
	m.least = h - 1
	for len(m.measures) < len(parts) {
		m.measures = append(m.measures, measure{})
	}
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

// Draw draws as many bands as fit, the focused one among them, and below them the
// hosts that never answered.
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
		a.lay(f.Width(), height/n)
		a.settle()
	}
	bands, y := make([]pane.Frame, n), 0
	for k, i := range m.shown {
		bands[k] = f.Lines(y, (height+n-1-k)/n)
		y += bands[k].Height()
		a.setBand(i, bands[k].Height(), board)
	}
	for k, i := range m.shown { // on the scales of all
		said := ""
		if k == n-1 {
			said = rest
		}
		a.drawBand(bands[k], i, board, said)
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
	most := layout.BusiestRows
	if slices.ContainsFunc(m.columns, func(c layout.Column) bool { return c.Pane == m.ranking }) {
		most = m.least
	}
	for _, b := range a.beside(m.ranking) {
		if b.most != most {
			b.made, b.most = nil, most
		}
	}
	decks := make([]*Deck, len(m.shown))
	for k, i := range m.shown {
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
			if ranks, ok := d.needOfRanks(b); ok && p == m.ranking {
				of.need.Add(&ranks)
			}
		}
	}
	a.keepSeen()
}

// settleRows lets the same rows of the hosts that are shown stand level: what one draws as
// used others say that they lack.
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

// isListed tells that the rows of a cell are instances, below no graph.
func (b *block) isListed() bool {
	return b.kinds.as.Kind == kind.Table || b.kinds.as.Kind == kind.Cells
}

// graphIn is the line that a cell shows the graph of, -1 without one, and whether that is how
// much of its limit it is.
func (d *Deck) graphIn(b *block) (n int, share bool) {
	n = b.graphed()
	if n < 0 || b.isListed() {
		return -1, false
	}
	drawn := &b.lines[n].item.drawn
	return n, drawn.Limit.Is() && !drawn.IsPercent && !b.spec.AsNamed
}

// needOfRanks is what the histories of the busiest instances of a pane show; ok is false
// where it has none.
func (d *Deck) needOfRanks(b *block) (n scale.Need, ok bool) {
	if b.spec.Busiest == 0 || b.made == nil || len(b.lines) == 0 || b.lines[0].row < 0 {
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

// setBand says what is drawn of a host in the cells of a band of h rows, but for their titles
// and the scales of all hosts.
func (a *Abreast) setBand(i, h int, board *alert.Board) {
	m, d := &a.matrix, a.decks[i]
	phase := d.host.Sampler.State().Phase
	for c, col := range m.columns {
		b, of := d.pane(col.Pane), &m.measures[col.Pane]
		if b == nil {
			continue
		}
		s := b.picture.stage()
		s.facts = d.facts(b, &a.shared, phase)
		s.lines, s.pane, s.kind, s.matrix = d.made, a.cell(i, c), kind.Graph, true // below are other panes
		n, share := d.graphIn(b)
		if of.share && !share {
			n = -1 // an amount among shares has no scale
		}
		s.plot.cell, s.plot.graphed, s.plot.share = col.W, n, share
		rows, below := h-1, len(col.Below)
		if of.graphs {
			s.plot.graph = max(0, rows-m.rows)
		}
		if n >= 0 {
			rows = m.rows
		}
		lines := a.linesOf(i, c)
		s.list.top = min(of.top, max(0, lines-1))
		s.list.rows = min(rows-below, lines-s.list.top)
		b.shown = s.list.rows
		for n, at := range a.slots(i, c) {
			switch isSeen := n >= lines || n >= s.list.top && n < s.list.top+s.list.rows; {
			case isSeen:
				s.signs = append(s.signs, d.signOf(at, board))
			case b.spec.Busiest == 0 && !b.lines[at.line].item.also:
				s.list.hidden++
			}
		}
		s.list.hidden += d.hiddenBelow(&col)
		if chosen := (slot{d.focus, d.selectedLine()}); i == a.focus {
			s.list.selected = slices.IndexFunc(s.signs, func(sg sign) bool { return sg.slot == chosen })
		}
		if n, ok := d.setAxis(s, b, board); ok {
			a.reach = a.reach.with(col.W, b.every)
			if of.need.Add(&n); m.own {
				s.setTop(&b.scale, &n)
				s.own = n.Rule == scale.Rule{}
			}
		}
	}
}

// hiddenBelow counts lines without a place of panes that have places below others.
func (d *Deck) hiddenBelow(col *layout.Column) (hidden int) {
	for k, v := range col.Below {
		o, isLast := d.pane(v.Pane), k+1 == len(col.Below) || col.Below[k+1].Pane != v.Pane
		for n := v.Line + 1; isLast && o != nil && o.spec.Busiest == 0 && n < len(o.lines) && !o.lines[n].item.also; n++ {
			hidden++
		}
	}
	return hidden
}

// linesOf is how many lines of a host a column has: where others stand below them, rows that
// are there for the room alone leave it.
func (a *Abreast) linesOf(i, c int) (n int) {
	col := &a.matrix.columns[c]
	if b := a.decks[i].pane(col.Pane); b != nil {
		n = len(b.lines)
		for below := len(col.Below); below > 0 && n > max(1, a.matrix.rows-below) && b.lines[n-1].item.also; {
			n--
		}
	}
	return n
}

// slots are the values of a host that stand in a column, one below the other, with those
// that are scrolled out of view.
func (a *Abreast) slots(i, c int) (out []slot) {
	d := a.decks[i]
	if c >= len(a.matrix.columns) || !d.loaded {
		return nil // not drawn yet
	}
	col, lines := &a.matrix.columns[c], a.linesOf(i, c)
	for n := range lines {
		out = append(out, slot{col.Pane, n})
	}
	for _, v := range col.Below {
		if b := d.pane(v.Pane); b != nil && v.Line < len(b.lines) {
			out = append(out, slot{v.Pane, v.Line})
		}
	}
	return a.withAlarm(i, c, out, lines)
}

// withAlarm puts the worst of the values on which an alert fires in the last place of a column, if
// it is out of sight: in the first column also one of a pane that has none.
func (a *Abreast) withAlarm(i, c int, out []slot, lines int) []slot {
	d, board, col := a.decks[i], a.desk.Board(), a.matrix.columns[c].Pane
	b := d.pane(col)
	if b == nil {
		return out
	}
	top := min(a.matrix.measures[col].top, max(0, lines-1))
	last := top + b.shown - 1
	if len(out) > lines {
		last = len(out) - 1
	}
	if last < 0 || last >= len(out) || i == a.focus && out[last] == (slot{d.focus, d.selectedLine()}) {
		return out
	}
	worst, at := alert.Mark{}, out[last]
	for p, o := range d.panes {
		if o.hasInstances() || a.matrix.columnOf(p) != c {
			continue
		}
		m, n := o.worst(board, func(n int, _ alert.Mark) bool {
			k := slices.Index(out, slot{p, n})
			return k == last || k < lines && (k < top || k >= top+b.shown)
		})
		if m.IsWorse(worst) {
			worst, at = m, slot{p, n}
		}
	}
	if k := slices.Index(out, at); k >= 0 {
		out[k] = out[last]
	}
	out[last] = at
	return out
}

// at is the column and the slot of what is selected; ok is false where it is not to be seen.
func (a *Abreast) at() (c, n int, ok bool) {
	d := a.decks[a.focus]
	is := slot{d.focus, d.selectedLine()}
	for c := range a.matrix.columns {
		if n := slices.Index(a.slots(a.focus, c), is); n >= 0 {
			return c, n, true
		}
	}
	return 0, 0, false
}

// choose selects a slot of a host, or the last one of its column.
func (a *Abreast) choose(i, c, n int) {
	a.focus = i
	slots := a.slots(i, c)
	if len(slots) == 0 {
		return
	}
	at := slots[max(0, min(n, len(slots)-1))]
	d := a.decks[i]
	d.touched = a.desk.Now()
	d.focus = at.pane
	d.selectLine(at.line)
}

// keepSeen keeps the selection of the focused host on what is to be seen, and scrolls
// the columns so far.
func (a *Abreast) keepSeen() {
	m := &a.matrix
	if !slices.Contains(m.shown, a.focus) || len(m.columns) == 0 {
		return
	}
	c, n, ok := a.at()
	if !ok {
		a.choose(a.focus, 0, 0)
		c, n, _ = a.at()
	}
	col := &m.columns[c]
	of, rows := &m.measures[col.Pane], m.least
	if of.graphs {
		rows = m.rows
	}
	if lines, page := a.linesOf(a.focus, c), max(1, rows-len(col.Below)); n < lines {
		of.top = max(min(of.top, n, lines-page), n-page+1, 0)
	}
}
