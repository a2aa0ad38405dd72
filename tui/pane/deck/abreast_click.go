package deck

import (
	tea "charm.land/bubbletea/v2"

	"perfdeck/tui/pane"
)

// Click selects a host or a row; on the selected one it opens it.
func (a *Abreast) Click(hit pane.Hit, button tea.MouseButton) {
	if hit.A >= len(a.decks) {
		return
	}
	was, d := a.focus, a.decks[hit.A]
	switch hit.Kind {
	case hitScale:
		a.holdScale(hit.A, hit.B)
		return
	case hitSign:
		a.desk.Send(pane.GoTo{Tab: pane.TabAlerts})
		return
	case hitRetry:
		a.desk.Send(pane.RetryHost{Host: d.host})
		return
	}
	a.focus = hit.A
	switch hit.Kind {
	case hitTitle:
		if was == hit.A && button == tea.MouseLeft {
			a.desk.Send(pane.OpenHost{Host: d.host})
		}
	case hitMore:
		a.desk.Send(pane.OpenHost{Host: d.host})
	case hitGraph:
		if hit.B < len(a.matrix.columns) {
			a.choose(hit.A, hit.B, 0)
		}
	case hitValue:
		a.clickValue(d, was == hit.A, slot{hit.B >> 16, hit.B & 0xffff}, button)
	}
}

// clickValue selects a line of a host; the selected one is opened.
func (a *Abreast) clickValue(d *Deck, focused bool, at slot, button tea.MouseButton) {
	if at.line < 0 || at.pane >= len(d.panes) || at.line >= len(d.panes[at.pane].lines) {
		return
	}
	if button == tea.MouseLeft && focused && d.focus == at.pane && d.selectedLine() == at.line {
		d.open()
		return
	}
	d.focus = at.pane
	d.selectLine(at.line)
}

// Grip shows the moment of the cell of a graph that lies under the mouse.
func (a *Abreast) Grip(hit pane.Hit, x, _ int) {
	if hit.Kind != hitGraph || hit.A >= len(a.decks) || hit.B >= len(a.matrix.columns) {
		return
	}
	d, col := a.decks[hit.A], &a.matrix.columns[hit.B]
	if col.pane >= len(d.panes) {
		return
	}
	b := d.panes[col.pane]
	if at, ok := b.moment(&b.picture.of, col.w, x-col.x-1, a.desk); ok {
		a.desk.Send(pane.MoveTo{At: at})
	}
}

// holdScale holds the scale of a column, or of the cell of a host that has its own.
func (a *Abreast) holdScale(i, c int) {
	d := a.decks[i]
	if c >= len(a.matrix.columns) || a.matrix.columns[c].pane >= len(d.panes) {
		return
	}
	col := &a.matrix.columns[c]
	b := d.panes[col.pane]
	s := &b.picture.of
	if s.plot.graphed < 0 || s.plot.graphed >= len(b.lines) || b.made == nil {
		return
	}
	of := &col.scale
	if a.matrix.own {
		of = &b.scale
	}
	a.desk.Send(pane.Say{Text: hold(of, ruleIn(b, s))})
}
