package pane

import (
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
)

// Look is how the numbers of one counter are written.
type Look struct {
	Style  cooker.UnitStyle
	Digits int // decimals; cooker.DefaultDigits: as the field has room
	Scale  int // numbers are multiplied by 10^Scale; 0: as they are
}

// Numbers is how numbers are written, as the user wants them.
type Numbers struct {
	Grouping string // between groups of three digits, in tables
	// Look gives the look of a counter (index in Set.Counters); nil: the
	// default for all.
	Look func(set *session.Counterset, counter int) Look

	generation int
}

// Replace takes over how other numbers are written; rows that are shown follow.
func (n *Numbers) Replace(o *Numbers) {
	n.Grouping, n.Look = o.Grouping, o.Look
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

// look is the look of a counter; n may be nil.
func (n *Numbers) look(set *session.Counterset, counter int) Look {
	if n == nil || n.Look == nil {
		return Look{Style: cooker.UnitWindows, Digits: cooker.DefaultDigits}
	}
	return n.Look(set, counter)
}

// Units remembers the look and the unit of each row, so that units change
// seldom.
type Units struct {
	numbers *Numbers
	rows    map[UnitKey]*rowUnit
}

func (n *Numbers) current() int {
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
	look       Look
	chooser    cooker.UnitChooser
	generation int // of the numbers that gave the look
}

// mostUnits bounds what is remembered: processes come and go for as long as the
// screens are shown.
const mostUnits = 10_000

// NewUnits returns a memory without rows; numbers may be nil.
func NewUnits(numbers *Numbers) Units { return Units{numbers, map[UnitKey]*rowUnit{}} }

// Choose gives the unit and the look for a row from its window's maximum.
func (u Units) Choose(k UnitKey, windowMax float64, now time.Time) (cooker.Unit, Look) {
	r := u.rows[k]
	if g := u.numbers.current(); r == nil || r.generation != g {
		look := u.numbers.look(k.Set, k.Counter)
		if len(u.rows) >= mostUnits {
			clear(u.rows) // of instances that are long gone, most of them
		}
		r = &rowUnit{look, cooker.NewUnitChooser(k.Set.Counters[k.Counter].Quantity, look.Style), g}
		u.rows[k] = r
	}
	return r.chooser.Choose(windowMax*Power(r.look.Scale), now), r.look
}

// Chooser makes the chooser of a whole column.
func (n *Numbers) Chooser(set *session.Counterset, counter int) (cooker.UnitChooser, Look) {
	look := n.look(set, counter)
	return cooker.NewUnitChooser(set.Counters[counter].Quantity, look.Style), look
}

// Generation changes when rows that are shown get another look.
func (u Units) Generation() int { return u.numbers.current() }

// Power is 10^scale.
func Power(scale int) float64 {
	f, _ := cooker.Scaled(cooker.FloatValue(1), scale).Float()
	return f
}

// Scaled is a window times 10^scale.
func Scaled(w session.Window, scale int) session.Window {
	if scale != 0 {
		f := Power(scale)
		w.Min, w.Max, w.Mean = w.Min*f, w.Max*f, w.Mean*f
	}
	return w
}

// IsHex tells whether the numbers of a counter are written in hexadecimal.
func IsHex(c *session.Counter) bool {
	return c.Attributes.Effective()&cooker.DisplayHex != 0 ||
		c.Type == cooker.CounterRawCountHex || c.Type == cooker.CounterLargeRawCountHex
}
