package pane

import (
	"context"
	"time"

	"perfdeck/session"
)

// Archive is a recording, for who looks at all of its counters.
type Archive interface {
	Bounds() (first, last time.Time)
	// Recorded are the counters that have numbers, each of one instance.
	Recorded() []Recorded
	// Read reads a time of all of them; it is done beside the screens. Each gets the rows
	// in order of time, a number for each counter, NaN where there is none. Came is told
	// how much was read, 0 to 1.
	Read(ctx context.Context, from, to time.Time, each func(at time.Time, values []float64), came func(share float64)) error
}

// Recorded is a counter of an instance.
type Recorded struct {
	Target

	Instance session.Instance
	Every    time.Duration // between samples; 0: not known
}
