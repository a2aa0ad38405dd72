// Package backoff is how long to wait between tries of what fails: longer each time.
package backoff

import (
	"math/rand/v2"
	"time"
)

// Pauses are those between tries: the first one, doubled up to the most.
type Pauses struct {
	First, Most time.Duration
	Once        time.Duration // goes before the first one; 0: nothing does
	Spread      bool          // each is longer by up to a quarter, so that not all who lost one thing come back at once

	last time.Duration
}

// Next is the pause after a failure.
func (p *Pauses) Next() time.Duration {
	first := p.last == 0
	p.last = min(max(2*p.last, p.First), p.Most)
	pause := p.last
	if first && p.Once > 0 {
		pause, p.last = p.Once, 1
	}
	if p.Spread {
		pause += rand.N(pause/4 + 1)
	}
	return pause
}

// Reset begins anew, as after a success.
func (p *Pauses) Reset() { p.last = 0 }
