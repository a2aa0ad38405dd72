package deck

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"perfdeck/session"
	"perfdeck/tui/pane"
)

// Add puts the counters of a path on the deck: into the pane of their
// counterset, or a new one.
func (d *Deck) Add(text string) error {
	cat := d.host.Sampler.Catalogue()
	if cat == nil {
		return errNoCatalogue
	}
	items, err := d.resolve(cat, text)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(d.panes, func(b *block) bool { return b.set == items[0].sel.Set && b.spec.Busiest == 0 })
	if i >= 0 && slices.Contains(d.panes[i].spec.Paths, text) {
		d.selectItem(i, func(it *item) bool { return it.text == text })
		return nil
	}
	d.remember()
	if busy := ranks(items); busy || i < 0 {
		i = len(d.panes)
		spec := session.DeckPane{Host: d.host.Name}
		if busy {
			spec.Busiest = busiestShown
		}
		d.panes = append(d.panes, &block{spec: spec})
	}
	d.panes[i].add(text, items)
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
	lines := d.panes[pane].lines
	if at := slices.IndexFunc(lines, func(l line) bool { return is(l.item) }); at >= 0 {
		d.selected = lines[at].id()
	}
}

type deckError string

func (e deckError) Error() string { return string(e) }

const errNoCatalogue = deckError("the host has not told its counters yet")

// remove takes the selected row, with all that came by the same path, off the
// deck.
func (d *Deck) remove() tea.Cmd {
	i := d.selectedLine()
	if i < 0 {
		return nil
	}
	text := d.panes[d.focus].lines[i].item.text
	d.drop(text)
	d.selectNear(i)
	return tea.Batch(pane.Send(pane.Reask{}), pane.Send(pane.Say{Text: "removed " + text + "   u undo"}))
}

// drop takes all that came by a path off the deck.
func (d *Deck) drop(text string) {
	d.remember()
	for _, b := range d.panes {
		b.items = slices.DeleteFunc(b.items, func(it *item) bool { return it.text == text })
		b.spec.Paths = slices.DeleteFunc(b.spec.Paths, func(p string) bool { return p == text })
	}
	n := len(d.panes)
	d.panes = slices.DeleteFunc(d.panes, func(b *block) bool { return len(b.items) == 0 })
	d.zoomed = d.zoomed && len(d.panes) == n
	d.focus = max(0, min(d.focus, len(d.panes)-1))
	d.refresh()
}

// selectNear selects line i of the focused pane, or what is near it.
func (d *Deck) selectNear(i int) {
	d.refresh()
	if d.focus < len(d.panes) {
		if lines := d.panes[d.focus].lines; len(lines) > 0 {
			d.selected = lines[min(i, len(lines)-1)].id()
		}
	}
}

// mostUndo bounds how many changes can be taken back.
const mostUndo = 50

// remember keeps the deck as it is, to come back to it.
func (d *Deck) remember() {
	d.undo = append(d.undo, d.Spec())
	if len(d.undo) > mostUndo {
		d.undo = d.undo[1:]
	}
}

// undoChange takes the last change back.
func (d *Deck) undoChange() tea.Cmd {
	cat := d.host.Sampler.Catalogue()
	if len(d.undo) == 0 || cat == nil {
		return nil
	}
	last := d.undo[len(d.undo)-1]
	d.undo = d.undo[:len(d.undo)-1]
	d.load(last, cat)
	return pane.Send(pane.Reask{})
}
