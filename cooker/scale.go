package cooker

import (
	"math"
	"math/bits"
)

// The scales that are accepted: value times 10^scale. MS-PCQ 2.2.4.2 and the
// manifest schema allow -10 to 10; PDH stops at 7, perfmon at 9.
const (
	MinScale = -10
	MaxScale = 10
)

var (
	pow10Whole = [...]uint64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10}
	pow10Float = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10}
)

// ValidScale says that a default scale is in the range of the specification.
func ValidScale(scale int) bool { return MinScale <= scale && scale <= MaxScale }

// ClampScale brings a scale into the accepted range, for graphs of counters
// whose default scale is out of it.
func ClampScale(scale int) int { return min(max(scale, MinScale), MaxScale) }

// Scaled is the value times 10^scale, the scale clamped. It serves charts and
// the scale column as in perfmon, and numbers only where a user asks for the
// letter of MS-PCQ; recordings and alerts keep unscaled values. A whole number
// stays whole if scale is not negative and 64 bits are enough.
func Scaled(v Value, scale int) Value {
	scale = ClampScale(scale)
	if scale == 0 || !v.HasNumber() {
		return v
	}
	if scale > 0 && v.IsWhole() {
		if scaled, ok := scaleWhole(v, pow10Whole[scale]); ok {
			return scaled
		}
	}
	return floatValue(scaleFloat(v.number(), scale), v.status)
}

// FitScale is the largest scale that keeps limit (the largest magnitude of a
// window) within axis, for "scale to fit". It is 0 if there is nothing to fit.
func FitScale(limit, axis float64) int {
	limit = math.Abs(limit)
	if !(limit > 0) || !(axis > 0) || !IsFinite(limit) || !IsFinite(axis) {
		return 0
	}
	for scale := MaxScale; scale > MinScale; scale-- {
		if scaleFloat(limit, scale) <= axis {
			return scale
		}
	}
	return MinScale
}

func scaleWhole(v Value, factor uint64) (Value, bool) {
	if v.kind == kindWhole {
		high, low := bits.Mul64(v.bits, factor)
		v.bits = low
		return v, high == 0
	}
	n := int64(v.bits)
	magnitude := uint64(max(n, -n))
	high, low := bits.Mul64(magnitude, factor)
	v.bits = low
	if n < 0 {
		v.bits = -low
	}
	return v, high == 0 && low <= math.MaxInt64
}

// scaleFloat divides for negative scales: 10^-n has no exact float64.
func scaleFloat(f float64, scale int) float64 {
	if scale < 0 {
		return f / pow10Float[-scale]
	}
	return f * pow10Float[scale]
}
