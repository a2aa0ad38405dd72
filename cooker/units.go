package cooker

import (
	"math"
	"strings"
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

// MostPlaces is the first number that is written with more than 4 digits in front
// of the point. The numbers of a count stay as they are up to it; bytes change at
// 1024.
const MostPlaces = 9999.5

func buildLadders() (all [quantityKinds][styleCount]ladder) {
	for style, by := range map[UnitStyle]float64{UnitWindows: 1000, UnitSI: 1000, UnitIEC: 1024} {
		prefixes := siPrefixes
		if by == 1024 {
			prefixes = iecPrefixes
		}
		all[Count][style] = prefixed(by, MostPlaces, prefixes, "")
		all[PerSecond][style] = prefixed(by, MostPlaces, prefixes, "/s")
		all[BitsPerSecond][style] = prefixed(1000, 1000, siPrefixes, "b/s")
		all[Bytes][style] = prefixed(by, by, prefixes, "B")
		all[BytesPerSecond][style] = prefixed(by, by, prefixes, "B/s")
		all[Hertz][style] = prefixed(1000, 1000, siPrefixes, "Hz")
		all[Percent][style] = ladder{{1, math.Inf(1), "%"}}
		all[ServiceState][style] = ladder{{1, math.Inf(1), ""}}
		all[ServiceStart][style] = all[ServiceState][style]
		all[Seconds][style] = ladder{
			{1e-6, 1e-3, "µs"}, {1e-3, 1, "ms"}, {1, MostPlaces, "s"},
			{60, 2 * 3600, "min"}, {3600, 48 * 3600, "h"}, {86400, math.Inf(1), "d"},
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
// smaller units, and stays in megabytes to 9999; frequencies are told in gigahertz.
type unitScale struct {
	steps ladder
	base  float64 // plain units in 1 of the counter
	own   int     // the counter's own step
	low   int     // the lowest step
	stays bool    // numbers stay in the counter's own unit as long as they have 4 places
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
	s := unitScale{steps: ladders[q.Kind][style], base: q.Base(), stays: q.Base() != 1 && q.Kind != Hertz}
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
	if i == s.own && s.stays {
		return max(s.steps[i].until, MostPlaces*s.steps[i].factor)
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

// UnitHold is how long all numbers of a row must be small before a [UnitChooser]
// goes back to a smaller unit.
const UnitHold = 5 * time.Second

// smallFrom is what a number in the smaller unit must be less than for that.
const smallFrom = 900

// UnitChooser chooses the unit of a row, or of rows that are compared: by the largest
// number that it shows. The zero value is for plain counts;
// make others with [NewUnitChooser].
type UnitChooser struct {
	quantity Quantity
	style    UnitStyle
	scale    int // numbers are shown times 10^scale
	chosen   bool
	step     int
	isSmall  bool // all numbers have been since a time
	since    time.Time
	most     float64 // of them
}

// NewUnitChooser is a chooser that has not chosen yet.
func NewUnitChooser(q Quantity, style UnitStyle) UnitChooser {
	return UnitChooser{quantity: q, style: style}
}

// Choose is the unit at a time, from the largest magnitude that is shown then. A
// number that needs more than 4 places takes the next unit at once; back goes it
// when all of [UnitHold] are less than 900 of a smaller one.
func (c *UnitChooser) Choose(largest float64, now time.Time) Unit {
	s := scaleOf(c.quantity, c.style)
	magnitude := math.Abs(scaleFloat(largest, c.scale)) * s.base
	isNothing := magnitude == 0 || !IsFinite(magnitude) // to go by
	if !c.chosen {
		c.step = s.own
		if !isNothing {
			c.chosen, c.step = true, s.pick(magnitude)
		}
		return s.unit(c.step)
	}
	if IsFinite(magnitude) {
		c.settle(s, magnitude, now)
	}
	return s.unit(c.step)
}

// settle goes to a larger unit, or to a smaller one when it is time.
func (c *UnitChooser) settle(s unitScale, magnitude float64, now time.Time) {
	if step := s.leastFor(c.step, magnitude); step > c.step {
		c.step, c.isSmall = step, false
	}
	if c.step <= s.low || magnitude >= s.smallIn(c.step) {
		c.isSmall = false
		return
	}
	if !c.isSmall || now.Before(c.since) {
		c.isSmall, c.since, c.most = true, now, 0
	}
	c.most = max(c.most, magnitude)
	if now.Sub(c.since) >= UnitHold && c.most > 0 {
		c.step, c.isSmall = s.pick(c.most), false
	}
}

// leastFor is the first step from i on in which a magnitude has at most 4 places.
func (s unitScale) leastFor(i int, magnitude float64) int {
	for i+1 < len(s.steps) && magnitude >= MostPlaces*s.steps[i].factor {
		i++
	}
	return i
}

// smallIn is what is small in a step: it would be chosen a smaller one at first.
func (s unitScale) smallIn(i int) float64 {
	return min(smallFrom*s.steps[i-1].factor, s.until(i-1))
}

// UnitNamed is the unit of a quantity that a user names: its label in any style
// and case ("MB/s", "MiB", "ms"), or the prefix alone ("M", "mb" of MB/s). A
// prefix means what [UnitWindows] shows by it: powers of 1024 for bytes, of
// 1000 for all else.
func UnitNamed(q Quantity, name string) (Unit, bool) {
	if q.Kind >= quantityKinds {
		return Unit{}, false
	}
	name = strings.ToLower(name)
	if name == "us" { // µ is on few keyboards
		name = "µs"
	}
	for _, style := range []UnitStyle{UnitWindows, UnitIEC, UnitSI} {
		for _, s := range ladders[q.Kind][style] {
			label := strings.ToLower(s.label)
			if label != "" && (name == label || name == strings.TrimSuffix(label, "/s") || isPrefix(q.Kind, name, label)) {
				return Unit{Factor: s.factor / q.Base(), Label: s.label}, true
			}
		}
	}
	return Unit{}, false
}

// IsUnit tells the name of a unit of any quantity, as UnitNamed takes it.
func IsUnit(name string) bool {
	for kind := range quantityKinds {
		if _, ok := UnitNamed(Quantity{Kind: kind}, name); ok {
			return true
		}
	}
	return false
}

// isPrefix tells a label without its unit: "m" of "mb/s". Seconds have units
// whose names are as short.
func isPrefix(kind QuantityKind, name, label string) bool {
	return name != "" && kind != Seconds && kind != Percent && name == strings.TrimRight(strings.TrimSuffix(label, "hz"), "b/s")
}
