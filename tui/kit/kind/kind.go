// Package kind derives what the paths of a pane are drawn as, from the catalogue, the
// paths and the display attributes alone, never from values: the kind of the pane, and
// of each counter whether it is a percentage, what limits it, whether what is used is
// drawn in place of what is left, and how instances become one.
package kind

import (
	"slices"

	"perfdeck/paths"
	"perfdeck/session"
)

// Kind is the picture of a pane.
type Kind uint8

// The kinds, in the order of session.PaneKinds.
const (
	Rows   Kind = iota // a row for each value
	Graph              // the first value, or the first two as a pair, over time; the rest as rows beside it
	Meters             // a meter for each value that has a limit; the rest as rows
	Cells              // a meter for each instance
	Table              // a row for each instance, a column for each counter
	kinds
)

// String is the name in decks.
func (k Kind) String() string { return session.PaneKinds[min(k, kinds-1)] }

// Named is the kind of a name; ok is false for any other text.
func Named(name string) (k Kind, ok bool) {
	i := slices.Index(session.PaneKinds, name)
	return Kind(max(i, 0)), i >= 0
}

// Part is one counter of a pane, as its path was looked up.
type Part struct {
	Set      *session.Counterset
	Counter  int    // index in Set.Counters
	Instance string // as the path has it; "" of a counterset without instances
	Wild     bool   // the path may mean several instances
	Missing  bool   // the host lacks it
	Look     session.Look
}

// PartOf is the part of a target that has one counter.
func PartOf(t *session.Target, look session.Look) Part {
	return Part{Set: t.Set, Counter: t.Counters[0], Instance: t.Path.InstanceText(), Wild: t.Wild, Look: look}
}

// Pane is what the parts of a pane are drawn as.
type Pane struct {
	Kind   Kind
	Drawn  []Drawn // of each part, in their order
	Paired bool    // the first two are drawn as one: the first upwards, the second downwards

	parts   []Part
	busiest bool
	isShare bool // shares tell what the parts name, or what the deck asks for
}

// Derive finds out what parts are drawn as on a host. Fixed is the kind that the deck
// fixes: it is taken if the parts can be drawn so; "" leaves it to the parts. Limit is
// the limit that the deck gives to parts without one of their own, see LimitNamed.
// Busiest says that the pane shows some instances with the highest values.
func Derive(cat *session.Catalogue, parts []Part, fixed, limit string, busiest bool) Pane {
	p := Pane{parts: parts, busiest: busiest, Drawn: make([]Drawn, len(parts))}
	for i := range parts {
		p.Drawn[i] = drawnOf(cat, &parts[i], limit)
	}
	p.Paired = len(parts) > 1 && p.Drawn[0].HasPicture && p.Drawn[1].HasPicture &&
		parts[0].Set == parts[1].Set && parts[0].Instance == parts[1].Instance &&
		IsPair(p.name(0), p.name(1))
	p.isShare = limit != "" || len(parts) > 0 && p.Drawn[0].IsPercent
	p.Kind = p.derived()
	if k, ok := Named(fixed); ok && p.can(k) {
		p.Kind = k
	}
	return p
}

func (p *Pane) name(part int) string {
	if p.parts[part].Missing {
		return ""
	}
	return p.parts[part].counter().Name
}

// derived is the kind that the parts have by themselves.
func (p *Pane) derived() Kind {
	wild := slices.ContainsFunc(p.parts, func(a Part) bool { return a.Wild })
	switch {
	case len(p.parts) == 0:
		return Rows
	case wild && slices.ContainsFunc(p.parts, func(a Part) bool { return !a.Wild && !a.Missing }):
		return Rows // of what would be a row of others and beside them
	case wild && !p.busiest && p.isShare && p.can(Cells):
		return Cells
	case wild && p.can(Table):
		return Table
	case wild:
		return Rows
	case p.isOfSeveral():
		return Rows // beside a graph or a meter is no room for their names
	case p.Drawn[0].HasPicture && p.Drawn[0].IsPercent, p.Paired:
		return Graph
	case p.limited() > 1:
		return Meters
	}
	return Rows
}

// isOfSeveral tells whether parts are of several instances of one counterset.
func (p *Pane) isOfSeveral() bool {
	return slices.ContainsFunc(p.parts, func(a Part) bool { return a.Set == p.parts[0].Set && !paths.EqualFold(a.Instance, p.parts[0].Instance) })
}

// limited is how many of the parts have a limit.
func (p *Pane) limited() (n int) {
	for i := range p.Drawn {
		if p.Drawn[i].Limit.Is() {
			n++
		}
	}
	return n
}

// can tells whether the parts can be drawn as a kind. Of the only instance of a
// counterset, of all instances as one and of several the pictures differ: what a path
// with _Total shows as a graph, cells and tables show for each instance.
func (p *Pane) can(k Kind) bool {
	if len(p.parts) == 0 {
		return k == Rows
	}
	first := &p.parts[0]
	switch k {
	case Graph:
		return p.Drawn[0].HasPicture
	case Meters:
		return p.limited() > 0
	case Cells:
		return len(p.parts) == 1 && p.hasCells()
	case Table:
		return first.isOfMany()
	}
	return k == Rows
}

// hasCells tells whether the first part can be shown as a cell for each instance.
func (p *Pane) hasCells() bool {
	return len(p.parts) > 0 && p.parts[0].isOfMany() && p.Drawn[0].Limit.Is()
}

// isOfMany tells whether the part stands for instances of which each can be shown.
func (a *Part) isOfMany() bool {
	return !a.Missing && a.Set.Instances.Multiple() && (a.Wild || session.StandsForAll(a.Instance))
}

func (a *Part) counter() *session.Counter { return &a.Set.Counters[a.Counter] }

// Choices are the kinds that the counters of the parts can be drawn as, the derived one
// first: cells also where the parts stand for all instances as one.
func (p *Pane) Choices() []Kind {
	own := p.derived()
	out := []Kind{own}
	for _, k := range [...]Kind{Graph, Meters, Cells, Table, Rows} {
		if k != own && (p.can(k) || k == Cells && p.hasCells()) {
			out = append(out, k)
		}
	}
	return out
}
