package faketest

import (
	"cmp"
	"context"
	"slices"

	"perfdeck/session"
)

// Leads is a source that gives the instances that lead by their raw values, and those that
// facts are wanted of, where no more are wanted, as one to which each costs something.
func Leads(of session.Source) session.Source { return leads{of} }

type leads struct{ session.Source }

func (s leads) Open(ctx context.Context) (session.Query, error) {
	q, err := s.Source.Open(ctx)
	return &leadsQuery{Query: q}, err
}

type leadsQuery struct {
	session.Query

	wants []session.Want
}

func (q *leadsQuery) Select(ctx context.Context, wants []session.Want) error {
	q.wants = wants
	return q.Query.Select(ctx, wants)
}

func (q *leadsQuery) Collect(ctx context.Context, b *session.Batch) error {
	if err := q.Query.Collect(ctx, b); err != nil {
		return err
	}
	for i := range q.wants {
		if w := &q.wants[i]; w.Leads != nil && b.IsDue(i) {
			keepLeads(&b.Sets[i], w)
		}
	}
	return nil
}

// keepLeads leaves the others out, and counts them.
func keepLeads(b *session.SetBatch, w *session.Want) {
	kept := make([]bool, len(b.Instances))
	for i := range b.Instances {
		kept[i] = slices.Contains(w.Facts.Rows, b.Instances[i].Key)
	}
	for _, l := range w.Leads {
		col := slices.Index(b.Counters, l.By)
		order := make([]int, len(b.Instances))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(b.Row(y)[col].Raw, b.Row(x)[col].Raw) })
		for _, i := range order[:min(l.Rows, len(order))] {
			kept[i] = true
		}
	}
	whole := *b
	b.Instances, b.Readings, b.Facts = nil, nil, nil
	n := len(b.FactKeys)
	for i := range whole.Instances {
		if !kept[i] {
			b.Left++
			continue
		}
		b.Instances = append(b.Instances, whole.Instances[i])
		b.Readings = append(b.Readings, whole.Row(i)...)
		if len(whole.Facts) > 0 {
			b.Facts = append(b.Facts, whole.Facts[i*n:i*n+n]...)
		}
	}
}
