package logon

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"perfdeck/session/rpc"
)

// logOns spaces the log-ons of one account and password, so that a wrong one locks
// nobody out: as long as no host has taken the password one of them tries it at a
// time, and after a refusal none before a pause, which grows. Only refusals of the
// password count; what else a host refuses is its own affair.
type logOns struct {
	now func() time.Time

	turn chan struct{} // holds one token: whose turn it is while nothing is proven

	mu    sync.Mutex
	taken map[string]bool // hosts that took the password; none: nothing is proven
	pause pause           // until the password is proven
}

// pause is how long no log-on is tried, and why.
type pause struct {
	until   time.Time
	refused int // in a row
	err     error
}

// pauses are those after the first refusal and further ones. One refusal proves
// little: nothing protects it, so anybody could have said it. Windows locks an
// account after 10 wrong passwords within 10 minutes, or fewer: 5 within 30.
var pauses = []time.Duration{5 * time.Second, 5 * time.Minute, 15 * time.Minute, 30 * time.Minute}

func newLogOns(now func() time.Time) *logOns {
	l := &logOns{now: now, turn: make(chan struct{}, 1), taken: map[string]bool{}}
	l.turn <- struct{}{}
	return l
}

// try logs on to a host, named with its port, by do, or says why it does not.
func (l *logOns) try(host string, do func(turn rpc.Turn) error) error {
	if err := l.paused(); err != nil {
		return err
	}
	t := &turn{of: l, host: host}
	defer t.giveBack()
	err := do(t)
	l.learn(host, err)
	return err
}

// turn is a log-on that waits for its turn, has it, or needs none. Two goroutines
// never use it at the same time.
type turn struct {
	of   *logOns
	host string
	held bool
}

// Await is rpc.Turn's.
func (t *turn) Await(ctx context.Context) error {
	if t.held || t.of.isProven() {
		return nil
	}
	select {
	case <-t.of.turn:
		t.held = true
	case <-ctx.Done():
		return &waitedError{}
	}
	if t.of.isProven() {
		t.giveBack()
		return nil
	}
	return t.of.paused()
}

// Taken is rpc.Turn's.
func (t *turn) Taken() {
	t.of.learn(t.host, nil)
	t.giveBack()
}

func (t *turn) giveBack() {
	if t.held {
		t.held = false
		t.of.turn <- struct{}{}
	}
}

// waitedError is a log-on whose turn did not come.
type waitedError struct{}

func (*waitedError) Error() string {
	return "the password waits for another host that has not answered to it yet"
}

// Hint is that of errors.
func (*waitedError) Hint() string {
	return "as long as no host has taken it, one host at a time is asked, so that nobody is locked out"
}

// busyTries and busyPause are for hosts that were too busy to look at a log-on.
// That says nothing of the password, so there is no reason to wait for long.
const (
	busyTries = 3
	busyPause = time.Second
)

// whileBusy tries a log-on again that the host was too busy for.
func whileBusy(ctx context.Context, err error, again func() error) error {
	for range busyTries {
		if !errors.Is(err, rpc.ErrBusy) {
			break
		}
		pause := time.NewTimer(busyPause/2 + rand.N(busyPause))
		select {
		case <-pause.C:
			err = again()
		case <-ctx.Done():
			pause.Stop()
			return err
		}
	}
	return err
}

func (l *logOns) isProven() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.taken) > 0
}

// left is how long no log-on is tried.
func (l *logOns) left() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.taken) > 0 {
		return 0
	}
	return max(0, l.pause.until.Sub(l.now()))
}

// paused is why no log-on is tried now.
func (l *logOns) paused() error {
	if left := l.left(); left > 0 {
		l.mu.Lock()
		defer l.mu.Unlock()
		return &pausedError{l.pause.err, left}
	}
	return nil
}

// lift lets the next log-on be tried at once. What was refused still counts.
func (l *logOns) lift() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pause.until = time.Time{}
}

// learn takes the outcome of a log-on. A host that took the password and refuses it
// tells that it was changed: nothing is proven any more. One that never took it has
// an account of its own, and is left to its own pauses.
func (l *logOns) learn(host string, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case err == nil:
		l.taken[host], l.pause = true, pause{}
	case rpc.IsWrongPassword(err) && (len(l.taken) == 0 || l.taken[host]):
		clear(l.taken)
		l.pause = l.pause.longer(l.now(), err)
	}
}

// longer is the pause after one more refusal.
func (p pause) longer(now time.Time, err error) pause {
	d := pauses[min(p.refused, len(pauses)-1)]
	return pause{until: now.Add(d), refused: p.refused + 1, err: err}
}

// pausedError is a log-on that is not tried now. It is no refusal of its host:
// as soon as the pause is over the host is asked.
type pausedError struct {
	why  error
	left time.Duration
}

func (e *pausedError) Error() string {
	return fmt.Sprintf("log-on not tried for another %v, so that nobody is locked out: %v", e.left.Round(time.Second), e.why)
}

// Hint is that of the refusal.
func (e *pausedError) Hint() string {
	var withHint interface{ Hint() string }
	if errors.As(e.why, &withHint) {
		return withHint.Hint()
	}
	return ""
}
