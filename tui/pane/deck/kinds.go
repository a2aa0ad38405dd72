package deck

import (
	"slices"

	"perfdeck/paths"
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
	b.kinds.as = kind.Derive(cat, parts, b.spec.Kind, b.spec.Limit, b.spec.Busiest > 0)
	b.kinds.derived = b.kinds.as.Choices()[0]
	at := 0
	for _, it := range b.items {
		if !it.also {
			it.drawn = b.kinds.as.Drawn[at]
			at++
		}
	}
}

// own is the kind that the paths of the pane have by themselves.
func (b *block) own() kind.Kind { return b.kinds.derived }

// home is how a pane was before its kind was changed, and what it can be drawn as.
type home struct {
	variants []session.DeckPane // the first one is how it was
	at       int
	derived  kind.Kind // of how it was: its place on the deck of one host follows that
}

// placedAs is the kind by which a pane has its place: however it is drawn, it keeps it.
func (b *block) placedAs() kind.Kind {
	if b.kinds.home != nil {
		return b.kinds.home.derived
	}
	return b.kinds.derived
}

// newHome is that of a pane as its spec has it.
func (b *block) newHome(spec session.DeckPane) *home {
	h := &home{variants: []session.DeckPane{spec}, derived: b.kinds.derived}
	for _, k := range b.kinds.as.Choices() {
		if k == b.kinds.as.Kind {
			continue
		}
		other := spec
		if other.Kind = k.String(); b.items[0].missing {
			h.variants = append(h.variants, other)
			continue
		}
		switch wild := b.items[0].sel.Wild; {
		case k == kind.Cells && !wild:
			other.Paths, other.Also = withInstance(spec.Paths[:1], everyInstance), nil
		case k == kind.Table && !wild:
			other.Paths, other.Also, other.Busiest = withInstance(spec.Paths[:1], everyInstance), nil, busiestShown
		case k == kind.Graph && wild:
			name, ok := b.items[0].drawn.Whole.Instance(b.hasTotal())
			if !ok {
				continue // the busiest one is another each time
			}
			other.Paths, other.Busiest = withInstance(spec.Paths, name), 0
		}
		h.variants = append(h.variants, other)
	}
	return h
}

const everyInstance = "*"

// withInstance are paths of another instance.
func withInstance(list []string, instance string) []string {
	out := slices.Clone(list)
	for i, text := range out {
		if p, err := paths.Parse(text); err == nil && p.HasInstance {
			out[i] = paths.Path{Computer: p.Computer, Object: p.Object, HasInstance: true, Instance: instance, Counter: p.Counter}.String()
		}
	}
	return out
}

// hasTotal tells whether the host gives a total of the instances of a pane.
func (b *block) hasTotal() bool {
	view := b.made.Set(b.set)
	return view != nil && slices.ContainsFunc(view.Rows, func(r session.Row) bool { return r.Key.Parent == "" && r.Key.Name == totalInstance })
}

// cycleKind draws the focused pane as its next kind: with other instances, where that
// takes them. Around it is as it was.
func (d *Deck) cycleKind() {
	spec := d.Spec()
	h := d.panes[d.focus].kinds.home
	if h == nil {
		h = d.panes[d.focus].newHome(spec[d.focus])
		d.panes[d.focus].kinds.home = h
	}
	h.at = (h.at + 1) % len(h.variants)
	spec[d.focus] = h.variants[h.at]
	tree, selected, focus := d.divided.tree, d.selected, d.focus
	d.load(spec)
	d.divided.tree, d.focus = tree, focus
	d.keepSelection()
	d.reselect(selected)
	d.desk.Send(pane.Reask{})
	d.desk.Send(pane.Say{Text: "drawn as " + d.panes[d.focus].kinds.as.Kind.String()})
}

func (d *Deck) whyOneKind() string {
	if d.focus >= len(d.panes) {
		return "there is no pane"
	}
	if b := d.panes[d.focus]; b.kinds.home == nil && len(b.kinds.as.Choices()) < 2 {
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
	case own == kind.Graph || b.kinds.as.Kind == kind.Graph:
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
	switch b.kinds.as.Kind {
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
	return b.kinds.as.Kind
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
		switch k := b.placedAs(); {
		case b.spec.Spare:
			role = layout.Spare
		case k == kind.Graph && had[layout.Lead] == 0:
			role = layout.Lead
		case k == kind.Graph && had[layout.Flow] < 2:
			role = layout.Flow
		case k == kind.Cells && before == layout.Lead:
			role = layout.Each
		case (k == kind.Meters || k == kind.Rows && b.isMemory()) && had[layout.Store] == 0:
			role = layout.Store
		case k == kind.Table && had[layout.Busiest] == 0:
			role = layout.Busiest
		}
		had[role]++
		b.kinds.role, before = role, role
	}
	for _, b := range d.panes {
		b.kinds.again = d.again(b)
	}
}

// again is how many values of the graph at the top have to be seen so that they say the first
// one of a spare pane, 0 where none says it.
func (d *Deck) again(b *block) int {
	lead := slices.IndexFunc(d.panes, func(o *block) bool { return o.kinds.role == layout.Lead })
	if lead < 0 || b.kinds.role != layout.Spare {
		return 0
	}
	return 1 + slices.IndexFunc(d.panes[lead].items, func(it *item) bool { return paths.EqualFold(it.text, b.items[0].text) })
}

// isEmpty tells that a host has no instance of what would be shown where there is room: of
// thermal zones on most virtual machines. One that had some keeps its place.
func (b *block) isEmpty() bool {
	if b.kinds.role != layout.Spare || b.cells > 0 || b.items[0].missing || !b.items[0].sel.Wild {
		return false
	}
	view := b.made.Set(b.set)
	return view != nil && view.Err == nil && len(view.Rows) == 0
}

// isMemory tells the pane of a host's memory, which has its place also where too few of its
// counters have limits.
func (b *block) isMemory() bool { return paths.EqualFold(b.set.Name, "Memory") }

// part is the pane as the layout sees it.
func (b *block) part() layout.Part {
	p := layout.Part{Role: b.kinds.role, Rows: len(b.lines), Grows: b.placedAs() == kind.Graph, Again: b.kinds.again, Empty: b.isEmpty()}
	if b.placedAs() == kind.Cells {
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
