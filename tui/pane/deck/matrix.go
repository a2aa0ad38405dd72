package deck

import (
	"slices"
	"strconv"
	"time"

	"perfdeck/cooker"
	"perfdeck/session/alert"
	"perfdeck/tui/kit/graph"
	"perfdeck/tui/kit/kind"
	"perfdeck/tui/kit/scale"
	"perfdeck/tui/layout"
	"perfdeck/tui/pane"
)

// The matrix of several hosts (deck.md 7): a band a host, a column a pane of their decks, which
// are the same, as many as have room, those that are spare after the others.
const (
	leastColumn = 25 // cells of a graph
	matrixGap   = 2
	leastBand   = 3 // title, a row of graph, a value
	matrixRows  = 4 // values below a graph
	soleRows    = 8 // where there is one column
	leadRows    = 2 // of the first column at least, before others
	busiestRows = 2 // of processes below it, where these have no column
	silentRows  = 2 // of a host that never answered
)

// matrix is the hosts one below the other.
type matrix struct {
	columns []column
	shown   []int // hosts that have a band
	others  []int // panes without a column, in the order of their worth
	rows    int   // values of a cell
	own     bool  // each host has its own scale
	busiest busiest
}

// busiest are the busiest processes, the histories of which have one scale wherever they stand.
type busiest struct {
	pane  int // of each deck; -1: none
	scale scale.Scale
	hi    float32
	shown int // of each host
}

// column is what the cells of one measure have in common.
type column struct {
	pane  int // of each deck
	x, w  int // w: of the graph; a cell of the left margin stands before it
	top   int // the first value that is shown
	scale scale.Scale
	hi    float32
	share bool // graphs are shares of limits
}

// pattern is a deck of the hosts, by which the columns are; nil: none is known yet.
func (a *Abreast) pattern() *Deck {
	if i := slices.IndexFunc(a.decks, func(d *Deck) bool { return d.loaded && len(d.panes) > 0 }); i >= 0 {
		return a.decks[i]
	}
	return nil
}

// layColumns gives the columns their places in a width. Scales stay with their panes.
func (a *Abreast) layColumns(w int) {
	m, d := &a.matrix, a.pattern()
	var panes, spare []int
	m.busiest.pane = -1
	if d != nil {
		for i, b := range d.panes {
			if b.spec.Spare {
				spare = append(spare, i)
			} else {
				panes = append(panes, i)
			}
			if b.spec.Busiest > 0 {
				m.busiest.pane = i
			}
		}
	}
	n := max(1, (w+matrixGap-1)/(leastColumn+matrixGap))
	m.others = append(panes, spare...)
	panes = slices.Clone(m.others[:min(n, len(m.others))])
	m.others = m.others[len(panes):]
	slices.Sort(panes)
	was := m.columns
	if n = len(panes); len(was) != n {
		m.columns = make([]column, n)
	}
	each := (w - 1 - (n-1)*matrixGap) / max(1, n)
	for i, p := range panes {
		c := &m.columns[i]
		if at := slices.IndexFunc(was, func(o column) bool { return o.pane == p }); at >= 0 {
			*c = was[at]
		}
		c.pane, c.x, c.w = p, i*(each+matrixGap), each
		if i == n-1 {
			c.w = w - 1 - c.x
		}
	}
}

// hasProcesses tells whether the busiest processes stand below the first column.
func (m *matrix) hasProcesses() bool { return slices.Contains(m.others, m.busiest.pane) }

// most is how many values stand below a graph at most.
func (m *matrix) most() int {
	if len(m.columns) == 1 {
		return soleRows
	}
	return matrixRows
}

// Draw draws as many bands as fit, the focused one among them, and below them the
// hosts that never answered.
func (a *Abreast) Draw(f pane.Frame) {
	m := &a.matrix
	shown, silent := a.answering()
	all := len(shown)
	quiet := silentPage(silent, f.Height(), all, a.focus)
	height := f.Height() - silentRows*len(quiet)
	first := 0
	if fit := max(1, height/leastBand); all > fit {
		if at := slices.Index(shown, a.focus); at >= fit {
			first = at / fit * fit
		}
		shown = shown[first:min(all, first+fit)]
	}
	if len(shown) > 0 {
		arrive(a.desk, a.decks[shown[0]:shown[len(shown)-1]+1]...)
	}
	m.shown = shown
	a.layColumns(f.Width())
	a.inView = append(append(a.inView[:0], shown...), quiet...)
	if len(shown) > 0 {
		each := height / len(shown)
		m.rows = min(m.most(), max(1, each-leastBand))
		if len(m.columns) == 1 {
			m.rows = min(m.most(), max(1, each-1))
		}
		a.stage(each)
	}
	y := 0
	for k, i := range shown {
		h := height / len(shown)
		if k < height%len(shown) {
			h++
		}
		rest := ""
		if k == len(shown)-1 && all > len(shown) {
			rest = strconv.Itoa(first+1) + "-" + strconv.Itoa(first+len(shown)) + " of " + strconv.Itoa(all) + ", 2 Fleet"
		}
		a.drawBand(f, i, layout.Rect{Y: y, W: f.Width(), H: h}, rest)
		y += h
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

// drawQuiet draws the hosts without values that have room, of all of them, from line y on.
func (a *Abreast) drawQuiet(f pane.Frame, y int, quiet []int, all int) {
	for k, i := range quiet {
		fr := f.At(layout.Rect{Y: y, W: f.Width(), H: silentRows})
		rest := ""
		if more := all - len(quiet); k == len(quiet)-1 && more > 0 {
			rest = strconv.Itoa(more) + " more, 2 Fleet"
		}
		if a.decks[i].loaded {
			a.drawForeign(fr, i, rest)
		} else {
			a.drawSilent(fr, i, rest)
		}
		y += silentRows
	}
}

// silentPage are the hosts without values that have room: they leave half of it, and at
// least one band, to those with values. The focused one is among them.
func silentPage(silent []int, h, shown, focus int) []int {
	most := max(1, h/silentRows)
	if shown > 0 {
		most = max(0, min(h/2, h-leastBand)/silentRows)
	}
	if len(silent) <= most {
		return silent
	}
	first := 0
	if at := slices.Index(silent, focus); at >= most {
		first = at - most + 1
	}
	return silent[first : first+most]
}

// stage brings the decks that are shown up to date and chooses the units and scales of
// the columns, given the height of a band.
func (a *Abreast) stage(h int) {
	m := &a.matrix
	a.reach = 0
	decks := make([]*Deck, len(m.shown))
	for k, i := range m.shown {
		decks[k] = a.decks[i]
	}
	a.settleRows(decks)
	for _, d := range decks {
		if most := h - 1; !m.hasProcesses() && d.abreast.most != most {
			d.abreast.most = most
			if b := d.busiest(m); b != nil {
				b.made = nil
			}
		}
		d.sync()
	}
	a.shared.settle(decks)
	a.keepSeen()
	for c := range m.columns {
		a.stageColumn(c, h)
	}
	if shown := busiestRows; m.hasProcesses() {
		a.stageBusiest(shown)
	} else {
		a.stageBusiest(h)
	}
}

// stageBusiest chooses the scale of the histories of the busiest processes of all hosts
// that are shown, so many of each.
func (a *Abreast) stageBusiest(shown int) {
	m := &a.matrix
	most := float32(0)
	var last *block
	for _, i := range m.shown {
		d := a.decks[i]
		if b := d.busiest(m); b != nil && b.ranks() {
			last = b
			most = max(most, d.highestRecent(last, shown))
		}
	}
	if m.busiest.shown = shown; last != nil {
		m.busiest.hi = last.topOf(&m.busiest.scale, most, a.desk.Numbers)
	}
}

// busiestTop is what the highest level of the histories of busiest processes stands for:
// the same for all hosts, unless each has its own.
func (a *Abreast) busiestTop(d *Deck, b *block) float32 {
	if !a.matrix.own || !b.ranks() {
		return a.matrix.busiest.hi
	}
	return b.topOf(&b.scale, d.highestRecent(b, a.matrix.busiest.shown), a.desk.Numbers)
}

// ranks tells whether a pane shows the busiest instances and has any.
func (b *block) ranks() bool {
	return b.spec.Busiest > 0 && b.made != nil && len(b.lines) > 0 && b.lines[0].row >= 0
}

// topOf chooses the top of histories of which the highest number is known.
func (b *block) topOf(s *scale.Scale, most float32, numbers *pane.Numbers) float32 {
	it := b.items[0]
	look := numbers.Look(it.sel.Set, it.counter)
	unit := cooker.UnitFor(look.Quantity, look.Style, float64(most))
	return float32(s.Top(kind.RuleOf(it.sel.Set, it.counter), float64(most), look.Format, unit, b.made.Time))
}

// highestRecent is the highest number in the histories of the first lines of a pane.
func (d *Deck) highestRecent(b *block, lines int) (most float32) {
	view, end := b.made.Set(b.items[0].sel.Set), d.desk.End(b.made)
	samples := graph.PerCell(1, b.every)
	for i := range b.lines[:min(lines, len(b.lines))] {
		ln := &b.lines[i]
		if ln.row < 0 || ln.col < 0 {
			continue
		}
		most = max(most, view.Recent(&d.spare.recent, ln.row, ln.col).Cut(end, samples).Highest())
	}
	return most
}

// stageColumn chooses the scale of a column: the same for all hosts, unless each has its
// own.
func (a *Abreast) stageColumn(c, h int) {
	col := &a.matrix.columns[c]
	most, rule := float32(0), scale.Rule{}
	var now time.Time
	var unit cooker.Unit
	var format cooker.Format
	col.share = false
	for _, i := range a.matrix.shown {
		if d := a.decks[i]; col.pane < len(d.panes) {
			s := a.cellScene(d.panes[col.pane].picture.stage(), i, c, h)
			col.share = col.share || s.plot.graphed >= 0 && s.plot.share
		}
	}
	for _, i := range a.matrix.shown {
		d := a.decks[i]
		if col.pane >= len(d.panes) {
			continue
		}
		b := d.panes[col.pane]
		s := a.cellScene(b.picture.stage(), i, c, h)
		if s.plot.graphed < 0 || b.made == nil {
			continue
		}
		a.reach = a.reach.with(col.w, b.every)
		own := ruleIn(b, s)
		d.setUnit(s, b)
		unit, format, now = s.plot.unit, s.plot.format, b.made.Time
		if own.Limit >= rule.Limit {
			rule = own
		}
		most = max(most, d.highest(s, b, own))
	}
	if !a.matrix.own {
		col.hi = float32(col.scale.Top(rule, float64(most), format, unit, now))
	}
}

// ruleIn is what the graph of a cell is measured against: a share of a limit against 100.
func ruleIn(b *block, s *scene) scale.Rule {
	ln := &b.lines[s.plot.graphed]
	if s.plot.share {
		return scale.Rule{Limit: 100}
	}
	return ln.item.drawn.Rule(b.limitOf(ln))
}

// cellScene says what is drawn of a host in a cell of a band of h rows.
func (a *Abreast) cellScene(s *scene, i, c, h int) *scene {
	d, col := a.decks[i], &a.matrix.columns[c]
	b := d.panes[col.pane]
	state := d.host.Sampler.State()
	s.facts = facts{
		lines: b.number, numbers: d.units.Generation(), shared: a.shared.Shared, units: a.shared.Changes(),
		when: d.momentOf(b), kind: kind.Graph, matrix: true, column: c, measure: col.pane, h: h,
		pane: i, isOld: isOld(state.Phase) || d.desk.IsSilent(b.made),
		plot: plot{cell: col.w}, list: shownRows{selected: -1, alarm: -1},
	}
	if s.plot.graphed = b.graphed(); s.plot.graphed >= 0 && (b.kinds.as.Kind != kind.Graph || b.lines[s.plot.graphed].row < 0) {
		s.plot.graphed = -1
	}
	if s.plot.graphed >= 0 {
		drawn := &b.lines[s.plot.graphed].item.drawn
		if s.plot.share = drawn.Limit.Is() && !drawn.IsPercent; col.share && !s.plot.share {
			s.plot.graphed = -1 // an amount among shares has no scale
		}
	}
	if s.list.rows = a.matrix.rows; s.plot.graphed < 0 {
		s.list.rows = h - 1
	}
	if c == 0 {
		s.cpus = b.processors()
	}
	busy := len(a.below(i, c))
	lines := a.linesOf(i, c)
	s.list.top = min(col.top, max(0, lines-1))
	s.list.rows = min(s.list.rows-busy, lines-s.list.top)
	s.plot.graph = max(0, h-1-a.matrix.rows)
	b.setWindow(s, a.desk.Wipe)
	return s
}

// busiest is the pane of the busiest processes, nil without one.
func (d *Deck) busiest(m *matrix) *block {
	if p := m.busiest.pane; p >= 0 && p < len(d.panes) && d.panes[p].spec.Busiest > 0 {
		return d.panes[p]
	}
	return nil
}

// below are the values of panes without a column that stand below the first one: the busiest
// processes, and where there is one column the first values of all.
func (a *Abreast) below(i, c int) (out []slot) {
	d, m := a.decks[i], &a.matrix
	if c > 0 || m.columns[0].pane >= len(d.panes) {
		return nil
	}
	for _, p := range m.others {
		if p < len(d.panes) && p != m.busiest.pane {
			out = append(out, slot{p, 0})
			if len(m.columns) == 1 && d.panes[p].graphs(0) > 1 {
				out = append(out, slot{p, 1})
			}
		}
	}
	if p := m.busiest.pane; p < len(d.panes) && m.hasProcesses() {
		for line := range busiestRows {
			out = append(out, slot{p, line})
		}
	}
	lead := max(1, min(leadRows, len(d.panes[m.columns[0].pane].lines)))
	if len(m.columns) == 1 {
		lead = 1
	}
	return out[:max(0, min(len(out), m.rows-lead))]
}

// linesOf is how many lines of a host a column has: where the busiest processes stand
// below them, rows that are there for the room alone leave it.
func (a *Abreast) linesOf(i, c int) int {
	d, p := a.decks[i], a.matrix.columns[c].pane
	if p >= len(d.panes) {
		return 0
	}
	lines := d.panes[p].lines
	n := len(lines)
	below := len(a.below(i, c))
	if below == 0 {
		return n
	}
	for n > max(1, a.matrix.rows-below) && lines[n-1].item.also {
		n--
	}
	return n
}

// cellSigns puts the signs and the selection of the rows of a cell into its scene.
func (a *Abreast) cellSigns(s *scene, board *alert.Board) {
	d, c := a.decks[s.pane], &a.matrix.columns[s.column]
	b := d.panes[c.pane]
	if s.pane == a.focus && d.focus == c.pane {
		if at := d.selectedLine(); at >= s.list.top && at < s.list.top+s.list.rows {
			s.list.selected = at - s.list.top
		}
	}
	for n := s.list.top; n < s.list.top+s.list.rows; n++ {
		s.signs = append(s.signs, d.signOf(b, &b.lines[n], board))
	}
}

// slot is a value in the matrix, of which there may be more than have room.
type slot struct{ pane, line int }

// slots are the values of a host that stand in a column, one below the other, with those
// that are scrolled out of view.
func (a *Abreast) slots(i, c int) (out []slot) {
	if c >= len(a.matrix.columns) {
		return nil // not drawn yet
	}
	d, p := a.decks[i], a.matrix.columns[c].pane
	if p >= len(d.panes) || !d.loaded {
		return nil
	}
	for n := range a.linesOf(i, c) {
		out = append(out, slot{p, n})
	}
	for _, s := range a.below(i, c) {
		if s.line < len(d.panes[s.pane].lines) {
			out = append(out, s)
		}
	}
	return out
}

// at is the column and the slot of what is selected; ok is false where it is not to be
// seen.
func (a *Abreast) at() (c, n int, ok bool) {
	d := a.decks[a.focus]
	is := slot{d.focus, d.selectedLine()}
	for c := range a.matrix.columns {
		if n := slices.Index(a.slots(a.focus, c), is); n >= 0 && is.line >= 0 {
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
	if !slices.Contains(a.matrix.shown, a.focus) {
		return
	}
	c, n, ok := a.at()
	if !ok {
		a.choose(a.focus, 0, 0)
		c, n, _ = a.at()
	}
	col := &a.matrix.columns[c]
	lines := a.linesOf(a.focus, c)
	page := max(1, a.matrix.rows-len(a.below(a.focus, c)))
	if col.pane == a.matrix.busiest.pane || n >= lines {
		return
	}
	col.top = max(min(col.top, n, lines-page), n-page+1, 0)
}
