package cooker

import "math"

// SizeCooked is the Reading.Size of a value that came cooked, whatever the type of its
// counter: Raw is the bits of its float64.
const SizeCooked uint8 = 0xFE

// cookedValue is such a value: a whole number where the type gives whole ones.
func cookedValue(r *rule, f float64) Value {
	if (r.kind == kindRaw || r.kind == kindRawHex) && f >= 0 && f < 1<<53 && f == math.Trunc(f) {
		return WholeValue(uint64(f))
	}
	return floatValue(f, OK)
}

// CookedReading is the reading of a value that came cooked.
func CookedReading(f float64) Reading { return Reading{Raw: math.Float64bits(f), Size: SizeCooked} }
