//go:build unix

package ssh

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"perfdeck/session"
	"perfdeck/session/hosts/fake"
	"perfdeck/session/hosts/pcq"
	"perfdeck/session/hosts/pcq/server"
	"perfdeck/session/system/failure"
	"perfdeck/session/wire/rpc"
	"perfdeck/session/wire/sidechannel"
)

// told is a source that tells events, and a reader of them.
type told struct {
	*fake.Source

	from   session.EventsFrom
	err    error
	slow   time.Duration
	stuck  time.Duration // whoever does not want to wait for it
	reads  [][]session.HostEvent
	closed chan struct{}
}

func (s *told) Events(_ context.Context, from session.EventsFrom) (session.EventReader, error) {
	s.from = from
	return s, s.err
}

func (s *told) Read(ctx context.Context) ([]session.HostEvent, bool, error) {
	time.Sleep(s.stuck)
	session.Sleep(ctx, s.slow)
	if len(s.reads) == 0 {
		return nil, false, nil
	}
	out := s.reads[0]
	s.reads = s.reads[1:]
	return out, len(s.reads) > 0, nil
}

func (s *told) Every() time.Duration { return 3 * time.Second }
func (s *told) Cursor() string       { return fmt.Sprint("left ", len(s.reads)) }

// Close implements session.EventReader; of the source nothing is to be closed.
func (s *told) Close() error {
	close(s.closed)
	return nil
}

// overPipe is a host of ssh whose perfdeck is at the other end of a pipe.
func overPipe(t *testing.T, far session.Source) *Source {
	t.Helper()
	s := New(Options{Destination: Destination{Host: "far"}}, pcq.Options{Reach: pcq.Reach{Host: "far", Go: func(f func()) { go f() }}})
	ended := make(chan error, 1)
	s.shared.Dial = func(ctx context.Context, _ *rpc.Shares, _ ...rpc.Interface) (*rpc.Client, error) {
		near, end := net.Pipe()
		go func() {
			ended <- server.ServeStream(context.Background(), end, server.StreamOptions{Source: far, Program: "test"})
		}()
		o := rpc.Options{Address: rpc.Address{Host: "far"}, Calls: rpc.Calls{Interfaces: []rpc.Interface{rpc.MSPCQ, rpc.OwnSideChannel}}}
		if _, err := near.Write(rpc.Opening(o)); err != nil {
			return nil, err
		}
		c, err := rpc.Over(ctx, near, o)
		if err != nil {
			return nil, err
		}
		s.about, err = described(c.About())
		return c, err
	}
	t.Cleanup(func() {
		if err := s.Source.Close(); err != nil {
			t.Error(err)
		}
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return s
}

func newTold() *told {
	return &told{Source: fake.New(fake.Script{Name: "far", Sets: []fake.Set{{Name: "Memory", Counters: []fake.Counter{{Name: "X", Is: fake.Const(1)}}}}}, session.NewSystemClock()), closed: make(chan struct{})}
}

// The other side's perfdeck tells events, a part at a time, however long they take to be read.
func TestEvents(t *testing.T) {
	t.Parallel()
	far := newTold()
	far.slow = 50 * time.Millisecond
	now := time.Now()
	many := make([]session.HostEvent, 100)
	for i := range many {
		many[i] = session.HostEvent{Time: now, Until: now, Count: 1, Level: session.EventError, Source: "x", Text: strings.Repeat("y", 1000)}
	}
	far.reads = [][]session.HostEvent{{{Time: now, Until: now, Count: 7, Known: "boot"}}, many}
	s := overPipe(t, far)
	r, err := s.Events(t.Context(), session.EventsFrom{Cursor: "c", Time: now.Add(-time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	var all []session.HostEvent
	for more, n := true, 0; more; n++ {
		var got []session.HostEvent
		if got, more, err = r.Read(t.Context()); err != nil || n > 20 {
			t.Fatal(n, err)
		}
		all = append(all, got...)
		if n == 0 && (len(got) != 1 || r.Cursor() != "left 1") || n == 1 && (len(got) != len(many) || r.Cursor() != "left 0") {
			t.Errorf("%d: %d, %s", n, len(got), r.Cursor())
		}
	}
	if len(all) != 101 || all[0].Known != "boot" || all[0].Count != 7 || all[100].Level != session.EventError || r.Cursor() != "left 0" || r.Every() != 3*time.Second {
		t.Errorf("%d: %+v, %s", len(all), all[0], r.Cursor())
	}
	if d := all[0].Time.Sub(now).Abs(); d > time.Second || !all[0].Own.Equal(now) {
		t.Errorf("%v, %v", d, all[0].Own)
	}
	if far.from.Cursor != "c" || far.from.Time.Sub(now.Add(-time.Hour)).Abs() > time.Minute {
		t.Errorf("%+v", far.from)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	<-far.closed
}

// Nobody waits long for a host that is silent to be left.
func TestEventsOfSilent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		far := newTold()
		far.stuck = 20 * time.Second
		r, err := overPipe(t, far).Events(t.Context(), session.EventsFrom{})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, _, err := r.Read(ctx); err == nil {
			t.Error("what is stuck was read")
		}
		began := time.Now()
		if err := r.Close(); err != nil || time.Since(began) > 5*time.Second {
			t.Errorf("%v after %v", err, time.Since(began))
		}
	})
}

// Why there are none is told as on the host itself.
func TestEventsRefused(t *testing.T) {
	t.Parallel()
	far := newTold()
	far.err = failure.WithHint(fmt.Errorf("read the journal: %w", session.ErrDenied), "a group")
	r, err := overPipe(t, far).Events(t.Context(), session.EventsFrom{})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := r.Read(t.Context()); !errors.Is(err, session.ErrDenied) || failure.Hint(err) != "a group" {
		t.Errorf("%v", err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

// A host whose perfdeck tells none says so.
func TestNoEvents(t *testing.T) {
	t.Parallel()
	s := overPipe(t, struct{ session.Source }{newTold()})
	if _, err := s.Events(t.Context(), session.EventsFrom{}); !errors.Is(err, errors.ErrUnsupported) || failure.Hint(err) == "" {
		t.Errorf("%v", err)
	}
}

// Times are those of our clock, and stay in order while lines take now more, now less time.
func TestEventsOfAnotherClock(t *testing.T) {
	e, ours := &events{}, time.Unix(10_000, 0)
	for _, c := range []struct{ took, behind, want time.Duration }{
		{0, time.Hour, time.Hour}, {100 * time.Millisecond, time.Hour, time.Hour}, {0, time.Hour + time.Minute, time.Hour + time.Minute}, {0, -time.Minute, -time.Minute},
	} {
		far := ours.Add(-c.behind)
		a := &sidechannel.EventsAnswer{Now: far, Events: []session.HostEvent{{Time: far.Add(-time.Second), Until: far}}}
		e.settle(a, ours, ours.Add(c.took))
		if got := a.Events[0]; !got.Time.Equal(far.Add(c.want-time.Second)) || !got.Until.Equal(far.Add(c.want)) || !got.Own.Equal(far.Add(-time.Second)) {
			t.Errorf("%+v: %+v", c, got)
		}
	}
}
