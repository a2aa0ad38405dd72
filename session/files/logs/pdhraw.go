package logs

import (
	"crypto/rand"
	"fmt"
	"strings"

	"perfdeck/cooker"
)

// clockKey is what counters have in common whose samples were read by one clock.
type clockKey struct {
	machine, object string
	clock           cooker.Clock
}

// storedType is the CounterType of PerfdeckDetails: a plain number where none is
// known.
func (c *Column) storedType() cooker.CounterType {
	if !c.TypeKnown {
		return cooker.CounterRawCount
	}
	return c.Type
}

// newGUID makes the identity of a set (RFC 9562, version 4).
func newGUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0F|0x40, b[8]&0x3F|0x80
	return strings.ToUpper(fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:]))
}

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

// unsized is unpack where nothing tells how large numbers are.
func (p pdhRaw) unsized(t cooker.CounterType) Raw {
	info, _ := t.Info()
	return p.unpack(t, &columnState{timeBase: p.timeBase, rawBytes: cooker.SizeOf(t, p.first), baseBytes: cooker.SizeOf(info.BaseType, p.second)})
}
