package deck

import (
	"slices"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/tui/canvas"
	"perfdeck/tui/kit/kind"
	"perfdeck/tui/kit/names"
	"perfdeck/tui/layout"
	"perfdeck/tui/pane"
)

// derive finds out what the counters of a pane are drawn as on its host.
func (b *block) derive(numbers *pane.Numbers) {
	cat := b.catalogue()
	var own []*item
	var parts []kind.Part // of these
	called := make([]string, len(b.items))
	b.widest = 0
	for i, it := range b.items {
		if called[i] = it.name(); !names.Hundredths(called[i]) { // those are always short
			b.widest = max(b.widest, canvas.Full.TextWidth(called[i]))
		}
	}
	list := names.NewList(b.set.Name, called)
	for _, it := range b.items {
		it.names.List = list
		p := kind.PartOf(&it.sel, numbers.Look(it.sel.Set, it.counter))
		if p.Missing = it.missing; it.also {
			it.drawn = kind.Derive(cat, []kind.Part{p}, "", "", false).Drawn[0]
			continue
		}
		own, parts = append(own, it), append(parts, p)
	}
	b.kinds.as = kind.Derive(cat, parts, b.spec.Kind, b.spec.Limit, b.spec.Busiest > 0)
	b.kinds.derived = b.kinds.as.Choices()[0]
	for i, it := range own {
		it.drawn = b.kinds.as.Drawn[i]
	}
	// What is used is drawn in place of what is left of the first one, if there is a picture of it,
	// unless that is what the user named.
	pictured := []kind.Kind{kind.Graph, kind.Meters, kind.Cells}
	mayBeUsed := !b.spec.AsNamed && (slices.Contains(pictured, b.kinds.derived) || b.kinds.as.Kind == kind.Graph)
	for i, it := range b.items {
		if i > 0 || !mayBeUsed {
			it.drawn.Used = ""
		}
	}
	for _, it := range b.items {
		it.again = it.also && slices.ContainsFunc(own, func(o *item) bool { return paths.EqualFold(o.text, it.text) && o.drawn.Used == "" })
	}
}

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
		other.Kind = k.String()
		switch wild := b.items[0].sel.Wild; {
		case k == kind.Cells && !wild:
			other.Paths, other.Also = withInstance(spec.Paths[:1], everyInstance), nil
		case k == kind.Table && !wild:
			other.Paths, other.Also, other.Busiest = withInstance(spec.Paths[:1], everyInstance), nil, busiestShown
		case k == kind.Graph && wild:
			view := b.made.Set(b.set)
			name, ok := b.items[0].drawn.Whole.Instance(view != nil && slices.ContainsFunc(view.Rows, func(r session.Row) bool {
				return r.Key.Parent == "" && r.Key.Name == totalInstance
			}))
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

// cycleKind draws a pane as its next kind: with other instances, where that takes them. Around it is as it was.
func (d *Deck) cycleKind(p int) {
	spec := d.Spec()
	h := d.panes[p].kinds.home
	if h == nil {
		h = d.panes[p].newHome(spec[p])
		d.panes[p].kinds.home = h
	}
	h.at = (h.at + 1) % len(h.variants)
	spec[p] = h.variants[h.at]
	selected := d.selected
	d.load(spec)
	d.reselect(selected)
	d.desk.Reask()
	d.desk.Say("drawn as " + d.panes[p].kinds.as.Kind.String())
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

// kindIn is the kind of a pane in a place: rows, where it has less room than its kind takes.
func (d *Deck) kindIn(b *block, p *layout.Placed) kind.Kind {
	switch k := b.kinds.as.Kind; {
	case k == kind.Graph && (p.Bare || p.W < layout.MinGraphWidth || p.H < layout.MinGraphHeight),
		k == kind.Meters && (p.Bare || p.W < layout.MinMetersWidth), k == kind.Table && !d.isTable(b):
		return kind.Rows
	default:
		return k
	}
}
