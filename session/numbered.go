package session

import (
	"context"
	"math"
	"time"
)

// Numbered are rows of numbers of one of several places, in order of time.
type Numbered interface {
	// Next is when the row is that comes next; ok is false where there is none.
	Next() (at time.Time, ok bool)
	// Take puts its numbers where they belong among those of all, and goes on.
	Take(among []float64) error
}

// Merged says how rows of several places are read as one.
type Merged struct {
	From, To time.Time     // To is not included
	Within   time.Duration // rows that near each other are one
	Width    int           // how many numbers there are
	Came     func(share float64)
}

// Read hands out the rows in order of time, NaN where there is no number. They are good until each
// returns. Came is told which share was read, 0 to 1.
func (m *Merged) Read(ctx context.Context, of []Numbered, each func(at time.Time, values []float64)) error {
	const checked = 64 // rows between two looks at what else there is
	values := make([]float64, m.Width)
	for rows := 0; ; rows++ {
		if rows%checked == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		first := m.To
		for _, n := range of {
			if at, ok := n.Next(); ok {
				first = Earlier(at, first)
			}
		}
		if !first.Before(m.To) {
			return nil
		}
		for i := range values {
			values[i] = math.NaN()
		}
		for _, n := range of {
			if at, ok := n.Next(); ok && at.Before(m.To) && at.Sub(first) <= m.Within {
				if err := n.Take(values); err != nil {
					return err
				}
			}
		}
		if each(first, values); rows%checked == 0 {
			m.Came(min(max(float64(first.Sub(m.From))/float64(m.To.Sub(m.From)), 0), 1))
		}
	}
}
