// Package rows brings the values of counter paths on several hosts together, one
// row a beat: what sample, explain and their like print.
package rows

import (
	"errors"
	"fmt"
	"slices"

	"perfdeck/paths"
	"perfdeck/session"
)

// Query is a counter path as it was asked for.
type Query struct {
	Text     string
	Computer string // empty: every host
	Origin   string // file and line, empty for an argument
	Combine  *session.Combine
}

// NewQuery notes which computer a path names. What is wrong with the path is
// told when it is looked up: a name of the catalogue may break the grammar.
func NewQuery(text, origin string) Query {
	parsed, _ := paths.Parse(text)
	return Query{Text: text, Computer: parsed.Computer, Origin: origin}
}

// Resolve looks the path up on one host. The error is a *paths.ParseError or a
// *paths.LookupError.
func (q Query) Resolve(cat *session.Catalogue, o paths.Options) ([]session.Selection, error) {
	found, err := cat.Resolve(q.Text, o)
	if err != nil && q.Origin != "" {
		err = fmt.Errorf("%s: %w", q.Origin, err)
	}
	return found, err
}

// Host is a host that may be asked.
type Host struct {
	Name    string
	Is      func(computer string) bool // whether a path's computer means it
	Sampler *session.Sampler           // runs
}

// MeantFor are the queries that are meant for a host.
func (h Host) MeantFor(queries []Query) []Query {
	return slices.DeleteFunc(slices.Clone(queries), func(q Query) bool { return q.Computer != "" && !h.Is(q.Computer) })
}

// selection is a path as it was looked up on a host.
type selection struct {
	session.Selection

	query Query
	host  int // of the hosts that are watched
}

// means tells whether the selection means an instance of a sample. A combined
// one goes by its name; it is never mixed up with an instance of the host.
func (s *selection) means(in *session.Instance) bool {
	if c := s.query.Combine; c != nil {
		return in.Flags&session.FlagCombined != 0 && in.Key.Name == c.Name
	}
	return s.Matches(in)
}

// ErrNotWatched says that a path names a host that is not among those watched.
var ErrNotWatched = errors.New("no such host is watched")

// resolveAll looks every path up on the hosts it is meant for. lacking says why
// some were not found there.
func resolveAll(hosts []Host, queries []Query, o paths.Options) (found []selection, lacking []error) {
	for _, q := range queries {
		meant := false
		for i, h := range hosts {
			if q.Computer != "" && !h.Is(q.Computer) {
				continue
			}
			meant = true
			cat := h.Sampler.Catalogue()
			if cat == nil {
				continue
			}
			selections, err := q.Resolve(cat, o)
			if err != nil {
				lacking = append(lacking, err)
			}
			for _, s := range selections {
				found = append(found, selection{Selection: s, query: q, host: i})
			}
		}
		if !meant {
			lacking = append(lacking, fmt.Errorf("look up %s: %w", q.Text, ErrNotWatched))
		}
	}
	return found, lacking
}

// LookUp looks every path up on the hosts it is meant for, as far as they have
// answered. It tells how many were found, and why others were not.
func LookUp(hosts []Host, queries []Query, o paths.Options) (found int, lacking []error) {
	selections, lacking := resolveAll(hosts, queries, o)
	return len(selections), lacking
}
