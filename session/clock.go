package session

import "time"

// Instant is one moment on two clocks: the wall clock, which people read and
// which may be stepped, and a monotonic clock, which stands still while the
// computer sleeps.
type Instant struct {
	Wall time.Time
	Mono time.Duration
}

// Clock is what the sampler knows of time. Tests bring one of their own.
type Clock interface {
	Now() Instant
	// Timer sends once after d. Stop gives it back.
	Timer(d time.Duration) (c <-chan time.Time, stop func())
}

// SystemClock is the clock of this computer.
type SystemClock struct{ start time.Time }

// NewSystemClock returns a clock whose monotonic time begins now.
func NewSystemClock() *SystemClock { return &SystemClock{start: time.Now()} }

// Now returns the present moment.
func (c *SystemClock) Now() Instant {
	now := time.Now()
	return Instant{Wall: now.Round(0), Mono: now.Sub(c.start)}
}

// Timer returns a timer of the system.
func (c *SystemClock) Timer(d time.Duration) (<-chan time.Time, func()) {
	t := time.NewTimer(d)
	return t.C, func() { t.Stop() }
}
