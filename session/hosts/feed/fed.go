package feed

import (
	"context"
	"fmt"
	"slices"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/hosts/merged"
)

// Fed is a source and what is fed, as one.
type Fed struct {
	*Source

	main session.Source

	of     *session.Catalogue // main's, of which merged is made
	merged *session.Catalogue
	hidden []error
}

// NewBeside stands fed countersets beside those of a source, which it closes. What has
// the name of one of them is not fed.
func NewBeside(main session.Source, fed *Source) *Fed { return &Fed{Source: fed, main: main} }

// Catalogue gives both.
func (b *Fed) Catalogue(ctx context.Context) (*session.Catalogue, error) {
	cat, err := b.main.Catalogue(ctx)
	if err != nil {
		return nil, err
	}
	return b.merge(cat), nil
}

func (b *Fed) merge(cat *session.Catalogue) *session.Catalogue {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.of == cat {
		return b.merged
	}
	if b.of == nil {
		defer func() {
			for _, err := range append(b.hidden, b.faults...) {
				b.report(err)
			}
		}()
	}
	b.of, b.hidden = cat, nil
	b.merged = &session.Catalogue{Host: cat.Host, Names: cat.Names, Sets: slices.Clone(cat.Sets)}
	for i, set := range b.catalogue.Sets {
		if cat.Set(set.Name) != nil {
			b.hidden = append(b.hidden, &Error{Feed: b.tables[i].feed, Err: fmt.Errorf("this computer has a counterset %q of its own", set.Name), hint: "give the counterset of the manifest another name"})
			continue
		}
		b.merged.Sets = append(b.merged.Sets, set)
	}
	return b.merged
}

// RenewTo names who hears of a newer catalogue of the source.
func (b *Fed) RenewTo(renew func(*session.Catalogue)) {
	if r, ok := b.main.(session.Renewer); ok {
		r.RenewTo(func(cat *session.Catalogue) { renew(b.merge(cat)) })
	}
}

// Warnings are those of both.
func (b *Fed) Warnings() []error {
	out := merged.WarningsOf(b.main)
	b.mu.Lock()
	out = append(out, b.hidden...)
	b.mu.Unlock()
	return append(out, b.Source.Warnings()...)
}

// Events are those of the source.
func (b *Fed) Events(ctx context.Context, from session.EventsFrom) (session.EventReader, error) {
	return session.EventsOf(ctx, from, b.main)
}

// Open makes a query of both.
func (b *Fed) Open(ctx context.Context) (session.Query, error) {
	q, err := b.main.Open(ctx)
	if err != nil {
		return nil, err
	}
	fed, err := b.Source.Open(ctx)
	if err != nil {
		return nil, err
	}
	return &fedQuery{beside: b, parts: [2]*merged.Part{{Query: q}, {Query: fed}}}, nil
}

// Close closes both.
func (b *Fed) Close() error {
	_ = b.Source.Close()
	return b.main.Close()
}

// fedQuery is a query of both.
type fedQuery struct {
	beside *Fed
	wants  []session.Want
	parts  [2]*merged.Part // main, fed
}

// Select deals the wants out.
func (q *fedQuery) Select(ctx context.Context, wants []session.Want) error {
	q.wants = slices.Clone(wants)
	merged.Deal(q.wants, q.parts[:], func(w *session.Want) *merged.Part {
		if slices.Contains(q.beside.catalogue.Sets, w.Set) {
			return q.parts[1]
		}
		return q.parts[0]
	})
	for _, p := range q.parts {
		if err := p.Query.Select(ctx, p.Wants); err != nil {
			return err
		}
	}
	return nil
}

// Collect reads what is due of both.
func (q *fedQuery) Collect(ctx context.Context, b *session.Batch) error {
	b.Time = q.beside.o.Clock.Now().Wall
	b.Fit(q.wants)
	for i, p := range q.parts {
		read, err := p.Collect(ctx, b)
		if err != nil {
			return err
		}
		if read && i == 0 {
			b.Time = p.Time()
		}
	}
	return nil
}

// Close closes both.
func (q *fedQuery) Close() error {
	_ = q.parts[1].Close()
	return q.parts[0].Close()
}

// ClocksOf are the clocks of a source's replies, for what stands beside it; nil: they cannot
// be read alone.
func ClocksOf(main session.Source) func() cooker.Clocks {
	if c, ok := main.(session.Timed); ok {
		return c.Clocks
	}
	return nil
}
