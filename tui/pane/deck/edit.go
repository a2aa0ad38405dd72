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
	text, before := d.panes[d.focus].lines[i].item.text, d.Spec()
	d.drop(text)
	d.selectNear(i)
	return tea.Batch(pane.Send(pane.Reask{}), pane.Send(pane.Did{
		Text: "removed " + text,
		Undo: func() tea.Cmd { d.restore(before); return nil },
	}))
}

// drop takes all that came by a path off the deck.
func (d *Deck) drop(text string) {
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

// restore brings the deck back to what it was.
func (d *Deck) restore(spec []session.DeckPane) {
	if cat := d.host.Sampler.Catalogue(); cat != nil {
		d.load(spec, cat)
	}
}
