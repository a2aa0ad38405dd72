// Package merged reads several sources as one host: what one has not, another may.
package merged

import (
	"context"
	"slices"
	"time"

	"perfdeck/session"
)

// Part is what one of several sources reads of a query.
type Part struct {
	Query session.Query // nil: there is none now
	Wants []session.Want

	from  []int // of Wants: places in the whole
	batch session.Batch
}

// Deal deals wants out to parts: each to that which of names.
func Deal(wants []session.Want, parts []*Part, of func(*session.Want) *Part) {
	for _, p := range parts {
		p.Wants, p.from = nil, nil
	}
	for i := range wants {
		p := of(&wants[i])
		p.Wants, p.from = append(p.Wants, wants[i]), append(p.from, i)
	}
}

// Collect reads what is due of the part into the whole. It is false where nothing is.
func (p *Part) Collect(ctx context.Context, whole *session.Batch) (read bool, err error) {
	if p.Query == nil || !p.due(whole) {
		return false, nil
	}
	if err := p.Query.Collect(ctx, &p.batch); err != nil {
		return false, err
	}
	for k, at := range p.from {
		if whole.Due != nil {
			whole.Due[at] = p.batch.Due[k] // it may read less than is due
		}
		if p.batch.IsDue(k) {
			whole.Sets[at], p.batch.Sets[k] = p.batch.Sets[k], whole.Sets[at]
		}
	}
	return true, nil
}

// due hands down what is due, and tells whether anything is.
func (p *Part) due(whole *session.Batch) (something bool) {
	due := p.batch.Due[:0]
	for _, at := range p.from {
		due = append(due, whole.IsDue(at))
		something = something || whole.IsDue(at)
	}
	p.batch.Due = due
	if whole.Due == nil {
		p.batch.Due = nil
	}
	return something
}

// WarningsOf are those of a source, if it has any.
func WarningsOf(s session.Source) []error {
	if w, ok := s.(session.Warner); ok {
		return slices.Clone(w.Warnings())
	}
	return nil
}

// Time is when the part was read last, by our clock.
func (p *Part) Time() time.Time { return p.batch.Time }

// Fail says of the sets of the part that are due why they are not read.
func (p *Part) Fail(whole *session.Batch, err error) {
	for _, at := range p.from {
		if whole.IsDue(at) {
			whole.Sets[at].Err = err
		}
	}
}

// Close closes the query of the part.
func (p *Part) Close() error {
	if p.Query == nil {
		return nil
	}
	err := p.Query.Close()
	p.Query = nil
	return err
}
