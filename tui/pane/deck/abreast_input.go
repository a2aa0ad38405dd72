package deck

import (
	"math"
	"slices"

	tea "charm.land/bubbletea/v2"

	"perfdeck/tui/keys"
	"perfdeck/tui/kit/list"
	"perfdeck/tui/layout"
	"perfdeck/tui/pane"
)

// bindings are those of a deck, for the focused host, but that panes are hosts
// and what is added or removed is so on all.
func (a *Abreast) bindings() []keys.Binding {
	turn := func(n int) func() { return func() { a.turn(n) } }
	return slices.Concat(common(a.focused, ", on all hosts", a.remove, func() { a.focused().combine(a.decks, a.memory) }), []keys.Binding{
		{Keys: "esc", Text: "end the filter, the cursor; back", Do: a.desk.Back},
		{Keys: "v", Text: "next kind of the pane, on all hosts", Why: func() string { return a.focused().whyOneKind() }, Do: a.cycleKind},
		{Keys: "z", Text: "zoom: the host's own deck", Hint: "zoom",
			Do: func() { a.desk.Send(pane.OpenHost{Host: a.focused().host}) }},
		{Keys: "=", Text: "a scale for each host, one for all", Do: a.toggleOwn},
		{Keys: "tab", Text: "next host", Do: turn(1)},
		{Keys: "shift+tab", Text: "previous host", Do: turn(-1)},
	}, pane.SideKeys("column beside", a.side), pane.ListKeys("select", func(m list.Motion) { a.move(m.Lines(math.MaxInt32, a.matrix.height(a.focus))) }))
}

// turn focuses the host that is n away, around the ends; the selection stays in its column.
func (a *Abreast) turn(n int) {
	order := a.order()
	to := order[(slices.Index(order, a.focus)+n+len(order))%len(order)]
	c, at, ok := a.at()
	if a.focus = to; ok {
		a.choose(to, c, at)
	}
}

// side goes to the column beside.
func (a *Abreast) side(n int) {
	c, at, _ := a.at()
	if c = layout.Beyond(a.matrix.rects, c, layout.Beside, n); c >= 0 {
		a.choose(a.focus, c, at)
	}
}

// move moves the selection by n values down its column and those below it, from host to host, also to those
// that have none.
func (a *Abreast) move(n int) {
	c, at, _ := a.at()
	order, stack := a.order(), a.matrix.stack(c)
	of := func(group int) (i, c int) { return order[group/len(stack)], stack[group%len(stack)] }
	group := slices.Index(order, a.focus)*len(stack) + slices.Index(stack, c)
	group, at = list.Across(n, group, at, 0, len(order)*len(stack)-1, func(group int) int {
		return max(len(a.slots(of(group))), 1-group%len(stack))
	})
	i, c := of(group)
	a.choose(i, c, at)
}

// order is the hosts as they stand on the screen.
func (a *Abreast) order() []int {
	answering, silent := a.answering()
	return append(answering, silent...)
}

// cycleKind draws the focused pane as its next kind, on all hosts: as one that is another picture here.
func (a *Abreast) cycleKind() {
	first := a.focused()
	p := first.focus
	was := first.panes[p].kindBeside()
	for again := true; again; {
		for _, d := range a.each() {
			if d.pane(p) != nil {
				d.cycleKind(p)
			}
		}
		b := first.panes[p]
		again = b.kindBeside() == was && b.kinds.home != nil && b.kinds.home.at > 0
	}
	a.desk.Say("drawn as " + first.panes[p].kindBeside().String())
}

// toggleOwn gives each host its own scales, or all of them one.
func (a *Abreast) toggleOwn() {
	text := "one scale for all hosts"
	if a.matrix.own = !a.matrix.own; a.matrix.own {
		text = "each host has its own scale"
	}
	a.desk.Say(text)
}

// remove takes the selected counter off the decks of all hosts.
func (a *Abreast) remove() {
	a.focused().remove(a.memory, func(text string) {
		for _, d := range a.decks {
			d.drop(text, d.panes)
		}
	})
}

// cell is the number by which clicks name a pane of a host.
func (a *Abreast) cell(i, p int) int { return i*max(1, len(a.matrix.measures)) + p }

// cellOf is the host and the pane of a cell.
func (a *Abreast) cellOf(cell int) (i, p int) {
	n := max(1, len(a.matrix.measures))
	return cell / n, cell % n
}

// Click selects a host or a row; on the selected one it opens it.
func (a *Abreast) Click(hit pane.Hit, button tea.MouseButton) {
	i, p := a.cellOf(hit.A)
	if i >= len(a.decks) {
		return
	}
	d, again := a.decks[i], a.focus == i
	switch hit.Kind {
	case hitScale:
		if by := &a.matrix.measures[p].scale; a.matrix.own {
			d.Click(pane.Hit{Kind: hitScale, A: p}, button)
		} else if b := d.pane(p); b != nil {
			d.holdScale(b, by)
		}
		return
	case hitSign, hitRetry:
		d.Click(pane.Hit{Kind: hit.Kind}, button)
		return
	}
	switch a.focus = i; {
	case hit.Kind == hitTitle && again && button == tea.MouseLeft:
		a.desk.Send(pane.OpenHost{Host: d.host})
	case hit.Kind == hitRow || hit.Kind == hitGraph:
		d.touched = a.desk.Now()
		if !again {
			hit.Kind = hitGraph // it is selected, whatever was on that host
		}
		if d.Click(pane.Hit{Kind: hit.Kind, A: p, B: hit.B}, button); a.matrix.isUnplaced(p) {
			d.open() // its row is an alert's, and not to be selected
		}
	}
}

// Grip shows the moment of the cell of a graph that lies under the mouse.
func (a *Abreast) Grip(hit pane.Hit, x, _ int) {
	if i, p := a.cellOf(hit.A); hit.Kind == hitGraph && i < len(a.decks) {
		if b := a.decks[i].pane(p); b != nil {
			a.decks[i].showMoment(b, x-a.matrix.places[p].X)
		}
	}
}
