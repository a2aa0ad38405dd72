package pcq_test

import (
	"context"
	"net"
	"os"
	"runtime"
	"testing"
	"time"

	"perfdeck/session"
	"perfdeck/session/clocktest"
	"perfdeck/session/hosts/fake"
	"perfdeck/session/hosts/pcq"
	"perfdeck/session/system/sharedtest"
	"perfdeck/session/wire/rpc"
	"perfdeck/session/wire/smbtest"
)

// descriptors is how many the process has open, -1 where nobody tells.
func descriptors() int {
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return -1
	}
	return len(list)
}

// comesTo waits until a number falls to another.
func comesTo(t *testing.T, what string, count func() int, want int) {
	t.Helper()
	sharedtest.Until(t, "fewer "+what, func() bool { return count() <= want })
}

// A source whose connection is lost again and again, in every way, leaves
// nothing behind: neither here nor in the server.
func TestReconnectsLeaveNothing(t *testing.T) {
	const reconnects = 1000
	port, _ := serve(t, fake.New(script(), clocktest.New(time.Now(), func() {})), 0)
	var wire net.Conn
	dials := 0
	s := pcq.New(pcq.Options{
		Reach: pcq.Reach{
			Host: "far",
			Dial: func(ctx context.Context) (pcq.Conn, error) {
				dials++
				return rpc.Dial(ctx, rpc.Options{
					Address: rpc.Address{
						Host: "127.0.0.1",
						Port: port,
						Connect: func(ctx context.Context, o *rpc.Options) (_ net.Conn, err error) {
							wire, err = rpc.TCP(ctx, o)
							return wire, err
						},
					},
					Account: rpc.Account{User: user, Password: smbtest.FixedPassword(password)},
				})
			},
		},
	})
	defer s.Close()
	goroutines, open := runtime.NumGoroutine(), descriptors()
	cat, err := s.Catalogue(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_ = s.Close()
	var b session.Batch
	once := func(lose func(session.Query)) {
		t.Helper()
		q, err := s.Open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := q.Select(t.Context(), allOf(cat.Sets[:1])); err != nil {
			t.Fatal(err)
		}
		if err := q.Collect(t.Context(), &b); err != nil || len(b.Sets[0].Readings) == 0 {
			t.Fatal(err)
		}
		lose(q)
		_ = q.Close()
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	ways := []func(session.Query){
		func(session.Query) { _ = s.Close() },
		func(q session.Query) {
			_ = wire.Close()
			if q.Collect(t.Context(), &b) == nil {
				t.Fatal("collected over a closed connection")
			}
		},
		func(q session.Query) {
			if q.Collect(ended, &b) == nil {
				t.Fatal("collected though the context had ended")
			}
		},
	}
	before := dials
	for i := range reconnects {
		once(ways[i%len(ways)])
	}
	if dials-before != reconnects {
		t.Errorf("%d connections of %d", dials-before, reconnects)
	}
	comesTo(t, "goroutines", runtime.NumGoroutine, goroutines)
	comesTo(t, "descriptors", descriptors, open)
}

// seen is what a feed showed of the first value of the first set.
type seen struct {
	history int // samples kept
	good    bool
	state   session.HostState
}

// follow runs a sampler with a feed and tells of each snapshot.
func follow(t *testing.T, source session.Source, clock session.Clock) (*session.Sampler, <-chan seen) {
	t.Helper()
	s := session.NewSampler("far", source, clock)
	out := make(chan seen, 1000)
	feed := s.Feed(session.FeedOptions{Every: session.MinInterval, History: time.Minute, Each: func(snap *session.Snapshot) {
		n := seen{state: snap.State}
		if len(snap.Sets) > 0 {
			v := snap.Sets[0]
			n.history, n.good = len(v.Series(0, 0).Values), v.Value(0, 0).Valid()
		}
		out <- n
	}})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); s.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
	<-s.Known()
	set := s.Catalogue().Sets[0]
	feed.Ask([]session.Ask{{Set: set, Counters: []int{0}, Keep: []session.Keep{
		{Counters: []int{0}, Match: func(*session.Instance) bool { return true }},
	}}})
	return s, out
}

// awaitSeen waits for what a feed is to show.
func awaitSeen(t *testing.T, what string, from <-chan seen, is func(seen) bool) seen {
	t.Helper()
	late := time.After(sharedtest.Patience)
	for {
		select {
		case n := <-from:
			if is(n) {
				return n
			}
		case <-late:
			t.Fatalf("waited for %s in vain", what)
		}
	}
}

// A server that goes and comes back is shown so, keeps its history, and delays
// nobody.
func TestHistoryOutlivesTheServer(t *testing.T) {
	clock := session.NewSystemClock()
	source := fake.New(script(), clock)
	port, stop := serve(t, source, 0)
	otherPort, _ := serve(t, fake.New(script(), clock), 0)
	sampler, first := follow(t, client(t, port, password), clock)
	_, second := follow(t, client(t, otherPort, password), clock)
	before := awaitSeen(t, "some history", first, func(n seen) bool { return n.history >= 5 && n.good })
	stop()
	failed := awaitSeen(t, "the end of the server", first, func(n seen) bool { return n.state.Phase == session.Retrying })
	if failed.state.Err == nil || failed.state.NextTry.IsZero() || failed.state.LastAnswer.IsZero() || failed.history < before.history {
		t.Errorf("shown as %+v", failed)
	}
	for len(second) > 0 {
		<-second
	}
	for range 5 { // the other one goes on
		if n := <-second; n.state.Phase != session.Live {
			t.Errorf("the other host: %+v", n)
		}
	}
	serve(t, source, port)
	sampler.Retry()
	after := awaitSeen(t, "the server again", first, func(n seen) bool { return n.state.Phase == session.Live && n.good })
	if after.state.Err != nil || after.history <= failed.history {
		t.Errorf("after %d samples: %+v", failed.history, after)
	}
}
