package report

import (
	"math"
	"strings"

	"perfdeck/cooker"
)

// Scale is how the numbers of a row are written: in one unit, chosen by its largest.
type Scale struct {
	Format cooker.Format
	Unit   cooker.Unit
	Per    string // stands behind the unit, as /h of trends
}

// scaleFor is the scale of a row with these numbers, of which the largest counts.
func scaleFor(f cooker.Format, of ...float64) Scale {
	f.Grouping = ""
	if f.Style == cooker.UnitPlain {
		return Scale{Format: f, Unit: f.Unit(0)}
	}
	largest := 0.0
	for _, v := range of {
		largest = max(largest, math.Abs(v))
	}
	c := f.Chooser()
	return Scale{Format: f, Unit: c.Choose(largest, noTime)}
}

// Number is a value without its unit.
func (s Scale) Number(v float64) string {
	if v != v {
		return ""
	}
	f := s.Format
	if f.Style == cooker.UnitPlain {
		f.Style = cooker.UnitWindows
	}
	text := strings.TrimSpace(string(f.AppendIn(nil, cooker.NumberValue(v), s.Unit)))
	if !s.Format.IsHex() && strings.Trim(text, "-0.") == "" {
		return "0"
	}
	return text
}

// With is a value with its unit.
func (s Scale) With(v float64) string {
	if s.Unit.Label == "" || s.Format.IsHex() {
		return s.Number(v) + s.Per
	}
	return s.Number(v) + " " + s.Unit.Label + s.Per
}

// limit is a limit with its unit, as short as it goes.
func (s Scale) limit(v float64) string {
	if s.Format.IsHex() || v <= 0 {
		return s.With(v)
	}
	return strings.TrimSpace(string(s.Format.AppendTop(nil, v, s.Unit))) + s.Per
}

// top is the top of a picture over the largest value.
func (s Scale) top(largest float64) float64 {
	if s.Format.Quantity.Kind == cooker.Percent && largest <= 100 {
		return 100
	}
	return cooker.RoundOver(largest, s.Format.Grid(largest, s.Unit))
}

// share is the value of rank q of sorted values.
func share(sorted []float64, q float64) float64 {
	if len(sorted) == 0 {
		return math.NaN()
	}
	return sorted[min(max(int(math.Ceil(q*float64(len(sorted))))-1, 0), len(sorted)-1)]
}

// percentScale writes shares.
var percentScale = Scale{
	Format: cooker.Format{Digits: cooker.DefaultDigits, Style: cooker.UnitWindows, Quantity: cooker.Quantity{Kind: cooker.Percent}},
	Unit:   cooker.Unit{Factor: 1, Label: "%"},
}
