package session_test

import (
	"context"
	"errors"
	"sync"
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
}

func (e *eventful) Catalogue(context.Context) (*session.Catalogue, error) {
	return nil, errors.New("no counters")
}
func (e *eventful) Open(context.Context) (session.Query, error) {
	return nil, errors.New("no counters")
}
func (e *eventful) Close() error { return nil }

func (e *eventful) Events(_ context.Context, _ session.EventsFrom) (session.EventReader, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.fails != nil {
		return nil, e.fails
	}
	e.open++
	return &eventfulReader{e}, nil
}

type eventfulReader struct{ *eventful }

func (r *eventfulReader) Read(context.Context) ([]session.HostEvent, bool, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []session.HostEvent
	for _, text := range r.lines {
		out = append(out, session.HostEvent{Time: time.Now(), Until: time.Now(), Count: 1, Text: text})
	}
	r.lines = nil
	return out, false, r.fails
}
func (r *eventfulReader) Every() time.Duration { return time.Second }
func (r *eventfulReader) Cursor() string       { return "" }
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

func TestEventsAreReadWhileWanted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := &eventful{}
		sampler := session.NewSampler("web1", source, session.NewSystemClock())
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { sampler.Run(ctx); close(done) }()
		source.say([]string{"a"}, nil)
		time.Sleep(10 * time.Second)
		if source.open != 0 || len(source.lines) != 1 {
			t.Fatal("events were read that nobody wants")
		}
		var heard []session.HostEvent
		stop := sampler.Events().Want(time.Hour, func(events []session.HostEvent) { heard = append(heard, events...) })
		time.Sleep(time.Second)
		if len(heard) != 1 || heard[0].Host != "web1" {
			t.Fatalf("heard %+v", heard)
		}
		source.say([]string{"b"}, errors.New("denied"))
		time.Sleep(5 * time.Second)
		if sampler.Events().State().Err == nil || source.open != 0 {
			t.Fatal("a failure is not told")
		}
		source.say([]string{"b"}, nil)
		time.Sleep(time.Minute)
		if state := sampler.Events().State(); state.Err != nil || len(state.Events) != 2 {
			t.Fatalf("after a failure: %+v", state)
		}
		stop()
		time.Sleep(time.Second)
		if source.open != 0 {
			t.Fatal("still open, though nobody wants it")
		}
		cancel()
		<-done
	})
}
