package feed

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
)

// query implements session.Query.
type query struct {
	source *Source
	wants  []session.Want
	tables []*table // of wants
	seen   []uint64 // versions of tables that were read
	waited bool
	closed bool
}

var (
	errNotFed = errors.New("not a counterset of this source")
	errClosed = errors.New("the query is closed")
)

// Open makes a query.
func (s *Source) Open(context.Context) (session.Query, error) { return &query{source: s}, nil }

// Select takes over what is wanted. The inlets run from then on.
func (q *query) Select(_ context.Context, wants []session.Want) error {
	if q.closed {
		return errClosed
	}
	tables := make([]*table, 0, len(wants))
	for i := range wants {
		at := slices.Index(q.source.catalogue.Sets, wants[i].Set)
		if at < 0 {
			return fmt.Errorf("select counters: %w", errNotFed)
		}
		tables = append(tables, q.source.tables[at])
	}
	q.wants, q.tables, q.seen = slices.Clone(wants), tables, make([]uint64, len(wants))
	if len(wants) > 0 {
		q.source.Begin()
	}
	return nil
}

// Collect reads what is due and new.
func (q *query) Collect(ctx context.Context, b *session.Batch) error {
	if q.closed {
		return errClosed
	}
	if err := q.await(ctx); err != nil {
		return fmt.Errorf("collect counters: %w", err)
	}
	s := q.source
	now := s.o.Clock.Now()
	b.Time = now.Wall
	b.Fit(q.wants)
	s.mu.Lock()
	news := s.settle(now.Mono)
	q.read(b)
	s.mu.Unlock()
	for _, err := range news {
		s.report(err)
	}
	return nil
}

// read fills the batch. Source.mu is held.
func (q *query) read(b *session.Batch) {
	for i, t := range q.tables {
		if !b.IsDue(i) {
			continue
		}
		if b.Due != nil && t.version == q.seen[i] && t.version > 0 && t.state() == nil {
			b.Due[i] = false
			continue
		}
		b.Sets[i].Clocks = t.clocks
		q.seen[i] = t.version
		t.read(&b.Sets[i], max(b.Sets[i].Clocks.PerfFreqHz/ticksPerSecond, 1))
	}
}

// firstLines is how long the first reading waits for them: who asks once should not
// be told that nothing came.
const firstLines = time.Second

// await waits until all inlets that matter told something or failed, at the first reading.
func (q *query) await(ctx context.Context) error {
	if q.waited || len(q.tables) == 0 {
		return ctx.Err()
	}
	q.waited = true
	var inlets []*inlet
	for _, t := range q.tables {
		inlets = append(inlets, t.inlets...)
	}
	q.source.await(ctx, inlets, firstLines)
	return ctx.Err()
}

// await waits until inlets told something or failed, and lets the lines that follow come, for so long at most.
func (s *Source) await(ctx context.Context, inlets []*inlet, most time.Duration) {
	c, stop := s.o.Clock.Timer(most)
	defer stop()
	for _, in := range inlets {
		select {
		case <-in.answered:
		case <-c:
			return
		case <-ctx.Done():
			return
		}
	}
	session.Await(ctx, s.o.Clock, settled, nil)
}

// Close ends the query.
func (q *query) Close() error {
	q.wants, q.tables, q.closed = nil, nil, true
	return nil
}

// The clocks of feeds tick each 100 ns, as those of present Windows do.
const (
	ticksPerSecond   = 10_000_000
	nanosecondsAtick = 100
)

// ownClocks are the clocks of feeds with no source beside them. They begin now, and do not
// follow steps of the wall clock.
func ownClocks(clock session.Clock) func() cooker.Clocks {
	const uptime = time.Hour // so that no clock is near 0
	start := clock.Now()
	begun := cooker.FileTime(start.Wall)
	return func() cooker.Clocks {
		since := uint64(max(clock.Now().Mono-start.Mono, 0) / nanosecondsAtick)
		return cooker.Ticking(uint64(uptime/nanosecondsAtick)+since, begun+since)
	}
}
