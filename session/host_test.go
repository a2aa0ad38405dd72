package session_test

import (
	"errors"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/hosts/fake"
)

var errLine = errors.New("the line is dead")

// A set that cannot be read shows what it had, and why.
func TestFailingSet(t *testing.T) {
	fault := fake.Fault{Window: during(2500*time.Millisecond, 4500*time.Millisecond), Set: "Set", Err: errLine}
	onHost(t, plain(fault), func(r *rig) {
		f := r.feed(time.Second, keepAll(r.ask("Set", "rate")))
		r.clock.Advance(2 * time.Second)
		r.take(f)
		s := r.step(f, time.Second)
		v := view(t, s)
		if !errors.Is(v.Err, errLine) || s.State.Phase != session.Live {
			t.Errorf("error %v, phase %v", v.Err, s.State.Phase)
		}
		wantValue(t, v.Value(1, 0), 300)
		if !v.Time.Before(s.Time) {
			t.Error("old values with a new time")
		}
		v = view(t, r.step(f, 2*time.Second))
		if v.Err != nil {
			t.Errorf("error %v", v.Err)
		}
		wantValue(t, v.Value(1, 0), 300)
		h := v.Series(1, 0).Values
		if len(h) != 5 || isNaN(h[1]) || !isNaN(h[2]) || !isNaN(h[3]) || isNaN(h[4]) {
			t.Errorf("history %v, want a gap where nothing was read", h)
		}
	})
}

// After more than three failures in a row the interval is a gap.
func TestLongFailingSet(t *testing.T) {
	fault := fake.Fault{Window: during(2500*time.Millisecond, 6500*time.Millisecond), Set: "Set", Err: errLine}
	onHost(t, plain(fault), func(r *rig) {
		f := r.feed(time.Second, r.ask("Set", "rate", "gauge"))
		r.clock.Advance(6 * time.Second)
		r.take(f)
		v := view(t, r.step(f, time.Second))
		wantStatus(t, v.Value(0, 0), cooker.Gap)
		wantValue(t, v.Value(0, 1), 7)
		wantValue(t, view(t, r.step(f, time.Second)).Value(0, 0), 100)
	})
}

// So is the interval in which the connection was made anew.
func TestReconnectIsAGap(t *testing.T) {
	fault := fake.Fault{Window: during(2500*time.Millisecond, 3200*time.Millisecond), Err: errLine}
	onHost(t, plain(fault), func(r *rig) {
		f := r.feed(time.Second, keepAll(r.ask("Set", "rate")))
		r.clock.Advance(8 * time.Second)
		h := view(t, r.take(f)).Series(0, 0).Values
		if len(h) != 7 || !isNaN(h[2]) {
			t.Errorf("history %v, want 1 and 2 s, a gap at about 4 s, and values from 5 s on", h)
		}
	})
}

// A set that never answered has no rows, whatever other sets had before.
func TestSetThatNeverAnswered(t *testing.T) {
	script := plain(fake.Fault{Set: "Other", Err: errLine})
	script.Sets = append(script.Sets, script.Sets[0])
	script.Sets[1].Name = "Other"
	onHost(t, script, func(r *rig) {
		f := r.feed(time.Second, r.ask("Set"))
		for range 8 {
			r.clock.Advance(time.Second)
			f.Take().Release()
		}
		f.Ask([]session.Ask{r.ask("Other")})
		for range 4 {
			v := view(t, r.step(f, time.Second))
			if !errors.Is(v.Err, errLine) || len(v.Rows) != 0 || v.Column(0) != 0 || !v.Time.IsZero() {
				t.Errorf("error %v, %d rows, time %v", v.Err, len(v.Rows), v.Time)
			}
			if _, _, _, _, ok := v.Raw(0, 0); ok {
				t.Error("raw samples of nothing")
			}
		}
	})
}

func TestHostFailsAndRecovers(t *testing.T) {
	fault := fake.Fault{Window: during(5500*time.Millisecond, 20*time.Second), Err: errLine}
	onHost(t, plain(fault), func(r *rig) {
		f := r.feed(time.Second, keepAll(r.ask("Set", "rate")))
		r.clock.Advance(5 * time.Second)
		r.take(f)
		s := r.step(f, 1500*time.Millisecond)
		if s.State.Phase != session.Retrying || !errors.Is(s.State.Err, errLine) || s.State.Tries != 1 {
			t.Errorf("state %+v", s.State)
		}
		wantValue(t, view(t, s).Value(0, 0), 100) // what it had
		tries := make(map[time.Time]int)
		for r.clock.Now().Mono < 20*time.Second {
			r.clock.Advance(100 * time.Millisecond)
			state := r.sampler.State()
			tries[state.NextTry] = state.Tries
			if d := state.NextTry.Sub(r.clock.Now().Wall); d > 38*time.Second {
				t.Fatalf("next try in %v", d)
			}
		}
		if n := len(tries); n < 3 || n > 5 {
			t.Errorf("%d tries in 15 s, want growing pauses", n)
		}
		s = r.step(f, 40*time.Second)
		v := view(t, s)
		if s.State.Phase != session.Live || s.State.Err != nil || s.State.Tries != 0 {
			t.Errorf("state %+v", s.State)
		}
		wantValue(t, v.Value(0, 0), 100)
		h := v.Series(0, 0)
		if isNaN(h.Values[0]) || h.First != 0 {
			t.Errorf("history %v from %d: what was before is lost", h.Values, h.First)
		}
		gaps := 0
		for _, x := range h.Values {
			if isNaN(x) {
				gaps++
			} else if x < 99 || x > 101 {
				t.Errorf("a spike in the history: %v", h.Values)
			}
		}
		if gaps == 0 {
			t.Error("the failure left no gap")
		}
	})
}

func TestRefusedHostIsNotHammered(t *testing.T) {
	onHost(t, plain(fake.Fault{Err: fake.Denied("host")}), func(r *rig) {
		f := r.feed(time.Second)
		s := r.take(f)
		if s.State.Phase != session.Refused || !errors.Is(s.State.Err, session.ErrDenied) {
			t.Errorf("state %+v", s.State)
		}
		// Pauses get up to a quarter longer: the tries come after 5 to 6.25 s, another 5
		// to 6.25 minutes and another 10 to 12.5.
		for _, v := range []struct {
			after time.Duration
			tries int
		}{{4 * time.Second, 1}, {3 * time.Second, 2}, {4 * time.Minute, 2}, {3 * time.Minute, 3}, {7 * time.Minute, 3}} {
			r.clock.Advance(v.after)
			if tries := r.sampler.State().Tries; tries != v.tries {
				t.Errorf("%d tries, want %d", tries, v.tries)
			}
		}
		r.sampler.Retry()
		r.clock.Advance(0)
		if tries := r.sampler.State().Tries; tries != 4 {
			t.Errorf("%d tries, want 4 after a wish", tries)
		}
	})
}

// A host that is reached answers, though nobody wants a counter of it; one that
// cannot be reached does not, nor one that ended.
func TestHostNobodyAsks(t *testing.T) {
	faults := []fake.Fault{{Window: during(0, 3*time.Second), Err: errLine}, {Window: during(40*time.Second, 0), Err: errLine}}
	onHost(t, plain(faults...), func(r *rig) {
		r.feed(time.Second)
		r.clock.Advance(0)
		if s := r.sampler.State(); s.Phase != session.Retrying || !s.LastAnswer.IsZero() {
			t.Errorf("before it is reached: %+v", s)
		}
		r.clock.Advance(10 * time.Second)
		if s := r.sampler.State(); s.Phase != session.Live || s.LastAnswer.IsZero() || s.Err != nil {
			t.Errorf("it is reached: %+v", s)
		}
		r.clock.Advance(25 * time.Second)
		if s := r.sampler.State(); s.Phase != session.Live || r.clock.Now().Wall.Sub(s.LastAnswer) > 10*time.Second {
			t.Errorf("it goes on: %+v", s)
		}
		r.clock.Advance(20 * time.Second)
		if s := r.sampler.State(); s.Phase != session.Retrying {
			t.Errorf("it ended: %+v", s)
		}
	})
}

// Who asks after a failure is told of it, without another try.
func TestFeedAfterAFailureIsTold(t *testing.T) {
	onHost(t, plain(fake.Fault{Err: fake.Denied("host")}), func(r *rig) {
		r.take(r.feed(time.Second))
		late := r.take(r.feed(time.Second))
		if late.State.Phase != session.Refused || late.State.Tries != 1 {
			t.Errorf("state %+v", late.State)
		}
	})
}

// A step of the wall clock does not put off the next try.
func TestRetryAndClockStep(t *testing.T) {
	onHost(t, plain(fake.Fault{Window: during(0, time.Second), Err: errLine}), func(r *rig) {
		f := r.feed(time.Second, r.ask("Set", "rate"))
		r.clock.Step(-time.Hour)
		s := r.step(f, 10*time.Second)
		if s.State.Phase != session.Live {
			t.Errorf("phase %v after 10 s", s.State.Phase)
		}
	})
}

func TestRestartOfHost(t *testing.T) {
	fault := fake.Fault{Window: during(3500*time.Millisecond, 4*time.Second), Restart: true}
	onHost(t, plain(fault), func(r *rig) {
		f := r.feed(time.Second, keepAll(r.ask("Set", "rate")))
		r.clock.Advance(3 * time.Second)
		before := view(t, r.take(f)).Rows[0].Key
		s := r.step(f, 10*time.Second)
		v := view(t, s)
		if v.Rows[0].Key == before || s.State.Phase != session.Live {
			t.Errorf("row %+v, phase %v", v.Rows[0], s.State.Phase)
		}
		wantValue(t, v.Value(0, 0), 100)
	})
}

func TestRestartOfSet(t *testing.T) {
	fault := fake.Fault{Window: during(3500*time.Millisecond, 4*time.Second), Set: "Set", Restart: true}
	onHost(t, plain(fault), func(r *rig) {
		f := r.feed(time.Second, r.ask("Set", "rate"))
		r.clock.Advance(3 * time.Second)
		r.take(f)
		wantStatus(t, view(t, r.step(f, time.Second)).Value(0, 0), cooker.FirstSample)
		wantValue(t, view(t, r.step(f, time.Second)).Value(0, 0), 100)
	})
}

// A host that does not answer any more is stale, and does not keep the sampler
// from ending.
func TestHungHostIsStale(t *testing.T) {
	onHost(t, plain(fake.Fault{Window: during(2500*time.Millisecond, 3500*time.Millisecond), Hang: true}), func(r *rig) {
		f := r.feed(time.Second, r.ask("Set", "rate"))
		r.clock.Advance(4 * time.Second)
		r.take(f)
		if phase := r.sampler.State().Phase; phase != session.Live {
			t.Errorf("phase %v after 1 s", phase)
		}
		r.clock.Advance(5 * time.Second)
		if state := r.sampler.State(); state.Phase != session.Stale || state.Waits.IsZero() || state.Waits.Before(state.LastAnswer) {
			t.Errorf("after 6 s: %+v", state)
		}
	})
}

// So is one that hangs while something new is selected.
func TestHungSelectIsStale(t *testing.T) {
	onHost(t, plain(fake.Fault{Window: during(2500*time.Millisecond, 3500*time.Millisecond), Hang: true}), func(r *rig) {
		f := r.feed(time.Second, r.ask("Set", "rate"))
		r.clock.Advance(2700 * time.Millisecond)
		f.Ask([]session.Ask{r.ask("Set", "gauge")})
		r.clock.Advance(6 * time.Second)
		if phase := r.sampler.State().Phase; phase != session.Stale {
			t.Errorf("phase %v after 6 s", phase)
		}
	})
}
