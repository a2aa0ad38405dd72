package deck

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"perfdeck/tui/kit/graph"
	"perfdeck/tui/kit/kind"
	"perfdeck/tui/kit/scale"
	"perfdeck/tui/pane"
)

// Click selects what lies under the mouse; on the selected row it opens it.
func (d *Deck) Click(hit pane.Hit, button tea.MouseButton) {
	d.divided.held, d.divided.again = nil, false // whatever became of the button before
	if hit.Kind == hitRetry {                    // nothing was ever shown of it
		d.desk.Send(pane.RetryHost{Host: d.hostOf("")})
		return
	}
	if hit.Kind == hitGap || hit.A >= len(d.panes) {
		return
	}
	b := d.panes[hit.A]
	switch hit.Kind {
	case hitHead:
		d.focus = hit.A
		d.keepSelection()
		d.sortBy(b, hit.B)
	case hitMore:
		d.openMore(hit.A)
	case hitUnplaced:
		d.focusOn(hit.A)
		d.zoom()
	case hitScale:
		d.holdScale(b, &b.scale)
	case hitSign:
		d.desk.Send(pane.GoTo{Tab: pane.TabAlerts})
	case hitTitle:
		if d.divided.again = hit.A == d.focus && button == tea.MouseLeft; !d.divided.again {
			d.focusOn(hit.A)
		}
	case hitRow, hitGraph:
		switch {
		case hit.B >= len(b.lines):
		case hit.Kind == hitRow && button == tea.MouseLeft && hit.A == d.focus && hit.B == d.selectedLine():
			d.open()
		default:
			d.focus, d.selected = hit.A, b.lines[hit.B].id()
		}
	}
}

// openMore shows what a pane has no room for: the instances in their table, of other panes all rows.
func (d *Deck) openMore(p int) {
	b := d.panes[p]
	if b.host != nil && b.set.Instances.Multiple() && b.items[0].sel.Wild {
		d.desk.Send(pane.OpenTop{Host: b.host, Set: b.set, Sort: b.items[0].counter})
		return
	}
	d.focusOn(p)
	d.zoom()
}

// holdScale holds a scale of the graph of a pane, or lets it follow the values again.
func (d *Deck) holdScale(b *block, by *scale.Scale) {
	s, text := &b.picture.of, "the scale follows the values"
	switch n := s.plot.graphed; {
	case n < 0 || n >= len(b.lines) || b.made == nil:
		text = whyNoGraph
	case b.ruleIn(s) != scale.Rule{}:
		text = "the scale is that of all percentages, or the limit"
	case by.Hold():
		text = "the scale is held"
	}
	d.desk.Say(text)
}

const whyNoGraph = "there is no graph in this pane"

// showMoment shows when the newest sample of a cell of the graph of a pane was taken, x cells
// from where the pane begins.
func (d *Deck) showMoment(b *block, x int) {
	s, cell := &b.picture.of, x-1
	if s.kind == kind.Rows {
		cell = x - graphLeft
	}
	w := graphWidth(s)
	if b.made.Next() == 0 || cell < 0 || cell >= w {
		return
	}
	line := b.made.Timeline
	from, to, ok := graph.CellSamples(w, s.perDot(w), s.plot.end, s.wipe, cell)
	if !ok || to <= line.First || from >= s.plot.end {
		return
	}
	var at time.Time // the newest of all is now
	if last := min(to, s.plot.end); last < line.Next() || d.desk.Past() {
		at = line.At(last - 1)
	}
	d.desk.MoveTo(at)
}
