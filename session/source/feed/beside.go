package feed

import (
	"context"
	"fmt"
	"slices"

	"perfdeck/cooker"
	"perfdeck/session"
)

// Beside is a source and what is fed, as one.
type Beside struct {
	main session.Source
	fed  *Source

	of     *session.Catalogue // main's, of which merged is made
	merged *session.Catalogue
	hidden []error
}

// NewBeside stands fed countersets beside those of a source, which it closes. What has
// the name of one of them is not fed.
func NewBeside(main session.Source, fed *Source) *Beside { return &Beside{main: main, fed: fed} }

// Catalogue gives both.
func (b *Beside) Catalogue(ctx context.Context) (*session.Catalogue, error) {
	cat, err := b.main.Catalogue(ctx)
	if err != nil {
		return nil, err
	}
	return b.merge(cat), nil
}

func (b *Beside) merge(cat *session.Catalogue) *session.Catalogue {
	b.fed.mu.Lock()
	defer b.fed.mu.Unlock()
	if b.of == cat {
		return b.merged
	}
	b.of, b.hidden = cat, nil
	b.merged = &session.Catalogue{Host: cat.Host, Names: cat.Names, Sets: slices.Clone(cat.Sets)}
	for i, set := range b.fed.catalogue.Sets {
		if cat.Set(set.Name) != nil {
			b.hidden = append(b.hidden, &Error{Feed: b.fed.tables[i].feed, Err: fmt.Errorf("this computer has a counterset %q of its own", set.Name), hint: "give the counterset of the manifest another name"})
			continue
		}
		b.merged.Sets = append(b.merged.Sets, set)
	}
	return b.merged
}

// RenewTo names who hears of a newer catalogue of the source.
func (b *Beside) RenewTo(renew func(*session.Catalogue)) {
	if r, ok := b.main.(session.Renewer); ok {
		r.RenewTo(func(cat *session.Catalogue) { renew(b.merge(cat)) })
	}
}

// Warnings are those of both.
func (b *Beside) Warnings() []error {
	var out []error
	if w, ok := b.main.(session.Warner); ok {
		out = slices.Clone(w.Warnings())
	}
	b.fed.mu.Lock()
	out = append(out, b.hidden...)
	b.fed.mu.Unlock()
	return append(out, b.fed.Warnings()...)
}

// ProviderGUID gives the GUID that a manifest has for the provider of a set.
func (b *Beside) ProviderGUID(set *session.Counterset) (guid string, ok bool) {
	return b.fed.ProviderGUID(set)
}

// Open makes a query of both.
func (b *Beside) Open(ctx context.Context) (session.Query, error) {
	q, err := b.main.Open(ctx)
	if err != nil {
		return nil, err
	}
	fed, err := b.fed.Open(ctx)
	if err != nil {
		return nil, err
	}
	return &besideQuery{beside: b, parts: [2]*part{{query: q}, {query: fed}}}, nil
}

// Close closes both.
func (b *Beside) Close() error {
	_ = b.fed.Close()
	return b.main.Close()
}

// besideQuery is a query of both.
type besideQuery struct {
	beside *Beside
	wants  []session.Want
	parts  [2]*part // main, fed
}

// part is the query of one, and what of the whole it reads.
type part struct {
	query session.Query
	wants []session.Want
	from  []int // of wants: places in the whole
	batch session.Batch
}

// Select deals the wants out.
func (q *besideQuery) Select(ctx context.Context, wants []session.Want) error {
	q.wants = slices.Clone(wants)
	for _, p := range q.parts {
		p.wants, p.from = nil, nil
	}
	for i := range wants {
		p := q.parts[0]
		if slices.Contains(q.beside.fed.catalogue.Sets, wants[i].Set) {
			p = q.parts[1]
		}
		p.wants, p.from = append(p.wants, wants[i]), append(p.from, i)
	}
	for _, p := range q.parts {
		if err := p.query.Select(ctx, p.wants); err != nil {
			return err
		}
	}
	return nil
}

// Collect reads what is due of both.
func (q *besideQuery) Collect(ctx context.Context, b *session.Batch) error {
	b.Time = q.beside.fed.o.Clock.Now().Wall
	b.Fit(q.wants)
	for i, p := range q.parts {
		if !p.due(b) {
			continue
		}
		if err := p.query.Collect(ctx, &p.batch); err != nil {
			return err
		}
		if i == 0 {
			b.Time = p.batch.Time
		}
		for k, at := range p.from {
			if b.Due != nil {
				b.Due[at] = p.batch.Due[k] // it may read less than is due
			}
			if p.batch.IsDue(k) {
				b.Sets[at], p.batch.Sets[k] = p.batch.Sets[k], b.Sets[at]
			}
		}
	}
	return nil
}

// due hands down what is due and tells whether anything is.
func (p *part) due(b *session.Batch) (something bool) {
	p.batch.Due = p.batch.Due[:0]
	for _, at := range p.from {
		p.batch.Due = append(p.batch.Due, b.IsDue(at))
		something = something || b.IsDue(at)
	}
	if b.Due == nil {
		p.batch.Due = nil
	}
	return something
}

// Close closes both.
func (q *besideQuery) Close() error {
	_ = q.parts[1].query.Close()
	return q.parts[0].query.Close()
}

// ClocksOf are the clocks of a source's replies, or clocks like them, for what is to have
// one moment with it.
func ClocksOf(main session.Source, clock session.Clock) func() cooker.Clocks {
	if c, ok := main.(session.Timed); ok {
		return c.Clocks
	}
	return Clocks(clock)
}
