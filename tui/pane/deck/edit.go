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
	items, err := resolve(cat, text)
	if err != nil {
		return err
	}
	d.remember()
	i := slices.IndexFunc(d.panes, func(b *block) bool { return b.set == items[0].sel.Set && b.spec.Busiest == 0 })
	if i < 0 {
		i = len(d.panes)
		d.panes = append(d.panes, &block{spec: session.DeckPane{Host: d.host.Name}})
	}
	d.panes[i].add(text, items)
	d.focus = i
	d.refresh()
	lines := d.panes[i].lines
	if at := slices.IndexFunc(lines, func(l line) bool { return l.item == items[0] }); at >= 0 {
		d.selected = lines[at].id()
	}
	return nil
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
	d.remember()
	b := d.panes[d.focus]
	text := b.lines[i].item.text
	b.items = slices.DeleteFunc(b.items, func(it *item) bool { return it.text == text })
	b.spec.Paths = slices.DeleteFunc(b.spec.Paths, func(p string) bool { return p == text })
	if len(b.items) == 0 {
		d.panes = slices.Delete(d.panes, d.focus, d.focus+1)
		d.zoomed = false
	}
	d.selectNear(i)
	return tea.Batch(pane.Send(pane.Reask{}), pane.Send(pane.Say{Text: "removed " + text + "   u undo"}))
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
	d.Load(last, cat)
	return pane.Send(pane.Reask{})
}
