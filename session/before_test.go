package session_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"perfdeck/session"
)

// altered is a source whose batches are changed before they are seen.
type altered struct {
	session.Source

	change func(b *session.Batch)
}

type alteredQuery struct {
	session.Query

	change func(b *session.Batch)
}

func (a altered) Open(ctx context.Context) (session.Query, error) {
	q, err := a.Source.Open(ctx)
	return &alteredQuery{q, a.change}, err
}

func (q *alteredQuery) Collect(ctx context.Context, b *session.Batch) error {
	err := q.Query.Collect(ctx, b)
	if err == nil {
		q.change(b)
	}
	return err
}

// secondBefore is what a set's readings were a second before, for the caller to change.
func secondBefore(set *session.SetBatch) *session.SetBatch {
	before := *set
	before.Instances, before.Readings = slices.Clone(set.Instances), slices.Clone(set.Readings)
	before.Clocks.Time100ns -= 1e7
	return &before
}

// knowing knows what its readings were a second before the first, and has them of somebody
// else, a minute old.
func knowing(s session.Source) session.Source {
	told := false
	return altered{s, func(b *session.Batch) {
		b.Newest, b.Took = start.Add(-time.Minute), 7*time.Millisecond
		if told {
			return
		}
		told = true
		set := &b.Sets[0]
		before := secondBefore(set)
		before.Readings[0].Raw -= 1e7
		before.Readings[2].Raw -= 3e7
		set.Before = before
	}}
}

// A source that knows what readings were before the first has rates at once, and the host's
// state is as old as what it gives.
func TestRateAtOnce(t *testing.T) {
	onSource(t, plain(), knowing, func(r *rig) {
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

// leading leaves its last instance out at first, and then knows what its readings were before.
func leading(s session.Source) session.Source {
	times := 0
	return altered{s, func(b *session.Batch) {
		set := &b.Sets[0]
		last := len(set.Instances) - 1
		if times++; times == 1 {
			set.Instances, set.Readings = set.Instances[:last], set.Readings[:last*len(set.Counters)]
			return
		}
		before := secondBefore(set)
		for i := range before.Instances {
			before.Row(i)[0].Raw -= 4e7
		}
		set.Before = before
	}}
}

// A row that comes late has its rate at once where the source knows what it was before; the
// others have theirs since the sample before.
func TestRateOfNewRowAtOnce(t *testing.T) {
	onSource(t, plain(), leading, func(r *rig) {
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
