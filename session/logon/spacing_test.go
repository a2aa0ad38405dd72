package logon

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"perfdeck/session"
	"perfdeck/session/rpc"
)

// refusedLogOn is the error of a real log-on that was refused: by the realm,
// before any host is asked.
func refusedLogOn(t *testing.T) error {
	t.Helper()
	_, err := rpc.Dial(t.Context(), rpc.Options{Host: "host", User: "ana", Password: rpc.FixedPassword("x"), RequireKerberos: true})
	if err == nil {
		t.Fatal("dialled")
	}
	e, ok := errors.AsType[*rpc.Error](err)
	if !ok {
		t.Fatal(err)
	}
	e.Code = 0xC000006D
	if !rpc.IsLogonRefused(e) {
		t.Fatalf("%v is no refusal", err)
	}
	return e
}

func reached() error { return nil }

// However many hosts are asked for, a wrong password is tried a few times an
// hour.
func TestWrongPasswordsAreFew(t *testing.T) {
	refusal := refusedLogOn(t)
	synctest.Test(t, func(t *testing.T) {
		l := newLogOns(time.Now)
		var tried atomic.Int32
		var wg sync.WaitGroup
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		for range 50 {
			wg.Go(func() {
				for ctx.Err() == nil {
					err := l.try(ctx, "host", reached, func() error {
						tried.Add(1)
						time.Sleep(100 * time.Millisecond)
						return refusal
					})
					if e, ok := errors.AsType[*pausedError](err); ok && (errors.Is(err, session.ErrDenied) || e.Hint() == "" || !strings.Contains(e.Error(), "locked out")) {
						t.Errorf("paused: %v, hint %q", err, e.Hint())
					}
					time.Sleep(5 * time.Second)
				}
			})
		}
		wg.Wait()
		if n := tried.Load(); n < 3 || n > 5 {
			t.Errorf("%d log-ons in an hour", n)
		}
	})
}

// A password that a host has taken is good for all of them at once; a host that
// refuses it pauses alone.
func TestGoodPasswordsAreFree(t *testing.T) {
	refusal := refusedLogOn(t)
	synctest.Test(t, func(t *testing.T) {
		l := newLogOns(time.Now)
		if err := l.try(t.Context(), "first", reached, func() error { return nil }); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		var wg sync.WaitGroup
		for range 50 {
			wg.Go(func() {
				if err := l.try(t.Context(), "host", reached, func() error { time.Sleep(time.Second); return nil }); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if took := time.Since(began); took > time.Second {
			t.Errorf("50 log-ons take %v", took)
		}
		if err := l.try(t.Context(), "odd", reached, func() error { return refusal }); !errors.Is(err, session.ErrDenied) {
			t.Error(err)
		}
		if err := l.try(t.Context(), "odd", reached, func() error { t.Error("it was tried"); return nil }); err == nil {
			t.Error("the host that refused does not pause")
		}
		if err := l.try(t.Context(), "host", reached, func() error { return nil }); err != nil {
			t.Errorf("another host: %v", err)
		}
		time.Sleep(pauses[0])
		if err := l.try(t.Context(), "odd", reached, func() error { return nil }); err != nil {
			t.Errorf("after the pause: %v", err)
		}
	})
}

// What is no refusal makes nobody wait.
func TestOtherFailuresDoNotPause(t *testing.T) {
	l := newLogOns(time.Now)
	failure := &rpc.Error{Op: "connect", Err: errors.New("no route")}
	for range 3 {
		if err := l.try(t.Context(), "host", reached, func() error { return failure }); !errors.Is(err, failure) {
			t.Error(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	<-l.turn
	if err := l.try(ctx, "host", reached, func() error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("who gave up waiting: %v", err)
	}
}

// A host that is too busy to look at a log-on is asked again soon, whose password
// it is does not count against anybody, and who gives up waits no longer.
func TestBusyHosts(t *testing.T) {
	busy := &rpc.Error{Op: "log on", Code: rpc.FaultServerTooBusy, Err: rpc.ErrBusy}
	synctest.Test(t, func(t *testing.T) {
		l := newLogOns(time.Now)
		tried := 0
		logOn := func(left int) func() error {
			return func() error {
				return l.try(t.Context(), "host", reached, func() error {
					if tried++; tried <= left {
						return busy
					}
					return nil
				})
			}
		}
		began := time.Now()
		if err := whileBusy(t.Context(), logOn(2)(), logOn(2)); err != nil || tried != 3 || time.Since(began) > 3*time.Second {
			t.Errorf("%v after %d tries and %v", err, tried, time.Since(began))
		}
		tried = 0
		if err := whileBusy(t.Context(), logOn(99)(), logOn(99)); !errors.Is(err, rpc.ErrBusy) || errors.Is(err, session.ErrDenied) || tried != 1+busyTries {
			t.Errorf("%v after %d tries", err, tried)
		}
		if err := l.paused("host"); err != nil {
			t.Errorf("it counts as a wrong password: %v", err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		began = time.Now()
		if err := whileBusy(ctx, busy, logOn(99)); !errors.Is(err, rpc.ErrBusy) || time.Since(began) > time.Millisecond {
			t.Errorf("who gave up: %v after %v", err, time.Since(began))
		}
	})
}
