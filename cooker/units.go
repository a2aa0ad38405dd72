package cooker

import (
	"math"
	"time"
)

// UnitStyle says in which units large and small numbers are written.
type UnitStyle uint8

// The styles.
const (
	UnitPlain   UnitStyle = iota // the number as it is
	UnitWindows                  // KB, MB, GB by 1024; counts k, M, G by 1000
	UnitSI                       // kB, MB, GB and k, M, G by 1000
	UnitIEC                      // KiB, MiB, GiB and Ki, Mi, Gi by 1024
	styleCount
)

// Unit is what a number is shown in. The zero Unit is "no unit".
type Unit struct {
	Factor float64 // the number is divided by it; 0 means 1
	Label  string  // such as "MB/s", "k", "ms", "%"; may be empty
}

// step is a unit of a ladder; from until on, the next one is taken. Both are
// in plain units: bytes, seconds, pieces.
type step struct {
	factor, until float64
	label         string
}

type ladder []step

var (
	windowsPrefixes = []string{"", "K", "M", "G", "T", "P", "E"}
	siPrefixes      = []string{"", "k", "M", "G", "T", "P", "E"}
	iecPrefixes     = []string{"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"}
	ladders         = buildLadders()
)

// The numbers of a count stay as they are to 9999; bytes change at once.
const firstUntil = 1e4

func buildLadders() (all [quantityKinds][styleCount]ladder) {
	for style, by := range map[UnitStyle]float64{UnitWindows: 1000, UnitSI: 1000, UnitIEC: 1024} {
		prefixes := siPrefixes
		if by == 1024 {
			prefixes = iecPrefixes
		}
		all[Count][style] = prefixed(by, firstUntil, prefixes, "")
		all[PerSecond][style] = prefixed(by, firstUntil, prefixes, "/s")
		all[BitsPerSecond][style] = prefixed(1000, 1000, siPrefixes, "b/s")
		all[Bytes][style] = prefixed(by, by, prefixes, "B")
		all[BytesPerSecond][style] = prefixed(by, by, prefixes, "B/s")
		all[Percent][style] = ladder{{1, math.Inf(1), "%"}}
		all[Seconds][style] = ladder{
			{1e-6, 1e-3, "µs"}, {1e-3, 1, "ms"}, {1, 1e4, "s"},
			{60, 36e3, "min"}, {3600, 48 * 3600, "h"}, {86400, math.Inf(1), "d"},
		}
	}
	all[Bytes][UnitWindows] = prefixed(1024, 1024, windowsPrefixes, "B")
	all[BytesPerSecond][UnitWindows] = prefixed(1024, 1024, windowsPrefixes, "B/s")
	return all
}

// prefixed builds a ladder by powers.
func prefixed(by, firstUntil float64, prefixes []string, unit string) ladder {
	steps := make(ladder, len(prefixes))
	factor := 1.0
	for i, prefix := range prefixes {
		steps[i] = step{factor, factor * by, prefix + unit}
		factor *= by
	}
	steps[0].until = firstUntil
	steps[len(steps)-1].until = math.Inf(1)
	return steps
}

// unitScale is the ladder of a quantity and a style, the counter's own unit
// alone for UnitPlain. A counter that counts megabytes is never shown in
// smaller units, and stays in megabytes to 9999.
type unitScale struct {
	steps ladder
	base  float64 // plain units in 1 of the counter
	own   int     // the counter's own step
	low   int     // the lowest step
}

func scaleOf(q Quantity, style UnitStyle) unitScale {
	if q.Kind >= quantityKinds || style >= styleCount {
		q, style = Quantity{}, UnitPlain
	}
	if style == UnitPlain {
		s := scaleOf(q, UnitWindows)
		own := s.steps[s.own : s.own+1]
		return unitScale{steps: own, base: own[0].factor}
	}
	s := unitScale{steps: ladders[q.Kind][style], base: q.base()}
	if s.base == 1 && q.Kind != Seconds {
		return s
	}
	for s.own+1 < len(s.steps) && s.steps[s.own+1].factor <= s.base {
		s.own++
	}
	if q.Kind != Seconds {
		s.low = s.own
	}
	return s
}

// until is where step i ends.
func (s unitScale) until(i int) float64 {
	if i == s.own && s.base != 1 {
		return max(s.steps[i].until, firstUntil*s.base)
	}
	return s.steps[i].until
}

// pick is the step for a magnitude in plain units.
func (s unitScale) pick(magnitude float64) int {
	i := s.low
	if i == s.own && magnitude < s.until(i) {
		return i
	}
	for i+1 < len(s.steps) && magnitude >= s.steps[i].until {
		i++
	}
	return i
}

func (s unitScale) unit(i int) Unit {
	if s.base == 1 {
		return Unit{Factor: s.steps[i].factor, Label: s.steps[i].label}
	}
	return Unit{Factor: s.steps[i].factor / s.base, Label: s.steps[i].label}
}

// UnitFor is the unit for a number of a quantity. Zero is shown in the
// quantity's own unit.
func UnitFor(q Quantity, style UnitStyle, number float64) Unit {
	s := scaleOf(q, style)
	step := s.own
	if number != 0 {
		step = s.pick(math.Abs(number) * s.base)
	}
	return s.unit(step)
}

// UnitHold is how long a window's maximum must lie beyond a unit's range, by
// more than a tenth, before a [UnitChooser] changes the unit.
const UnitHold = time.Minute

// fieldLimit is the first number that 7 cells cannot hold as digits.
const fieldLimit = 9999999.5

// UnitChooser keeps the unit of one row steady. The zero value is for plain
// counts; make others with [NewUnitChooser].
type UnitChooser struct {
	quantity Quantity
	style    UnitStyle
	chosen   bool
	waiting  bool
	step     int
	since    time.Time // when the maximum left the range
}

// NewUnitChooser is a chooser that has not chosen yet.
func NewUnitChooser(q Quantity, style UnitStyle) UnitChooser {
	return UnitChooser{quantity: q, style: style}
}

// Choose is the unit at a time, from the largest magnitude of the window. The
// first one is taken at once, and so is one without which the number would
// not fit its field; another only after [UnitHold].
func (c *UnitChooser) Choose(windowMax float64, now time.Time) Unit {
	s := scaleOf(c.quantity, c.style)
	magnitude := math.Abs(windowMax) * s.base
	if !c.chosen {
		c.step = s.own
		if magnitude == 0 || magnitude-magnitude != 0 {
			return s.unit(c.step) // nothing to go by yet
		}
		c.chosen, c.step = true, s.pick(magnitude)
		return s.unit(c.step)
	}
	if !s.beyond(c.step, magnitude) {
		c.waiting = false
		return s.unit(c.step)
	}
	if !c.waiting {
		c.waiting, c.since = true, now
	}
	if now.Sub(c.since) >= UnitHold || magnitude/s.steps[c.step].factor >= fieldLimit {
		c.waiting, c.step = false, s.pick(magnitude)
	}
	return s.unit(c.step)
}

// beyond says that a magnitude lies more than a tenth out of the range of a
// step. A window of zeros changes nothing.
func (s unitScale) beyond(i int, magnitude float64) bool {
	if magnitude == 0 || magnitude-magnitude != 0 {
		return false
	}
	if magnitude >= 1.1*s.until(i) {
		return true
	}
	return i > s.low && magnitude < 0.9*s.until(i-1)
}
