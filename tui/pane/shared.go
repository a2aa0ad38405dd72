package pane

import (
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
)

// SharedKey names rows that are compared: the two of a pair, and the same row of
// several hosts.
type SharedKey struct {
	Set, Counter string // Counter as kind.PairName has it
	Parent, Name string // of the instance
}

// Shared is the units of rows that are compared: they are chosen together, by the
// largest of their numbers.
type Shared struct {
	numbers    *Numbers
	rows       map[SharedKey]*sharedUnit
	generation int // of the numbers
	changes    int
}

type sharedUnit struct {
	rowUnit

	unit    cooker.Unit
	largest float64
	offered bool
}

// NewShared returns units of no rows; numbers may be nil.
func NewShared(numbers *Numbers) *Shared {
	return &Shared{numbers: numbers, rows: map[SharedKey]*sharedUnit{}}
}

// Offer tells the largest number of a row, for the next Settle. Of rows that are
// written in another way than those that they are compared with nothing is taken.
func (s *Shared) Offer(k SharedKey, set *session.Counterset, counter int, largest float64) {
	if g := s.numbers.Generation(); g != s.generation {
		clear(s.rows)
		s.generation = g
	}
	r := s.rows[k]
	if r == nil {
		r = &sharedUnit{}
		r.look = s.numbers.Look(set, counter)
		r.chooser = r.look.Chooser()
		s.rows[k] = r
	} else if s.numbers.Look(set, counter) != r.look {
		return
	}
	r.offered, r.largest = true, max(r.largest, largest)
}

// Settle chooses the units of all rows that were offered, and forgets the others.
func (s *Shared) Settle(now time.Time) {
	for k, r := range s.rows {
		if !r.offered {
			delete(s.rows, k)
			continue
		}
		if u := r.chooser.Choose(r.largest, now); u != r.unit {
			r.unit = u
			s.changes++
		}
		r.offered, r.largest = false, 0
	}
}

// Unit is the unit and the look of a row; ok is false for one that has its own.
func (s *Shared) Unit(k SharedKey, set *session.Counterset, counter int) (u cooker.Unit, look session.Look, ok bool) {
	r := s.rows[k]
	if r == nil || s.numbers.Look(set, counter) != r.look {
		return u, look, false
	}
	return r.unit, r.look, true
}

// Changes is another number when a unit is another one.
func (s *Shared) Changes() int { return s.changes }
