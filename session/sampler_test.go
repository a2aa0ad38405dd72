package session_test

import (
	"context"
	"math"
	"slices"
	"sync"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/clocktest"
	"perfdeck/session/hosts/fake"
	"perfdeck/session/hosts/fake/faketest"
)

func TestFirstReadingAtOnce(t *testing.T) {
	onHost(t, plain(), func(r *rig) {
		f := r.feed(time.Second, r.ask("Set", "rate", "gauge"))
		s := r.take(f)
		v := view(t, s)
		wantStatus(t, v.Value(0, 0), cooker.FirstSample)
		wantValue(t, v.Value(0, 1), 7)
		if n := len(s.Timeline.Nanos); n != 0 {
			t.Errorf("the reading beside the beat left %d samples", n)
		}
		if s.State.Phase != session.Live {
			t.Errorf("phase %v", s.State.Phase)
		}
		s = r.step(f, time.Second)
		v = view(t, s)
		wantValue(t, v.Value(0, 0), 100)
		wantValue(t, v.Value(1, 0), 300)
		if n := len(s.Timeline.Nanos); n != 1 {
			t.Errorf("%d samples after one beat", n)
		}
		if f.Take() != nil {
			t.Error("a snapshot was given twice")
		}
	})
}

func TestRawAndFacts(t *testing.T) {
	onHost(t, plain(), func(r *rig) {
		a := r.ask("Set", "rate")
		a.Facts = session.FactWant{Keys: []string{"user"}, All: true}
		f := r.feed(time.Second, a)
		v := view(t, r.step(f, time.Second))
		if got := v.Fact(0, "user") + "," + v.Fact(1, "user"); got != "mia," {
			t.Errorf("facts %q", got)
		}
		older, newer, olderClocks, newerClocks, ok := v.Raw(1, 0)
		if !ok || older == nil {
			t.Fatal("no raw samples")
		}
		again := cooker.Cook(cooker.Timer100ns, older, newer, olderClocks, newerClocks, nil)
		if again != v.Value(1, 0) {
			t.Errorf("the raw samples give %v, the view shows %v", again, v.Value(1, 0))
		}
	})
}

// A feed that asks for something only after its first intervals went by starts
// then, without a gap and without beats counted as missed.
func TestLateAsk(t *testing.T) {
	onHost(t, plain(), func(r *rig) {
		f := r.feed(time.Second)
		r.clock.Advance(10500 * time.Millisecond)
		f.Ask([]session.Ask{r.ask("Set", "rate")})
		v := view(t, r.step(f, 0))
		wantStatus(t, v.Value(0, 0), cooker.FirstSample)
		s := r.step(f, 1500*time.Millisecond)
		wantValue(t, view(t, s).Value(0, 0), 100)
		if missed := r.sampler.State().Missed; missed != 0 {
			t.Errorf("%d beats missed", missed)
		}
	})
}

func TestMissedBeats(t *testing.T) {
	onHost(t, plain(), func(r *rig) {
		var times []time.Duration
		var rates []session.Rate
		f := r.sampler.Feed(session.FeedOptions{Every: time.Second, Each: func(s *session.Snapshot) {
			times = append(times, s.Time.Sub(start))
			rates = append(rates, s.Sets[0].Rate)
			if len(times) > 1 {
				wantValue(t, s.Sets[0].Value(0, 0), 100)
			}
		}})
		f.Ask([]session.Ask{r.ask("Set", "rate")})
		r.clock.Advance(time.Second)
		r.clock.Jump(3400 * time.Millisecond) // 2 and 3 s go by, and 4 s is late
		r.clock.Advance(1600 * time.Millisecond)
		want := []time.Duration{0, time.Second, 4400 * time.Millisecond, 5 * time.Second, 6 * time.Second}
		if !slices.Equal(times, want) {
			t.Fatalf("read at %v, want %v", times, want)
		}
		if rates[2].Missed != 2 || rates[2].Gap {
			t.Errorf("rate %+v, want 2 missed beats and no gap", rates[2])
		}
		if missed := r.sampler.State().Missed; missed != 2 {
			t.Errorf("%d beats missed, want 2", missed)
		}
	})
}

// A slow host is asked again on the next beat, not at once for each it missed.
func TestSlowAnswers(t *testing.T) {
	slow := fake.Fault{Window: during(3*time.Second, 3500*time.Millisecond), Latency: 2300 * time.Millisecond}
	onHost(t, plain(slow), func(r *rig) {
		var times, latencies []time.Duration
		f := r.sampler.Feed(session.FeedOptions{Every: time.Second, Each: func(s *session.Snapshot) {
			times = append(times, s.Time.Sub(start))
			latencies = append(latencies, s.State.Latency)
		}})
		f.Ask([]session.Ask{r.ask("Set", "rate")})
		r.clock.Advance(7 * time.Second)
		want := []time.Duration{0, time.Second, 2 * time.Second, 3 * time.Second, 5300 * time.Millisecond, 6 * time.Second, 7 * time.Second}
		if !slices.Equal(times, want) {
			t.Errorf("read at %v, want %v", times, want)
		}
		if latencies[3] != 2300*time.Millisecond || latencies[4] != 0 {
			t.Errorf("latencies %v", latencies)
		}
	})
}

func TestGapInsteadOfSpike(t *testing.T) {
	for name, disturb := range map[string]func(*clocktest.Clock){
		"suspend":           func(c *clocktest.Clock) { c.Sleep(time.Hour) },
		"step forward":      func(c *clocktest.Clock) { c.Step(10 * time.Second) },
		"step back":         func(c *clocktest.Clock) { c.Step(-time.Hour) },
		"four beats missed": func(c *clocktest.Clock) { c.Jump(5 * time.Second) },
	} {
		t.Run(name, func(t *testing.T) {
			onHost(t, plain(), func(r *rig) {
				f := r.feed(time.Second, keepAll(r.ask("Set", "rate", "gauge")))
				r.clock.Advance(3 * time.Second)
				r.take(f)
				disturb(r.clock)
				r.clock.Advance(0)
				s := f.Take()
				if s == nil {
					s = r.step(f, time.Second)
				}
				v := view(t, s)
				wantStatus(t, v.Value(0, 0), cooker.Gap)
				wantValue(t, v.Value(0, 1), 7)
				history := v.Series(0, 0).Values
				if n := len(history); n != 4 || !isNaN(history[n-1]) || isNaN(history[n-2]) {
					t.Errorf("history %v, want a gap at its end", history)
				}
				s.Release()
				wantValue(t, view(t, r.step(f, time.Second)).Value(0, 0), 100)
			})
		})
	}
}

func isNaN(f float32) bool { return math.IsNaN(float64(f)) }

// Feeds of several intervals take multiples of one beat.
func TestFeedsShareTheBeat(t *testing.T) {
	onHost(t, plain(), func(r *rig) {
		read := func(every time.Duration) *[]time.Duration {
			var times []time.Duration
			f := r.sampler.Feed(session.FeedOptions{Every: every, Each: func(s *session.Snapshot) {
				if len(s.Timeline.Nanos) > len(times) {
					times = append(times, s.Time.Sub(start))
				}
			}, History: time.Minute})
			f.Ask([]session.Ask{r.ask("Set", "rate")})
			return &times
		}
		fast := read(time.Second)
		r.clock.Advance(2400 * time.Millisecond)
		slow := read(5 * time.Second)
		r.clock.Advance(20 * time.Second)
		if len(*fast) != 22 || len(*slow) < 4 {
			t.Fatalf("read %d and %d times", len(*fast), len(*slow))
		}
		for i, at := range *slow {
			if i > 0 && at-(*slow)[i-1] != 5*time.Second {
				t.Errorf("the slow feed was read at %v", *slow)
			}
			if at%time.Second != (*fast)[0]%time.Second {
				t.Errorf("the slow feed was read at %v, beside the beat", at)
			}
		}
	})
}

func TestIntervalChange(t *testing.T) {
	onHost(t, plain(), func(r *rig) {
		f := r.feed(time.Second, keepAll(r.ask("Set", "rate")))
		r.clock.Advance(5 * time.Second)
		r.take(f)
		f.SetInterval(2 * time.Second)
		r.clock.Advance(6 * time.Second) // read at 6, 8 and 10 s
		s := r.take(f)
		v := view(t, s)
		wantValue(t, v.Value(0, 0), 100)
		if n := len(v.Series(0, 0).Values); n != 8 {
			t.Errorf("%d samples of history, want 5 and 3", n)
		}
		last := s.Timeline.At(s.Timeline.Next() - 1)
		before := s.Timeline.At(s.Timeline.Next() - 2)
		if last.Sub(before) != 2*time.Second {
			t.Errorf("interval %v", last.Sub(before))
		}
		f.SetInterval(100 * time.Millisecond)
		wantValue(t, view(t, r.step(f, time.Second)).Value(0, 0), 100)
		if missed := r.sampler.State().Missed; missed != 0 {
			t.Errorf("%d beats missed", missed)
		}
	})
}

// History is as long as the feed's interval makes it, after each change.
func TestHistoryFollowsTheInterval(t *testing.T) {
	onHost(t, plain(), func(r *rig) {
		f := r.feed(time.Second, keepAll(r.ask("Set", "gauge")))
		for _, every := range []time.Duration{time.Second, 250 * time.Millisecond, 2 * time.Second} {
			f.SetInterval(every)
			s := r.step(f, 3*time.Minute)
			want := int(time.Minute / every)
			if n, times := len(view(t, s).Series(0, 0).Values), len(s.Timeline.Nanos); n != want || times != want {
				t.Errorf("each %v: history of %d samples, %d times, want %d", every, n, times, want)
			}
		}
	})
}

func TestEachDropsNothing(t *testing.T) {
	onHost(t, plain(), func(r *rig) {
		var next uint64
		f := r.sampler.Feed(session.FeedOptions{Every: 100 * time.Millisecond, Each: func(s *session.Snapshot) {
			if got := s.Timeline.Next(); got != next {
				t.Errorf("sample %d, want %d", got, next)
			}
			next++
		}})
		f.Ask([]session.Ask{r.ask("Set", "gauge")})
		r.clock.Advance(5 * time.Second)
		if next != 51 {
			t.Errorf("%d snapshots, want 51", next)
		}
	})
}

func TestClosedFeed(t *testing.T) {
	onHost(t, plain(), func(r *rig) {
		f, other := r.feed(time.Second, r.ask("Set", "rate")), r.feed(time.Second, r.ask("Set", "gauge"))
		r.clock.Advance(time.Second)
		f.Close()
		f.Take().Release()
		r.clock.Advance(3 * time.Second)
		if f.Take() != nil {
			t.Error("a closed feed got a snapshot")
		}
		wantValue(t, view(t, r.take(other)).Value(0, 0), 7)
	})
}

// What was missed stays counted when the feed that missed it ends.
func TestMissedBeatsAddUp(t *testing.T) {
	onHost(t, plain(), func(r *rig) {
		f := r.feed(time.Second, r.ask("Set", "rate"))
		r.clock.Advance(time.Second)
		r.clock.Jump(3 * time.Second)
		f.Close()
		r.feed(time.Second, r.ask("Set", "rate"))
		r.clock.Advance(time.Second)
		before := r.sampler.State().Missed
		if before == 0 {
			t.Fatal("no beat was missed")
		}
		r.clock.Jump(2 * time.Second)
		if after := r.sampler.State().Missed; after <= before {
			t.Errorf("%d beats missed, and %d after another", before, after)
		}
	})
}

// Two rows that claim to be the same instance harm nobody.
func TestSameIdentityTwice(t *testing.T) {
	script := plain()
	script.Sets[0].Rows = []fake.Row{{Name: "x", ID: 5}, {Name: "y", ID: 6, Alive: fake.Window{From: time.Second, To: 2 * time.Second, Every: 3 * time.Second}}, {Name: "x", ID: 5}}
	onHost(t, script, func(r *rig) {
		f := r.feed(time.Second, keepAll(r.ask("Set")))
		for range 8 {
			v := view(t, r.step(f, time.Second))
			live := 0
			for row := range v.Rows {
				if v.Rows[row].Key.Name == "x" && !v.Rows[row].Gone {
					live++
				}
			}
			if live != 2 {
				t.Errorf("%d rows of that name", live)
			}
		}
	})
}

// Consumers come, change and go at any time; the race detector watches.
func TestConsumersBesideTheSampler(t *testing.T) {
	source := fake.New(plain(fake.Fault{Window: during(30*time.Millisecond, 40*time.Millisecond), Err: errLine}), session.NewSystemClock())
	sampler := session.NewSampler("host", source, session.NewSystemClock())
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	all.Go(func() { sampler.Run(ctx) })
	set := source.Offer().Set("Set")
	var consumers sync.WaitGroup
	for range 3 {
		consumers.Go(func() {
			for i := range 60 {
				f := sampler.Feed(session.FeedOptions{Every: time.Duration(i%3+1) * session.MinInterval, History: time.Minute})
				f.Ask([]session.Ask{{Set: set, Counters: []int{i % 2}, Keep: []session.Keep{{Counters: []int{0}, Busiest: 1}}}})
				time.Sleep(time.Millisecond)
				if s := f.Take(); s != nil {
					_ = picture(s)
					s.Release()
				}
				f.SetInterval(session.MinInterval)
				_, _ = sampler.State(), sampler.Catalogue()
				sampler.Retry()
				f.Close()
			}
		})
	}
	consumers.Wait()
	cancel()
	all.Wait()
}

func TestHostileNames(t *testing.T) {
	script := plain()
	script.Sets[0].Rows = faketest.HostileRows()
	onHost(t, script, func(r *rig) {
		f := r.feed(time.Second, keepAll(r.ask("Set")))
		v := view(t, r.step(f, 3*time.Second))
		if len(v.Rows) != len(faketest.HostileNames()) {
			t.Errorf("%d rows", len(v.Rows))
		}
		for row := range v.Rows {
			wantValue(t, v.Value(row, 0), 100)
			if n := len(v.Series(row, 0).Values); n != 3 {
				t.Errorf("row %d has a history of %d samples", row, n)
			}
		}
	})
}

// A screen shows rates a quarter of a second after the first reading; the beat, its
// history and who gets every snapshot keep their time.
func TestSecondReading(t *testing.T) {
	onHost(t, plain(), func(r *rig) {
		var each []time.Duration
		recorder := r.sampler.Feed(session.FeedOptions{Every: 10 * time.Second, Each: func(s *session.Snapshot) {
			each = append(each, s.Time.Sub(start))
		}})
		recorder.Ask([]session.Ask{r.ask("Set", "rate")})
		f := r.feed(10*time.Second, keepAll(r.ask("Set", "rate", "gauge")))
		wantStatus(t, view(t, r.take(f)).Value(0, 0), cooker.FirstSample)
		if r.clock.Advance(249 * time.Millisecond); f.Take() != nil {
			t.Fatal("a reading before its time")
		}
		s := r.step(f, time.Millisecond)
		v := view(t, s)
		wantValue(t, v.Value(0, 0), 100)
		wantValue(t, v.Value(1, 0), 300)
		if got := v.Rate.Interval; got != 250*time.Millisecond {
			t.Errorf("the rate is of %v", got)
		}
		if n := len(s.Timeline.Nanos); n != 0 {
			t.Errorf("the second reading left %d samples", n)
		}
		if r.clock.Advance(5 * time.Second); f.Take() != nil {
			t.Error("a third reading before the beat")
		}
		s = r.step(f, 5*time.Second)
		if v = view(t, s); len(s.Timeline.Nanos) != 1 || v.Rate.Interval <= 5*time.Second {
			t.Errorf("the beat left %d samples and is of %v", len(s.Timeline.Nanos), v.Rate.Interval)
		}
		wantValue(t, v.Value(0, 0), 100)
		if want := []time.Duration{0, 10 * time.Second}; !slices.Equal(each, want) {
			t.Errorf("the recorder was given %v, want %v", each, want)
		}
	})
}

// What another counterset asks for meanwhile takes no rate away, and each counterset
// has a second reading of its own.
func TestSecondReadingStays(t *testing.T) {
	script := plain()
	script.Sets = append(script.Sets, script.Sets[0])
	script.Sets[1].Name = "Other"
	onHost(t, script, func(r *rig) {
		f := r.feed(10*time.Second, r.ask("Set", "rate"))
		r.take(f)
		r.step(f, 250*time.Millisecond)
		f.Ask([]session.Ask{r.ask("Set", "rate"), r.ask("Other", "rate")})
		s := r.step(f, 0)
		wantValue(t, s.Set(r.cat.Set("Set")).Value(0, 0), 100)
		wantStatus(t, s.Set(r.cat.Set("Other")).Value(0, 0), cooker.FirstSample)
		s = r.step(f, 250*time.Millisecond)
		wantValue(t, s.Set(r.cat.Set("Set")).Value(0, 0), 100)
		wantValue(t, s.Set(r.cat.Set("Other")).Value(0, 0), 100)
		if f.Take() != nil {
			t.Error("a snapshot was given twice")
		}
	})
}

// A slow host is not asked again before it has rested, one whose beat is near not at
// all.
func TestSecondReadingOfTheSlow(t *testing.T) {
	slow := fake.Fault{Window: during(0, time.Millisecond), Latency: 2 * time.Second}
	onHost(t, plain(slow), func(r *rig) {
		f := r.feed(10*time.Second, r.ask("Set", "rate"))
		r.step(f, 2*time.Second)
		if r.clock.Advance(200 * time.Millisecond); f.Take() != nil {
			t.Error("asked again at once")
		}
		wantValue(t, view(t, r.step(f, 50*time.Millisecond)).Value(0, 0), 100)
	})
	onHost(t, plain(), func(r *rig) {
		f := r.feed(300*time.Millisecond, r.ask("Set", "rate"))
		r.take(f)
		if s := r.step(f, 300*time.Millisecond); len(s.Timeline.Nanos) != 1 {
			t.Error("a reading beside the beat, right before it")
		}
	})
}
