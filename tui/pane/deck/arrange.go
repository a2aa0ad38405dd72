package deck

import (
	"perfdeck/tui/keys"
	"perfdeck/tui/layout"
	"perfdeck/tui/pane"
)

// arranging is the layout mode: the screen is divided by hand.
type arranging struct {
	undo func() // brings back what was before
}

// aim is where the next pane goes: beside a pane, or below it.
type aim struct {
	pane  int
	split layout.Split
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
	d.own()
}

// own makes the layout the user's.
func (d *Deck) own() {
	if d.divided.tree == nil {
		d.divided.tree = layout.NewTree(d.rects())
	}
}

// rects are the places of the panes, empty for those that are hidden.
func (d *Deck) rects() []layout.Rect {
	out := make([]layout.Rect, len(d.panes))
	for i := range min(len(out), len(d.laid.places)) {
		if !d.laid.places[i].Hidden {
			out[i] = d.laid.places[i].Rect
		}
	}
	return out
}

// placeNew gives a pane that was added its place in the user's layout.
func (d *Deck) placeNew(i int) {
	at := aim{pane: max(0, i-1), split: layout.Above}
	if d.divided.aim != nil && (d.divided.tree == nil || d.divided.tree.Has(d.divided.aim.pane)) { // else it left meanwhile
		at = *d.divided.aim
	}
	if d.divided.aim != nil && d.divided.tree == nil {
		d.divided.tree = layout.NewTree(d.rects()[:i])
	}
	d.divided.aim = nil
	if d.divided.tree != nil {
		d.divided.tree = d.divided.tree.SplitPane(at.pane, i, at.split)
	}
}

func (d *Deck) arrangeBindings() []keys.Binding {
	const size, move = "move the border", "move the pane"
	var out []keys.Binding
	for _, k := range []struct {
		arrow, letter string
		d             layout.Direction
	}{{"left", "H", layout.Left}, {"right", "L", layout.Right}, {"up", "K", layout.Up}, {"down", "J", layout.Down}} {
		border := keys.Binding{Keys: []string{k.arrow}, Show: "arrows", Text: size, Section: keys.Change, Do: func() { d.resize(k.d) }}
		pane := keys.Binding{Keys: []string{k.letter}, Fixed: true, Show: "HJKL", Text: move, Section: keys.Change, Do: func() { d.movePane(k.d) }}
		out = append(out, border, pane)
	}
	out[0].Hint, out[1].Hint = "border", "move"
	return append(out,
		keys.Binding{Keys: []string{"|"}, Fixed: true, Text: "new pane beside", Hint: "beside", Section: keys.Change, Do: func() { d.split(layout.Beside) }},
		keys.Binding{Keys: []string{"_"}, Fixed: true, Text: "new pane below", Hint: "below", Section: keys.Change, Do: func() { d.split(layout.Above) }},
		keys.Binding{Keys: []string{"tab"}, Text: "next pane", Hint: "pane", Section: keys.Go, Do: func() { d.turn(1) }},
		keys.Binding{Keys: []string{"shift+tab"}, Text: "previous pane", Section: keys.Go, Do: func() { d.turn(-1) }},
		keys.Binding{Keys: []string{"="}, Text: "automatic layout", Hint: "automatic", Section: keys.Change, Do: d.automatic},
		keys.Binding{Keys: []string{"enter"}, Text: "keep the layout", Hint: "keep", Section: keys.Go, Do: d.keepLayout},
		keys.Binding{Keys: []string{"esc"}, Text: "as it was", Hint: "as it was", Section: keys.Go, Do: d.dropLayout},
	)
}

// borderStep is how far one key moves a border, in cells.
const borderStep = 2

func (d *Deck) resize(to layout.Direction) {
	step := borderStep
	if to == layout.Up || to == layout.Down {
		step = 1
	}
	d.own()
	if !d.divided.tree.Resize(d.laid.body, d.focus, to, step) {
		d.desk.Send(pane.Say{Text: "there is no border to move"})
	}
}

// movePane lets the focused pane and the one in the direction change places.
func (d *Deck) movePane(to layout.Direction) {
	other := layout.Beyond(d.rects(), d.focus, to)
	if other < 0 {
		d.desk.Send(pane.Say{Text: "there is no pane"})
		return
	}
	d.own()
	d.divided.tree = d.divided.tree.Swap(d.focus, other)
}

// split asks for a counter, which gets a pane of its own beside the focused one.
func (d *Deck) split(s layout.Split) {
	d.divided.aim = &aim{pane: d.focus, split: s}
	d.askAdd()
}

// automatic takes the user's layout back. The mode goes on: enter keeps that, esc
// does not.
func (d *Deck) automatic() {
	d.divided.tree, d.divided.aim = nil, nil
	d.desk.Send(pane.Say{Text: "automatic layout: enter keeps it, esc leaves the deck as it was"})
}

func (d *Deck) keepLayout() {
	undo, text := d.divided.arranging.undo, "the layout stays; W writes the deck"
	if d.divided.tree == nil {
		text = "automatic layout"
	}
	d.divided.arranging, d.divided.aim = nil, nil
	d.desk.Send(pane.Did{Text: text, Undo: func() { undo() }})
}

func (d *Deck) dropLayout() {
	d.divided.arranging.undo()
	d.divided.arranging, d.divided.aim = nil, nil
	d.desk.Send(pane.Reask{})
}

// Drag moves the border that was taken hold of, or a pane by its title to the
// place of another.
func (d *Deck) Drag(from pane.Hit, x, y int, released bool) {
	if released && from.Kind == hitTitle && d.divided.again && d.hasTitle(from.A, x, y) {
		d.divided.again = false
		d.zoom()
		return
	}
	if d.zoomed || len(d.panes) < 2 {
		return
	}
	switch from.Kind {
	case hitGap:
		d.dragBorder(x, y, released)
	case hitTitle:
		if released {
			d.dropPane(from.A, x, y)
		}
	}
}

// hasTitle tells whether the title of a pane lies at a place.
func (d *Deck) hasTitle(p, x, y int) bool {
	if p >= len(d.laid.places) || d.divided.arranging != nil {
		return false
	}
	at := d.laid.places[p]
	return y == at.Y && x >= at.X && x < at.X+at.W
}

// held is a border that the mouse holds.
type held struct {
	node *layout.Tree
	of   layout.Rect
	tree *layout.Tree // of which it is; the deck's from the first move on
	undo func()
}

// Grip takes hold of the border that lies under the mouse, if one does.
func (d *Deck) Grip(hit pane.Hit, x, y int) {
	d.divided.held = nil
	if hit.Kind == hitGraph && hit.A < len(d.panes) {
		d.showMoment(hit.A, x)
	}
	if hit.Kind != hitGap || d.zoomed || len(d.panes) < 2 {
		return
	}
	tree := d.divided.tree
	if tree == nil {
		tree = layout.NewTree(d.rects())
	}
	if node, of, ok := tree.Border(d.laid.body, x, y); ok {
		d.divided.held = &held{node, of, tree, d.memory()}
	}
}

// dragBorder moves the border that the mouse holds: from then on the layout is
// the user's.
func (d *Deck) dragBorder(x, y int, released bool) {
	if d.divided.held == nil {
		return
	}
	if d.divided.tree != d.divided.held.tree && released { // it was not moved
		d.divided.held = nil
		return
	}
	d.divided.tree = d.divided.held.tree
	d.divided.held.node.MoveBorder(d.divided.held.of, x, y)
	if !released {
		return
	}
	undo := d.divided.held.undo
	d.divided.held = nil
	d.desk.Send(pane.Did{Text: "moved a border", Undo: func() { undo() }})
}

// dropPane lets a pane that was dragged change places with the one below the
// mouse.
func (d *Deck) dropPane(from, x, y int) {
	for i, r := range d.rects() {
		inside := x >= r.X && x < r.X+r.W && y >= r.Y && y < r.Y+r.H
		if !inside || i == from || from >= len(d.panes) {
			continue
		}
		undo := d.memory()
		d.own()
		d.divided.tree = d.divided.tree.Swap(from, i)
		d.desk.Send(pane.Did{Text: "moved a pane", Undo: func() { undo() }})
		return
	}
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
