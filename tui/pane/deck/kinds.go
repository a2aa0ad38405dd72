package deck

import (
	"slices"

	"perfdeck/session"
	"perfdeck/tui/kit/kind"
	"perfdeck/tui/layout"
	"perfdeck/tui/pane"
)

// derive finds out what the counters of a pane are drawn as on its host.
func (b *block) derive(numbers *pane.Numbers) {
	cat := b.catalogue()
	var parts []kind.Part
	for _, it := range b.items {
		look := numbers.Look(it.sel.Set, it.counter)
		if it.also {
			it.drawn = kind.Of(cat, it.sel.Set, it.counter, look)
			if it.missing {
				it.drawn = kind.Drawn{}
			}
			continue
		}
		p := kind.Part{Set: it.sel.Set, Counter: it.counter, Missing: true, Look: look}
		if !it.missing {
			p = kind.PartOf(&it.sel, look)
		}
		parts = append(parts, p)
	}
	b.as = kind.Derive(cat, parts, b.spec.Kind, b.spec.Limit, b.spec.Busiest > 0)
	b.derived = b.as.Choices()[0]
	at := 0
	for _, it := range b.items {
		if !it.also {
			it.drawn = b.as.Drawn[at]
			at++
		}
	}
}

// own is the kind that the paths of the pane have by themselves.
func (b *block) own() kind.Kind { return b.derived }

// nextKind is the kind behind the one that is shown, as the pane's spec writes it.
func (b *block) nextKind() string {
	choices := b.as.Choices()
	at := slices.Index(choices, b.as.Kind) + 1
	if at %= len(choices); at == 0 {
		return ""
	}
	return choices[at].String()
}

// cycleKind draws the focused pane as its next kind.
func (d *Deck) cycleKind() {
	b := d.panes[d.focus]
	spec := d.Spec()
	spec[d.focus].Kind = b.nextKind()
	tree, selected := d.tree, d.selected
	d.load(spec)
	d.tree = tree
	d.reselect(selected)
	d.desk.Send(pane.Reask{})
	d.desk.Send(pane.Say{Text: "drawn as " + d.panes[d.focus].as.Kind.String()})
}

func (d *Deck) whyOneKind() string {
	if d.focus >= len(d.panes) {
		return "there is no pane"
	}
	if len(d.panes[d.focus].as.Choices()) < 2 {
		return "these counters can be drawn as rows only"
	}
	return ""
}

// drawsUsed tells whether what is used is drawn of an item in place of what is left: in
// meters and cells, and in a graph of the first one.
func (b *block) drawsUsed(it *item) bool {
	own := b.own()
	switch {
	case it.drawn.Used == "":
		return false
	case own == kind.Graph || b.as.Kind == kind.Graph:
		return it == b.items[0]
	}
	return own == kind.Meters || own == kind.Cells
}

// kindIn is the kind of a pane in a place: rows, where it has less room than its kind
// takes (deck.md 1).
func (b *block) kindIn(p *layout.Placed, low bool) kind.Kind {
	h := p.H
	if p.Bare {
		h++
	}
	least := func(w, rows int) bool { return p.W >= w && h >= rows }
	ok := true
	switch b.as.Kind {
	case kind.Graph:
		rows := layout.MinGraphHeight
		if low {
			rows--
		}
		ok = !p.Bare && least(layout.MinGraphWidth, rows)
	case kind.Meters:
		ok = !p.Bare && least(layout.MinMetersWidth, layout.MinMetersHeight) && p.W >= leastMeters
	case kind.Cells:
		ok = p.Bare || p.W >= min(leastBarsPane, max(1, b.cells))
	case kind.Table:
		ok = least(layout.MinTableWidth, 3)
	case kind.Rows:
	}
	if !ok {
		return kind.Rows
	}
	return b.as.Kind
}

const (
	leastMeters   = 46 // a name, a value, a meter of 8 and its share
	leastBarsPane = 8
)

// assign gives the panes their roles on the deck of one host, by what their paths are
// by themselves: however they are drawn, they keep their places.
func (d *Deck) assign() {
	had := map[layout.Role]int{}
	before := layout.Added
	for _, b := range d.panes {
		role := layout.Added
		switch k := b.own(); {
		case b.spec.Spare:
			role = layout.Spare
		case k == kind.Graph && had[layout.Lead] == 0:
			role = layout.Lead
		case k == kind.Graph && had[layout.Flow] < 2:
			role = layout.Flow
		case k == kind.Cells && before == layout.Lead:
			role = layout.Each
		case k == kind.Meters && had[layout.Store] == 0:
			role = layout.Store
		case k == kind.Table && had[layout.Busiest] == 0:
			role = layout.Busiest
		}
		had[role]++
		b.role, before = role, role
	}
}

// part is the pane as the layout sees it.
func (b *block) part() layout.Part {
	p := layout.Part{Role: b.role, Rows: len(b.lines)}
	if b.own() == kind.Cells {
		p.Instances = max(1, b.cells)
		switch {
		case b.annotation() != nil:
			p.CellWidth = annotatedCell
		case b.isSparked():
			p.CellWidth = sparkedCell
		}
	}
	return p
}

// annotatedCell is a cell with another number behind its meter, sparkedCell one with its
// history in place of that.
const (
	annotatedCell = 46
	sparkedCell   = 34
)

// asksOfLimits appends what limits the counters of a pane.
func (b *block) asksOfLimits(asks []session.Ask) []session.Ask {
	for _, it := range b.items {
		if ask, ok := it.drawn.Limit.Ask(); ok && !it.missing {
			asks = append(asks, ask)
		}
	}
	return asks
}
