package deck

import (
	"slices"

	"perfdeck/tui/kit/kind"
	"perfdeck/tui/layout"
)

// place decides where the panes go: as the user divided the screen, as the deck of
// one host, or, of any other panes, in columns. In one column the focused pane scrolls
// into view.
func (d *Deck) place() {
	n := len(d.panes)
	d.laid.isHost = false
	if d.divided.tree != nil && !d.zoomed {
		d.placeTree()
		return
	}
	d.laid.places = slices.Grow(d.laid.places[:0], n)[:n]
	clear(d.laid.places)
	if d.zoomed {
		d.placeZoomed()
		return
	}
	if d.placeHost() {
		return
	}
	d.laid.shapes = d.laid.shapes[:0]
	for _, b := range d.panes {
		d.laid.shapes = append(d.laid.shapes, b.shape(d.laid.body.W))
	}
	d.laid.first = min(d.laid.first, d.focus)
	placed := layout.Deck(d.laid.body, d.laid.shapes[d.laid.first:])
	for d.laid.first < d.focus && placed[d.focus-d.laid.first].Hidden {
		d.laid.first++
		placed = layout.Deck(d.laid.body, d.laid.shapes[d.laid.first:])
	}
	for i := range d.laid.places {
		d.laid.places[i].Hidden = i < d.laid.first
	}
	copy(d.laid.places[d.laid.first:], placed)
	for i := range d.laid.places { // of graphs the spare rows are the graph's
		if p := &d.laid.places[i]; d.panes[i].kinds.as.Kind == kind.Graph || d.panes[i].kinds.as.Kind == kind.Cells {
			p.Rows, p.Graph = max(0, p.H-1), 0
		}
	}
}

// placeZoomed gives one pane all the room.
func (d *Deck) placeZoomed() {
	for i := range d.laid.places {
		d.laid.places[i].Hidden = i != d.focus
	}
	b := d.panes[d.focus]
	rows := len(b.lines)
	p := layout.Placed{Rect: d.laid.body, Rows: min(rows, d.laid.body.H-1)}
	if spare := d.laid.body.H - 1 - rows; spare >= 3 {
		p.Graph = spare
	}
	if k := b.kinds.as.Kind; k != kind.Rows && k != kind.Meters {
		p.Rows, p.Graph = d.laid.body.H-1, 0
	}
	d.laid.places[d.focus] = p
}

// placeHost places the panes of one host as deck.md 3 has it. It reports whether these
// are such panes. The places of before are good while nothing changed.
func (d *Deck) placeHost() bool {
	d.laid.parts = d.laid.parts[:0]
	for _, b := range d.panes {
		if b.host != d.panes[0].host {
			return false
		}
		d.laid.parts = append(d.laid.parts, b.part())
	}
	if d.laid.placed.body != d.laid.body || !slices.Equal(d.laid.placed.parts, d.laid.parts) {
		d.laid.placed.body, d.laid.placed.parts = d.laid.body, slices.Clone(d.laid.parts)
		d.laid.placed.places, d.laid.placed.ok = layout.Host(d.laid.body, d.laid.parts)
	}
	if !d.laid.placed.ok {
		return false
	}
	copy(d.laid.places, d.laid.placed.places)
	d.laid.first, d.laid.isHost = 0, true
	return !d.laid.places[d.focus].Hidden || d.focusSeen()
}

// placed is a layout that was found.
type placed struct {
	body   layout.Rect
	parts  []layout.Part
	places []layout.Placed
	ok     bool
}

// focusSeen moves the focus to a pane that has a place.
func (d *Deck) focusSeen() bool {
	i := slices.IndexFunc(d.laid.places, func(p layout.Placed) bool { return !p.Hidden })
	if i >= 0 {
		d.focus = i
		d.keepSelection()
	}
	return i >= 0
}

// scrolls tells that the deck is one column that has no room for all panes.
func (d *Deck) scrolls() bool {
	hidden := func(p layout.Placed) bool { return p.Hidden }
	return d.divided.tree == nil && !d.zoomed && !d.laid.isHost && slices.ContainsFunc(d.laid.places, hidden)
}

// columnGraph is the rows of a graph in columns of panes.
const columnGraph = 8

// shape is how much room a pane wants in columns.
func (b *block) shape(w int) layout.Pane {
	switch b.kinds.as.Kind {
	case kind.Graph:
		return layout.Pane{Rows: max(columnGraph, min(len(b.lines), 2*columnGraph)), Most: 3 * columnGraph}
	case kind.Cells:
		c := layout.NewCells(w/layout.Columns(w), columnGraph, max(1, b.cells), leastCell, 2)
		return layout.Pane{Rows: max(c.Rows, c.Strips*c.Strip)}
	case kind.Rows, kind.Meters, kind.Table:
	}
	switch {
	case !b.hasInstances():
		return layout.Pane{Rows: len(b.lines)}
	case len(b.lines) == 0 || b.lines[0].row < 0: // before the first values the place is kept
		return layout.Pane{Rows: b.wanted(), Most: b.wanted()}
	}
	return layout.Pane{Rows: min(len(b.lines), b.wanted()), Most: len(b.lines)}
}

// leastCell is the fewest cells of a meter of an instance.
const leastCell = 20
