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
	d.isHost = false
	if d.tree != nil && !d.zoomed {
		d.placeTree()
		return
	}
	d.places = slices.Grow(d.places[:0], n)[:n]
	clear(d.places)
	if d.zoomed {
		d.placeZoomed()
		return
	}
	if d.placeHost() {
		return
	}
	d.shapes = d.shapes[:0]
	for _, b := range d.panes {
		d.shapes = append(d.shapes, b.shape(d.body.W))
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
	for i := range d.places { // of graphs the spare rows are the graph's
		if p := &d.places[i]; d.panes[i].as.Kind == kind.Graph || d.panes[i].as.Kind == kind.Cells {
			p.Rows, p.Graph = max(0, p.H-1), 0
		}
	}
}

// placeZoomed gives one pane all the room.
func (d *Deck) placeZoomed() {
	for i := range d.places {
		d.places[i].Hidden = i != d.focus
	}
	b := d.panes[d.focus]
	rows := len(b.lines)
	p := layout.Placed{Rect: d.body, Rows: min(rows, d.body.H-1)}
	if spare := d.body.H - 1 - rows; spare >= 3 {
		p.Graph = spare
	}
	if k := b.as.Kind; k != kind.Rows && k != kind.Meters {
		p.Rows, p.Graph = d.body.H-1, 0
	}
	d.places[d.focus] = p
}

// placeHost places the panes of one host as deck.md 3 has it. It reports whether these
// are such panes. The places of before are good while nothing changed.
func (d *Deck) placeHost() bool {
	d.parts = d.parts[:0]
	for _, b := range d.panes {
		if b.host != d.panes[0].host {
			return false
		}
		d.parts = append(d.parts, b.part())
	}
	if d.placed.body != d.body || !slices.Equal(d.placed.parts, d.parts) {
		d.placed.body, d.placed.parts = d.body, slices.Clone(d.parts)
		d.placed.places, d.placed.ok = layout.Host(d.body, d.parts)
	}
	if !d.placed.ok {
		return false
	}
	copy(d.places, d.placed.places)
	d.first, d.isHost = 0, true
	return !d.places[d.focus].Hidden || d.focusSeen()
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
	i := slices.IndexFunc(d.places, func(p layout.Placed) bool { return !p.Hidden })
	if i >= 0 {
		d.focus = i
		d.keepSelection()
	}
	return i >= 0
}

// scrolls tells that the deck is one column that has no room for all panes.
func (d *Deck) scrolls() bool {
	hidden := func(p layout.Placed) bool { return p.Hidden }
	return d.tree == nil && !d.zoomed && !d.isHost && slices.ContainsFunc(d.places, hidden)
}

// columnGraph is the rows of a graph in columns of panes.
const columnGraph = 8

// shape is how much room a pane wants in columns.
func (b *block) shape(w int) layout.Pane {
	switch b.as.Kind {
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
