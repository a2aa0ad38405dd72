package deck

import (
	"math"
	"slices"

	"perfdeck/tui/keys"
	"perfdeck/tui/kit/kind"
	"perfdeck/tui/kit/list"
	"perfdeck/tui/pane"
)

// common are the keys of the deck of one host and of those of several: of which one, and where they change something.
func common(of func() *Deck, where string, remove, combine func()) []keys.Binding {
	return []keys.Binding{
		{Keys: "a", Text: "add a counter" + where, Hint: "add", Do: func() { of().askAdd() }},
		{Keys: "d delete", Text: "remove the selected counter" + where, Hint: "remove", Place: keys.WideOnly,
			Why: func() string { return of().whyUnseen() }, Do: remove},
		{Keys: "enter", Text: "open: one level deeper", Why: func() string { return of().whyNoValue() }, Do: func() { of().open() }},
		{Keys: "space", Text: "mark several", Section: keys.Selected, Why: func() string { return of().whyNoRow() }, Do: func() { of().mark() }},
		{Keys: pane.CombineKey, Text: "one row of the marked ones" + where,
			Why: func() string { return of().whyNotCombine() }, Do: combine},
	}
}

func (d *Deck) bindings() []keys.Binding {
	remove := func() {
		d.remove(d.memory, func(text string) { d.drop(text, d.panes[d.focus:d.focus+1]) })
	}
	return slices.Concat(common(d.focused, "", remove, func() { d.combine(d.each(), d.memory) }), []keys.Binding{
		{Keys: "v", Text: "next kind of the pane: graph, meters, cells, table, rows", Why: d.whyOneKind, Do: func() { d.cycleKind(d.focus) }},
		{Keys: "=", Text: "hold the scale of the graph; let it follow the values", Why: d.whyNoScale,
			Do: func() { d.holdScale(d.panes[d.focus], &d.panes[d.focus].scale) }},
		{Keys: "L", Text: "layout: divide the screen", Why: d.whyNoLayout, Do: d.arrange},
		{Keys: "z", Text: "zoom the pane", Hint: "zoom", Do: d.zoom},
		{Keys: "esc", Text: "end the filter, the zoom, the cursor; back", Do: d.escape},
		{Keys: "tab", Text: "next pane", Do: func() { d.turn(1) }},
		{Keys: "shift+tab", Text: "previous pane", Do: func() { d.turn(-1) }},
	}, pane.SideKeys("pane beside", d.turn), pane.ListKeys("select", func(m list.Motion) { d.move(m.Lines(math.MaxInt32, d.laid.body.H)) }))
}

func (d *Deck) whyNoRow() string {
	if d.selectedLine() < 0 {
		return "no counter is selected"
	}
	return ""
}

// whyUnseen keeps from changing a row that is not on the screen.
func (d *Deck) whyUnseen() string {
	if d.focus < len(d.laid.places) && d.laid.places[d.focus].Hidden && !d.zoomed {
		return "its pane is too small to show it: z zooms it"
	}
	return d.whyNoRow()
}

func (d *Deck) whyNoScale() string {
	if d.focus >= len(d.panes) || d.panes[d.focus].graphed() < 0 || d.panes[d.focus].picture.of.plot.hi == 0 {
		return whyNoGraph
	}
	return ""
}

func (d *Deck) whyNoValue() string {
	if i := d.selectedLine(); i >= 0 && d.panes[d.focus].lines[i].item.missing {
		return "the host does not have this counter, or does not answer yet"
	}
	return d.whyNoRow()
}

// escape ends the zoom; the filter goes before it, the cursor behind it: both are of all decks.
func (d *Deck) escape() {
	if d.zoomed && len(d.words) == 0 {
		d.zoom()
		return
	}
	d.desk.Back()
}

// move moves the selection by n rows, from pane to pane.
func (d *Deck) move(n int) {
	if len(d.panes) == 0 {
		return
	}
	d.touched = d.desk.Now()
	first, last := 0, len(d.panes)-1
	if d.zoomed {
		first, last = d.focus, d.focus
	}
	p, at := list.Across(n, d.focus, max(0, d.selectedLine()), first, last, func(p int) int { return len(d.panes[p].lines) })
	d.focus = p
	d.selectLine(at)
}

// selectLine selects a line of the focused pane, or the one nearest to it.
func (d *Deck) selectLine(i int) {
	if d.focus < len(d.panes) && len(d.panes[d.focus].lines) > 0 {
		lines := d.panes[d.focus].lines
		d.selected = lines[max(0, min(i, len(lines)-1))].id()
	}
}

// turn moves the focus by n panes, around the ends.
func (d *Deck) turn(n int) {
	if k := len(d.panes); k > 0 {
		d.focusOn((d.focus + n + k) % k)
	}
}

func (d *Deck) focusOn(i int) {
	d.focus = i
	d.selectLine(0)
}

func (d *Deck) zoom() {
	d.zoomed = !d.zoomed && len(d.panes) > 0
}

func (d *Deck) askAdd() {
	h := d.focusedHost()
	if h == nil {
		d.desk.Say(errNotWatched.Error())
		return
	}
	d.desk.Send(pane.AskCounter{Host: h})
}

// mark marks the selected row, or takes its mark back, and goes on.
func (d *Deck) mark() {
	if d.marks[d.selected] {
		delete(d.marks, d.selected)
	} else {
		d.marks[d.selected] = true
	}
	d.move(1)
}

// open goes one level deeper: from a process to its row in the table, from any other value to how it came about.
func (d *Deck) open() {
	if why := d.whyNoValue(); why != "" {
		d.desk.Say(why)
		return
	}
	t := d.targetOf(d.focus, d.selectedLine())
	if b := d.panes[d.focus]; b.hasInstances() || b.kinds.as.Kind == kind.Cells {
		d.desk.Send(pane.OpenTop{Host: t.Host, Set: t.Set, Key: t.Key, Sort: t.Counter})
		return
	}
	d.desk.Send(pane.OpenExplain{Target: t})
}
