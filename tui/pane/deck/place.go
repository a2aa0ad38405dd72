package deck

import (
	"slices"

	"perfdeck/tui/kit/kind"
	"perfdeck/tui/layout"
)

// place decides where the panes go. The places of before are good while nothing changed.
func (d *Deck) place(body layout.Rect) {
	parts := d.parts[:0]
	for i := range d.panes {
		parts = append(parts, d.part(i))
	}
	d.parts = parts
	at := placed{body: body, alone: -1, tree: d.divided.tree}
	if d.zoomed {
		at.alone = d.focus
	}
	if d.laid.placed != at || !slices.Equal(d.laid.parts, parts) {
		d.laid.placed, d.laid.parts = at, slices.Clone(parts)
		d.laid.places = d.placeAll()
	}
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

// placed is what places are made for, besides the panes.
type placed struct {
	body  layout.Rect
	alone int          // pane that is zoomed; -1: none
	tree  *layout.Tree // as the user divided the screen
}

// placeAll gives the panes their places: one all the room, as the user divided the screen where
// that has room for all, else automatically.
func (d *Deck) placeAll() []layout.Placed {
	parts := d.laid.parts
	rects, out := make([]layout.Rect, len(parts)), make([]layout.Placed, len(parts))
	for i := range out {
		out[i].Hidden = true
	}
	if d.zoomed {
		zoomed := parts[d.focus]
		zoomed.Draws = true
		out[d.focus] = layout.Alone(d.laid.body, zoomed)
		return out
	}
	byHand := d.divided.tree.Place(d.laid.body, rects)
	for i, r := range rects { // what was spare, when it was divided, may have none
		if byHand = byHand && (r.W > 0 || parts[i].Spare); byHand && r.W > 0 {
			out[i] = layout.Alone(r, parts[i])
		}
	}
	if byHand {
		return out
	}
	return layout.Place(d.laid.body, parts)
}

// part is a pane as the layout sees it. The first one is above all others if it is a graph, and
// cells that follow it are beside it: however these are drawn, they keep their places.
func (d *Deck) part(i int) layout.Pane {
	b := d.panes[i]
	p := layout.Pane{
		Rows: max(1, len(b.lines)), Draws: b.graphed() >= 0, Pair: b.kinds.as.Paired,
		Wide: i == 0 && d.isLed(), Beside: d.isBeside(b), Spare: b.spec.Spare,
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
// history in place of that, leastCell one of neither.
const (
	annotatedCell = 46
	sparkedCell   = 34
	leastCell     = 20
)
