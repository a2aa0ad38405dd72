package local

import (
	"perfdeck/cooker"
	"perfdeck/session"
)

// thermal is one sensor.
type thermal struct {
	milli   int64 // thousandths of a degree Celsius
	why     cooker.Status
	passive cooker.Reading
}

func thermalSet() *session.Counterset {
	return describe(&session.Counterset{
		GUID: "{52bc5412-dac2-449c-8bc2-96443888fe6b}",
		Name: "Thermal Zone Information", Instances: session.MultipleInstances,
		Description: "Temperatures of thermal zones and hardware monitors.",
	}, thermalCounters)
}

var thermalCounters = []counter[thermal]{
	{0, "Temperature", cooker.CounterRawCount, 0, "Kelvin", totalNone, 0, kelvin(1000)},
	{1, "% Passive Limit", cooker.CounterRawCount, 0, "Share of full speed allowed", totalNone, 0, func(t *thermal) cooker.Reading { return t.passive }},
	{3, "High Precision Temperature", cooker.CounterRawCount, 0, "Tenths of Kelvin", totalNone, 0, kelvin(100)},
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
