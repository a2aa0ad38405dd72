package logon

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"perfdeck/session"
	"perfdeck/session/wire/rpc"
)

// refusedLogOn is the error of a real log-on that was refused, with a code: by the
// realm, before any host is asked.
func refusedLogOn(t *testing.T, code rpc.Code) error {
	t.Helper()
	_, err := rpc.Dial(t.Context(), rpc.Options{Address: rpc.Address{Host: "host"}, Account: rpc.Account{User: "ana"}})
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

// A password that a host has taken is tried by ever more others at once, so that a
// right one takes long nowhere.
func TestGoodPasswordsAreQuick(t *testing.T) {
	const hosts = 200
	synctest.Test(t, func(t *testing.T) {
		l := newLogOns(time.Now)
		began := time.Now()
		var mu sync.Mutex
		taken, asking, log := 0, 0, 0
		var wg sync.WaitGroup
		for i := range hosts {
			wg.Go(func() {
				err := l.asks(t.Context(), fmt.Sprint("host", i), func() error {
					mu.Lock()
					if asking++; taken < provenWindow-1 && asking > taken+1 {
						t.Errorf("%d hosts are asked at once, %d took it", asking, taken)
					}
					mu.Unlock()
					time.Sleep(time.Second)
					mu.Lock()
					defer mu.Unlock()
					asking--
					taken++
					return nil
				})
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				log++
				mu.Unlock()
			})
		}
		wg.Wait()
		if took := time.Since(began); took > 6*time.Second || log != hosts {
			t.Errorf("%d log-ons of a second take %v", log, took)
		}
		began = time.Now()
		for i := range hosts { // they come back
			wg.Go(func() {
				if err := l.asks(t.Context(), fmt.Sprint("host", i), func() error { time.Sleep(time.Second); return nil }); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if took := time.Since(began); took > time.Second {
			t.Errorf("%d log-ons to hosts that took the password take %v", hosts, took)
		}
	})
}

// What a few hosts took and all others refuse, as a local account of the same name,
// is tried a few times, never at all of them at once; the few go on.
func TestWrongPasswordElsewhere(t *testing.T) {
	refusal := refusedLogOn(t, wrongPassword)
	for _, right := range []int{1, 3, 7} {
		synctest.Test(t, func(t *testing.T) {
			l := newLogOns(time.Now)
			ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
			defer cancel()
			var mu sync.Mutex
			wrong, most, asking := []time.Time{}, 0, 0
			one := func(host int) error {
				return l.asks(ctx, fmt.Sprint("host", host), func() error {
					if host < right {
						return nil
					}
					mu.Lock()
					wrong = append(wrong, time.Now())
					asking++
					most = max(most, asking)
					mu.Unlock()
					time.Sleep(100 * time.Millisecond)
					mu.Lock()
					defer mu.Unlock()
					asking--
					return refusal
				})
			}
			for i := range right {
				if err := one(i); err != nil {
					t.Fatal(err)
				}
			}
			var wg sync.WaitGroup
			for i := right; i < 200; i++ {
				wg.Go(func() {
					for ctx.Err() == nil {
						if err := one(i); err == nil {
							t.Error("taken")
						}
						time.Sleep(5 * time.Second)
					}
				})
			}
			for range 30 {
				time.Sleep(time.Minute)
				for i := range right {
					if err := one(i); err != nil {
						t.Errorf("who took it waits: %v", err)
					}
				}
			}
			mu.Lock()
			if most > right+1 || len(wrong) > right+1+6 {
				t.Errorf("%d took it: %d tries in half an hour, %d of them at once", right, len(wrong), most)
			}
			mu.Unlock()
			wg.Wait()
		})
	}
}

// A host that refuses what others took makes those wait a few seconds that were not
// asked yet, once, however often it refuses.
func TestOneHostWithAnAccountOfItsOwn(t *testing.T) {
	refusal := refusedLogOn(t, wrongPassword)
	refuse := func() error { return refusal }
	synctest.Test(t, func(t *testing.T) {
		l := newLogOns(time.Now)
		for _, host := range []string{"localhost:1", "localhost:3"} {
			if err := l.asks(t.Context(), host, fine); err != nil {
				t.Fatal(err)
			}
		}
		if err := l.asks(t.Context(), "localhost:2", refuse); !errors.Is(err, session.ErrDenied) {
			t.Error(err)
		}
		if err := l.asks(t.Context(), "localhost:4", fine); err == nil {
			t.Error("the others are not stopped")
		}
		time.Sleep(pauses[0])
		for range 2 {
			if err := l.asks(t.Context(), "localhost:2", refuse); !errors.Is(err, session.ErrDenied) {
				t.Error(err)
			}
			if err := l.asks(t.Context(), "localhost:2", refuse); err == nil || errors.Is(err, session.ErrDenied) {
				t.Errorf("it is asked on and on: %v", err)
			}
			for _, host := range []string{"localhost:1", "localhost:3", "localhost:4"} {
				if err := l.asks(t.Context(), host, fine); err != nil {
					t.Errorf("%s waits for it: %v", host, err)
				}
			}
			time.Sleep(pauses[1])
		}
		l.lift()
		if err := l.asks(t.Context(), "localhost:2", fine); err != nil {
			t.Errorf("the user wished it: %v", err)
		}
	})
}

// A host that took the password and refuses it tells that it was changed.
func TestChangedPasswords(t *testing.T) {
	refusal := refusedLogOn(t, wrongPassword)
	synctest.Test(t, func(t *testing.T) {
		l := newLogOns(time.Now)
		for _, host := range []string{"localhost:1", "localhost:2"} {
			if err := l.asks(t.Context(), host, fine); err != nil {
				t.Fatal(err)
			}
		}
		if err := l.asks(t.Context(), "localhost:1", func() error { return refusal }); !errors.Is(err, session.ErrDenied) {
			t.Error(err)
		}
		for _, host := range []string{"localhost:1", "localhost:2"} {
			if err := l.asks(t.Context(), host, func() error { t.Error("a changed password was tried"); return nil }); err == nil {
				t.Error("a changed password does not pause")
			}
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
		go l.try("slow", func(turn rpc.Turn) error {
			_ = turn.Await(ctx)
			close(asked)
			<-taken
			turn.Accepted()
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

// Hosts of a server that does not know the account for now refuse together what they took: that is
// one refusal, and those after it count as ever.
func TestRefusedTogether(t *testing.T) {
	refusal := refusedLogOn(t, wrongPassword)
	synctest.Test(t, func(t *testing.T) {
		l := newLogOns(time.Now)
		together := func(send func(i int) error) {
			var wg sync.WaitGroup
			for i := range 30 {
				wg.Go(func() { _ = l.asks(t.Context(), fmt.Sprint("host", i), func() error { return send(i) }) })
			}
			wg.Wait()
		}
		together(func(int) error { return nil })
		refuse := func(i int) error { time.Sleep(time.Duration(i+1) * 100 * time.Millisecond); return refusal }
		together(refuse)
		if left := l.left("host7"); left > pauses[0] {
			t.Errorf("30 refusals at once: %v", left)
		}
		time.Sleep(pauses[0])
		together(refuse)
		if left := l.left("host7"); left < pauses[1]-10*time.Second || left > pauses[1] {
			t.Errorf("a refusal after them: %v, want %v", left, pauses[1])
		}
	})
}

// A reload grants one more try.
func TestRenewTriesOnce(t *testing.T) {
	a := New(Options{})
	l := a.logOnsOf(victim{user: "ana"})
	refusal, tries := refusedLogOn(t, wrongPassword), 0
	ask := func() {
		_ = l.asks(t.Context(), "host:1", func() error { tries++; return refusal })
	}
	ask()
	ask()
	a.Renew()
	ask()
	ask()
	if tries != 2 {
		t.Errorf("%d tries", tries)
	}
}
