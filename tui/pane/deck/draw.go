package deck

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/themes"
	"perfdeck/tui/layout"
	"perfdeck/tui/pane"
)

// Draw draws the panes into the frame.
func (d *Deck) Draw(f pane.Frame) {
	d.body = layout.Rect{W: f.Width(), H: f.Height()}
	if len(d.panes) == 0 {
		d.drawEmpty(f)
		return
	}
	d.sync()
	d.shared.settle([]*Deck{d})
	d.place()
	if !d.zoomed {
		f.Zone(0, 0, f.Width(), f.Height(), pane.Hit{Kind: hitGap})
	}
	board := d.desk.Board()
	for i, p := range d.places {
		if p.Hidden || p.H < 1 || p.W < 1 {
			continue
		}
		b, fr := d.panes[i], f.At(p.Rect)
		d.setScene(b.picture.stage(), fr, i, board)
		b.picture.show(fr, d.drawPane)
	}
	d.drawBelow(f)
}

// drawBelow names the panes that follow in a line that none takes.
func (d *Deck) drawBelow(f pane.Frame) {
	if !d.scrolls() {
		return
	}
	end, names := 0, []string(nil)
	for i, p := range d.places {
		switch {
		case !p.Hidden:
			end = max(end, p.Y+p.H)
		case i > d.first:
			names = append(names, session.Printable(d.panes[i].set.Name))
		}
	}
	if len(names) == 0 || end >= f.Height() {
		return
	}
	text := "+ " + strings.Join(names, ", ")
	f.Left(layout.SignW, f.Height()-1, f.Width()-layout.SignW, text, themes.Muted.Style())
}

// place decides where the panes go. In one column the focused pane scrolls into
// view.
func (d *Deck) place() {
	n := len(d.panes)
	if d.tree != nil && !d.zoomed {
		d.placeTree()
		return
	}
	d.places = slices.Grow(d.places[:0], n)[:n]
	clear(d.places)
	if d.zoomed {
		for i := range d.places {
			d.places[i].Hidden = i != d.focus
		}
		rows := len(d.panes[d.focus].lines)
		d.places[d.focus] = layout.Placed{Rect: d.body, Rows: min(rows, d.body.H-1)}
		if spare := d.body.H - 1 - rows; spare >= 3 {
			d.places[d.focus].Graph = spare
		}
		return
	}
	d.shapes = d.shapes[:0]
	for _, b := range d.panes {
		d.shapes = append(d.shapes, b.shape())
	}
	d.first = min(d.first, d.focus)
	placed := layout.Deck(d.body, d.shapes[d.first:])
	for d.first < d.focus && placed[d.focus-d.first].Hidden {
		d.first++
		placed = layout.Deck(d.body, d.shapes[d.first:])
	}
	for i := range d.places {
		d.places[i].Hidden = i < d.first
	}
	copy(d.places[d.first:], placed)
}

// scrolls tells that the deck is one column that has no room for all panes.
func (d *Deck) scrolls() bool {
	hidden := func(p layout.Placed) bool { return p.Hidden }
	return d.tree == nil && !d.zoomed && slices.ContainsFunc(d.places, hidden)
}

// shape is how much room a pane wants.
func (b *block) shape() layout.Pane {
	switch {
	case b.spec.Busiest == 0:
		return layout.Pane{Rows: len(b.lines)}
	case len(b.order) == 0: // before the first values the place is kept
		return layout.Pane{Rows: b.spec.Busiest, Most: b.spec.Busiest}
	}
	return layout.Pane{Rows: min(len(b.lines), b.spec.Busiest), Most: len(b.lines)}
}

// setScene says what is drawn of a pane.
func (d *Deck) setScene(s *scene, f pane.Frame, i int, board *alert.Board) {
	b, p := d.panes[i], d.places[i]
	state := b.state()
	s.facts = facts{
		lines: b.number, numbers: d.units.Generation(), shared: d.shared.Shared, units: d.shared.Changes(), end: d.desk.End(b.made), isPast: d.desk.Past(),
		pane: i, title: d.title(f, i, &state), isOld: isOld(state.Phase) || d.desk.IsSilent(b.made),
		graphs: d.graphs, zoomed: d.zoomed, graph: p.Graph, selected: -1,
	}
	selected := -1
	if i == d.focus {
		selected = d.selectedLine()
	}
	s.rows = d.rowsOf(b, p.Rows)
	if d.graphs {
		s.rows = graphedRows(len(b.lines), f.Height())
	}
	b.list.Resize(len(b.lines))
	if selected >= 0 {
		b.list.Select(selected)
	}
	if s.top, _ = b.list.Show(len(b.lines), s.rows); i != d.focus {
		s.top = 0
	}
	if selected >= 0 {
		s.selected = selected - s.top
	}
	if s.graphed = b.graphed(d.desk.Numbers); d.zoomed {
		s.graphed = max(0, selected)
	}
	if s.graphed < 0 {
		s.graph = 0
	}
	if s.hidden = len(b.lines) - s.rows; b.spec.Busiest > 0 && !d.graphs {
		s.hidden = 0 // those are never all
	}
	for n := s.top; n < s.top+s.rows; n++ {
		s.signs = append(s.signs, d.signOf(b, &b.lines[n], board))
	}
}

// rowsOf is how many lines a pane shows in some rows: one less, where the others
// are counted below them.
func (d *Deck) rowsOf(b *block, rows int) int {
	n := min(rows, len(b.lines))
	if n > 1 && n < len(b.lines) && b.spec.Busiest == 0 {
		n--
	}
	return n
}

// signOf is what stands on a line besides its values.
func (d *Deck) signOf(b *block, l *line, board *alert.Board) sign {
	s := sign{marked: len(d.marks) > 0 && d.marks[l.id()]}
	if b.host != nil {
		s.alert = board.Row(b.host.Name, l.item.sel.Set, l.item.counter, l.key)
	}
	if look := d.desk.Kept.Look(l.item.look); look != nil {
		s.colour = look.Colour
	}
	return s
}

// drawPane draws a pane as its scene says.
func (d *Deck) drawPane(f pane.Frame, s *scene) {
	b := d.panes[s.pane]
	l := layout.NewRow(s.w)
	pane.DrawTitle(f, l, s.title)
	f.Zone(0, 0, s.w, 1, pane.Hit{Kind: hitTitle, A: s.pane})
	if s.graphs {
		d.drawGraphs(f, l, b, s)
		return
	}
	y := 1
	if s.graph > 0 {
		drawHistory(f.At(layout.Rect{Y: 1, W: s.w, H: s.graph}), b, s.graphed, s)
		y += s.graph
	}
	for n := range s.rows {
		d.drawLine(f, l, y, b, n+s.top, n, s)
		f.Zone(0, y, s.w, 1, pane.Hit{Kind: hitRow, A: s.pane, B: n + s.top})
		y++
	}
	drawMore(f, y, s)
}

// drawMore counts the lines that are not shown.
func drawMore(f pane.Frame, y int, s *scene) {
	if s.hidden < 1 {
		return
	}
	text := fmt.Sprintf("+ %d more rows", s.hidden)
	if s.hidden == 1 {
		text = "+ 1 more row"
	}
	f.Left(layout.SignW, y, s.w-layout.SignW, text, themes.Muted.Style())
}

// isOld tells that the values of a host are those of before.
func isOld(p session.Phase) bool { return p == session.Stale || p == session.Retrying }

// title is the head of a pane: the counterset, what its sole instance is, and
// what is wrong with it.
func (d *Deck) title(f pane.Frame, i int, state *session.HostState) pane.Title {
	b := d.panes[i]
	t := pane.Title{Name: b.set.Name, Subtitle: b.about, Focused: i == d.focus, Heads: f.Width() >= layout.MinPaneWidth}
	switch p := d.places[i]; {
	case i == d.first && d.scrolls():
		t.Subtitle = strings.TrimSpace(t.Subtitle + fmt.Sprintf(" pane %d of %d", i+1, len(d.panes)))
		room := layout.NewRow(f.Width()).ValueX - 3
		t.Heads = t.Heads && f.GlyphSet().TextWidth(t.Name+" "+t.Subtitle) < room
	case p.Rows == 0 && len(b.lines) == 1:
		t.Subtitle = strings.TrimSpace(t.Subtitle + " 1 row")
	case p.Rows == 0 && len(b.lines) > 0: // there is room for the title alone
		t.Subtitle = strings.TrimSpace(t.Subtitle + fmt.Sprintf(" %d rows", len(b.lines)))
	}
	view := b.made.Set(b.set)
	switch {
	case b.host == nil:
		t.Problem, t.ProblemStyle = string(f.Glyphs().Stale)+" not watched", themes.Stale.Style()
	case view != nil && view.Err != nil:
		t.Problem = string(f.Glyphs().Critical) + " " + view.Err.Error()
		t.ProblemStyle = themes.Critical.Style()
	case state.Phase != session.Live && state.Phase != session.Connecting:
		t.Problem, t.ProblemStyle = problem(f, state)
	}
	if t.Problem != "" {
		t.Heads = false
	}
	return t
}

// drawLine draws line n of a pane, which is a row of its scene.
func (d *Deck) drawLine(f pane.Frame, l layout.Row, y int, b *block, n, row int, s *scene) {
	ln, sg := &b.lines[n], &s.signs[row]
	view := b.made.Set(ln.item.sel.Set)
	r := pane.Row{
		Name: ln.name, Instance: ln.inst, Common: b.common,
		Set: ln.item.sel.Set, Counter: ln.item.counter,
		Value:    ln.value(view),
		Selected: row == s.selected,
		Stale:    s.isOld || view != nil && view.Err != nil,
		Marked:   sg.marked, Alert: sg.alert, Colour: sg.colour,
	}
	if b.spec.Busiest > 0 {
		r.Name = session.Printable(r.Name)
	}
	if b.sole != "" && (s.headings == allHeadings || b.sole == totalInstance) {
		r.Instance = ""
	}
	if ln.item.missing && (s.headings == noHeadings || s.headings == busiestHeadings && b.spec.Busiest == 0) {
		r.Instance = r.Set.Name // no heading tells what the host lacks
		if b.spec.Busiest > 0 {
			r.Name, r.Instance = session.Printable(r.Set.Name), ""
		}
	}
	if view != nil && ln.row >= 0 && ln.col >= 0 {
		r.End = s.end
		r.Series = view.Series(ln.row, ln.col)
		r.Window = ln.windowOf(r.Series, r.End)
		if s.isPast {
			r.Value = pane.PastValue(r.Series, r.End, r.Value)
		}
	}
	var at time.Time // units change with the values, not with the clock
	if b.made != nil {
		at = b.made.Time
	}
	var shared bool
	if r.Unit, r.Look, shared = s.shared.Unit(b.sharedKey(ln), r.Set, r.Counter); !shared {
		r.Unit, r.Look = d.units.Choose(pane.UnitKey{Set: r.Set, Counter: r.Counter, Key: ln.key}, largestOf(r.Value, r.Window), at)
	}
	pane.DrawRow(f, y, l, &r)
}
