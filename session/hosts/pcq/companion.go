package pcq

import (
	"perfdeck/cooker"
	"perfdeck/session"
)

// companions are the numbers of the counters that a counter is cooked with, or
// session.NoID where it needs none or the set has none that fits (MS-PCQ
// 2.2.4.2).
type companions struct {
	base       uint32 // or multi count
	time, freq uint32
	needBase   bool
	needTime   bool
	needFreq   bool
}

// companionsOf resolves the companions of a counter within its set. Those that
// are not there or of a wrong type are needed and not given.
func companionsOf(set *session.Counterset, c *session.Counter) companions {
	info, _ := c.Type.Info()
	out := companions{base: session.NoID, time: session.NoID, freq: session.NoID}
	switch info.Base {
	case cooker.BaseDivisor, cooker.BaseClock:
		out.base, out.needBase = c.BaseID, true
	case cooker.BaseMulti:
		out.base, out.needBase = c.MultiID, true
	case cooker.BaseNone:
	}
	if base := counterOf(set, out.base); base == nil || !c.Type.AcceptsBase(base.Type) {
		out.base = session.NoID
	}
	// An object timer with a base has no need of the object's clock.
	if info.Clock != cooker.ClockObject || info.Base == cooker.BaseClock && out.base != session.NoID {
		return out
	}
	out.needTime, out.needFreq = true, c.Type == cooker.ElapsedTime
	out.time, out.freq = clockID(set, c.PerfTimeID), clockID(set, c.PerfFreqID)
	return out
}

// clockID is id if that counter can be a clock: a plain number, which MS-PCQ
// wants to be a PERF_COUNTER_LARGE_RAWCOUNT, or a time stamp.
func clockID(set *session.Counterset, id uint32) uint32 {
	c := counterOf(set, id)
	if c == nil {
		return session.NoID
	}
	switch c.Type {
	case cooker.CounterLargeRawCount, cooker.CounterRawCount, cooker.CounterLargeRawCountHex,
		cooker.CounterRawCountHex, cooker.LargeRawBase:
		return id
	}
	return session.NoID
}

// counterOf finds a counter by its number; nil where there is none.
func counterOf(set *session.Counterset, id uint32) *session.Counter {
	if id == session.NoID {
		return nil
	}
	for i := range set.Counters {
		if set.Counters[i].ID == id {
			return &set.Counters[i]
		}
	}
	return nil
}
