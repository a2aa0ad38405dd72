package deck

import (
	tea "charm.land/bubbletea/v2"

	"perfdeck/tui/pane"
)

// cell is the number by which clicks name a cell of the matrix.
func (a *Abreast) cell(i, c int) int { return i*max(1, len(a.matrix.columns)) + c }

// cellOf is the host and the column of a cell.
func (a *Abreast) cellOf(cell int) (i, c int) {
	n := max(1, len(a.matrix.columns))
	return cell / n, cell % n
}

// Click selects a host or a row; on the selected one it opens it.
func (a *Abreast) Click(hit pane.Hit, button tea.MouseButton) {
	i, c := a.cellOf(hit.A)
	if i >= len(a.decks) {
		return
	}
	d, again := a.decks[i], a.focus == i
	switch hit.Kind {
	case hitScale:
		p := a.matrix.columns[c].pane
		if b := d.pane(p); b != nil && a.matrix.own {
			d.holdScale(b, &b.scale)
		} else if b != nil {
			d.holdScale(b, &a.matrix.measures[p].scale)
		}
		return
	case hitSign, hitRetry:
		d.Click(pane.Hit{Kind: hit.Kind}, button)
		return
	}
	a.focus = i
	switch slots := a.slots(i, c); {
	case hit.Kind == hitTitle && again && button == tea.MouseLeft:
		a.desk.Send(pane.OpenHost{Host: d.host})
	case hit.Kind != hitRow && hit.Kind != hitGraph || hit.B >= len(slots):
	case again:
		d.Click(pane.Hit{Kind: hit.Kind, A: slots[hit.B].pane, B: slots[hit.B].line}, button)
	default:
		a.choose(i, c, hit.B)
	}
}

// Grip shows the moment of the cell of a graph that lies under the mouse.
func (a *Abreast) Grip(hit pane.Hit, x, _ int) {
	if i, c := a.cellOf(hit.A); hit.Kind == hitGraph && i < len(a.decks) {
		col := &a.matrix.columns[c]
		if d := a.decks[i]; d.pane(col.pane) != nil {
			d.showMoment(d.panes[col.pane], x-col.x)
		}
	}
}
