package alerts

import (
	"math"
	"slices"
	"strings"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
)

// lowIsBad are words in the names of counters that one wants to be high.
var lowIsBad = []string{
	"available", "free", "idle", "hit ratio", "hit rate", "hits %", "% hits", "life expectancy", "remaining", "headroom", "uptime", "up time",
	"battery", "of maximum frequency",
}

// direction proposes on which side of a limit a value is in trouble: there is
// rarely too much of what is available or free, and a rate is too high.
func direction(c *session.Counter) paths.Op {
	switch c.Quantity.Kind {
	case cooker.PerSecond, cooker.BytesPerSecond, cooker.BitsPerSecond:
		return paths.Above
	}
	name := strings.ToLower(c.Name)
	if slices.ContainsFunc(lowIsBad, func(word string) bool { return strings.Contains(name, word) }) {
		return paths.Below
	}
	return paths.Above
}

// beyondWindow is how far from what was seen a limit is proposed.
const beyondWindow = 0.2

// propose is a limit, in the unit of the field, that the window did not pass and
// that is a round number; empty if the window holds nothing.
func propose(m measure, w session.Window, op paths.Op) string {
	if w.Count == 0 {
		return ""
	}
	lo, _ := w.Min.Float()
	hi, _ := w.Max.Float()
	if m.hex {
		return m.text(math.Round(hi))
	}
	lo, hi = lo/m.factor(), hi/m.factor()
	if m.quantity.Kind == cooker.Percent && lo >= 0 && hi <= 100 {
		return plain(proposePercent(lo, hi, op))
	}
	whole := m.quantity.Kind == cooker.Count && lo == math.Trunc(lo) && hi == math.Trunc(hi)
	v := hi + math.Abs(hi)*beyondWindow
	if op == paths.Below {
		v = lo - math.Abs(lo)*beyondWindow
	}
	v = round(v, op == paths.Above)
	switch {
	case whole && op == paths.Above:
		v = math.Ceil(v)
	case whole:
		v = math.Floor(v)
	}
	return plain(v)
}

// proposePercent stays within what a percentage can pass.
func proposePercent(lo, hi float64, op paths.Op) float64 {
	const step, most = 5, 95
	if op == paths.Below {
		if v := math.Floor(lo*(1-beyondWindow)/step) * step; v > 0 {
			return v
		}
		return round(lo*(1-beyondWindow), false)
	}
	return max(step, min(most, math.Ceil(hi*(1+beyondWindow)/step)*step))
}

// mantissas are what round numbers begin with.
var mantissas = []float64{1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10}

// round is the next round number above a number, or below it.
func round(v float64, up bool) float64 {
	if v == 0 || !cooker.IsFinite(v) {
		return 0
	}
	if v < 0 {
		return -round(-v, !up)
	}
	if v < 1e-300 { // no power of ten is near
		return v
	}
	power := math.Pow(10, math.Floor(math.Log10(v)))
	share := v / power
	const slack = 1e-9 // 3 times 0.1 is still 0.3
	at := max(0, slices.IndexFunc(mantissas, func(m float64) bool { return m >= share-slack }))
	if !up && mantissas[at] > share+slack {
		at = max(0, at-1)
	}
	return tidy(mantissas[at] * power)
}
