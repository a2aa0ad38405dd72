package logs

import "perfdeck/cooker"

// pdhRaw is a raw sample as PDH_RAW_COUNTER keeps it (pdh.h): the second value is
// the base, or the clock that the type is divided by. The time base is the
// frequency of the clock.
type pdhRaw struct {
	first, second, multi uint64
	timeBase             uint64
}

const hundredNanosHz = 10_000_000 // of the 100 ns clock

// packRaw takes what a type needs out of a raw sample.
func packRaw(t cooker.CounterType, r *Raw) pdhRaw {
	info, _ := t.Info()
	p := pdhRaw{first: r.Reading.Raw}
	switch info.Clock {
	case cooker.ClockPerf:
		p.second, p.timeBase = r.Clocks.PerfTime, r.Clocks.PerfFreqHz
	case cooker.ClockFreq:
		p.timeBase = r.Clocks.PerfFreqHz
	case cooker.Clock100ns:
		p.second, p.timeBase = r.Clocks.Time100ns, hundredNanosHz
	case cooker.ClockObject:
		p.second, p.timeBase = r.Clocks.ObjTime, r.Clocks.ObjFreqHz
	case cooker.ClockNone:
	}
	switch info.Base {
	case cooker.BaseMulti:
		p.multi = r.Reading.Base
	case cooker.BaseDivisor, cooker.BaseClock:
		if r.Reading.State != cooker.NoBase {
			p.second = r.Reading.Base
		}
	case cooker.BaseNone:
	}
	return p
}

// unpack is the inverse of packRaw. What the type does not need is 0.
func (p pdhRaw) unpack(t cooker.CounterType, state *columnState) Raw {
	info, _ := t.Info()
	r := Raw{Known: true, Reading: cooker.Reading{Raw: p.first, Size: state.rawBytes, BaseSize: state.baseBytes}}
	if state.noBase {
		r.Reading.State = cooker.NoBase
	}
	switch info.Clock {
	case cooker.ClockPerf:
		r.Clocks.PerfTime, r.Clocks.PerfFreqHz = p.second, state.timeBase
	case cooker.ClockFreq:
		r.Clocks.PerfFreqHz = state.timeBase
	case cooker.Clock100ns:
		r.Clocks.Time100ns = p.second
	case cooker.ClockObject:
		r.Clocks.ObjTime, r.Clocks.ObjFreqHz = p.second, state.timeBase
	case cooker.ClockNone:
	}
	switch info.Base {
	case cooker.BaseMulti:
		r.Reading.Base = p.multi
	case cooker.BaseDivisor, cooker.BaseClock:
		if !state.noBase {
			r.Reading.Base = p.second
			r.Clocks.ObjTime = 0
		}
	case cooker.BaseNone:
	}
	return r
}

// columnState is what holds for a counter from a record on.
type columnState struct {
	status              cooker.Status // why it has no value, if it has none
	timeBase            uint64
	rawBytes, baseBytes uint8
	noBase              bool
}
