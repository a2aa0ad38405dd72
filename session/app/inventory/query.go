package inventory

import (
	"context"
	"slices"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/config"
)

// Query is a counter path as it was asked for.
type Query struct {
	session.Question

	Computer string // that it names; empty: every host but those that other paths alone name
}

// NewQuery notes which computer a path names. What is wrong with the path is told when it
// is looked up: a name of the catalogue may break the grammar.
func NewQuery(text, origin string) Query {
	parsed, _ := paths.Parse(text)
	return Query{session.Question{Text: text, Origin: origin}, parsed.Computer}
}

// IsFor tells whether the query is meant for a host.
func (q Query) IsFor(h *Host) bool {
	if q.Computer == "" {
		return !h.Aside
	}
	return Is(q.Computer, h.Name)
}

// anywhere tells whether a query names no computer.
func anywhere(queries []Query) bool {
	return slices.ContainsFunc(queries, func(q Query) bool { return q.Computer == "" })
}

// For opens the hosts that names and the paths of queries name, as far as a path is meant
// for them.
func (v *Inventory) For(queries []Query, names []string, m Mode) ([]Host, error) {
	if !v.o.Demo {
		names, m.Aside = Named(names, queries, anywhere(queries))
		names = append(names, m.Aside...)
	}
	hosts, err := v.Open(names, m)
	for _, h := range hosts {
		forgetOutdated(h, queries)
	}
	if err != nil || anywhere(queries) {
		return hosts, err
	}
	var meant, others []Host
	for _, h := range hosts {
		if slices.ContainsFunc(queries, func(q Query) bool { return Is(q.Computer, h.Name) }) {
			meant = append(meant, h)
		} else {
			others = append(others, h)
		}
	}
	CloseAll(others)
	return meant, nil
}

// forgetOutdated drops the kept catalogue of a host if it lacks what is asked for: the host
// may have it now.
func forgetOutdated(h Host, queries []Query) {
	source, ok := h.Source.(session.Rememberer)
	if !ok {
		return
	}
	if kept := source.Kept(); kept != nil && slices.ContainsFunc(ofHost(queries, &h), lackedBy(kept)) {
		source.Forget()
	}
}

// ofHost are the queries that are meant for a host.
func ofHost(queries []Query, h *Host) []Query {
	return slices.DeleteFunc(slices.Clone(queries), func(q Query) bool { return !q.IsFor(h) })
}

// lackedBy tells which queries mean nothing by a catalogue.
func lackedBy(cat *session.Catalogue) func(Query) bool {
	return func(q Query) bool {
		_, err := q.Resolve(cat, paths.Options{})
		return err != nil
	}
}

// Named are the names of hosts that paths without a computer mean, this one where there are none and
// own is wanted, and beside them the computers that paths alone name.
func Named(names []string, queries []Query, own bool) (all, aside []string) {
	if len(names) == 0 && own {
		names = []string{Local}
	}
	for _, q := range queries {
		computer := q.Computer
		if IsLocal(computer) {
			computer = Local
		}
		is := func(n string) bool { return Is(computer, n) || Is(computer, DisplayName(n)) }
		if computer != "" && !slices.ContainsFunc(names, is) && !slices.ContainsFunc(aside, is) {
			aside = append(aside, computer)
		}
	}
	return names, aside
}

// ToWatch opens the hosts that are watched for queries, and for the recordings and pushes of
// a config, beside those that are named: each once, and those alone that a part of all has.
func (v *Inventory) ToWatch(ctx context.Context, file *config.Config, queries []Query, names []string, part Part) ([]Host, error) {
	if v.o.Demo {
		return v.openPart(names, part)
	}
	recorded, everywhere := file.RecordedAt()
	pushed, all := file.PushedAt()
	if len(names) == 0 && (everywhere || all || anywhere(queries)) {
		names = v.Watched()
	}
	names, aside := Named(slices.Concat(names, recorded, pushed), queries, false)
	names, err := v.Expand(ctx, append(names, aside...))
	if err == nil && !part.IsWhole() && len(names) > 0 {
		names, err = v.InPart(names, part)
	}
	if err != nil {
		return nil, err
	}
	var out []Host
	for _, name := range names {
		h, err := v.OpenAs(name, nil, Mode{Kept: true, Asked: queries})
		if err != nil {
			CloseAll(out)
			return nil, err
		}
		if slices.ContainsFunc(out, func(o Host) bool { return o.Name == h.Name }) {
			_ = h.Source.Close()
			continue
		}
		h.Aside = slices.Contains(aside, name)
		out = append(out, h)
	}
	return out, nil
}

// Aside are the names of hosts that paths alone name.
func Aside(hosts []Host) (names []string) {
	for _, h := range hosts {
		if h.Aside {
			names = append(names, h.Name)
		}
	}
	return names
}

// Part is a part of all hosts, each of which is in one part alone.
type Part interface {
	IsWhole() bool
	Has(host string) bool
}

// InPart are those of names, or of what Open opens without any, that mean hosts of a part.
func (v *Inventory) InPart(names []string, part Part) (out []string, err error) {
	if v.o.Demo {
		hosts, err := v.invented(names, Mode{})
		for _, h := range hosts {
			if part.Has(h.Name) {
				out = append(out, h.Name)
			}
		}
		return out, err
	}
	targets, err := v.Targets(names)
	if err != nil {
		return nil, err
	}
	for _, t := range targets {
		if part.Has(t.Name) {
			out = append(out, t.Given)
		}
	}
	return out, nil
}

// openPart opens those of names that are of a part; none is no error.
func (v *Inventory) openPart(names []string, part Part) ([]Host, error) {
	names, err := v.InPart(names, part)
	if err != nil || len(names) == 0 {
		return nil, err
	}
	return v.Open(names, Mode{Kept: true})
}

// Is tells whether the computer of a path is the host of this name.
func Is(computer, name string) bool {
	return paths.EqualFold(computer, name) || IsLocal(computer) && IsLocal(name)
}

// Means tells whether a host is one of those that are named; without names all are meant.
func Means(names []string, host string) bool {
	return len(names) == 0 || slices.ContainsFunc(names, func(n string) bool { return Is(n, host) || Is(DisplayName(n), host) })
}

// IsKnown tells whether a computer is this one, or one that the user named himself in a
// config, which may be nil.
func IsKnown(computer string, c *config.Config) bool {
	return IsLocal(computer) ||
		c != nil && slices.ContainsFunc(c.Hosts, func(h config.Host) bool { return Is(computer, h.Name) })
}

// IsLocal tells whether a name is that of this computer.
func IsLocal(name string) bool {
	return name == "." || paths.EqualFold(name, Local) || paths.EqualFold(name, LocalName())
}
