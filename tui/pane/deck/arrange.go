package deck

import (
	"slices"

	"perfdeck/tui/keys"
	"perfdeck/tui/layout"
	"perfdeck/tui/pane"
)

// arranging is the layout mode: the screen is divided by hand.
type arranging struct {
	undo func() // brings back what was before
}

func (d *Deck) whyNoLayout() string {
	switch {
	case len(d.panes) == 0:
		return "there is no pane"
	case d.zoomed:
		return "the pane is zoomed: z"
	}
	return ""
}

// arrange begins the layout mode with the panes where they are.
func (d *Deck) arrange() {
	d.divided.arranging = &arranging{undo: d.memory()}
	d.divided.tree = d.tree()
}

// tree is how the screen is divided, by the user or automatically.
func (d *Deck) tree() *layout.Tree {
	if d.divided.tree != nil {
		return d.divided.tree
	}
	return layout.NewTree(d.rects())
}

// rects are the places of the panes, empty for those that are hidden, or were not drawn yet.
func (d *Deck) rects() []layout.Rect {
	out := make([]layout.Rect, len(d.panes))
	for i := range min(len(out), len(d.laid.places)) {
		out[i] = d.laid.places[i].Rect
	}
	return out
}

// borderStep is how far one key moves a border to the side, in cells.
const borderStep = 2

func (d *Deck) arrangeBindings() []keys.Binding {
	const size, move = "move the border", "move the pane"
	var out []keys.Binding
	for _, k := range []struct {
		arrow, letter keys.List
		s             layout.Split
		cells         int
	}{
		{"left", "H", layout.Beside, -borderStep}, {"right", "L", layout.Beside, borderStep},
		{"up", "K", layout.Above, -1}, {"down", "J", layout.Above, 1},
	} {
		border := keys.Binding{Keys: k.arrow, Show: "arrows", Text: size, Section: keys.Change, Do: func() { d.resize(k.s, k.cells) }}
		pane := keys.Binding{Keys: k.letter, Fixed: true, Show: "HJKL", Text: move, Section: keys.Change, Do: func() { d.movePane(k.s, k.cells) }}
		out = append(out, border, pane)
	}
	out[0].Hint, out[1].Hint = "border", "move"
	return append(out, []keys.Binding{
		{Keys: "|", Fixed: true, Text: "new pane beside", Hint: "beside", Section: keys.Change, Do: func() { d.split(layout.Beside) }},
		{Keys: "_", Fixed: true, Text: "new pane below", Hint: "below", Section: keys.Change, Do: func() { d.split(layout.Above) }},
		{Keys: "tab", Text: "next pane", Hint: "pane", Do: func() { d.turn(1) }},
		{Keys: "shift+tab", Text: "previous pane", Do: func() { d.turn(-1) }},
		{Keys: "=", Text: "automatic layout", Hint: "automatic", Section: keys.Change, Do: d.automatic},
		{Keys: "enter", Text: "keep the layout", Hint: "keep", Do: d.keepLayout},
		{Keys: "esc", Text: "as it was", Hint: "as it was", Do: d.dropLayout},
	}...)
}

func (d *Deck) resize(s layout.Split, cells int) {
	if tree := d.tree().Resize(d.laid.body, d.focus, s, cells); tree != nil {
		d.divided.tree = tree
		return
	}
	d.desk.Say("there is no border to move")
}

// movePane lets the focused pane and the one in the direction change places.
func (d *Deck) movePane(s layout.Split, towards int) {
	other := layout.Beyond(d.rects(), d.focus, s, towards)
	if other < 0 {
		d.desk.Say("there is no pane")
		return
	}
	d.divided.tree = d.tree().Swap(d.focus, other)
}

// split asks for a counter, which gets a pane of its own beside the focused one.
func (d *Deck) split(s layout.Split) {
	d.divided.aim = d.tree().SplitPane(d.focus, len(d.panes), s)
	d.askAdd()
}

// automatic takes the user's layout back. The mode goes on: enter keeps that, esc does not.
func (d *Deck) automatic() {
	d.divided.tree, d.divided.aim = nil, nil
	d.desk.Say("automatic layout: enter keeps it, esc leaves the deck as it was")
}

func (d *Deck) keepLayout() {
	text := "the layout stays; W writes the deck"
	if d.divided.tree == nil {
		text = "automatic layout"
	}
	d.desk.Did(text, d.divided.arranging.undo)
	d.divided.arranging, d.divided.aim = nil, nil
}

func (d *Deck) dropLayout() {
	d.divided.arranging.undo()
	d.divided.arranging = nil
	d.desk.Reask()
}

// held is a border that the mouse holds: where it took hold of it, if one is there.
type held struct {
	x, y int
	tree *layout.Tree // as it was then
	was  *layout.Tree // of the deck; nil: automatic
	undo func()
}

// Grip takes hold of the border that lies under the mouse.
func (d *Deck) Grip(hit pane.Hit, x, y int) {
	d.divided.held = nil
	switch {
	case hit.Kind == hitGraph && hit.A < len(d.panes):
		d.showMoment(d.panes[hit.A], x-d.laid.places[hit.A].X)
	case hit.Kind == hitGap && !d.zoomed:
		d.divided.held = &held{x, y, d.tree(), d.divided.tree, d.memory()}
	}
}

// Drag moves the border that was taken hold of, or a pane by its title to the place of another.
// A pane is zoomed by a second click on its title.
func (d *Deck) Drag(from pane.Hit, x, y int, released bool) {
	switch {
	case from.Kind == hitGap && d.divided.held != nil:
		d.dragBorder(x, y, released)
	case from.Kind != hitTitle || !released:
	case d.divided.again && d.divided.arranging == nil && d.paneAt(x, y) == from.A && y == d.laid.places[from.A].Y:
		d.divided.again = false
		d.zoom()
	default:
		d.dropPane(from.A, x, y)
	}
}

// dragBorder moves the border that the mouse holds: from then on the layout is the user's.
func (d *Deck) dragBorder(x, y int, released bool) {
	h := d.divided.held
	if released {
		d.divided.held = nil
		if d.divided.tree == h.was { // it was not moved
			return
		}
	}
	if tree := h.tree.MoveBorder(d.laid.body, h.x, h.y, x-h.x, y-h.y); tree != nil {
		d.divided.tree = tree
	}
	if released {
		d.desk.Did("moved a border", h.undo)
	}
}

// paneAt is the pane that has a cell, -1 if none does.
func (d *Deck) paneAt(x, y int) int {
	return slices.IndexFunc(d.rects(), func(r layout.Rect) bool { return r.Has(x, y) })
}

// dropPane lets a pane that was dragged change places with the one below the mouse.
func (d *Deck) dropPane(from, x, y int) {
	i := d.paneAt(x, y)
	if i < 0 || i == from || from >= len(d.panes) {
		return
	}
	undo := d.memory()
	d.divided.tree = d.tree().Swap(from, i)
	d.desk.Did("moved a pane", undo)
}

// Mode tells of the layout mode that is on whether it was left since: it is kept
// or dropped as one. It is nil if none is on.
func (b *Book) Mode() func() bool {
	d := b.deck()
	if d == nil || d.divided.arranging == nil {
		return nil
	}
	mode := d.divided.arranging
	return func() bool { return d.divided.arranging != mode }
}

// hostName is the name of the host of a pane, which may not be watched.
func (b *block) hostName() string {
	if b.host != nil {
		return b.host.Name
	}
	return b.spec.Host
}
