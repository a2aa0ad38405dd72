// Package clocktest has a clock that tests move by hand.
package clocktest

import (
	"math"
	"sync"
	"time"

	"perfdeck/session"
)

// Clock is a session.Clock that stands still until it is moved. A sampler on
// it runs step by step: Advance goes from timer to timer, in order, and calls
// settle before and after each, which returns when everybody who was woken has
// come to rest again. In a bubble of testing/synctest, settle is
// synctest.Wait.
type Clock struct {
	settle func()

	mu     sync.Mutex
	now    session.Instant
	timers []*timer
	more   sync.Cond // timers
}

// forever is longer than any run.
const forever = time.Duration(math.MaxInt64)

type timer struct {
	at time.Duration
	c  chan time.Time
}

// New returns a clock that shows start, with a monotonic time of 0.
func New(start time.Time, settle func()) *Clock {
	c := &Clock{settle: settle, now: session.Instant{Wall: start}}
	c.more.L = &c.mu
	return c
}

// Now returns the moment that the clock shows.
func (c *Clock) Now() session.Instant {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Timer sends once when the clock was advanced by d.
func (c *Clock) Timer(d time.Duration) (<-chan time.Time, func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := &timer{at: c.now.Mono + d, c: make(chan time.Time, 1)}
	if t.at < c.now.Mono && d > 0 {
		t.at = forever
	}
	if d <= 0 {
		t.c <- c.now.Wall
	} else {
		c.timers = append(c.timers, t)
		c.more.Broadcast()
	}
	return t.c, func() { c.stop(t) }
}

func (c *Clock) stop(t *timer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.remove(t)
}

func (c *Clock) remove(t *timer) {
	for i := range c.timers {
		if c.timers[i] == t {
			c.timers = append(c.timers[:i], c.timers[i+1:]...)
			return
		}
	}
}

// Waiting is how many timers run: how many goroutines sleep on the clock.
func (c *Clock) Waiting() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.timers)
}

// Rest waits until so many goroutines sleep on the clock, which outside a bubble is how a
// sampler has come to rest.
func (c *Clock) Rest(goroutines int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.timers) < goroutines {
		c.more.Wait()
	}
}

// Advance lets d pass on both clocks.
func (c *Clock) Advance(d time.Duration) {
	c.settle()
	end := c.Now().Mono + d
	for c.fire(end) {
		c.settle()
	}
	c.settle()
}

// fire moves on to the next timer up to end and lets it send; without one it
// moves to the end.
func (c *Clock) fire(end time.Duration) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	var next *timer
	for _, t := range c.timers {
		if t.at <= end && (next == nil || t.at < next.at) {
			next = t
		}
	}
	if next == nil {
		c.moveTo(end)
		return false
	}
	c.moveTo(next.at)
	c.remove(next)
	next.c <- c.now.Wall
	return true
}

func (c *Clock) moveTo(mono time.Duration) {
	d := max(mono-c.now.Mono, 0)
	c.now.Mono += d
	c.now.Wall = c.now.Wall.Add(d)
}

// Jump lets d pass on both clocks without waking anybody before its end, as
// when the computer was too busy to run us.
func (c *Clock) Jump(d time.Duration) {
	c.settle()
	c.mu.Lock()
	c.moveTo(c.now.Mono + d)
	c.mu.Unlock()
	c.Advance(0)
}

// Step sets the wall clock forward or, with a negative d, back.
func (c *Clock) Step(d time.Duration) {
	c.settle()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now.Wall = c.now.Wall.Add(d)
}

// Sleep suspends the computer for d: the wall clock goes on, the monotonic
// clock and its timers do not.
func (c *Clock) Sleep(d time.Duration) { c.Step(max(d, 0)) }
