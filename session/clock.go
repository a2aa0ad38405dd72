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

// waker is a goroutine's sleep, from which others wake it.
type waker struct {
	clock Clock
	woken chan struct{}
}

func newWaker(clock Clock) waker { return waker{clock, make(chan struct{}, 1)} }

func (w *waker) wake() {
	select {
	case w.woken <- struct{}{}:
	default:
	}
}

// pause waits so long, less than zero without end; until it is woken at the latest.
func (w *waker) pause(ctx context.Context, d time.Duration) {
	var after <-chan time.Time
	if d >= 0 {
		c, stop := w.clock.Timer(d)
		defer stop()
		after = c
	}
	select {
	case <-after:
	case <-w.woken:
	case <-ctx.Done():
	}
}
