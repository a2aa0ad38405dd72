package rpc

import (
	"context"
	"errors"
	"net"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"perfdeck/session/system/sharedtest"
	"perfdeck/session/wire/smbtest"
)

func TestIdleConnectionsEnd(t *testing.T) {
	const idle = time.Minute
	onPipes(t, func(o *ServerOptions) { o.Idle = idle }, func(t *testing.T, ts *testServer) {
		checkIdle(t, ts, idle)
	})
}

func checkIdle(t *testing.T, ts *testServer, idle time.Duration) {
	c := ts.dial(t, nil)
	openHandle(t, c)
	time.Sleep(idle - time.Second)
	if _, err := c.EnumerateCounterSet(t.Context(), 256); err != nil {
		t.Errorf("before the time: %v", err)
	}
	time.Sleep(idle)
	synctest.Wait()
	if n := ts.closed.Load(); n != 1 {
		t.Errorf("%d sessions ended", n)
	}
	if _, err := c.EnumerateCounterSet(t.Context(), 1); err == nil {
		t.Error("the connection lives")
	}
}

// Strangers, and those with wrong passwords, take no place from a client.
func TestFloodHarmsNoClient(t *testing.T) {
	ts := startServer(t, func(o *ServerOptions) { o.MaxConnections = 8 })
	c := ts.dial(t, nil)
	h := openHandle(t, c)
	var strangers []net.Conn
	for range 100 {
		nc, err := net.Dial("tcp", ts.addr.String())
		if err != nil {
			t.Fatal(err)
		}
		strangers = append(strangers, nc)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 25 {
				o := ts.options()
				o.Password = smbtest.FixedPassword("wrong")
				if c, err := Dial(context.Background(), o); err == nil {
					t.Error("a wrong password is taken")
					_ = c.Close()
				}
			}
		})
	}
	for range 200 {
		if a, err := c.QueryCounterData(t.Context(), h, 4096, nil); err != nil || len(a.Data) != 320 {
			t.Fatalf("the client beside: %v", err)
		}
	}
	wg.Wait()
	if _, err := c.QueryCounterData(t.Context(), h, 4096, nil); err != nil {
		t.Errorf("afterwards: %v", err)
	}
	if _, err := ts.dial(t, nil).EnumerateCounterSet(t.Context(), 256); err != nil {
		t.Errorf("a new client afterwards: %v", err)
	}
	for _, nc := range strangers {
		_ = nc.Close()
	}
}

func TestRefusedLogOnsAreLate(t *testing.T) {
	const late = 3 * time.Second
	onPipes(t, func(o *ServerOptions) { o.LogonDelay = late }, func(t *testing.T, ts *testServer) {
		checkLate(t, ts, late)
	})
}

func checkLate(t *testing.T, ts *testServer, late time.Duration) {
	for _, auth := range []Authentication{SPNEGO, NTLM} {
		o := ts.options()
		o.Authentication, o.Password = auth, smbtest.FixedPassword("wrong")
		begin := time.Now()
		c, err := Dial(t.Context(), o)
		if err == nil {
			_, err = c.EnumerateCounterSet(t.Context(), 1)
			_ = c.Close()
		}
		if took := time.Since(begin); err == nil || took != late {
			t.Errorf("refused after %v: %v", took, err)
		}
	}
}

func TestServerEnds(t *testing.T) {
	ts := startServer(t, nil)
	ts.delay.Store(int64(time.Hour))
	c := ts.dial(t, nil)
	h := openHandle(t, c)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = c.QueryCounterData(context.Background(), h, 4096, nil)
	}()
	sharedtest.Until(t, "a call is under way", func() bool { return len(c.turn) == 0 })
	ts.stop()
	<-done
	if ts.closed.Load() != 1 {
		t.Errorf("%d sessions closed when the server had ended", ts.closed.Load())
	}
	// The goroutine that is counted ends just behind what the server waits for.
	sharedtest.Until(t, "all goroutines end", func() bool { return ts.running.Load() == 0 })
}

// A session that answers with more than was asked for, or fails, gives a fault.
type wrongSession struct{ fakeSession }

func (*wrongSession) EnumerateCounterSet(context.Context, uint32) (Array, error) {
	return Array{Data: make([]byte, 5000*16)}, nil
}

func (*wrongSession) QueryCounterInfo(context.Context, Handle, uint32) (Array, error) {
	return Array{}, errors.New("disk on fire")
}

func TestWrongSession(t *testing.T) {
	var closed atomic.Int32
	ts := startServer(t, func(o *ServerOptions) {
		o.Connect = func() Session {
			return &wrongSession{fakeSession{handles: map[Handle]bool{}, closed: &closed}}
		}
	})
	_, err := ts.dial(t, nil).EnumerateCounterSet(t.Context(), 256)
	var e *Error
	if !errors.As(err, &e) || e.Code == 0 {
		t.Errorf("too much: %v", err)
	}
	if _, err = ts.dial(t, nil).QueryCounterInfo(t.Context(), Handle{}, 1); !errors.As(err, &e) || e.Code == 0 {
		t.Errorf("failed: %v", err)
	}
}

// 1,000 connections later there are as many goroutines and descriptors as
// before.
func TestReconnectsLeaveNothing(t *testing.T) {
	ts := startServer(t, nil)
	ts.dial(t, nil)
	goroutines, descriptors := runtime.NumGoroutine(), countDescriptors()
	for i := range 1000 {
		o := ts.options()
		if i%2 == 0 {
			o.Authentication = NTLM
		}
		c, err := Dial(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := c.OpenQueryHandle(t.Context()); err != nil {
			t.Fatal(err)
		}
		_ = c.Close()
	}
	sharedtest.Until(t, "all goroutines end", func() bool { return runtime.NumGoroutine() <= goroutines })
	sharedtest.Until(t, "all descriptors are closed", func() bool { return countDescriptors() <= descriptors })
	if o, c := ts.opened.Load(), ts.closed.Load(); o != 1000 || c != 1000 {
		t.Errorf("%d sessions begun, %d ended", o, c)
	}
}

// countDescriptors is 0 where the system does not tell.
func countDescriptors() int {
	names, _ := filepath.Glob("/proc/self/fd/*")
	return len(names)
}
