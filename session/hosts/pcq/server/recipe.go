package server

import "perfdeck/cooker"

// recipe is the way to a raw value: the inverse of a formula of package cooker.
type recipe uint8

const (
	level        recipe = iota // the value
	growth                     // grows by the value in a second
	busyTicks                  // grows by the value with each tick of a clock
	ownClock                   // as busyTicks; the base is the clock
	perOperation               // grows by the value with each operation
	secondsEach                // as perOperation, in ticks
	share                      // the value's share of a fixed base
	several                    // as busyTicks, for several parts
	since                      // the time of a start
)

// recipeOf tells how a type is made.
func recipeOf(t cooker.CounterType) recipe {
	switch t {
	case cooker.CounterDelta, cooker.CounterLargeDelta, cooker.SampleCounter, cooker.CounterCounter, cooker.CounterBulkCount:
		return growth
	case cooker.CounterQueueLen, cooker.CounterLargeQueueLen, cooker.Counter100nsQueueLen, cooker.CounterObjTimeQueueLen, cooker.CounterTimer,
		cooker.Timer100ns, cooker.ObjTimeTimer, cooker.CounterTimerInv, cooker.Timer100nsInv:
		return busyTicks
	case cooker.PrecisionSystemTimer, cooker.Precision100nsTimer, cooker.PrecisionObjectTimer:
		return ownClock
	case cooker.SampleFraction, cooker.AverageBulk:
		return perOperation
	case cooker.AverageTimer:
		return secondsEach
	case cooker.RawFraction, cooker.LargeRawFraction:
		return share
	case cooker.CounterMultiTimer, cooker.MultiTimer100ns, cooker.CounterMultiTimerInv, cooker.MultiTimer100nsInv:
		return several
	case cooker.ElapsedTime:
		return since
	default:
		return level
	}
}
