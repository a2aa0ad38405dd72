package session

import (
	"errors"
	"fmt"
	"slices"

	"perfdeck/cooker"
	"perfdeck/paths"
)

// Question is a counter path as it was asked for. Its computer means nothing here.
type Question struct {
	Text    string
	Origin  string   // file and line, empty for an argument
	Combine *Combine // it means this instance, made of others; nil: those that its path means
	Whole   bool     // Text is the name of a counterset: all that is shown of it is meant
	// Optional: that a host has no such counterset, or counter, is nothing to tell.
	Optional bool
}

// Target is what a question means on a host: instances, or the one that is made of
// them.
type Target struct {
	Selection
	Wild bool // its path may mean several instances
}

// Resolve looks the question up in a catalogue. It means one target, or one for each
// named SQL Server instance. The error is a *paths.ParseError, a *paths.LookupError or a
// *NoFunctionError.
func (q Question) Resolve(cat *Catalogue, o paths.Options) (out []Target, err error) {
	if q.Whole {
		sel, err := cat.Whole(q.Text)
		switch {
		case err != nil && q.Optional:
			return nil, nil
		case err != nil:
			return nil, err
		}
		return []Target{{Selection: sel, Wild: true}}, nil
	}
	found, err := cat.Resolve(q.Text, o)
	if _, lacks := errors.AsType[*paths.LookupError](err); lacks && q.Optional {
		err = nil
	}
	if err != nil && q.Origin != "" {
		err = fmt.Errorf("%s: %w", q.Origin, err)
	}
	for _, sel := range found {
		wild := sel.IsWild()
		if q.Combine != nil {
			sel.Combine = q.Combine
		}
		if sel.lacksFunction() {
			err = &NoFunctionError{Question: q, Counter: sel.Set.Counters[sel.Counters[0]].Name}
			continue
		}
		out = append(out, Target{Selection: sel, Wild: wild})
	}
	return out, err
}

// lacksFunction tells that instances are to be combined and no counter says how. Where
// all instances are one, the host may do it.
func (s Selection) lacksFunction() bool {
	return s.Combine != nil && s.Combine.Func == nil && !s.Set.Instances.IsWhole() &&
		!slices.ContainsFunc(s.Counters, func(c int) bool { return s.Set.Counters[c].Aggregate != cooker.AggregateNone })
}

// NoFunctionError says that the instances of a path cannot be combined: neither the
// counter nor who asks says how.
type NoFunctionError struct {
	Question Question
	Counter  string
}

func (e *NoFunctionError) Error() string {
	return fmt.Sprintf("combine %s: the counter '%s' does not say how its instances are combined", e.Question.Text, e.Counter)
}

// Place is where the value of a counter of an instance is in a view. It goes by what
// its user knows it by.
type Place[K any] struct {
	Row, Column int // without the counter, Column is negative
	Counter     int // index in Set.Counters
	As          K
}

// Places are those that a target means, by row and counter.
type Places[K any] []Place[K]

// Follow goes on to a view whose rows were moved and added: see Rows.Next. It returns
// what the places of rows that are gone were known by.
func (p *Places[K]) Follow(v *SetView, t *Target, moved, added []int, means func(*Instance) bool, as func(in *Instance, counter int) K) (left []K) {
	kept := (*p)[:0]
	for _, at := range *p {
		if at.Row = moved[at.Row]; at.Row != GoneRow {
			kept = append(kept, at)
		} else {
			left = append(left, at.As)
		}
	}
	for _, row := range added {
		in := &v.Rows[row].Instance
		if !means(in) {
			continue
		}
		for _, c := range t.Counters {
			kept = append(kept, Place[K]{Row: row, Counter: c, As: as(in, c)})
		}
		if t.Combine != nil {
			break
		}
	}
	for i := range kept {
		kept[i].Column = v.Column(kept[i].Counter)
	}
	slices.SortStableFunc(kept, func(a, b Place[K]) int { return a.Row - b.Row })
	clear((*p)[min(len(kept), len(*p)):])
	*p = kept
	return left
}
