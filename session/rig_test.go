package session_test

import (
	"context"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/clocktest"
	"perfdeck/session/hosts/fake"
)

var start = time.Date(2026, 3, 2, 14, 7, 32, 0, time.UTC)

// rig is a sampler on a scripted host and a clock that the test moves.
type rig struct {
	*testing.T
	clock   *clocktest.Clock
	sampler *session.Sampler
	cat     *session.Catalogue
}

// onHost runs a test against a scripted host. The bubble fails the test if a
// goroutine is left behind.
func onHost(t *testing.T, script fake.Script, test func(r *rig)) {
	onSource(t, script, func(s session.Source) session.Source { return s }, test)
}

// onSource runs a test against a scripted host whose source is wrapped.
func onSource(t *testing.T, script fake.Script, wrap func(session.Source) session.Source, test func(r *rig)) {
	synctest.Test(t, func(t *testing.T) {
		r := &rig{T: t, clock: clocktest.New(start, synctest.Wait)}
		script.Name = "host"
		source := fake.New(script, r.clock)
		r.cat = source.Offer()
		r.sampler = session.NewSampler("host", wrap(source), r.clock)
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
		test(r)
	})
}

// ask asks for counters of a set by name; none asks for all.
func (r *rig) ask(set string, counters ...string) session.Ask {
	r.Helper()
	a := session.Ask{Set: r.cat.Set(set)}
	if a.Set == nil {
		r.Fatalf("no set %s", set)
	}
	for i := range a.Set.Counters {
		if len(counters) == 0 {
			a.Counters = append(a.Counters, i)
		}
	}
	for _, name := range counters {
		i, ok := a.Set.Counter(name)
		if !ok {
			r.Fatalf("no counter %s", name)
		}
		a.Counters = append(a.Counters, i)
	}
	return a
}

// keepAll keeps the history of every row and counter of an ask.
func keepAll(a session.Ask) session.Ask {
	a.Keep = []session.Keep{{Counters: a.Counters, Match: func(*session.Instance) bool { return true }}}
	return a
}

// feed makes a feed with asks and lets it come to rest.
func (r *rig) feed(every time.Duration, asks ...session.Ask) *session.Feed {
	f := r.sampler.Feed(session.FeedOptions{Every: every, History: time.Minute})
	f.Ask(asks)
	r.clock.Advance(0)
	return f
}

// take returns the waiting snapshot; it is released when the test ends.
func (r *rig) take(f *session.Feed) *session.Snapshot {
	r.Helper()
	s := f.Take()
	if s == nil {
		r.Fatal("no snapshot")
	}
	r.Cleanup(s.Release)
	return s
}

// step advances and takes.
func (r *rig) step(f *session.Feed, d time.Duration) *session.Snapshot {
	r.Helper()
	r.clock.Advance(d)
	return r.take(f)
}

// view is the only set of a snapshot.
func view(t testing.TB, s *session.Snapshot) *session.SetView {
	t.Helper()
	if len(s.Sets) != 1 {
		t.Fatalf("%d sets in the snapshot, want 1", len(s.Sets))
	}
	return s.Sets[0]
}

// rowNamed finds the first row of a name.
func rowNamed(v *session.SetView, name string) int {
	for i := range v.Rows {
		if v.Rows[i].Key.Name == name {
			return i
		}
	}
	return -1
}

func wantValue(t testing.TB, v cooker.Value, want float64) {
	t.Helper()
	if f, ok := v.Float(); !ok || math.Abs(f-want) > 1e-3*math.Abs(want) {
		t.Errorf("value %v %v, want %v", f, v.Status(), want)
	}
}

func wantStatus(t testing.TB, v cooker.Value, want cooker.Status) {
	t.Helper()
	if v.Status() != want {
		t.Errorf("status %v, want %v", v.Status(), want)
	}
}

// plain is a script of one set of two instances: a rate of 100 and 300 and a
// gauge of 7 and 21. The rate is a timer: it counts finely enough to be right
// over any interval.
func plain(faults ...fake.Fault) fake.Script {
	return fake.Script{Faults: faults, Sets: []fake.Set{{
		Name: "Set", Instances: session.MultipleInstances, Facts: []string{"user"},
		Counters: []fake.Counter{
			{Name: "rate", Type: cooker.Timer100ns, Is: fake.Const(100)},
			{Name: "gauge", Type: cooker.CounterRawCount, Is: fake.Const(7)},
		},
		Rows: []fake.Row{{Name: "a", Facts: []string{"mia"}}, {Name: "b", Times: 3}},
	}}}
}

func during(from, to time.Duration) fake.Window { return fake.Window{From: from, To: to} }
