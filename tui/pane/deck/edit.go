package deck

import (
	"errors"
	"slices"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/tui/kit/kind"
	"perfdeck/tui/layout"
	"perfdeck/tui/pane"
)

// Add puts the counters of a path of a host on the deck: into the pane of their
// counterset, or a new one. On a deck of the user's nil is every host that has it.
func (d *Deck) Add(h *pane.Host, text string) (err error) {
	if h != nil || d.host != nil {
		return d.put(h, text, false)
	}
	added := false
	for _, h := range d.desk.Hosts {
		err = d.put(h, text, false)
		added = added || err == nil
	}
	if added {
		return nil
	}
	return err
}

// put is Add; with lasting a counter that the host lacks gets its row too.
func (d *Deck) put(h *pane.Host, text string, lasting bool) error {
	if d.host != nil {
		h = d.host
	}
	items, err := d.resolve(h.Sampler.Catalogue(), text, lasting)
	if err != nil {
		return err
	}
	same := func(path string) bool { return paths.EqualFold(path, text) }
	there := slices.IndexFunc(d.panes, func(b *block) bool { return b.host == h && slices.ContainsFunc(b.spec.Paths, same) })
	if there >= 0 && d.divided.aim == nil {
		d.selectItem(there, func(it *item) bool { return same(it.text) })
		return nil
	}
	i := slices.IndexFunc(d.panes, func(b *block) bool {
		return b.host == h && b.set == items[0].sel.Set && b.spec.Busiest == 0 && b.isWild() == items[0].sel.Wild
	})
	if busy := ranks(items); busy || i < 0 || d.divided.aim != nil {
		i = len(d.panes)
		spec := session.DeckPane{Host: h.Name, AsNamed: true}
		if busy {
			spec.Busiest = busiestShown
		}
		if d.divided.tree == nil && d.divided.aim == nil && d.isLed() { // what was added stands before the table
			if at := slices.IndexFunc(d.panes, func(b *block) bool { return b.kinds.as.Kind == kind.Table }); at >= 0 {
				i = at
			}
		}
		d.panes = slices.Insert(d.panes, i, &block{host: h, spec: spec})
		at := i - 1
		for at > 0 && at < len(d.laid.places) && d.laid.places[at].Hidden {
			at--
		}
		if d.divided.tree = d.divided.tree.SplitPane(at, i, layout.Above); d.divided.aim != nil {
			d.divided.tree, d.divided.aim = d.divided.aim, nil
		}
	}
	d.panes[i].add(text, items)
	d.settleKinds()
	d.refresh()
	d.selectItem(i, func(it *item) bool { return it == items[0] })
	return nil
}

// busiestShown is how many rows a pane of the busiest asks for.
const busiestShown = 12

// ranks tells whether a path is shown by its busiest instances: one counter of
// all instances of a set such as Process, where hundreds are idle.
func ranks(items []*item) bool {
	it := items[0]
	return len(items) == 1 && !it.missing && len(it.sel.Set.Facts) > 0 && it.sel.Path.InstanceText() == "*"
}

// selectItem focuses a pane and selects its first line of an item.
func (d *Deck) selectItem(pane int, is func(*item) bool) {
	d.focus = pane
	d.choose(func(b *block, l *line) bool { return b == d.panes[pane] && is(l.item) })
}

var (
	errNoCatalogue = errors.New("the host has not told its counters yet")
	errNotWatched  = errors.New("no host of this name is watched: 7 adds it")
	errOtherHost   = errors.New("the path is of another host: D makes a deck of several")
)

// remove takes the selected row, with all that came by the same path, off the panes that drop
// takes it off, of which memory keeps what they are.
func (d *Deck) remove(memory func() func(), drop func(text string)) {
	i := d.selectedLine()
	text, undo := d.panes[d.focus].lines[i].item.text, memory()
	drop(text)
	d.selectLine(i)
	d.desk.Reask()
	d.desk.Did("removed "+text, undo)
}

// drop takes all that came by a path off some panes.
func (d *Deck) drop(text string, from []*block) {
	for _, b := range from {
		gone := slices.DeleteFunc(slices.Clone(b.items), func(it *item) bool { return it.text != text })
		if len(gone) == 0 {
			continue
		}
		d.linger(b, gone)
		is := func(p string) bool { return p == text }
		b.spec.Paths, b.spec.Also = slices.DeleteFunc(b.spec.Paths, is), slices.DeleteFunc(b.spec.Also, is)
		b.items = slices.DeleteFunc(b.items, func(it *item) bool { return it.text == text })
		b.targets, b.kinds.home, b.cells = nil, nil, 0 // it is another pane
	}
	n := len(d.panes)
	for i := n - 1; i >= 0; i-- {
		if len(d.panes[i].items) == 0 {
			d.focusNear(i)
			d.panes = slices.Delete(d.panes, i, i+1)
			d.divided.tree, d.divided.aim = d.divided.tree.Remove(i), d.divided.aim.Remove(i)
		}
	}
	d.zoomed = d.zoomed && len(d.panes) == n
	d.focus = max(0, min(d.focus, len(d.panes)-1))
	d.settleKinds()
	d.dropMarks()
	d.refresh()
}

// focusNear moves the focus from a pane that leaves to its neighbour; the panes behind it get the number before theirs.
func (d *Deck) focusNear(leaving int) {
	for _, towards := range []int{-1, 1} {
		for _, s := range []layout.Split{layout.Above, layout.Beside} {
			if other := layout.Beyond(d.rects(), leaving, s, towards); other >= 0 && d.focus == leaving && d.divided.tree != nil {
				d.focus = other
			}
		}
	}
	if d.focus > leaving {
		d.focus--
	}
}

// memory keeps the deck as it is; what it returns brings it back, with the focus and the row that is selected.
func (d *Deck) memory() func() {
	spec, tree := d.Spec(), d.divided.tree
	focus, selected := d.focus, d.selected
	return func() {
		d.focus, d.divided.tree, d.divided.aim = focus, tree, nil
		d.load(spec)
		d.reselect(selected)
	}
}

// reselect selects a row that was on the focused pane, though its item may be another one now.
func (d *Deck) reselect(was rowID) {
	d.choose(func(b *block, l *line) bool {
		return was.item != nil && b == d.panes[d.focus] && l.item.text == was.item.text && l.item.name() == was.item.name() && l.key == was.key
	})
}

// Kept is the deck as it is written to the state file.
func (d *Deck) Kept() session.Deck {
	return session.Deck{Name: d.name, Layout: d.divided.tree.String(), Panes: d.Spec()}
}
