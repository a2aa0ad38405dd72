package deck

import (
	"slices"

	"perfdeck/tui/kit/kind"
	"perfdeck/tui/layout"
)

// laid is where panes were placed last.
type laid struct {
	body   layout.Rect
	by     layout.Division
	parts  []layout.Pane // for which
	places []layout.Placed
}

// lay places panes. The places of before are good while nothing changed: then it is false.
func (l *laid) lay(body layout.Rect, by layout.Division, parts []layout.Pane) bool {
	if l.body == body && l.by == by && slices.Equal(l.parts, parts) {
		return false
	}
	*l = laid{body, by, slices.Clone(parts), layout.Place(body, by, parts)}
	return true
}

// place decides where the panes go.
func (d *Deck) place(body layout.Rect) {
	parts := d.parts[:0]
	for i := range d.panes {
		parts = append(parts, d.part(i))
	}
	d.parts = parts
	by := layout.Division{Tree: d.divided.tree}
	if d.zoomed {
		by.Alone = d.focus + 1
	}
	d.laid.lay(body, by, parts)
	if seen := slices.IndexFunc(d.laid.places, func(p layout.Placed) bool { return !p.Hidden }); seen >= 0 && d.laid.places[d.focus].Hidden {
		d.focus = seen
		d.keepSelection()
	}
	for i, b := range d.panes {
		if brief := len(b.lines) > d.laid.places[i].Rows; b.brief != brief && !b.hasInstances() && b.kinds.derived == kind.Meters {
			b.brief = brief
			d.remake(b)
		}
	}
}

// part is a pane as the layout sees it. The first one is above all others if it is a graph, and
// cells that follow it are beside it: however these are drawn, they keep their places.
func (d *Deck) part(i int) layout.Pane {
	b := d.panes[i]
	p := layout.Pane{
		Rows: max(1, len(b.lines)), Draws: b.graphed() >= 0, Pair: b.kinds.as.Paired,
		Wide: i == 0 && d.isLed(), Beside: d.isBeside(b), Spare: b.spec.Spare,
	}
	if b.cells > 0 && len(d.words) == 0 { // who comes later changes no places
		p.Rows = b.cells
	}
	switch b.kinds.as.Kind {
	case kind.Graph:
		p.Form = layout.FormGraph
	case kind.Meters:
		p.Form = layout.FormMeters
	case kind.Cells:
		p.Form, p.Rows, p.Instances = layout.FormCells, 0, b.cells
		switch {
		case b.annotation() != nil:
			p.Cell = annotatedCell
		case b.isSparked():
			p.Cell = sparkedCell
		}
	case kind.Table:
		if p.Form, p.Rows, p.Instances = layout.FormTable, 0, b.cells; b.spec.Busiest > 0 {
			p.Instances = layout.Elastic
		}
	case kind.Rows:
	}
	return p
}

// isLed tells that the first pane is a graph over the whole width.
func (d *Deck) isLed() bool {
	const least = 3 // panes
	return len(d.panes) >= least && d.panes[0].placedAs() == kind.Graph
}

// isBeside tells that a pane is beside the first one.
func (d *Deck) isBeside(b *block) bool {
	return d.isLed() && b == d.panes[1] && b.placedAs() == kind.Cells
}

// annotatedCell is a cell with another number behind its meter, sparkedCell one with its
// history in place of that, leastCell one of neither. leastName is what a number leaves its name.
const (
	annotatedCell = 46
	sparkedCell   = 37 + cellGap
	leastCell     = 20
	leastName     = 4
)
