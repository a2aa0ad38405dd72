package logs

import "perfdeck/cooker"

// StoredType is the type as a file stores it: a plain number where none is known.
func (c *Column) StoredType() cooker.CounterType {
	if !c.TypeKnown {
		return cooker.CounterRawCount
	}
	return c.Type
}

// PDHRaw is a raw sample as PDH_RAW_COUNTER keeps it (pdh.h): the second value is
// the base, or the clock that the type is divided by. The time base is the
// frequency of the clock.
type PDHRaw struct {
	First, Second, Multi uint64
	TimeBase             uint64
}

// HundredNanosHz is the frequency of the 100 ns clock.
const HundredNanosHz = 10_000_000

// PackRaw takes what a type needs out of a raw sample.
func PackRaw(t cooker.CounterType, r *Raw) PDHRaw {
	info, _ := t.Info()
	p := PDHRaw{First: r.Reading.Raw}
	switch info.Clock {
	case cooker.ClockPerf:
		p.Second, p.TimeBase = r.Clocks.PerfTime, r.Clocks.PerfFreqHz
	case cooker.ClockFreq:
		p.TimeBase = r.Clocks.PerfFreqHz
	case cooker.Clock100ns:
		p.Second, p.TimeBase = r.Clocks.Time100ns, HundredNanosHz
	case cooker.ClockObject:
		p.Second, p.TimeBase = r.Clocks.ObjTime, r.Clocks.ObjFreqHz
	case cooker.ClockNone:
	}
	switch info.Base {
	case cooker.BaseMulti:
		p.Multi = r.Reading.Base
	case cooker.BaseDivisor, cooker.BaseClock:
		if r.Reading.State != cooker.NoBase {
			p.Second = r.Reading.Base
		}
	case cooker.BaseNone:
	}
	return p
}

// Unpack is the inverse of PackRaw. What the type does not need is 0.
func (p PDHRaw) Unpack(t cooker.CounterType, state *ColumnState) Raw {
	info, _ := t.Info()
	return p.unpack(&info, state)
}

func (p PDHRaw) unpack(info *cooker.TypeInfo, state *ColumnState) Raw {
	r := Raw{Known: true, Reading: cooker.Reading{Raw: p.First, Size: state.RawBytes, BaseSize: state.BaseBytes}}
	if state.NoBase {
		r.Reading.State = cooker.NoBase
	}
	switch info.Clock {
	case cooker.ClockPerf:
		r.Clocks.PerfTime, r.Clocks.PerfFreqHz = p.Second, state.TimeBase
	case cooker.ClockFreq:
		r.Clocks.PerfFreqHz = state.TimeBase
	case cooker.Clock100ns:
		r.Clocks.Time100ns = p.Second
	case cooker.ClockObject:
		r.Clocks.ObjTime, r.Clocks.ObjFreqHz = p.Second, state.TimeBase
	case cooker.ClockNone:
	}
	switch info.Base {
	case cooker.BaseMulti:
		r.Reading.Base = p.Multi
	case cooker.BaseDivisor, cooker.BaseClock:
		if !state.NoBase {
			r.Reading.Base = p.Second
			r.Clocks.ObjTime = 0
		}
	case cooker.BaseNone:
	}
	return r
}

// ColumnState is what holds for a counter from a record on.
type ColumnState struct {
	Status              cooker.Status // why it has no value, if it has none
	TimeBase            uint64
	RawBytes, BaseBytes uint8
	NoBase              bool
}

// Unsized is Unpack where nothing tells how large numbers are. info is of the type.
func (p PDHRaw) Unsized(t cooker.CounterType, info *cooker.TypeInfo) Raw {
	return p.unpack(info, &ColumnState{TimeBase: p.TimeBase, RawBytes: cooker.SizeOf(t, p.First), BaseBytes: cooker.SizeOf(info.BaseType, p.Second)})
}
