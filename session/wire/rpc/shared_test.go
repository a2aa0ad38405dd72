package rpc

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"perfdeck/session"
	"perfdeck/session/system/sharedtest"
)

// sharedWith counts the log-ons of a shared connection.
func sharedWith(ts *testServer, change func(*Options)) (*Shared, *atomic.Int32) {
	dials := &atomic.Int32{}
	return &Shared{Dial: func(ctx context.Context, _ *Shares, i ...Interface) (*Client, error) {
		dials.Add(1)
		o := ts.options()
		o.Interfaces = i
		if change != nil {
			change(&o)
		}
		return Dial(ctx, o)
	}}, dials
}

func TestSharedConnection(t *testing.T) {
	ts := startServer(t, nil)
	s, dials := sharedWith(ts, nil)
	var leases [3]*Lease
	var wg sync.WaitGroup
	for i := range leases {
		wg.Go(func() {
			var err error
			if leases[i], err = s.Connect(t.Context(), MSPCQ); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if t.Failed() {
		return
	}
	if dials.Load() != 1 || leases[0].Client != leases[1].Client {
		t.Errorf("%d log-ons", dials.Load())
	}
	_ = leases[0].Close()
	_ = leases[0].Close() // once is enough
	if _, err := leases[1].EnumerateCounterSet(t.Context(), 256); err != nil {
		t.Errorf("a call beside a closed lease: %v", err)
	}
	first := leases[1].Client
	_ = leases[1].Close()
	_ = leases[2].Close()
	if first.Err() == nil {
		t.Error("the connection outlives its users")
	}
	again, err := s.Connect(t.Context(), MSPCQ)
	if err != nil || again.Client == first {
		t.Fatalf("connected again: %v", err)
	}
	_ = again.Client.Close() // it breaks
	next, err := s.Connect(t.Context(), MSPCQ)
	if err != nil {
		t.Fatal(err)
	}
	_ = again.Close()
	if _, err := next.EnumerateCounterSet(t.Context(), 256); err != nil {
		t.Errorf("a broken connection's end takes the next one along: %v", err)
	}
	_ = next.Close()
	if n := dials.Load(); n != 3 {
		t.Errorf("%d log-ons", n)
	}
	sharedtest.Until(t, "all connections end", func() bool { return ts.running.Load() == 0 })
}

// An interface that the host does not take beside the other is asked for alone,
// once.
func TestSharedWithoutInterface(t *testing.T) {
	s, dials := sharedWith(startServer(t, nil), nil)
	lease, err := s.Connect(t.Context(), MSPCQ)
	if err != nil {
		t.Fatal(err)
	}
	defer lease.Close()
	for range 3 {
		if l, err := s.Connect(t.Context(), MSRRP); !errors.Is(err, ErrNotServed) {
			t.Errorf("%v, %v", l, err)
		}
	}
	if n := dials.Load(); n != 2 {
		t.Errorf("%d log-ons", n)
	}
}

// A refused log-on is one log-on for all who wait for it.
func TestSharedRefusal(t *testing.T) {
	release := make(chan struct{})
	var dials atomic.Int32
	s := &Shared{Dial: func(context.Context, *Shares, ...Interface) (*Client, error) {
		dials.Add(1)
		<-release
		return nil, &Error{Op: "log on", Code: codeLogonFailure}
	}}
	var wg sync.WaitGroup
	for range 5 {
		wg.Go(func() {
			if _, err := s.Connect(t.Context(), MSPCQ); !errors.Is(err, session.ErrDenied) {
				t.Errorf("a wrong password: %v", err)
			}
		})
	}
	sharedtest.Until(t, "all wait", func() bool {
		p := s.pipe(MSPCQ)
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.making != nil && p.making.users == 5
	})
	close(release)
	wg.Wait()
	if n := dials.Load(); n != 1 {
		t.Errorf("%d log-ons", n)
	}
}

// Who gives up does not end what others wait for.
func TestSharedGivenUp(t *testing.T) {
	started, release := make(chan struct{}), make(chan struct{})
	ts := startServer(t, nil)
	var dials atomic.Int32
	s := &Shared{Dial: func(ctx context.Context, _ *Shares, i ...Interface) (*Client, error) {
		if dials.Add(1) == 1 {
			close(started)
			select {
			case <-release:
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
		o := ts.options()
		o.Interfaces = i
		return Dial(ctx, o)
	}}
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		if _, err := s.Connect(ctx, MSPCQ); !errors.Is(err, context.Canceled) {
			t.Errorf("the one who gave up: %v", err)
		}
	})
	<-started
	other, ended := context.WithCancel(t.Context())
	wg.Go(func() { // waits, and gives up too
		if _, err := s.Connect(other, MSPCQ); !errors.Is(err, context.Canceled) {
			t.Errorf("another who gave up: %v", err)
		}
	})
	var lease *Lease
	wg.Go(func() {
		var err error
		if lease, err = s.Connect(t.Context(), MSPCQ); err != nil {
			t.Error(err)
		}
	})
	ended()
	cancel()
	wg.Wait()
	if lease == nil {
		return
	}
	if _, err := lease.EnumerateCounterSet(t.Context(), 256); err != nil {
		t.Error(err)
	}
	_ = lease.Close()
	sharedtest.Until(t, "all connections end", func() bool { return ts.running.Load() == 0 })
}
