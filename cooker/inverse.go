package cooker

// Passed is what went by from one sample to the next.
type Passed struct {
	Ticks   float64 // on the clock of the type
	Seconds float64 // on the performance clock
	Base    float64 // by how much the base grew; of MULTI types the base
	FreqHz  float64 // of the performance clock
}

// Growth is by how much a raw value grows in between for the formula to give a value: the
// inverse of the formulas of two samples.
func (i *TypeInfo) Growth(value float64, p Passed) float64 {
	if i.Suffix == "%" {
		value /= 100
	}
	inverse := i.Type.Fields().Inverse
	switch i.Type.Kind() {
	case KindRate:
		return value * p.Seconds
	case KindRatio:
		if inverse {
			value = 1 - value
		}
		return value * p.Ticks
	case KindPrecision, KindAverage:
		return value * p.Base
	case KindSeconds:
		return value * p.Base * p.FreqHz
	case KindMulti:
		if inverse { // it cooks to the sum of its parts
			value = p.Base - value
		} else {
			value *= p.Base
		}
		if i.Clock == ClockPerf {
			return value * p.Seconds
		}
		return value * p.Ticks
	}
	return value
}
