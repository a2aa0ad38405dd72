package logon

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"perfdeck/session/system/failure"
	"perfdeck/session/text/english"
	"perfdeck/session/wire/rpc"
)

// logOns spaces the log-ons of one account and password, so that a wrong one locks
// nobody out. Hosts that took the password log on freely. The others try it one at a
// time until one takes it, and then ever more of them at once: that one host took it
// says little of others that have, or ask, an account of the same name elsewhere. A
// refusal makes them begin anew after a pause, which grows. Only refusals of the
// password count; what else a host refuses is its own affair.
type logOns struct {
	now func() time.Time

	mu       sync.Mutex
	taken    map[string]bool // hosts that took the password; none: nothing is proven
	refusers map[string]bool // hosts that refused it
	window   int             // tries at once of hosts that did not take it
	trying   int             // of them, under way
	changed  chan struct{}   // closed when any of this has

	pause pause // of hosts that did not take it
	again pause // of those that refused what others took: so they hold up no others
}

// provenWindow is the window that needs no bound: as many hosts less one took the
// password, and none refused it since.
const provenWindow = 17

// pause is how long no log-on is tried, and why.
type pause struct {
	until   time.Time
	refused int       // times
	last    time.Time // of them
	err     error
}

// pauses are those after the first refusal and further ones. One refusal proves
// little: nothing protects it, so anybody could have said it. Windows locks an
// account after 10 wrong passwords within 10 minutes, or fewer: 5 within 30.
var pauses = []time.Duration{5 * time.Second, 5 * time.Minute, 15 * time.Minute, 30 * time.Minute}

// forgotten is how long after the last one refusals count no more.
const forgotten = time.Hour

func newLogOns(now func() time.Time) *logOns {
	return &logOns{now: now, taken: map[string]bool{}, refusers: map[string]bool{}, window: 1, changed: make(chan struct{})}
}

// try logs on to a host, named with its port, by do, or says why it does not.
func (l *logOns) try(host string, do func(turn rpc.Turn) error) error {
	if err := l.paused(host); err != nil {
		return err
	}
	t := &turn{of: l, host: host, since: l.now()}
	defer t.giveBack()
	err := do(t)
	l.learn(t, err)
	return err
}

// turn is a log-on that waits for its turn, has it, or needs none. Two goroutines
// never use it at the same time.
type turn struct {
	of    *logOns
	host  string
	held  bool
	since time.Time // the password may be sent
}

// Await is rpc.Turn's.
func (t *turn) Await(ctx context.Context) error {
	for !t.held {
		free, changed, err := t.of.enter(t)
		if free || err != nil {
			return err
		}
		if t.held {
			break
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return errWaited
		}
	}
	return nil
}

// enter gives a turn to who waits for it, if there is one. It is free for hosts that
// took the password; else changed tells when to ask again.
func (l *logOns) enter(t *turn) (free bool, changed <-chan struct{}, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	t.since = l.now()
	if l.taken[t.host] {
		return true, nil, nil
	}
	if err := l.pausedNow(t.host); err != nil {
		return false, nil, err
	}
	if l.trying < l.window || l.window >= provenWindow {
		l.trying++
		t.held = true
	}
	return false, l.changed, nil
}

// Accepted is rpc.Turn's.
func (t *turn) Accepted() {
	t.of.learn(t, nil)
	t.giveBack()
}

func (t *turn) giveBack() {
	if t.held {
		t.held = false
		t.of.mu.Lock()
		defer t.of.mu.Unlock()
		t.of.trying--
		t.of.tell()
	}
}

// tell wakes those who wait.
func (l *logOns) tell() {
	close(l.changed)
	l.changed = make(chan struct{})
}

// errWaited is of a log-on whose turn did not come.
var errWaited = failure.WithHint(errors.New("the password waits for others that have not answered to it yet"),
	"until some hosts have taken it, few are asked at a time, so that nobody is locked out")

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

// left is how long no log-on to a host is tried.
func (l *logOns) left(host string) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.pauseOf(host).left(l.now())
}

// pauseOf is the pause that a host keeps.
func (l *logOns) pauseOf(host string) pause {
	switch {
	case l.taken[host]:
		return pause{}
	case len(l.taken) > 0 && l.refusers[host]:
		return l.again
	}
	return l.pause
}

// paused is why no log-on to a host is tried now.
func (l *logOns) paused(host string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.pausedNow(host)
}

func (l *logOns) pausedNow(host string) error {
	p := l.pauseOf(host)
	if left := p.left(l.now()); left > 0 {
		return &pausedError{p.err, left}
	}
	return nil
}

// lift lets the next log-on be tried at once. What was refused still counts.
func (l *logOns) lift() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pause.until, l.again.until = time.Time{}, time.Time{}
}

// learn takes the outcome of a log-on. A host that took the password and refuses it
// tells that it was changed: nothing is proven any more.
func (l *logOns) learn(t *turn, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case err == nil:
		l.learnTaken(t.host)
	case rpc.IsWrongPassword(err):
		l.learnRefused(t, err)
	}
}

func (l *logOns) learnTaken(host string) {
	if l.taken[host] {
		return
	}
	if len(l.taken) == 0 {
		l.pause, l.again = pause{}, pause{}
	}
	l.taken[host] = true
	delete(l.refusers, host)
	l.window++
	l.tell()
}

func (l *logOns) learnRefused(t *turn, err error) {
	now := l.now()
	if l.taken[t.host] {
		clear(l.taken)
	}
	if len(l.taken) == 0 || !l.refusers[t.host] {
		l.pause = l.pause.longer(t.since, now, err)
	}
	l.again = l.again.longer(t.since, now, err)
	l.refusers[t.host] = true
	l.window = 1
	l.tell()
}

func (p pause) left(now time.Time) time.Duration { return max(0, p.until.Sub(now)) }

// longer is the pause after one more refusal, of a password that was sent at a time. Refusals of those
// that were under way together, as after the restart of a server of many hosts, count once: nobody
// could have waited for the first of them.
func (p pause) longer(since, now time.Time, err error) pause {
	if since.Before(p.last) {
		return p
	}
	if now.Sub(p.last) > forgotten {
		p.refused = 0
	}
	d := pauses[min(p.refused, len(pauses)-1)]
	return pause{until: now.Add(d), refused: p.refused + 1, last: now, err: err}
}

// pausedError is a log-on that is not tried now. It is no refusal of its host:
// as soon as the pause is over the host is asked.
type pausedError struct {
	why  error
	left time.Duration
}

func (e *pausedError) Error() string {
	return fmt.Sprintf("log-on not tried for another %s, so that nobody is locked out: %v", english.Age(e.left), e.why)
}

// Hint is that of the refusal.
func (e *pausedError) Hint() string {
	return failure.Hint(e.why)
}
