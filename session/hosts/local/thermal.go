package local

import (
	"perfdeck/cooker"
)

// thermal is one sensor.
type thermal struct {
	milli   int64 // thousandths of a degree Celsius
	why     cooker.Status
	passive cooker.Reading
}

var thermalCounters = []counter[thermal]{
	{"Temperature", 0, kelvin(1000)},
	{"% Passive Limit", 0, func(t *thermal) cooker.Reading { return t.passive }},
	{"High Precision Temperature", 0, kelvin(100)},
}

// zeroCelsius is 273.15 K in thousandths.
const zeroCelsius = 273_150

// kelvin rounds to units of so many thousandths of a Kelvin.
func kelvin(unit int64) func(*thermal) cooker.Reading {
	return func(t *thermal) cooker.Reading {
		if t.why != cooker.OK {
			return missing(t.why)
		}
		return raw(uint64(max(0, t.milli+zeroCelsius+unit/2) / unit))
	}
}

// signed reads a number that may have a minus.
func signed(b []byte) (int64, bool) {
	negative := len(b) > 0 && b[0] == '-'
	if negative {
		b = b[1:]
	}
	n, _, ok := number(b)
	if !ok || n > 1<<62 {
		return 0, false
	}
	if negative {
		return -int64(n), true
	}
	return int64(n), true
}
