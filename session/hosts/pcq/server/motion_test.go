package server

import (
	"hash/fnv"
	"math"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
)

const (
	operationsPerSecond = 200
	wholeShare          = 10_000
	numberOfParts       = 4
)

// generator moves one counter.
type generator struct {
	how     cooker.Kind
	size    uint8 // bytes of its data
	inverse bool
	seconds bool   // a multi timer of the performance clock goes by seconds
	waves   []wave // of each instance
}

func newGenerator(set *session.Counterset, c *session.Counter) generator {
	info, _ := c.Type.Info()
	g := generator{how: c.Type.Kind(), size: 8, inverse: c.Type.Fields().Inverse, seconds: info.Clock == cooker.ClockPerf}
	if formOf(c.Type) == formDword {
		g.size = 4
	}
	mid, swing := magnitude(c, info)
	for i := range generatedInstances {
		g.waves = append(g.waves, newWave(mid, swing, set.GUID, c.ID, i))
	}
	return g
}

// magnitude is around what and how far a counter moves, in the unit that it is
// cooked to, but shares are parts of 1.
func magnitude(c *session.Counter, info cooker.TypeInfo) (mid, swing float64) {
	switch how := c.Type.Kind(); {
	case how == cooker.KindSeconds:
		return 0.005, 0.004
	case info.Suffix == "%":
		return 0.45, 0.4
	case how == cooker.KindRatio: // a queue
		return 2, 1.5
	case how == cooker.KindElapsed:
		return 0, 0
	}
	switch c.Quantity.Kind {
	case cooker.Percent:
		return 50, 40
	case cooker.Bytes, cooker.BytesPerSecond, cooker.BitsPerSecond:
		return 5e7 / math.Pow(1024, float64(c.Quantity.Exponent)), 3e7 / math.Pow(1024, float64(c.Quantity.Exponent))
	default:
		return 250, 200
	}
}

// wave swings around mid and never falls below 0.
type wave struct {
	mid, swing, period, phase float64 // period in seconds
	age                       float64 // of something that started, seconds
}

func newWave(mid, swing float64, guid string, counter uint32, instance int) wave {
	h := fnv.New64a()
	_, _ = h.Write([]byte(guid)) // never fails
	_, _ = h.Write([]byte{byte(counter), byte(counter >> 8), byte(counter >> 16), byte(counter >> 24), byte(instance)})
	n := h.Sum64()
	part := func(shift int) float64 { return float64(n>>shift&0xFFFF) / 0x10000 }
	return wave{mid: mid, swing: swing, period: 20 + 100*part(0), phase: 2 * math.Pi * part(16), age: 60 + 3000*part(32)}
}

func (w *wave) at(t float64) float64 {
	return w.mid + w.swing*math.Sin(2*math.Pi*t/w.period+w.phase)
}

// sum is the integral of at from 0 to t.
func (w *wave) sum(t float64) float64 {
	turns := 2 * math.Pi / w.period
	return w.mid*t - w.swing/turns*(math.Cos(turns*t+w.phase)-math.Cos(w.phase))
}

// states are what text counters say, one after the other.
var states = []cooker.Text{
	cooker.MakeText("starting"), cooker.MakeText("running"), cooker.MakeText("busy: 3 requests wait"),
	cooker.MakeText("running"), cooker.MakeText("paused by operator"),
}

// text is what a text counter shows in an instance when the host ran for t.
func (g *generator) text(instance int, t time.Duration) cooker.Text {
	w := &g.waves[instance]
	turns := t.Seconds()/w.period + w.phase // one state after the other, a period each
	return states[int(turns)%len(states)]
}

// read is what the counter shows in an instance when the host ran for t.
func (g *generator) read(instance int, t time.Duration, clocks *cooker.Clocks) cooker.Reading {
	w := &g.waves[instance]
	r := cooker.Reading{Raw: g.raw(w, t.Seconds(), clocks), Size: g.size}
	if base := baseOf(g.how); base != cooker.KindHidden {
		b := generator{how: base}
		r.Base, r.BaseSize = b.raw(w, t.Seconds(), clocks), 8
	}
	if r.Size == 4 {
		r.Raw = uint64(uint32(r.Raw))
	}
	return r
}

func (g *generator) raw(w *wave, t float64, clocks *cooker.Clocks) uint64 {
	busy := w.sum(t) // seconds, for timers
	switch g.how {
	case cooker.KindDifference, cooker.KindRate:
		return uint64(w.sum(t))
	case cooker.KindRatio, cooker.KindPrecision:
		if g.inverse {
			busy = t - busy
		}
		return uint64(busy * ticksPerSecond)
	case cooker.KindMulti:
		unit := float64(ticksPerSecond)
		if g.seconds {
			unit = 1
		}
		if g.inverse { // cooks to the sum over the parts
			busy = t - busy
		}
		return uint64(numberOfParts * busy * unit)
	case cooker.KindAverage:
		return uint64(operationsPerSecond * w.sum(t))
	case cooker.KindSeconds:
		return uint64(operationsPerSecond * w.sum(t) * ticksPerSecond)
	case cooker.KindFraction:
		return uint64(wholeShare * w.at(t))
	case cooker.KindElapsed:
		return clocks.ObjTime - uint64((t-w.age)*ticksPerSecond)
	case operations:
		return uint64(operationsPerSecond * t)
	case whole:
		return wholeShare
	case clockTicks:
		return clocks.PerfTime
	case parts:
		return numberOfParts
	case objectTime:
		return clocks.ObjTime
	case objectFrequency:
		return clocks.ObjFreqHz
	default:
		return uint64(w.at(t))
	}
}

// How companions move.
const (
	operations      cooker.Kind = cooker.KindElapsed + 1 + iota // number of operations
	whole                                                       // what a share is a share of
	clockTicks                                                  // a clock
	parts                                                       // number of parts
	objectTime                                                  // clock of object time
	objectFrequency                                             // and its frequency
)

// base is how the companion of a counter moves. Those of one kind move alike,
// so that counters may share them.
func baseOf(kind cooker.Kind) cooker.Kind {
	switch kind {
	case cooker.KindPrecision:
		return clockTicks
	case cooker.KindAverage, cooker.KindSeconds:
		return operations
	case cooker.KindFraction:
		return whole
	case cooker.KindMulti:
		return parts
	default:
		return cooker.KindHidden
	}
}
