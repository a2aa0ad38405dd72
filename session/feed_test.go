package session_test

import (
	"context"
	"math"
	"testing"
	"time"

	"perfdeck/session"
	"perfdeck/session/hosts/fake"
)

// counted is a source that counts how often its queries are told what to read.
type counted struct {
	session.Source
	selects int
}

func (s *counted) Open(ctx context.Context) (session.Query, error) {
	q, err := s.Source.Open(ctx)
	return &countedQuery{q, s}, err
}

type countedQuery struct {
	session.Query
	source *counted
}

func (q *countedQuery) Select(ctx context.Context, wants []session.Want) error {
	q.source.selects++
	return q.Query.Select(ctx, wants)
}

// Who asks for the same again costs the host nothing: it is told what to read
// only when that changed.
func TestAskOfTheSame(t *testing.T) {
	var selects *counted
	count := func(s session.Source) session.Source {
		selects = &counted{Source: s}
		return selects
	}
	onSource(t, plain(), count, func(r *rig) {
		ask := func(counters ...string) session.Ask {
			a := r.ask("Set", counters...)
			a.Keep = []session.Keep{{Counters: a.Counters, Busiest: 3, By: a.Counters[0]}}
			return a
		}
		facts := ask("rate")
		facts.Facts = session.FactWant{Keys: []string{"user"}, Rows: []session.InstanceKey{{Name: "a"}}}
		kept := ask("rate")
		kept.Keep[0].Rows = []session.InstanceKey{{Name: "a"}}
		f := r.feed(time.Second, ask("rate"))
		for _, c := range []struct {
			what    string
			do      func()
			selects int
		}{
			{"the same", func() { f.Ask([]session.Ask{ask("rate")}) }, 0},
			{"the same interval", func() { f.SetInterval(time.Second) }, 0},
			{"history of other rows", func() { f.Ask([]session.Ask{kept}) }, 0},
			{"the same of those that match", func() { f.Ask([]session.Ask{keepAll(ask("rate"))}) }, 0},
			{"facts", func() { f.Ask([]session.Ask{facts}) }, 1},
			{"the same facts", func() { f.Ask([]session.Ask{facts}) }, 0},
			{"another counter", func() { f.Ask([]session.Ask{ask("rate", "gauge")}) }, 1},
			{"another interval", func() { f.SetInterval(2 * time.Second) }, 1},
			{"nothing", func() { f.Ask(nil) }, 1},
			{"another feed", func() { r.feed(2*time.Second, ask("rate")) }, 1},
		} {
			before := selects.selects
			for range 3 {
				c.do()
				r.clock.Advance(0)
				r.clock.Advance(2 * time.Second)
			}
			if n := selects.selects - before; n != c.selects {
				t.Errorf("%s: the host was told %d times what to read, want %d", c.what, n, c.selects)
			}
		}
	})
}

// An ask is taken as it is when it is given: the slices are the caller's again.
func TestAskIsCopied(t *testing.T) {
	onHost(t, plain(), func(r *rig) {
		a := r.ask("Set", "rate")
		f := r.feed(time.Second, a)
		r.take(f)
		gauge, _ := a.Set.Counter("gauge")
		a.Counters[0] = gauge
		f.Ask([]session.Ask{a})
		v := view(r, r.step(f, time.Second))
		if v.Column(gauge) < 0 {
			r.Error("what was written into the slice of the ask before is not asked for")
		}
	})
}

// A sample between two beats shows the values since the last beat; the next beat
// has its whole interval all the same, and history knows beats alone.
func TestSampleNow(t *testing.T) {
	script := plain()
	script.Sets[0].Counters[0].Is = func(at time.Duration, _ uint64) float64 {
		switch {
		case at > 19*time.Second:
			return 50
		case at > 11*time.Second:
			return 200
		}
		return 100
	}
	script.Sets[0].Rows = append(script.Sets[0].Rows, fake.Row{Name: "short", Alive: during(0, 13*time.Second)})
	onHost(t, script, func(r *rig) {
		f := r.feed(10*time.Second, keepAll(r.ask("Set", "rate", "gauge")))
		s := r.step(f, 10*time.Second)
		samples := s.Timeline.Next()
		f.SampleNow()
		if s = r.step(f, 0); s.Timeline.Next() != samples {
			r.Errorf("the history has %d samples, had %d", s.Timeline.Next(), samples)
		}
		// On the beat's heels it is that of the beat.
		wantValue(r, view(r, s).Value(0, 0), 100)
		r.clock.Advance(8 * time.Second)
		f.SampleNow()
		s = r.step(f, 0)
		v := view(r, s)
		if got, _ := v.Value(0, 0).Float(); math.Abs(got-200) > 1 {
			r.Errorf("8 s behind the beat the rate is %v, want 200", got)
		}
		if got := v.Rate.Interval; got != 8*time.Second {
			r.Errorf("its interval is %v", got)
		}
		if n := rowNamed(v, "short"); n >= 0 && !v.Rows[n].Gone {
			r.Error("a row that ended is there")
		}
		if s.Timeline.Next() != samples {
			r.Errorf("the history has %d samples, had %d", s.Timeline.Next(), samples)
		}
		s = r.step(f, 2*time.Second)
		v = view(r, s)
		if got, _ := v.Value(0, 0).Float(); math.Abs(got-170) > 1 || v.Rate.Interval != 10*time.Second {
			r.Errorf("the beat behind it gives %v over %v, want 170 over 10 s", got, v.Rate.Interval)
		}
		if s.Timeline.Next() != samples+1 {
			r.Errorf("the history has %d samples, had %d", s.Timeline.Next(), samples)
		}
		if n := rowNamed(v, "short"); n < 0 || !v.Rows[n].Gone {
			r.Error("the row that ended is not told as gone")
		}
	})
}

// Another feed of the host hears nothing of a sample that one asked for.
func TestSampleNowOfOne(t *testing.T) {
	onHost(t, plain(), func(r *rig) {
		f := r.feed(10*time.Second, r.ask("Set", "rate"))
		other := r.feed(10*time.Second, r.ask("Set", "rate"))
		r.step(f, 10*time.Second)
		r.take(other)
		r.clock.Advance(4 * time.Second)
		f.SampleNow()
		r.step(f, 0)
		if other.Take() != nil {
			r.Error("the other feed got a snapshot")
		}
	})
}

// stumbling is a source whose first answer fails.
type stumbling struct {
	session.Source
	failed bool
}

func (s *stumbling) Open(ctx context.Context) (session.Query, error) {
	q, err := s.Source.Open(ctx)
	return &stumblingQuery{q, s}, err
}

type stumblingQuery struct {
	session.Query
	source *stumbling
}

func (q *stumblingQuery) Collect(ctx context.Context, b *session.Batch) error {
	if !q.source.failed {
		q.source.failed = true
		return errLine
	}
	return q.Query.Collect(ctx, b)
}

// What was asked for twice before any answer came is still read at once, not with
// the next beat.
func TestAskedTwiceBeforeTheFirstAnswer(t *testing.T) {
	stumble := func(s session.Source) session.Source { return &stumbling{Source: s} }
	onSource(t, plain(), stumble, func(r *rig) {
		f := r.feed(time.Hour, r.ask("Set", "rate"))
		r.take(f) // the failure
		f.Ask([]session.Ask{r.ask("Set", "rate", "gauge")})
		wantValue(t, view(t, r.step(f, 2*time.Second)).Value(0, 1), 7)
	})
}
