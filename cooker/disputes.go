package cooker

import "slices"

// disputes are the types for which sources give different formulas: which ones,
// which of them is used, and why. Where nothing stands they agree.
var disputes = []struct {
	types []CounterType
	text  string
}{
	{[]CounterType{CounterQueueLen, CounterLargeQueueLen, Counter100nsQueueLen},
		"The NT Resource Kit has (N1 + T1 * B1) / (T1 - T0). Used is the change over the time, as MS-PCQ and winperf.h have it: the counter adds up its length at each tick."},
	{[]CounterType{CounterObjTimeQueueLen, ObjTimeTimer, PrecisionObjectTimer},
		"By the text of MS-PCQ the time is divided by the frequency first, which makes the value wrong by that factor. Used is the change over ticks of the object's clock, as winperf.h has it."},
	{[]CounterType{CounterMultiTimer},
		"The NT Resource Kit divides by ticks. Used are seconds, as MS-PCQ and perfmon have it; no counter of Windows is of this type."},
	{[]CounterType{CounterMultiTimerInv, MultiTimer100nsInv},
		"The NT Resource Kit has (1 - rate / B1) * 100, which ends at 100. Used is (B1 - rate) * 100, as MS-PCQ and perfmon have it: the sum of B1 components passes 100 %."},
	{[]CounterType{SampleCounter},
		"The NT Resource Kit divides by the change of a base. Used is the time, as MS-PCQ has it: the type has no base."},
	{[]CounterType{CounterCounter, CounterBulkCount},
		"MS-PCQ names the system time, in milliseconds. Used is the performance clock, as the NT Resource Kit and perfmon have it."},
	{[]CounterType{ElapsedTime},
		"MS-PCQ subtracts the clock from the start. Used is the clock less the start: the other way round the age is negative."},
	{[]CounterType{AverageBulk},
		"By its display bits the type is not shown. It is shown, as the NT Resource Kit and perfmon do."},
}

// Dispute tells how the sources of a type's formula differ, which one is used,
// and why; "" where they agree.
func (t CounterType) Dispute() string {
	for i := range disputes {
		if slices.Contains(disputes[i].types, t) {
			return disputes[i].text
		}
	}
	return ""
}
