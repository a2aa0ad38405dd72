package session_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"perfdeck/session"
)

// knowing is a source that knows what its readings were a second before the first, and has them
// of somebody else, a minute old.
type knowing struct{ session.Source }

type knowingQuery struct {
	session.Query

	told bool
}

func (k knowing) Open(ctx context.Context) (session.Query, error) {
	q, err := k.Source.Open(ctx)
	return &knowingQuery{Query: q}, err
}

func (q *knowingQuery) Collect(ctx context.Context, b *session.Batch) error {
	err := q.Query.Collect(ctx, b)
	if err != nil {
		return err
	}
	b.Newest, b.Took = start.Add(-time.Minute), 7*time.Millisecond
	if q.told {
		return nil
	}
	q.told = true
	set := &b.Sets[0]
	before := *set
	before.Instances, before.Readings = slices.Clone(set.Instances), slices.Clone(set.Readings)
	before.Clocks.Time100ns -= 1e7
	before.Readings[0].Raw -= 1e7
	before.Readings[2].Raw -= 3e7
	set.Before = &before
	return nil
}

// A source that knows what readings were before the first has rates at once, and the host's
// state is as old as what it gives.
func TestRateAtOnce(t *testing.T) {
	onSource(t, plain(), func(s session.Source) session.Source { return knowing{s} }, func(r *rig) {
		f := r.feed(10*time.Second, keepAll(r.ask("Set", "rate", "gauge")))
		got := view(t, r.take(f))
		wantValue(t, got.Value(0, 0), 100)
		wantValue(t, got.Value(1, 0), 300)
		wantValue(t, got.Value(1, 1), 21)
		state := r.sampler.State()
		if !state.LastAnswer.Equal(start.Add(-time.Minute)) || state.Latency != 7*time.Millisecond {
			t.Errorf("%+v", state)
		}
		got = view(t, r.step(f, 10*time.Second))
		wantValue(t, got.Value(0, 0), 100)
	})
}

// leading is a source that leaves its last instance out at first, and then knows what its
// readings were before.
type leading struct{ session.Source }

type leadingQuery struct {
	session.Query

	times int
}

func (l leading) Open(ctx context.Context) (session.Query, error) {
	q, err := l.Source.Open(ctx)
	return &leadingQuery{Query: q}, err
}

func (q *leadingQuery) Collect(ctx context.Context, b *session.Batch) error {
	err := q.Query.Collect(ctx, b)
	if err != nil {
		return err
	}
	set := &b.Sets[0]
	last := len(set.Instances) - 1
	if q.times++; q.times == 1 {
		set.Instances, set.Readings = set.Instances[:last], set.Readings[:last*len(set.Counters)]
		return nil
	}
	before := *set
	before.Instances, before.Readings = slices.Clone(set.Instances), slices.Clone(set.Readings)
	before.Clocks.Time100ns -= 1e7
	for i := range before.Instances {
		before.Row(i)[0].Raw -= 4e7
	}
	set.Before = &before
	return nil
}

// A row that comes late has its rate at once where the source knows what it was before; the
// others have theirs since the sample before.
func TestRateOfNewRowAtOnce(t *testing.T) {
	onSource(t, plain(), func(s session.Source) session.Source { return leading{s} }, func(r *rig) {
		f := r.feed(10*time.Second, keepAll(r.ask("Set", "rate", "gauge")))
		if got := view(t, r.take(f)); len(got.Rows) != 1 {
			t.Fatalf("%d rows", len(got.Rows))
		}
		got := view(t, r.step(f, 10*time.Second))
		wantValue(t, got.Value(0, 0), 100)
		wantValue(t, got.Value(1, 0), 400)
		older, _, clocks, newer, ok := got.Raw(1, 0)
		if !ok || older == nil || newer.Time100ns-clocks.Time100ns != 1e7 {
			t.Errorf("%v, %v to %v", older, clocks, newer)
		}
	})
}
