package cooker

import "math"

// SizeCooked is the Reading.Size of a value that came cooked, whatever the type of its
// counter: Raw is the bits of its float64.
const SizeCooked uint8 = 0xFE

// CookedReading is the reading of a value that came cooked.
func CookedReading(f float64) Reading { return Reading{Raw: math.Float64bits(f), Size: SizeCooked} }
