package session

import (
	"context"
	"sync/atomic"
	"time"
)

// Instant is one moment on two clocks: the wall clock, which people read and
// which may be stepped, and a monotonic clock, which stands still while the
// computer sleeps.
type Instant struct {
	Wall time.Time
	Mono time.Duration
	// Phase is a monotonic time from which on beats come after whole intervals.
	Phase time.Duration
}

// Clock is what the sampler knows of time. Tests bring one of their own.
type Clock interface {
	Now() Instant
	// Timer sends once after d. Stop gives it back.
	Timer(d time.Duration) (c <-chan time.Time, stop func())
}

// SystemClock is the clock of this computer.
type SystemClock struct {
	start time.Time
	phase atomic.Int64
}

// NewSystemClock returns a clock whose monotonic time begins now.
func NewSystemClock() *SystemClock { return &SystemClock{start: time.Now()} }

// Now returns the present moment.
func (c *SystemClock) Now() Instant {
	now := time.Now()
	return Instant{Wall: now.Round(0), Mono: now.Sub(c.start), Phase: time.Duration(c.phase.Load())}
}

// Align has beats come after whole intervals from now on: with what else begins now and
// comes each second, so that the computer is woken once for both.
func (c *SystemClock) Align() { c.phase.Store(int64(time.Since(c.start))) }

// Timer returns a timer of the system.
func (c *SystemClock) Timer(d time.Duration) (<-chan time.Time, func()) {
	t := time.NewTimer(d)
	return t.C, func() { t.Stop() }
}

// Wake tells who waits for c, or is about to: once is enough. c has room for one.
func Wake(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// Await waits so long by a clock, for what is told meanwhile or for the end of ctx at most. It tells
// whether all of the time is over.
func Await(ctx context.Context, clock Clock, d time.Duration, told <-chan struct{}) (isOver bool) {
	c, stop := clock.Timer(d)
	defer stop()
	select {
	case <-c:
		return true
	case <-told:
	case <-ctx.Done():
	}
	return false
}

// waker is a goroutine's sleep, from which others wake it.
type waker struct {
	clock Clock
	woken chan struct{}
}

func newWaker(clock Clock) waker { return waker{clock, make(chan struct{}, 1)} }

func (w *waker) wake() {
	Wake(w.woken)
}

// pause waits so long, less than zero without end; until it is woken at the latest.
func (w *waker) pause(ctx context.Context, d time.Duration) {
	if d >= 0 {
		Await(ctx, w.clock, d, w.woken)
		return
	}
	select {
	case <-w.woken:
	case <-ctx.Done():
	}
}
