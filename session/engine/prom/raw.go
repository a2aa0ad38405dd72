package prom

import (
	"fmt"

	"perfdeck/cooker"
	"perfdeck/session"
)

// Clocks of a host's reply go out beside raw values: a speed that is exact is that of the
// host's clock, not of the engine's. Their ticks are too many for a float64, which holds
// whole numbers to 2^53: a clock of 100 ns goes out less ClockOffset, one that counts
// from the start of a computer or faster modulo 2^53.
const (
	// ClockOffset is 2020-01-01 00:00 UTC in 100 ns since 1601. A clock goes out exactly
	// from 1991 to 2048.
	ClockOffset = 132_223_104_000_000_000
	clockWhole  = 1 << 53
)

// The metrics of clocks, with the labels host, counterset and clock.
var (
	clockTicks = Metric{Name: "perfdeck_clock_ticks_total", Grows: true, Scale: 1,
		Help: "Clock that raw values were read with: 100 ns since 2020-01-01 UTC, or ticks modulo 2^53."}
	clockHertz = Metric{Name: "perfdeck_clock_frequency_hertz", Scale: 1, Help: "Ticks of a clock in a second."}
)

// clockNames are the values of the label clock.
var clockNames = [...]string{cooker.ClockPerf: "performance", cooker.Clock100ns: "system", cooker.ClockObject: "object"}

// clockName is the value of the label clock; empty for what is no clock of a reply.
func clockName(c cooker.Clock) string {
	if int(c) < len(clockNames) {
		return clockNames[c]
	}
	return ""
}

// system100ns is the frequency of the system's clock.
const system100ns = 1e7

// ticksOf are the ticks of a clock and their frequency.
func ticksOf(c *cooker.Clocks, which cooker.Clock) (ticks, hz uint64) {
	switch which {
	case cooker.ClockPerf:
		return c.PerfTime, c.PerfFreqHz
	case cooker.Clock100ns:
		return c.Time100ns, system100ns
	case cooker.ClockObject:
		return c.ObjTime, c.ObjFreqHz
	}
	return 0, 0
}

// lessOffset are ticks, as they go out, of a clock or of a moment on it. now and hz are
// the clock's.
func lessOffset(ticks, now, hz uint64, which cooker.Clock) int64 {
	if which != cooker.ClockPerf && hz == system100ns && now > clockWhole {
		return int64(ticks - ClockOffset)
	}
	return int64(ticks % clockWhole)
}

// Clock is a clock of a reply as it goes out.
func Clock(c *cooker.Clocks, which cooker.Clock) (ticks, hertz float64) {
	now, hz := ticksOf(c, which)
	return float64(lessOffset(now, now, hz, which)), float64(max(int64(hz), 0))
}

// ClockMetrics are those of clocks, with the labels of EachClockLabel. A frequency of 0 is
// left out.
func ClockMetrics() (ticks, hertz *Metric) { return &clockTicks, &clockHertz }

// EachClockLabel goes through the labels of a clock.
func EachClockLabel(host string, set *session.Counterset, which cooker.Clock, put func(name, value string)) {
	put(HostLabel, LabelValue(host))
	put("counterset", LabelValue(set.InEnglish()))
	put("clock", clockName(which))
}

// AddClock adds a clock of a reply.
func (e *Exposition) AddClock(host string, set *session.Counterset, c *cooker.Clocks, which cooker.Clock) {
	ticks, hertz := Clock(c, which)
	labels := clockLabels(host, set, which)
	e.Add(&clockTicks, labels, AppendFloat(nil, ticks), 0)
	if hertz > 0 {
		e.Add(&clockHertz, labels, AppendFloat(nil, hertz), 0)
	}
}

func clockLabels(host string, set *session.Counterset, which cooker.Clock) []byte {
	return fmt.Appendf(nil, `{host="%s",counterset="%s",clock="%s"`, EscapeLabel(host), EscapeLabel(set.InEnglish()), clockName(which))
}

// HasRaw tells whether the counter has a raw series of its own: not one that is cooked as
// it is.
func (n *Names) HasRaw() bool { return n.Raw.Name != "" && !n.AsItIs() }

// RawOf is a raw reading as it goes out: what was not read has no value. hasBase tells
// whether its companion has one.
func (n *Names) RawOf(r *cooker.Reading, clocks *cooker.Clocks) (value, base float64, ok, hasBase bool) {
	if !n.HasRaw() || !r.State.Good() && r.State != cooker.NoBase || r.Size == cooker.SizeText || r.Size == cooker.SizeCooked {
		return 0, 0, false, false
	}
	raw := narrow(r.Raw, r.Size)
	_, hz := ticksOf(clocks, n.Shape.Time)
	switch {
	case n.Shape.Clock == cooker.ClockObject && !n.Shape.Grows: // a moment: 0 is none, nor is what is to come
		if raw == 0 || raw > clocks.ObjTime {
			return 0, 0, false, false
		}
		value = float64(lessOffset(raw, clocks.ObjTime, clocks.ObjFreqHz, cooker.ClockObject))
	case n.Shape.Time == cooker.ClockNone:
		value = float64(raw) * n.Raw.Scale
	case hz == 0:
		return 0, 0, false, false
	default:
		value = float64(raw) * n.Raw.Scale / float64(hz)
	}
	if n.Base.Name == "" || r.State == cooker.NoBase {
		return value, 0, true, false
	}
	companion := narrow(r.Base, r.BaseSize)
	if n.Shape.Base == cooker.BaseClock {
		return value, float64(lessOffset(companion, companion, hz, n.Shape.Time)), true, true
	}
	return value, float64(companion), true, true
}

// AddRaw adds a raw reading: the value and its companion, through a buffer that it gives
// back. What was not read is left out, and what is cooked as it is.
func (e *Exposition) AddRaw(n *Names, labels []byte, r *cooker.Reading, clocks *cooker.Clocks, buf []byte) []byte {
	value, base, ok, hasBase := n.RawOf(r, clocks)
	if !ok {
		return buf
	}
	buf = AppendFloat(buf[:0], value)
	e.Add(&n.Raw, labels, buf, 0)
	if hasBase {
		buf = AppendFloat(buf[:0], base)
		e.Add(&n.Base, labels, buf, 0)
	}
	return buf
}

// narrow drops what lies beyond the size of the data.
func narrow(n uint64, size uint8) uint64 {
	if size == 4 {
		return uint64(uint32(n))
	}
	return n
}

// Recipe is how an engine makes the value of a counter of its raw series: see
// cooker.CounterType.PromQL. ok is false where there is none. r and clocks are of a
// reading; nil: none was made.
func (n *Names) Recipe(host string, set *session.Counterset, counter int, in *session.Instance, r *cooker.Reading, clocks *cooker.Clocks, window string) (exact, over string, ok bool) {
	if !set.Instances.Multiple() {
		in = nil
	}
	labels := string(n.AppendLabels(nil, host, in)) + "}"
	clock := string(clockLabels(host, set, n.Shape.Clock)) + "}"
	return n.recipe(&set.Counters[counter], labels, clock, r, clocks, window)
}

// RecipeOf is Recipe for all instances and hosts that matchers take: those of the values'
// labels, and those of the hosts' clocks, both without braces.
func (n *Names) RecipeOf(set *session.Counterset, counter int, matchers, hosts, window string) (exact, over string, ok bool) {
	if hosts != "" {
		hosts += ","
	}
	clock := fmt.Sprintf(`{%scounterset="%s",clock="%s"}`, hosts, EscapeLabel(set.InEnglish()), clockName(n.Shape.Clock))
	return n.recipe(&set.Counters[counter], "{"+matchers+"}", clock, nil, new(cooker.Clocks), window)
}

// recipe is that of series with labels, and of clocks with theirs.
func (n *Names) recipe(c *session.Counter, labels, clock string, r *cooker.Reading, clocks *cooker.Clocks, window string) (exact, over string, ok bool) {
	if n.Raw.Name == "" {
		return "", "", false
	}
	s := cooker.RawSeries{N: n.Raw.Name + labels, Of: onHost}
	if n.Shape.Time == cooker.ClockNone {
		s.Amount = n.Raw.Scale
	} else if clocks != nil {
		if _, hz := ticksOf(clocks, n.Shape.Time); hz > 0 {
			s.TickSeconds = 1 / float64(hz)
		}
	}
	if r != nil {
		s.Size, s.BaseSize = r.Size, r.BaseSize
	}
	own := r != nil && r.State == cooker.NoBase && n.Shape.Base == cooker.BaseClock // it goes by the object's
	if n.Base.Name != "" && !own {
		s.B = n.Base.Name + labels
	}
	if n.Shape.Clock != cooker.ClockNone {
		s.T, s.F = clockTicks.Name+clock, clockHertz.Name+clock
	}
	return c.Type.PromQL(s, window)
}

// onHost are the labels that a host's values and clocks have in common, those of the
// engine included.
var onHost = []string{"job", "instance", "host"}
