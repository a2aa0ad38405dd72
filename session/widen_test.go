package session_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/clocktest"
	"perfdeck/session/hosts/fake"
)

// sparing is a source whose queries leave out what is due but the first time and every
// third beat, and that counts bytes.
type sparing struct {
	session.Source
	every []time.Duration // asked of the last query
	bytes uint64
}

func (s *sparing) Traffic() uint64 { return s.bytes }

func (s *sparing) Open(ctx context.Context) (session.Query, error) {
	q, err := s.Source.Open(ctx)
	return &sparingQuery{Query: q, source: s}, err
}

type sparingQuery struct {
	session.Query
	source *sparing
	asked  int
}

func (q *sparingQuery) Select(ctx context.Context, wants []session.Want) error {
	q.source.every = q.source.every[:0]
	for _, w := range wants {
		q.source.every = append(q.source.every, w.Every)
	}
	return q.Query.Select(ctx, wants)
}

func (q *sparingQuery) Collect(ctx context.Context, b *session.Batch) error {
	const second = 2 // is beside the beat
	if q.asked++; q.asked != second {
		q.source.bytes += 3000
	}
	if q.asked == second || q.asked > second && q.asked%3 != 2 {
		clear(b.Due)
	}
	return q.Query.Collect(ctx, b)
}

// A set that its source reads less often than it is due keeps its view
// meanwhile; then its interval is the whole one, nothing was missed, and the
// history has no holes.
func TestSourceReadsLessOften(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &rig{T: t, clock: clocktest.New(start, synctest.Wait)}
		script := plain()
		script.Name = "host"
		inner := fake.New(script, r.clock)
		r.cat = inner.Offer()
		source := &sparing{Source: inner}
		r.sampler = session.NewSampler("host", source, r.clock)
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan struct{})
		go func() {
			r.sampler.Run(ctx)
			close(done)
		}()
		defer func() {
			cancel()
			<-done
		}()
		f := r.feed(time.Second, keepAll(r.ask("Set", "rate", "gauge"))) // the first is read beside the beat
		if !slices.Equal(source.every, []time.Duration{time.Second}) {
			t.Errorf("asked for every %v", source.every)
		}
		for range 2 {
			v := view(t, r.step(f, time.Second))
			wantStatus(t, v.Value(0, 0), cooker.FirstSample)
		}
		s := r.step(f, time.Second)
		v := view(t, s)
		wantValue(t, v.Value(0, 0), 100)
		if v.Rate.Interval != 3*time.Second || v.Rate.Missed != 0 || v.Rate.Gap {
			t.Errorf("rate %+v", v.Rate)
		}
		for range 2 {
			if again := view(t, r.step(f, time.Second)); !again.Time.Equal(v.Time) || again.Rate.Interval != 3*time.Second {
				t.Errorf("a view of %v, %+v", again.Time, again.Rate)
			}
		}
		s = r.step(f, time.Second)
		v = view(t, s)
		wantValue(t, v.Value(1, 0), 300)
		kept := v.Series(0, 0)
		if !slices.Equal(kept.Values, []float32{100, 100, 100, 100}) || len(s.Timeline.Nanos) != 6 {
			t.Errorf("history %v of %d samples", kept, len(s.Timeline.Nanos))
		}
		for range 5 { // the first span of the meter may begin before the first reading, or behind it
			r.step(f, time.Second)
		}
		if state := r.sampler.State(); state.Missed != 0 || state.BytesPerSecond != 3000 {
			t.Errorf("state %+v", state)
		}
	})
}
