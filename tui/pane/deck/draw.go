package deck

import (
	"slices"
	"strconv"
	"strings"

	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/text/english"
	"perfdeck/session/text/printable"
	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/kit/graph"
	"perfdeck/tui/kit/kind"
	"perfdeck/tui/layout"
	"perfdeck/tui/pane"
)

// Draw draws the panes into the frame.
func (d *Deck) Draw(f pane.Frame) {
	if len(d.panes) == 0 {
		d.drawEmpty(f)
		return
	}
	d.sync()
	d.shared.settle([]*Deck{d})
	d.place(layout.Rect{W: f.Width(), H: f.Height()})
	if !d.zoomed {
		f.Zone(0, 0, f.Width(), f.Height(), hitGap)
	}
	board := d.desk.Board()
	d.reach = 0
	for i, p := range d.laid.places {
		if p.Hidden || p.H < 1 || p.W < 1 {
			continue
		}
		b, fr := d.panes[i], f.At(p.Rect)
		if !d.zoomed {
			fr.Zone(0, 0, p.W, p.H, hitGap, i, inPane)
		}
		d.setScene(b.picture.stage(), fr, i, board)
		b.picture.show(fr, d.drawPane)
	}
	d.drawBelow(f)
}

// drawBelow counts the panes that have no place, in a line that none takes, and leads to them.
func (d *Deck) drawBelow(f pane.Frame) {
	first, names := 0, []string(nil)
	for i, p := range d.laid.places { // what is for spare room alone is not missed
		if p.Hidden && !d.zoomed && !d.panes[i].spec.Spare {
			if names = append(names, printable.Text(d.panes[i].set.Name)); len(names) == 1 {
				first = i
			}
		}
	}
	if len(names) == 0 {
		return
	}
	text := "+ " + strconv.Itoa(len(names)) + " more: " + strings.Join(names, ", ")
	f.Rest(layout.SignW, f.Height()-1, text, themes.Muted)
	f.ZoneLine(f.Height()-1, hitUnplaced, first)
}

// facts are those of all scenes of a pane, wherever it stands.
func (d *Deck) facts(b *block, shared *sharing, phase session.Phase) facts {
	when := moment{every: b.every, span: d.desk.DeckSpan, end: d.desk.End(b.made), at: d.desk.At, isSilent: d.desk.IsSilent(b.made)}
	return facts{
		lines: b.number, numbers: d.units.Generation(), shared: shared.Shared, units: shared.Changes(), when: when,
		isOld: phase == session.Stale || phase == session.Retrying || when.isSilent, list: shownRows{selected: -1},
	}
}

// setScene says what is drawn of a pane.
func (d *Deck) setScene(s *scene, f pane.Frame, i int, board *alert.Board) {
	b, p := d.panes[i], &d.laid.places[i]
	state := b.state()
	s.facts = d.facts(b, &d.shared, state.Phase)
	s.w, s.h, s.kind, s.each = f.Width(), f.Height(), d.kindIn(b, p), d.isBeside(b)
	s.pane, s.plot = i, plot{bare: p.Bare, zoomed: d.zoomed, graph: p.Graph}
	if b.span = 0; s.kind == kind.Graph { // else statistics are of all
		w := graphWidth(s)
		b.span = graph.Samples(w, s.perDot(w))
	}
	if s.kind == kind.Table {
		d.fitTable(b, p)
	}
	s.title = d.title(f, s, &state)
	// What is to be looked at with care alone, its rows say.
	worst, _ := b.worst(board, func(_ int, m alert.Mark) bool { return m.Severity > alert.Careful })
	s.title.Sign, s.title.SignStyle, _ = pane.SignOfMark(worst, f.Glyphs())
	selected := -1
	if i == d.focus {
		selected = d.selectedLine()
	}
	d.setList(s, b, p, selected)
	if s.plot.graphed = b.graphed(); d.zoomed && s.kind == kind.Rows {
		s.plot.graphed = max(0, selected)
	}
	if s.plot.graphed < 0 {
		s.plot.graph = 0
	}
	for n := range s.list.rows {
		s.signs = append(s.signs, d.signOf(slot{i, s.list.top + n}, board))
	}
	d.showAlarm(s, board, func(p int) bool { return p == i && s.kind != kind.Cells })
	if n, ok := d.setAxis(s, b, board); ok {
		s.setTop(&b.scale, &n)
		d.reach = d.reach.with(graphWidth(s), b.every)
	}
}

// setList says which lines of a pane are in view, the selected one among them, which is below 0
// where none is, and how many are not.
func (d *Deck) setList(s *scene, b *block, p *layout.Placed, selected int) {
	l := &s.list
	switch l.rows = max(0, min(p.Rows, len(b.lines))); {
	case s.kind == kind.Cells:
		l.rows = len(b.lines)
	case s.kind == kind.Table && 2 < l.rows && l.rows < len(b.lines) && (d.laid.body.W >= countFrom || p.Bare):
		l.rows-- // for the count of the others
	}
	b.list.Resize(len(b.lines))
	if selected >= 0 {
		b.list.Select(selected)
	}
	if l.top, _ = b.list.Show(len(b.lines), l.rows); s.pane != d.focus {
		l.top = 0
	}
	if selected >= 0 {
		l.selected = selected - l.top
	}
	switch hidden := b.left() + len(b.lines) - l.rows; {
	case s.kind == kind.Table:
		if l.rows < p.H && (p.Bare || l.rows < p.H-1) { // else no line is left to count them
			l.hidden = hidden
		}
		b.tab.digits = max(b.tab.digits, leastDigits, canvas.Digits(l.hidden))
		l.digits = b.tab.digits
	case b.hasInstances() || s.plot.bare || s.kind == kind.Graph || s.kind == kind.Cells: // those are never all
	default:
		l.hidden = hidden
	}
}

// showAlarm puts the worst of the rows of some panes on which an alert fires in the last place, if it is out of sight.
func (d *Deck) showAlarm(s *scene, board *alert.Board, counts func(p int) bool) {
	last, worst := s.list.rows-1, alert.Mark{}
	if last < 0 || s.list.selected == last || len(board.Active) == 0 {
		return
	}
	for p, b := range d.panes {
		if b.hasInstances() || !counts(p) {
			continue
		}
		m, n := b.worst(board, func(n int, _ alert.Mark) bool {
			return !slices.ContainsFunc(s.signs[:last], func(sg sign) bool { return sg.slot == slot{p, n} })
		})
		if n >= 0 && m.IsWorse(worst) {
			worst, s.signs[last] = m, d.signOf(slot{p, n}, board)
		}
	}
}

// worst is the worst of the alerts that fire on those lines of a pane that count, and on which; -1: on none.
func (b *block) worst(board *alert.Board, counts func(n int, m alert.Mark) bool) (worst alert.Mark, at int) {
	at = -1
	if len(board.Active) == 0 {
		return worst, at
	}
	for n := range b.lines {
		if m := b.markOf(&b.lines[n], board); m.State == alert.Firing && m.IsWorse(worst) && counts(n, m) {
			worst, at = m, n
		}
	}
	return worst, at
}

// markOf is the alert of a line.
func (b *block) markOf(l *line, board *alert.Board) (none alert.Mark) {
	if b.host == nil {
		return none
	}
	return board.Row(b.host.Name, l.item.sel.Set, l.item.counter, l.key)
}

// signOf is a line as a row that is shown.
func (d *Deck) signOf(at slot, board *alert.Board) sign {
	b := d.panes[at.pane]
	l := &b.lines[at.line]
	return sign{at, len(d.marks) > 0 && d.marks[l.id()], b.markOf(l, board), d.desk.Look(l.item.look).Colour}
}

// drawPane draws a pane as its scene says.
func (d *Deck) drawPane(f pane.Frame, s *scene) {
	b := d.panes[s.pane]
	f.Zone(0, 0, s.w, 1, hitTitle, s.pane)
	if s.title.Sign != 0 {
		f.Zone(2, 0, 1, 1, hitSign, s.pane)
	}
	if why := b.whyEmpty(); why != "" {
		s.drawWord(f, why)
		return
	}
	switch s.kind {
	case kind.Graph:
		d.drawGraph(f, b, s)
	case kind.Meters:
		d.drawMeters(f, b, s)
	case kind.Cells:
		d.drawCells(f, b, s)
	case kind.Table:
		d.drawTable(f, b, s)
	case kind.Rows:
		d.drawRows(f, b, s)
	}
}

// whyEmpty says why a pane has no row of any instance, though its host answers; "": it has, or may get one.
func (b *block) whyEmpty() string {
	view := b.view()
	if view == nil || view.Err != nil || len(view.Rows) > 0 || b.find(func(l *line) bool { return l.row >= 0 }) >= 0 {
		return ""
	}
	return b.set.WhyEmpty()
}

// drawWord draws a word in place of all that a pane shows.
func (s *scene) drawWord(f pane.Frame, word string) {
	y := 0
	if !s.plot.bare {
		pane.DrawTitle(f, s.title)
		y++
	}
	f.DrawLead(y, pane.Lead{Selected: s.list.selected == 0})
	f.Rest(layout.SignW, y, word, themes.Muted)
	f.ZoneLine(y, hitRow, s.pane, 0)
	f.Highlight(y, s.list.selected == 0)
}

// drawRows draws a pane of rows, with a graph above them where there is room.
func (d *Deck) drawRows(f pane.Frame, b *block, s *scene) {
	l, y := layout.HostRow(s.w, s.plot.bare), 0
	if !s.plot.bare {
		t := s.title
		t.Row = l
		pane.DrawTitle(f, t)
		if l.SparkW > 0 && !s.title.Heads && s.title.Problem == "" && b.every > 0 {
			pane.DrawHead(f, s.w-2, english.Short(graph.SparkSpan(graph.SparkReach, l.SparkW, b.every)), themes.Muted)
		}
		y++
	}
	if s.plot.graph > 0 {
		d.drawHistory(f.Sub(0, y, s.w, s.plot.graph), b, s)
		y += s.plot.graph
	}
	s.eachRow(f, y, func(y, n, row int) {
		r := d.rowOf(b, row, s)
		if s.plot.bare && n == 0 && b.kinds.derived == kind.Meters { // no title says of how much it is
			r.Name = canvas.Fitting(l.NameW-len(r.Object)-1, strings.TrimSpace(r.Name+" "+d.limitOf(b, s)), r.Name)
		}
		pane.DrawRow(f, y, l, &r)
	})
}

// eachRow draws the rows that are shown from line y on, of each the line n that it shows, and counts the others.
func (s *scene) eachRow(f pane.Frame, y int, draw func(y, n, row int)) {
	for row, sg := range s.signs {
		draw(y, sg.line, row)
		f.ZoneLine(y, hitRow, s.pane, sg.line)
		signZone(f, 0, y, s, row)
		y++
	}
	if s.list.hidden < 1 {
		return
	}
	text := "+ " + english.Count(s.list.hidden, "more row", "more rows")
	if s.kind == kind.Table { // its heads say of what
		text = "+ " + strconv.Itoa(s.list.hidden) + " more"
	}
	muted := themes.Muted
	x := layout.SignW + f.Left(layout.SignW, y, s.w-layout.SignW, text, muted)
	if key := x + s.list.digits - canvas.Digits(s.list.hidden); s.kind == kind.Table && key+7 < s.w {
		f.Text(key+2, y, "t", themes.Accent.Bold())
		f.Text(key+4, y, "top", muted)
		x = s.w
	}
	f.Zone(0, y, x, 1, hitMore, s.pane)
}

// signZone lets clicks reach the sign of an alert of a row that begins at x.
func signZone(f pane.Frame, x, y int, s *scene, row int) {
	if s.signs[row].alert.State >= alert.Acknowledged {
		f.Zone(x+1, y, 1, 1, hitSign, s.pane)
	}
}

// countFrom is the width of a screen from which on tables have a line for the count of other rows.
const countFrom = 100

// The widths from which on the columns of rows have heads.
const (
	headsFrom        = 40
	headsBehindLimit = 50 // in a title that tells a limit
)

// title is the head of a pane: the counterset, what its sole instance is, and what is wrong with it.
func (d *Deck) title(f pane.Frame, s *scene, state *session.HostState) pane.Title {
	b := d.panes[s.pane]
	t := pane.Title{Name: strings.TrimSuffix(b.set.Name, " Limit"), Subtitle: b.about, Host: d.hostAbout(b), Focused: s.pane == d.focus, At: d.desk.At}
	t.Heads = s.kind == kind.Rows && s.w >= headsFrom
	if len(d.words) > 0 && t.Focused {
		t.Subtitle = strings.TrimSpace(t.Subtitle + " / " + printable.Text(strings.Join(d.words, " ")))
	}
	without := s.kind == kind.Rows || s.kind == kind.Meters && s.w < limitsFrom && s.plot.graph == 0 // limits in the rows
	if without && b.kinds.derived == kind.Meters && len(b.lines) > 0 && t.Subtitle == "" {           // of how much they are
		t.Subtitle = d.limitOf(b, s)
		t.Heads = t.Heads && (t.Subtitle == "" || s.w >= headsBehindLimit)
	}
	view := b.made.Set(b.set)
	switch {
	case b.host == nil:
		t.Problem, t.ProblemStyle = string(f.Glyphs().Stale)+" not watched", themes.Stale
	case view != nil && view.Err != nil:
		t.Problem, t.ProblemStyle = string(f.Glyphs().Critical)+" "+view.Err.Error(), themes.Critical
	case state.Phase != session.Live && state.Phase != session.Connecting:
		sign, text, st := problem(f, state)
		t.Problem, t.ProblemStyle = string(sign)+" "+text, st
	}
	t.Heads = t.Heads && t.Problem == ""
	return t
}

// limitOf says of how much the first row of a pane is, "" where nothing tells.
func (d *Deck) limitOf(b *block, s *scene) string {
	limit := d.readingOf(b, &b.lines[0], &s.when).Limit
	if limit != limit {
		return ""
	}
	number, unit := b.lines[0].amount(limit)
	return "of " + number + " " + unit
}

// problem says in a title what is wrong with a host, behind a sign.
func problem(f pane.Frame, state *session.HostState) (sign rune, text string, st themes.Style) {
	g := f.Glyphs()
	switch state.Phase {
	case session.Live, session.Connecting:
		return 0, state.Phase.String(), themes.Muted
	case session.Refused:
		return g.Critical, "access denied", themes.Critical
	}
	if text = state.Phase.String(); !state.LastAnswer.IsZero() {
		text += " " + english.Age(f.Now.Sub(state.LastAnswer))
	}
	return g.Stale, text, themes.Stale
}
