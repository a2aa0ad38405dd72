package fake_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"perfdeck/session"
	"perfdeck/session/hosts/fake"
)

// A host with a past has it as soon as it is let go by, sample by sample, and goes on
// with the present.
func TestPastGoesBy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		present := session.NewSystemClock()
		past := fake.NewPast(present, time.Minute)
		source := fake.New(fake.Script{Name: "host", Sets: []fake.Set{{
			Name: "Set", Counters: []fake.Counter{{Name: "gauge", Is: fake.Const(7)}},
		}}}, past)
		s := session.NewSampler("host", source, past)
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan struct{})
		go func() { defer close(done); s.Run(ctx) }()
		defer func() { cancel(); <-done }()
		f := s.Feed(session.FeedOptions{Every: time.Second, History: time.Hour})
		set := source.Offer().Set("Set")
		f.Ask([]session.Ask{{Set: set, Counters: []int{0}, Keep: []session.Keep{{Counters: []int{0}, Match: func(*session.Instance) bool { return true }}}}})
		past.Go()
		<-past.There()
		synctest.Wait()
		if passed := time.Since(begin); passed > time.Second {
			t.Errorf("it took %v", passed)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		snap := f.Take()
		defer snap.Release()
		if n := len(snap.Timeline.Nanos); n < 59 || n > 61 {
			t.Fatalf("%d samples", n)
		}
		for i := 1; i < len(snap.Timeline.Nanos); i++ {
			if d := time.Duration(snap.Timeline.Nanos[i] - snap.Timeline.Nanos[i-1]); d != time.Second {
				t.Errorf("sample %d is %v behind the one before", i, d)
			}
		}
		if ago := time.Since(snap.Time); ago > time.Second {
			t.Errorf("the newest sample is %v old", ago)
		}
		if values := snap.Set(set).Series(0, 0).Values; len(values) != len(snap.Timeline.Nanos) {
			t.Errorf("%d values of %d samples", len(values), len(snap.Timeline.Nanos))
		}
	})
}

// The hosts of the demo have their past, but for the one that denies, which is tried
// again meanwhile.
func TestDemoWithPast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		present := session.NewSystemClock()
		for _, h := range fake.DemoWithPast(present, time.Minute) {
			if behind := time.Since(h.Past.Now().Wall); behind != time.Minute {
				t.Errorf("%s is %v behind", h.Name, behind)
			}
			if h.Past.Now().Mono < 0 {
				t.Errorf("%s has a negative time", h.Name)
			}
			_, err := h.Source.Catalogue(context.Background())
			if c, stop := h.Past.Timer(time.Minute); err != nil {
				asked := time.Now()
				<-c
				stop()
				if waited := time.Since(asked); waited != 0 {
					t.Errorf("%s waits for %v", h.Name, waited)
				}
			} else {
				stop()
			}
		}
	})
}
