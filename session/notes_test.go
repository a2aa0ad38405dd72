package session_test

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"perfdeck/session"
	"perfdeck/session/clocktest"
	"perfdeck/session/hosts/fake"
)

// warning is a source that warns.
type warning struct {
	session.Source
	notes atomic.Pointer[[]error]
}

func (w *warning) Warnings() []error { return *w.notes.Load() }

// What a source warns of stands in the state of its host, what it finds out
// later too; a warning is no failure.
func TestWarningsAreNotes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock := clocktest.New(start, synctest.Wait)
		first, later := errors.New("not all sets are listed"), errors.New("one set is left out")
		source := &warning{Source: fake.New(plain(), clock)}
		source.notes.Store(&[]error{first})
		sampler := session.NewSampler("host", source, clock)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			sampler.Run(ctx)
			close(done)
		}()
		defer func() {
			cancel()
			<-done
		}()
		r := &rig{T: t, clock: clock, sampler: sampler, cat: source.Source.(*fake.Source).Offer()}
		f := r.feed(time.Second, r.ask("Set", "rate"))
		if notes := sampler.State().Notes; !slices.Equal(notes, []error{first}) {
			t.Errorf("notes %v", notes)
		}
		source.notes.Store(&[]error{first, later})
		r.clock.Advance(time.Second)
		s := r.step(f, time.Second)
		if !slices.Equal(s.State.Notes, []error{first, later}) || s.State.Phase != session.Live || s.State.Err != nil {
			t.Errorf("state %+v", s.State)
		}
		source.notes.Store(new([]error))
		if s := r.step(f, time.Second); len(s.State.Notes) != 0 {
			t.Errorf("notes %v after they were taken back", s.State.Notes)
		}
	})
}
