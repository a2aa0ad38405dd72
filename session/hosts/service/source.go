package service

import (
	"context"
	"errors"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
)

// Source is the services of a computer as a source, to stand beside what else it has (merged).
type Source struct {
	o   Options
	cat *session.Catalogue

	close func() error // nil: nothing is open
}

// NewSource makes the source of a host. Nothing is asked before its counterset is read.
func NewSource(host string, o Options) *Source {
	return &Source{o: o, cat: &session.Catalogue{Host: host, Sets: []*session.Counterset{Set()}}}
}

// Catalogue implements session.Source.
func (s *Source) Catalogue(context.Context) (*session.Catalogue, error) { return s.cat, nil }

// Set is the counterset.
func (s *Source) Set() *session.Counterset { return s.cat.Sets[0] }

// Try asks whether services can be told at all.
func (s *Source) Try(ctx context.Context) error {
	m, err := s.o.Dial(ctx)
	if err != nil {
		return err
	}
	return m.Close()
}

// Open implements session.Source.
func (s *Source) Open(context.Context) (session.Query, error) { return &query{source: s}, nil }

// Close implements session.Source.
func (s *Source) Close() error {
	if s.close == nil {
		return nil
	}
	return s.close()
}

// query has one reader for each want.
type query struct {
	source  *Source
	wants   []session.Want
	readers []*Reader
}

// Select implements session.Query.
func (q *query) Select(_ context.Context, wants []session.Want) error {
	for i := range wants {
		if wants[i].Set != q.source.cat.Sets[0] {
			return errors.New("select services: a counterset of another source")
		}
	}
	for ; len(q.readers) > len(wants); q.readers = q.readers[:len(q.readers)-1] {
		q.readers[len(q.readers)-1].Close()
	}
	for len(q.readers) < len(wants) {
		q.readers = append(q.readers, NewReader(q.source.o))
	}
	q.wants = append(q.wants[:0], wants...)
	for i, r := range q.readers {
		r.Choose(&q.wants[i])
	}
	return nil
}

// Collect implements session.Query.
func (q *query) Collect(ctx context.Context, b *session.Batch) error {
	b.Time = time.Now()
	b.Fit(q.wants)
	now := cooker.FileTime(b.Time)
	clocks := cooker.Clocks{PerfTime: uint64(q.source.o.Now()), PerfFreqHz: uint64(time.Second), Time100ns: now, ObjTime: now, ObjFreqHz: 1e7}
	for i, r := range q.readers {
		if b.IsDue(i) && !r.Collect(ctx, &b.Sets[i], clocks) && b.Due != nil {
			b.Due[i] = false
		}
	}
	return nil
}

// Close implements session.Query.
func (q *query) Close() error { return q.Select(context.Background(), nil) }
