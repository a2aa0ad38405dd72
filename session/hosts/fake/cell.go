package fake

import (
	"math"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
)

// The host's clocks all tick each 100 ns, as those of present Windows do
// (10 MHz), but begin at different times.
const (
	tick        = 100 * time.Nanosecond
	ticksPerSec = uint64(time.Second / tick)
	perfOrigin  = 884_100_221_377
)

// clocks are the clocks of a reply at a script's time.
func (s *Source) clocks(t time.Duration) cooker.Clocks {
	since := uint64(t / tick)
	return cooker.Ticking(perfOrigin+since, cooker.FileTime(s.start.Wall.Truncate(time.Second))+since)
}

// column is what readings of a counter have in common.
type column struct {
	info           cooker.TypeInfo
	kind           cooker.Kind // of it
	size, baseSize uint8
	is, per        Motion
	of             func(*session.Instance) float64
	mean           bool
	isText         bool
	text           func(*session.Instance, time.Duration) string
	baseOf         int // for a base: the counter it belongs to, else -1
}

func newColumn(c *Counter) column {
	info, _ := c.Type.Info()
	col := column{info: info, kind: c.Type.Kind(), is: c.Is, per: c.Per, of: c.Of, mean: c.Mean, isText: c.Type.IsText(), text: c.Text, baseOf: -1}
	col.size, col.baseSize = sizeOf(c.Type), sizeOf(info.BaseType)
	per := 1.
	switch col.kind {
	case cooker.KindAverage, cooker.KindSeconds:
		per = 100
	case cooker.KindFraction:
		per = 10_000
	}
	if per > 1 { // limits and times outgrow 4 bytes
		col.size, col.baseSize = 8, 8
	}
	if col.per == nil {
		col.per = Const(per)
	}
	return col
}

// sizeOf is the width in bytes of the data of a type.
func sizeOf(t cooker.CounterType) uint8 {
	if t.Fields().Size == 0 {
		return 4
	}
	return 8
}

// amount is a whole number that grows by parts of one.
type amount struct {
	whole uint64
	part  float64
}

func (a *amount) add(x float64) (whole uint64) {
	n := math.Floor(a.part + x)
	a.part += x - n
	a.whole += uint64(int64(n))
	return uint64(int64(n))
}

// cell is one counter of one instance: what it has counted so far.
type cell struct {
	raw, base amount
	at        time.Duration // of the last reading
}

// read moves the cell on to t and returns its reading there, so that cooking
// it against the one before gives value.
func (c *cell) read(col *column, t time.Duration, value, per float64, clocks *cooker.Clocks) cooker.Reading {
	ticks := float64(t/tick - c.at/tick)
	c.at = t
	passed := cooker.Passed{Ticks: ticks, Seconds: ticks / float64(ticksPerSec), FreqHz: float64(ticksPerSec)}
	switch col.kind {
	case cooker.KindPrecision:
		c.base.whole, passed.Base = clocks.Time100ns, ticks
	case cooker.KindAverage, cooker.KindSeconds:
		passed.Base = float64(c.base.add(per * passed.Seconds))
	case cooker.KindMulti:
		passed.Base = math.Round(per)
		c.base.whole = uint64(passed.Base)
	case cooker.KindFraction:
		c.base.whole = uint64(per)
	}
	switch {
	case col.info.Samples == 2:
		c.raw.add(col.info.Growth(value, passed))
	case col.kind == cooker.KindFraction:
		c.raw.whole = uint64(math.Round(value / 100 * per))
	case col.kind == cooker.KindElapsed:
		c.raw.whole = clocks.ObjTime - uint64(int64(value*float64(ticksPerSec)))
	default: // the raw value is the value
		c.raw.whole = uint64(int64(math.Round(value)))
	}
	return cooker.Reading{Raw: fit(c.raw.whole, col.size), Base: fit(c.base.whole, col.baseSize),
		Size: col.size, BaseSize: col.baseSize}
}

// fit cuts a number to the width of its data: counters of 4 bytes wrap.
func fit(n uint64, size uint8) uint64 {
	if size == 4 {
		return uint64(uint32(n))
	}
	return n
}
