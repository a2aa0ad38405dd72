package pane

import (
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/tui/kit/scale"
)

// UnitKey is what a row shows.
type UnitKey = session.Valued

// SharedKey names rows that are compared: the two of a pair, and the same row of
// several hosts.
type SharedKey struct {
	Host         string // of a deck of several; "": it is compared with others
	Set, Counter string // Counter as kind.PairName has it
	Parent, Name string // of the instance
}

// Units remembers the look, the unit and the scale of rows by what they are, so that
// units and scales change seldom.
type Units struct{ *unitStore[UnitKey] }

// Shared is the same of rows that are compared: the unit is chosen together, by the
// largest of their numbers.
type Shared struct{ *unitStore[SharedKey] }

type unitStore[K comparable] struct {
	numbers    *Numbers
	rows       map[K]*UnitRow
	generation int // of the numbers
	changes    int
}

// UnitRow is what is remembered of one row.
type UnitRow struct {
	gauge   scale.Gauge
	look    session.Look
	largest float64
	offered bool
}

// Choose gives the unit and the look for the row from its window's maximum.
func (r *UnitRow) Choose(windowMax float64, now time.Time) (cooker.Unit, session.Look) {
	unit, _ := r.gauge.Choose(windowMax, now)
	return unit, r.look
}

// Scale is that of the history of the row, which changes as seldom as its unit.
func (r *UnitRow) Scale() *scale.Scale { return &r.gauge.Scale }

// mostUnits bounds what is remembered: processes come and go for as long as the
// screens are shown.
const mostUnits = 10_000

// NewUnits returns a memory without rows; numbers may be nil.
func NewUnits(numbers *Numbers) Units { return Units{newUnitStore[UnitKey](numbers)} }

// NewShared returns units of no rows; numbers may be nil.
func NewShared(numbers *Numbers) Shared { return Shared{newUnitStore[SharedKey](numbers)} }

func newUnitStore[K comparable](numbers *Numbers) *unitStore[K] {
	return &unitStore[K]{numbers: numbers, rows: map[K]*UnitRow{}, generation: numbers.Generation()}
}

// row is what is remembered of a row, made anew when numbers are written in another way.
func (u *unitStore[K]) row(k K, set *session.Counterset, counter int) *UnitRow {
	if g := u.numbers.Generation(); g != u.generation {
		clear(u.rows)
		u.generation = g
	}
	r := u.rows[k]
	if r == nil {
		if len(u.rows) >= mostUnits {
			clear(u.rows) // of instances that are long gone, most of them
		}
		look := u.numbers.Look(set, counter)
		r = &UnitRow{look: look, gauge: scale.NewGauge(look.Chooser())}
		u.rows[k] = r
	}
	return r
}

// Offer tells the largest number of a row, for the next Settle. Of rows that are
// written in another way than those that they are compared with nothing is taken.
func (u Shared) Offer(k SharedKey, set *session.Counterset, counter int, largest float64) {
	if r := u.row(k, set, counter); u.numbers.Look(set, counter) == r.look {
		r.offered, r.largest = true, max(r.largest, largest)
	}
}

// Settle chooses the units of all rows that were offered, and forgets the others.
func (u Shared) Settle(now time.Time) {
	for k, r := range u.rows {
		if !r.offered {
			delete(u.rows, k)
			continue
		}
		if _, changed := r.gauge.Choose(r.largest, now); changed {
			u.changes++
		}
		r.offered, r.largest = false, 0
	}
}

// Unit is the unit and the look of a row that was settled; ok is false for one that has
// its own.
func (u Shared) Unit(k SharedKey, set *session.Counterset, counter int) (unit cooker.Unit, look session.Look, ok bool) {
	r := u.rows[k]
	if r == nil || u.numbers.Look(set, counter) != r.look {
		return unit, look, false
	}
	return r.gauge.Unit(), r.look, true
}

// Row is what is remembered of a row.
func (u Units) Row(k UnitKey) *UnitRow { return u.row(k, k.Set, k.Counter) }

// Choose gives the unit and the look for a row from its window's maximum.
func (u Units) Choose(k UnitKey, windowMax float64, now time.Time) (cooker.Unit, session.Look) {
	return u.Row(k).Choose(windowMax, now)
}

// Changes is another number when a unit that was settled is another one.
func (u Shared) Changes() int { return u.changes }

// Look is the look of a counter.
func (u *unitStore[K]) Look(set *session.Counterset, counter int) session.Look {
	return u.numbers.Look(set, counter)
}

// Generation changes when rows that are shown get another look.
func (u *unitStore[K]) Generation() int { return u.numbers.Generation() }
