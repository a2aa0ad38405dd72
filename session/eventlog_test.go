package session_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"perfdeck/session"
)

// eventful is a source that has nothing but events.
type eventful struct {
	mu    sync.Mutex
	lines []string
	fails error
	open  int
	from  []session.EventsFrom // that were asked for
	past  []session.HostEvent  // before the first reader

	cursorless bool // past is told whatever is asked for
	endless    bool // a reader without a cursor tells past again and again
}

func (e *eventful) Catalogue(context.Context) (*session.Catalogue, error) {
	return nil, errors.New("no counters")
}
func (e *eventful) Open(context.Context) (session.Query, error) {
	return nil, errors.New("no counters")
}
func (e *eventful) Close() error { return nil }

func (e *eventful) Events(_ context.Context, from session.EventsFrom) (session.EventReader, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.from = append(e.from, from)
	if errors.Is(e.fails, session.ErrDenied) { // else it is Read that fails
		return nil, e.fails
	}
	e.open++
	r := &eventfulReader{eventful: e}
	for _, past := range e.past {
		if (from.Cursor == "" || e.cursorless) && !past.Until.Before(from.Time) {
			r.first = append(r.first, past)
		}
	}
	return r, nil
}

type eventfulReader struct {
	*eventful

	first []session.HostEvent
}

func (r *eventfulReader) Read(context.Context) ([]session.HostEvent, bool, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := r.first
	if r.endless && len(out) > 0 {
		return out, true, nil
	}
	r.first = nil
	for _, text := range r.lines {
		out = append(out, session.HostEvent{Time: time.Now(), Until: time.Now(), Count: 1, ID: text, Text: text})
	}
	r.lines = nil
	return out, false, r.fails
}
func (r *eventfulReader) Every() time.Duration { return time.Second }
func (r *eventfulReader) Cursor() string       { return "c" }
func (r *eventfulReader) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.open--
	return nil
}

func (e *eventful) say(lines []string, fails error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.lines, e.fails = lines, fails
}

// pass lets time pass, and all that is done in it be seen.
func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// runEvents runs a test on a sampler of the source.
func runEvents(t *testing.T, test func(*testing.T, *eventful, *session.EventLog)) {
	runEventsOn(t, func() session.Clock { return session.NewSystemClock() }, test)
}

func runEventsOn(t *testing.T, clock func() session.Clock, test func(*testing.T, *eventful, *session.EventLog)) {
	synctest.Test(t, func(t *testing.T) {
		source := &eventful{}
		sampler := session.NewSampler("web1", source, clock())
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { sampler.Run(ctx); close(done) }()
		defer func() { cancel(); <-done }()
		test(t, source, sampler.Events())
	})
}

func TestEventsAreReadWhileWanted(t *testing.T) {
	runEvents(t, func(t *testing.T, source *eventful, log *session.EventLog) {
		source.say([]string{"a"}, nil)
		pass(10 * time.Second)
		if source.open != 0 || len(source.lines) != 1 {
			t.Fatal("events were read that nobody wants")
		}
		var heard []session.HostEvent
		stop := log.Want(time.Hour, func(events []session.HostEvent) { heard = append(heard, events...) })
		pass(time.Second)
		if len(heard) != 1 || heard[0].Host != "web1" {
			t.Fatalf("heard %+v", heard)
		}
		source.say([]string{"b"}, errors.New("broken"))
		pass(5 * time.Second)
		if log.State().Err == nil || source.open != 0 {
			t.Fatal("a failure is not told")
		}
		source.say([]string{"b"}, nil)
		pass(time.Minute)
		if state := log.State(); state.Err != nil || len(state.Events) != 2 {
			t.Fatalf("after a failure: %+v", state)
		}
		stop()
		pass(time.Second)
		if source.open != 0 {
			t.Fatal("still open, though nobody wants it")
		}
		log.Want(time.Hour, nil)
		pass(time.Second)
		if last := source.from[len(source.from)-1]; last.Cursor != "c" {
			t.Errorf("goes on from %+v", last)
		}
	})
}

// Who wants to know more of the past than is known gets it, and nobody the same twice.
func TestEventsOfEarlier(t *testing.T) {
	runEvents(t, func(t *testing.T, source *eventful, log *session.EventLog) {
		now := time.Now()
		for i, id := range []string{"old", "older"} {
			at := now.Add(-time.Duration(i+1) * 20 * time.Minute)
			source.past = append([]session.HostEvent{{Time: at, Until: at, Count: 1, ID: id}}, source.past...)
		}
		heard := map[string][]string{}
		hear := func(name string) func([]session.HostEvent) {
			return func(events []session.HostEvent) {
				for _, e := range events {
					heard[name] = append(heard[name], e.ID)
				}
			}
		}
		log.Want(0, hear("recording"))
		pass(10 * time.Second)
		source.say([]string{"new"}, nil)
		pass(10 * time.Second)
		log.Want(30*time.Minute, hear("rule"))
		pass(10 * time.Second)
		log.Want(time.Hour, hear("screen"))
		log.Want(10*time.Minute, hear("why"))
		pass(10 * time.Second)
		source.say([]string{"newer"}, nil)
		pass(10 * time.Second)
		want := map[string][]string{"recording": {"new", "newer"}, "rule": {"old", "new", "newer"}, "screen": {"older", "old", "new", "newer"}, "why": {"new", "newer"}}
		if !maps.EqualFunc(heard, want, slices.Equal) {
			t.Errorf("heard %q", heard)
		}
		var kept []string
		for _, e := range log.State().Events {
			kept = append(kept, e.ID)
		}
		if !slices.Equal(kept, want["screen"]) || source.open != 1 || log.State().Since.After(now.Add(-50*time.Minute)) {
			t.Errorf("kept %q since %v, %d open", kept, log.State().Since, source.open)
		}
	})
}

// What was not read because nobody looked is a gap that is told.
func TestEventsAfterALongTime(t *testing.T) {
	runEvents(t, func(t *testing.T, source *eventful, log *session.EventLog) {
		log.Want(time.Hour, nil)()
		stop := log.Want(time.Hour, nil)
		pass(time.Minute)
		stop()
		pass(4*time.Hour - time.Minute)
		source.say(nil, errors.New("broken"))
		stop = log.Want(time.Hour, nil)
		pass(time.Minute) // it is told once, when it can be read again
		stop()
		source.say(nil, nil)
		log.Retry()
		log.Want(time.Hour, nil)
		pass(time.Second)
		if last := source.from[len(source.from)-1]; last.Cursor != "" || time.Since(last.Time).Round(time.Minute) != time.Hour {
			t.Errorf("read from %+v", last)
		}
		events := log.State().Events
		if len(events) != 1 || events[0].Known != session.EventGap || events[0].Title() != "events were not read for 3 h" {
			t.Errorf("%+v", events)
		}
	})
}

// Who wants nothing of the past is told what was written while a host was out of reach.
func TestEventsOfAnOutage(t *testing.T) {
	runEvents(t, func(t *testing.T, source *eventful, log *session.EventLog) {
		log.Want(0, nil)
		pass(time.Minute)
		source.say(nil, errors.New("broken"))
		pass(10 * time.Minute)
		source.say([]string{"meanwhile"}, nil)
		pass(2 * time.Minute)
		events := log.State().Events
		if last := source.from[len(source.from)-1]; last.Cursor != "c" || len(events) != 1 || events[0].ID != "meanwhile" {
			t.Errorf("%+v, %+v", last, events)
		}
	})
}

// A host that refuses is not asked each minute, but at once when the user says so.
func TestEventsDenied(t *testing.T) {
	runEvents(t, func(t *testing.T, source *eventful, log *session.EventLog) {
		source.fails = fmt.Errorf("log: %w", session.ErrDenied)
		for range 20 {
			stop := log.Want(time.Hour, nil)
			pass(20 * time.Second)
			stop()
		}
		log.Want(time.Hour, nil)
		if len(source.from) != 1 || !errors.Is(log.State().Err, session.ErrDenied) {
			t.Errorf("asked %d times: %v", len(source.from), log.State().Err)
		}
		log.Retry()
		pass(time.Second)
		if len(source.from) != 2 {
			t.Errorf("asked %d times", len(source.from))
		}
	})
}

func TestNoEvents(t *testing.T) {
	log := session.NewSampler("a", struct{ session.Source }{}, session.NewSystemClock()).Events()
	log.Want(time.Hour, nil)()
	if !errors.Is(log.State().Err, session.ErrNoEvents) {
		t.Error(log.State().Err)
	}
}

// Of a host of which the config wants only severe events, or none, nobody is given others.
func TestEventsOfALevel(t *testing.T) {
	runEvents(t, func(t *testing.T, source *eventful, log *session.EventLog) {
		now := time.Now()
		for i, level := range []session.EventLevel{session.EventInformation, session.EventWarning, session.EventCritical} {
			at := now.Add(time.Duration(i-30) * time.Minute)
			source.past = append(source.past, session.HostEvent{Time: at, Until: at, Count: 1, Level: level, ID: level.String()})
		}
		log.Only([]session.EventLevel{session.EventError, session.EventWarning})
		var heard []string
		hear := func(events []session.HostEvent) {
			for _, e := range events {
				heard = append(heard, e.ID)
			}
		}
		log.Want(time.Minute, nil)
		pass(time.Second)
		log.Want(time.Hour, hear)
		pass(10 * time.Second)
		if want := []string{"warning", "critical"}; !slices.Equal(heard, want) {
			t.Errorf("heard %q", heard)
		}
	})
	log := session.NewSampler("web1", &eventful{}, session.NewSystemClock()).Events()
	log.Only([]session.EventLevel{})
	if are, err := log.Reads(); are || !errors.Is(err, session.ErrEventsOff) {
		t.Errorf("%v, %v", are, err)
	}
}

// setBack is a clock that is set while it runs.
type setBack struct {
	session.Clock

	by atomic.Int64
}

func (c *setBack) Now() session.Instant {
	now := c.Clock.Now()
	now.Wall = now.Wall.Add(-time.Duration(c.by.Load()))
	return now
}

// A clock that is set back while nobody reads hides nothing that was written since then.
func TestEventsOverAClockSetBack(t *testing.T) {
	const by = 2 * time.Hour
	clock := &setBack{}
	runEventsOn(t, func() session.Clock { clock.Clock = session.NewSystemClock(); return clock }, func(t *testing.T, source *eventful, log *session.EventLog) {
		stop := log.Want(time.Hour, nil)
		pass(time.Minute)
		stop()
		pass(time.Second)
		ended := time.Now()
		pass(10 * time.Minute)
		clock.by.Store(int64(by))
		log.Want(time.Hour, nil)
		pass(time.Second)
		again := source.from[1]
		if late := again.Time.Sub(ended.Add(-by)); again.Cursor == "" || late > 0 || late < -5*time.Second || len(log.State().Events) > 0 {
			t.Errorf("%+v, %v late; %+v", again, late, log.State().Events)
		}
		if since := log.State().Since; since.After(ended.Add(-by)) || len(source.from) != 3 {
			t.Errorf("known since %v, asked %+v", since, source.from)
		}
	})
}

// That a log cannot be read is told once, and to who is new; that it can be read again is told, too.
func TestEventsOfALogThatIsDenied(t *testing.T) {
	runEvents(t, func(t *testing.T, source *eventful, log *session.EventLog) {
		hear := func(to *[]string) func([]session.HostEvent) {
			return func(events []session.HostEvent) {
				for _, e := range events {
					*to = append(*to, e.Log+" "+e.Known)
				}
			}
		}
		at := time.Now()
		source.past = []session.HostEvent{{Time: at, Until: at.Add(24 * time.Hour), Count: 1, Log: "Application", Known: session.EventDenied}}
		source.cursorless = true
		var first, second, third []string
		log.Want(time.Minute, hear(&first))
		pass(time.Minute)
		source.say(nil, errors.New("broken")) // it is connected to anew
		pass(time.Minute)
		source.say(nil, nil)
		log.Retry()
		pass(time.Hour)
		log.Want(2*time.Hour, hear(&second)) // looks back by a reader of its own
		pass(time.Minute)
		source.past = nil
		source.say(nil, errors.New("broken"))
		pass(time.Minute)
		source.say(nil, nil)
		log.Retry()
		pass(time.Minute)
		log.Want(time.Minute, hear(&third))
		pass(time.Minute)
		if want := []string{"Application denied", "Application gap"}; !slices.Equal(first, want) || !slices.Equal(second, want) || len(third) > 1 {
			t.Errorf("%q, %q, %q", first, second, third)
		}
	})
}

// A host that has more of the past without end is left where it is, which is told: what comes is read.
func TestEventsOfAPastWithoutEnd(t *testing.T) {
	runEvents(t, func(t *testing.T, source *eventful, log *session.EventLog) {
		log.Want(0, nil)
		pass(time.Minute)
		at := time.Now().Add(-time.Hour)
		source.past, source.endless = []session.HostEvent{{Time: at, Until: at, Count: 1, ID: "again"}}, true
		var heard []string
		log.Want(2*time.Hour, func(events []session.HostEvent) {
			for _, e := range events {
				heard = append(heard, e.ID+e.Known)
			}
		})
		source.say([]string{"new"}, nil)
		pass(time.Minute)
		if want := []string{"again", "gap", "new"}; !slices.Equal(heard, want) {
			t.Errorf("%q", heard)
		}
	})
}
