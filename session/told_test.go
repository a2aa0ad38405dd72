package session_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/clocktest"
	"perfdeck/session/hosts/fake"
)

// toldSource is a source whose values are told every three seconds: until the next are, it
// gives those, with their clocks.
type toldSource struct {
	session.Source

	clock *clocktest.Clock
}

func (s *toldSource) Open(ctx context.Context) (session.Query, error) {
	q, err := s.Source.Open(ctx)
	return &toldQuery{Query: q, clock: s.clock, newest: map[*session.Counterset]*session.SetBatch{}}, err
}

type toldQuery struct {
	session.Query

	clock  *clocktest.Clock
	at     time.Duration
	newest map[*session.Counterset]*session.SetBatch
}

func (q *toldQuery) Collect(ctx context.Context, b *session.Batch) error {
	err := q.Query.Collect(ctx, b)
	if at := q.clock.Now().Mono.Truncate(3 * time.Second); at != q.at {
		q.at = at
		clear(q.newest)
	}
	for i := range b.Sets {
		set := &b.Sets[i]
		if old := q.newest[set.Set]; old != nil && slices.Equal(old.Counters, set.Counters) {
			set.Clocks, set.Readings = old.Clocks, slices.Clone(old.Readings)
		} else {
			q.newest[set.Set] = &session.SetBatch{Clocks: set.Clocks, Counters: set.Counters, Readings: slices.Clone(set.Readings)}
		}
	}
	return err
}

// Values that are told keep their rate until there are newer ones, whoever asks for what
// besides, and however often they are read.
func TestToldValuesKeepTheirRate(t *testing.T) {
	script := fake.Script{Sets: []fake.Set{
		{Name: "Queue", Counters: []fake.Counter{{Name: "Jobs/sec", Type: cooker.CounterBulkCount, Is: fake.Const(100)}}},
		{Name: "Other", Counters: []fake.Counter{{Name: "Length", Type: cooker.CounterLargeRawCount, Is: fake.Const(5)}}},
	}}
	told := &toldSource{}
	onSource(t, script, func(s session.Source) session.Source { told.Source = s; return told }, func(r *rig) {
		told.clock = r.clock
		r.cat.Set("Queue").Told = true
		f := r.feed(time.Second, keepAll(r.ask("Queue")))
		for second := 1; second < 12; second++ {
			switch second {
			case 7:
				r.feed(time.Second, r.ask("Other")) // all is selected anew
			case 10:
				f.SampleNow()
			}
			v := view(t, r.step(f, time.Second))
			got, ok := v.Value(0, 0).Float()
			if second >= 3 && (!ok || got < 99.9 || got > 100.1) {
				t.Errorf("second %d: %v", second, v.Value(0, 0))
			}
		}
	})
}
