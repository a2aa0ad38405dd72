package fake

import (
	"context"
	"errors"
	"slices"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
)

// query implements session.Query.
type query struct {
	source *Source
	boots  int // restarts of the host when it was opened
	wants  []session.Want
	closed bool
}

var (
	errClosed  = errors.New("the query is closed")
	errRestart = errors.New("the connection was lost: the host restarted")
)

// Select takes over what is wanted. The slices are the caller's.
func (q *query) Select(ctx context.Context, wants []session.Want) error {
	if err := q.alive(ctx); err != nil {
		return err
	}
	q.wants = slices.Clone(wants)
	return nil
}

// Collect reads what is due.
func (q *query) Collect(ctx context.Context, b *session.Batch) error {
	at := q.source.clock.Now().Wall
	if err := q.alive(ctx); err != nil {
		return err
	}
	b.Time = at
	b.Fit(q.wants)
	t := q.source.now()
	for i := range q.wants {
		if b.IsDue(i) {
			q.source.read(&q.wants[i], &b.Sets[i], t)
		}
	}
	return nil
}

// Close ends the query.
func (q *query) Close() error {
	q.closed = true
	return nil
}

// alive waits for the host's answer and tells whether it knows the query.
func (q *query) alive(ctx context.Context) error {
	if q.closed {
		return q.failed(errClosed)
	}
	if err := q.source.answer(ctx); err != nil {
		return err
	}
	if boots, _ := q.source.restarts("", q.source.now()); boots != q.boots {
		return q.failed(errRestart)
	}
	return nil
}

func (q *query) failed(err error) error {
	return &session.HostError{Host: q.source.script.Name, Op: "collect counters", Err: err}
}

// read fills one set of a batch.
func (s *Source) read(w *session.Want, b *session.SetBatch, t time.Duration) {
	i := slices.Index(s.catalogue.Sets, w.Set)
	if i < 0 {
		b.Err = &session.HostError{Host: s.script.Name, Op: "read " + w.Set.Name, Err: errors.New("no such counterset")}
		return
	}
	set := s.sets[i]
	for f := range s.faults(set.script.Name, t) {
		if b.Err = f.Err; b.Err != nil {
			return
		}
	}
	restarts, last := s.restarts(set.script.Name, t)
	set.refresh(t, restarts, last)
	b.Clocks = s.clocks(t)
	for _, r := range set.live {
		b.Instances = append(b.Instances, r.instance)
		for _, c := range w.Counters {
			reading := set.reading(r, c, t, b)
			if state := s.state(set.script.Name, set.offer.Counters[c].Name, t); state != cooker.OK {
				reading = cooker.Reading{State: state}
			}
			b.Readings = append(b.Readings, reading)
		}
		if len(w.Facts.Keys) > 0 {
			set.facts(r, &w.Facts, b)
		}
	}
}
