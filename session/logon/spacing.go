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

// logOns spaces the log-ons of one account, so that a wrong password locks
// nobody out: as long as no host has taken the password one of them is asked at
// a time, and after a refusal none before a pause, which grows. A host that
// refuses what others have taken pauses alone.
type logOns struct {
	now func() time.Time

	turn chan struct{} // holds one token: whose turn it is while nothing is proven

	mu     sync.Mutex
	proven bool
	all    pause            // until the password is proven
	hosts  map[string]pause // afterwards
}

// pause is how long no log-on is tried, and why.
type pause struct {
	until   time.Time
	refused int // in a row
	err     error
}

// pauses are those after the first refusal and further ones. Windows locks an
// account after 10 wrong passwords within 10 minutes, or fewer: 5 within 30.
var pauses = []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute, 30 * time.Minute}

func newLogOns(now func() time.Time) *logOns {
	l := &logOns{now: now, turn: make(chan struct{}, 1), hosts: map[string]pause{}}
	l.turn <- struct{}{}
	return l
}

// try logs on to a host by do, or says why it does not. While nothing is proven
// the host has to be reachable before it gets its turn, so that those which are
// down do not keep the others waiting.
func (l *logOns) try(ctx context.Context, host string, reachable, do func() error) error {
	if !l.isProven() {
		if err := l.paused(host); err != nil {
			return err
		}
		if err := reachable(); err != nil {
			return err
		}
		select {
		case <-l.turn:
		case <-ctx.Done():
			return ctx.Err()
		}
		defer func() { l.turn <- struct{}{} }()
	}
	if err := l.paused(host); err != nil {
		return err
	}
	err := do()
	l.learn(host, err)
	return err
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
	return l.proven
}

// paused is why no log-on is tried now.
func (l *logOns) paused(host string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := l.all
	if l.proven {
		p = l.hosts[host]
	}
	if left := p.until.Sub(l.now()); left > 0 {
		return &pausedError{p.err, left}
	}
	return nil
}

// learn takes the outcome of a log-on.
func (l *logOns) learn(host string, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case rpc.IsLogonRefused(err):
		if l.proven {
			l.hosts[host] = l.hosts[host].longer(l.now(), err)
		} else {
			l.all = l.all.longer(l.now(), err)
		}
	case err == nil:
		l.proven = true
		delete(l.hosts, host)
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
