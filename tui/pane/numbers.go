package pane

import (
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
)

// Numbers is how numbers are written, as the user wants them.
type Numbers struct {
	Grouping string // between groups of three digits, of numbers that are no counter's
	Looks    session.Looks

	generation int
}

// Replace takes over how other numbers are written; rows that are shown follow.
func (n *Numbers) Replace(o *Numbers) {
	n.Grouping, n.Looks = o.Grouping, o.Looks
	n.generation++
}

// DefaultNumbers is how numbers are written when nobody says otherwise.
func DefaultNumbers() *Numbers { return &Numbers{Grouping: ","} }

// Separator is what stands between groups of digits; n may be nil.
func (n *Numbers) Separator() string {
	if n == nil {
		return DefaultNumbers().Grouping
	}
	return n.Grouping
}

// Of is how the numbers of counters are written; n may be nil.
func (n *Numbers) Of() session.Looks {
	if n == nil {
		return nil
	}
	return n.Looks
}

// Look is the look of a counter (index in set.Counters); n may be nil.
func (n *Numbers) Look(set *session.Counterset, counter int) session.Look {
	if n == nil {
		return set.Counters[counter].Look()
	}
	return n.Looks.Of(set, &set.Counters[counter])
}

// Units remembers the look and the unit of each row, so that units change
// seldom.
type Units struct {
	numbers *Numbers
	rows    map[UnitKey]*rowUnit
}

// Generation changes when numbers are written in another way.
func (n *Numbers) Generation() int {
	if n == nil {
		return 0
	}
	return n.generation
}

// UnitKey is what a row shows.
type UnitKey struct {
	Set     *session.Counterset
	Counter int
	Key     session.InstanceKey
}

type rowUnit struct {
	look       session.Look
	chooser    cooker.UnitChooser
	generation int // of the numbers that gave the look
}

// mostUnits bounds what is remembered: processes come and go for as long as the
// screens are shown.
const mostUnits = 10_000

// NewUnits returns a memory without rows; numbers may be nil.
func NewUnits(numbers *Numbers) Units { return Units{numbers, map[UnitKey]*rowUnit{}} }

// Choose gives the unit and the look for a row from its window's maximum.
func (u Units) Choose(k UnitKey, windowMax float64, now time.Time) (cooker.Unit, session.Look) {
	r := u.rows[k]
	if g := u.numbers.Generation(); r == nil || r.generation != g {
		look := u.numbers.Look(k.Set, k.Counter)
		if len(u.rows) >= mostUnits {
			clear(u.rows) // of instances that are long gone, most of them
		}
		r = &rowUnit{look, look.Chooser(), g}
		u.rows[k] = r
	}
	return r.chooser.Choose(windowMax, now), r.look
}

// Look is the look of a counter.
func (u Units) Look(set *session.Counterset, counter int) session.Look {
	return u.numbers.Look(set, counter)
}

// Generation changes when rows that are shown get another look.
func (u Units) Generation() int { return u.numbers.Generation() }

// Power is 10^scale.
func Power(scale int) float64 {
	f, _ := cooker.Scaled(cooker.FloatValue(1), scale).Float()
	return f
}
