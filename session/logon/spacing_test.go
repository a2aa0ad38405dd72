package logon

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"perfdeck/session"
	"perfdeck/session/rpc"
)

// refusedLogOn is the error of a real log-on that was refused, with a code: by the
// realm, before any host is asked.
func refusedLogOn(t *testing.T, code rpc.Code) error {
	t.Helper()
	_, err := rpc.Dial(t.Context(), rpc.Options{Host: "host", User: "ana"})
	e, ok := errors.AsType[*rpc.Error](err)
	if !ok {
		t.Fatal(err)
	}
	e.Code = code
	return e
}

const (
	wrongPassword = 0xC000006D
	noNTLM        = 0xC0000418
)

// asks is a log-on that comes to its password and ends so.
func (l *logOns) asks(ctx context.Context, host string, send func() error) error {
	return l.try(host, func(turn rpc.Turn) error {
		if err := turn.Await(ctx); err != nil {
			return err
		}
		return send()
	})
}

func fine() error { return nil }

// However many hosts are asked for, a wrong password is tried a few times an
// hour, and at no time as often as would lock an account.
func TestWrongPasswordsAreFew(t *testing.T) {
	refusal := refusedLogOn(t, wrongPassword)
	synctest.Test(t, func(t *testing.T) {
		l := newLogOns(time.Now)
		var mu sync.Mutex
		var tried []time.Time
		var wg sync.WaitGroup
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Hour)
		defer cancel()
		for range 50 {
			wg.Go(func() {
				for ctx.Err() == nil {
					err := l.asks(ctx, "host:445", func() error {
						mu.Lock()
						tried = append(tried, time.Now())
						mu.Unlock()
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
		if n := len(tried); n < 6 || n > 10 {
			t.Errorf("%d log-ons in three hours", n)
		}
		for i := 4; i < len(tried); i++ {
			if within := tried[i].Sub(tried[i-4]); within < 30*time.Minute {
				t.Errorf("5 log-ons within %v", within)
			}
		}
		if again := tried[1].Sub(tried[0]); again > 30*time.Second {
			t.Errorf("a single refusal, which anybody can have sent, pauses for %v", again)
		}
	})
}

// What a host refuses for reasons of its own makes nobody else wait, whatever is
// known of the password.
func TestPoliciesPauseNobody(t *testing.T) {
	refusal := refusedLogOn(t, noNTLM)
	l := newLogOns(time.Now)
	for _, host := range []string{"localhost:4451", "localhost:4452", "localhost:4453"} {
		if err := l.asks(t.Context(), host, func() error { return refusal }); !errors.Is(err, session.ErrDenied) {
			t.Errorf("%s: %v", host, err)
		}
	}
	if err := l.asks(t.Context(), "localhost:4454", fine); err != nil {
		t.Error(err)
	}
}

// A password that a host has taken is good for all of them at once; one that refuses
// it pauses none, unless it had taken it: then it was changed.
func TestGoodPasswordsAreFree(t *testing.T) {
	refusal := refusedLogOn(t, wrongPassword)
	refuse := func() error { return refusal }
	synctest.Test(t, func(t *testing.T) {
		l := newLogOns(time.Now)
		if err := l.asks(t.Context(), "localhost:1", fine); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		var wg sync.WaitGroup
		for range 50 {
			wg.Go(func() {
				if err := l.asks(t.Context(), "host", func() error { time.Sleep(time.Second); return nil }); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if took := time.Since(began); took > time.Second {
			t.Errorf("50 log-ons take %v", took)
		}
		if err := l.asks(t.Context(), "localhost:2", refuse); !errors.Is(err, session.ErrDenied) {
			t.Error(err)
		}
		for _, host := range []string{"localhost:1", "localhost:2", "host"} {
			if err := l.asks(t.Context(), host, fine); err != nil {
				t.Errorf("%s waits for another: %v", host, err)
			}
		}
		if err := l.asks(t.Context(), "host", refuse); !errors.Is(err, session.ErrDenied) {
			t.Error(err)
		}
		if err := l.asks(t.Context(), "localhost:1", func() error { t.Error("a changed password was tried"); return nil }); err == nil {
			t.Error("a changed password does not pause")
		}
		l.lift()
		if err := l.asks(t.Context(), "localhost:1", fine); err != nil {
			t.Errorf("the user wished it: %v", err)
		}
	})
}

// As soon as the password is taken the others go on, though the host that took it
// falls silent; and who waits in vain says for what.
func TestTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLogOns(time.Now)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		asked, taken, end := make(chan struct{}), make(chan struct{}), make(chan struct{})
		go l.try("slow", func(turn rpc.Turn) error { //nolint:errcheck // none
			_ = turn.Await(ctx)
			close(asked)
			<-taken
			turn.Taken()
			<-end
			return nil
		})
		<-asked
		if err := l.asks(ctx, "other", fine); err == nil {
			t.Errorf("it did not wait for its turn: %v", err)
		} else if hint := rpc.HostError("other", "connect", err).Hint(); hint == "" {
			t.Errorf("%v has no hint", err)
		}
		close(taken)
		synctest.Wait()
		if err := l.asks(t.Context(), "other", fine); err != nil {
			t.Error(err)
		}
		close(end)
	})
}

// What is no refusal makes nobody wait.
func TestOtherFailuresDoNotPause(t *testing.T) {
	l := newLogOns(time.Now)
	failure := &rpc.Error{Op: "connect", Err: errors.New("no route")}
	for range 3 {
		if err := l.asks(t.Context(), "host", func() error { return failure }); !errors.Is(err, failure) {
			t.Error(err)
		}
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
				return l.asks(t.Context(), "host", func() error {
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
		if err := l.paused(); err != nil {
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
