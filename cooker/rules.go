package cooker

// Kind is the shape of a formula; a rule's factor and flags complete it.
type Kind uint8

// The kinds.
const (
	KindHidden      Kind = iota // bases and markers: not shown
	KindUnsupported             // a name without a public formula
	KindRaw                     // N1
	KindRawHex                  // N1, shown in hexadecimal
	KindThousandth              // N1/1000
	KindZero                    // 0
	KindString                  // the text
	KindDifference              // N1-N0
	KindRate                    // (N1-N0)/((T1-T0)/F)
	KindRatio                   // (N1-N0)/(T1-T0)*factor
	KindPrecision               // (N1-N0)/(B1-B0)*factor, B is a clock
	KindMulti                   // (N1-N0)/(T1-T0)/B1*factor
	KindFraction                // N1/B1*factor
	KindAverage                 // (N1-N0)/(B1-B0)*factor
	KindSeconds                 // ((N1-N0)/F)/(B1-B0)
	KindElapsed                 // (T1-N1)/F
)

// rule is a row of the table: how a type is described and how it is cooked.
type rule struct {
	TypeInfo
	kind    Kind
	inverse bool    // subtract from 1, or from B1 for MULTI types
	factor  float64 // 100 for percentages
}

const (
	pcq      = "MS-PCQ 2.2.4.2"
	ntKit    = "Windows NT Resource Kit, table 12.4"
	schema   = "counter manifest schema"
	winperf  = "winperf.h"
	wmiTable = "Win32_PerfRawData, base counter types"
)

// rules is the one table of counter types, in order of code. Where sources
// disagree the row follows the majority and the shown behaviour of perfmon:
// QUEUELEN and object timers divide by the clock's ticks, MULTI timers of the
// performance clock divide by seconds, inverse MULTI timers run from 0 to
// 100*B, elapsed time is now minus start, AVERAGE_BULK is shown although its
// display bits say otherwise.
var rules = [...]rule{
	{TypeInfo{CounterRawCountHex, "PERF_COUNTER_RAWCOUNT_HEX", "perf_counter_rawcount_hex", "a number as it is, in hexadecimal",
		"N1", BaseNone, 0, ClockNone, 1, "", pcq}, KindRawHex, false, 1},
	{TypeInfo{CounterLargeRawCountHex, "PERF_COUNTER_LARGE_RAWCOUNT_HEX", "perf_counter_large_rawcount_hex", "a number as it is, in hexadecimal",
		"N1", BaseNone, 0, ClockNone, 1, "", pcq}, KindRawHex, false, 1},
	{TypeInfo{CounterText, "PERF_COUNTER_TEXT", "perf_counter_text", "a text",
		"text", BaseNone, 0, ClockNone, 1, "", pcq}, KindString, false, 1},
	{TypeInfo{CounterRawCount, "PERF_COUNTER_RAWCOUNT", "perf_counter_rawcount", "a number as it is",
		"N1", BaseNone, 0, ClockNone, 1, "", pcq}, KindRaw, false, 1},
	{TypeInfo{CounterLargeRawCount, "PERF_COUNTER_LARGE_RAWCOUNT", "perf_counter_large_rawcount", "a number as it is",
		"N1", BaseNone, 0, ClockNone, 1, "", pcq}, KindRaw, false, 1},
	{TypeInfo{CounterDelta, "PERF_COUNTER_DELTA", "perf_counter_delta", "the change over the interval",
		"N1 - N0", BaseNone, 0, ClockNone, 2, "", schema}, KindDifference, false, 1},
	{TypeInfo{CounterLargeDelta, "PERF_COUNTER_LARGE_DELTA", "perf_counter_large_delta", "the change over the interval",
		"N1 - N0", BaseNone, 0, ClockNone, 2, "", schema}, KindDifference, false, 1},
	{TypeInfo{SampleCounter, "PERF_SAMPLE_COUNTER", "perf_sample_counter", "events per second over the interval",
		"(N1 - N0) / ((T1 - T0) / F)", BaseNone, 0, ClockPerf, 2, "", pcq}, KindRate, false, 1},
	{TypeInfo{CounterQueueLen, "PERF_COUNTER_QUEUELEN_TYPE", "perf_counter_queuelen_type", "an average queue length over the interval",
		"(N1 - N0) / (T1 - T0)", BaseNone, 0, ClockPerf, 2, "", pcq}, KindRatio, false, 1},
	{TypeInfo{CounterLargeQueueLen, "PERF_COUNTER_LARGE_QUEUELEN_TYPE", "perf_counter_large_queuelen_type", "an average queue length over the interval",
		"(N1 - N0) / (T1 - T0)", BaseNone, 0, ClockPerf, 2, "", pcq}, KindRatio, false, 1},
	{TypeInfo{Counter100nsQueueLen, "PERF_COUNTER_100NS_QUEUELEN_TYPE", "perf_counter_100ns_queuelen_type", "an average queue length over the interval",
		"(N1 - N0) / (T1 - T0)", BaseNone, 0, Clock100ns, 2, "", pcq}, KindRatio, false, 1},
	{TypeInfo{CounterObjTimeQueueLen, "PERF_COUNTER_OBJ_TIME_QUEUELEN_TYPE", "perf_counter_obj_time_queuelen_type", "an average queue length over the interval",
		"(N1 - N0) / (T1 - T0)", BaseNone, 0, ClockObject, 2, "", pcq}, KindRatio, false, 1},
	{TypeInfo{CounterCounter, "PERF_COUNTER_COUNTER", "perf_counter_counter", "events per second over the interval",
		"(N1 - N0) / ((T1 - T0) / F)", BaseNone, 0, ClockPerf, 2, "/sec", pcq}, KindRate, false, 1},
	{TypeInfo{CounterBulkCount, "PERF_COUNTER_BULK_COUNT", "perf_counter_bulk_count", "units per second over the interval",
		"(N1 - N0) / ((T1 - T0) / F)", BaseNone, 0, ClockPerf, 2, "/sec", pcq}, KindRate, false, 1},
	{TypeInfo{RawFraction, "PERF_RAW_FRACTION", "perf_raw_fraction", "a share of the base, as it is",
		"N1 / B1 * 100", BaseDivisor, RawBase, ClockNone, 1, "%", pcq}, KindFraction, false, 100},
	{TypeInfo{LargeRawFraction, "PERF_LARGE_RAW_FRACTION", "perf_large_raw_fraction", "a share of the base, as it is",
		"N1 / B1 * 100", BaseDivisor, LargeRawBase, ClockNone, 1, "%", pcq}, KindFraction, false, 100},
	{TypeInfo{CounterTimer, "PERF_COUNTER_TIMER", "perf_counter_timer", "the share of the interval that was busy",
		"(N1 - N0) / (T1 - T0) * 100", BaseNone, 0, ClockPerf, 2, "%", pcq}, KindRatio, false, 100},
	{TypeInfo{PrecisionSystemTimer, "PERF_PRECISION_SYSTEM_TIMER", "perf_precision_system_timer", "the share of its own clock that was busy",
		"(N1 - N0) / (B1 - B0) * 100", BaseClock, LargeRawBase, ClockNone, 2, "%", pcq}, KindPrecision, false, 100},
	{TypeInfo{Timer100ns, "PERF_100NSEC_TIMER", "perf_100nsec_timer", "the share of the interval that was busy",
		"(N1 - N0) / (T1 - T0) * 100", BaseNone, 0, Clock100ns, 2, "%", pcq}, KindRatio, false, 100},
	{TypeInfo{Precision100nsTimer, "PERF_PRECISION_100NS_TIMER", "perf_precision_100ns_timer", "the share of its own clock that was busy",
		"(N1 - N0) / (B1 - B0) * 100", BaseClock, LargeRawBase, ClockNone, 2, "%", pcq}, KindPrecision, false, 100},
	{TypeInfo{ObjTimeTimer, "PERF_OBJ_TIME_TIMER", "perf_obj_time_timer", "the share of the object's own time that was busy",
		"(N1 - N0) / (T1 - T0) * 100", BaseNone, 0, ClockObject, 2, "%", pcq}, KindRatio, false, 100},
	{TypeInfo{PrecisionObjectTimer, "PERF_PRECISION_OBJECT_TIMER", "perf_precision_object_timer", "the share of its own clock that was busy",
		"(N1 - N0) / (B1 - B0) * 100", BaseClock, LargeRawBase, ClockObject, 2, "%", pcq}, KindPrecision, false, 100},
	{TypeInfo{SampleFraction, "PERF_SAMPLE_FRACTION", "perf_sample_fraction", "the share of the base over the interval",
		"(N1 - N0) / (B1 - B0) * 100", BaseDivisor, SampleBase, ClockNone, 2, "%", pcq}, KindAverage, false, 100},
	{TypeInfo{CounterTimerInv, "PERF_COUNTER_TIMER_INV", "perf_counter_timer_inv", "the share of the interval that was busy; idle time is counted",
		"(1 - (N1 - N0) / (T1 - T0)) * 100", BaseNone, 0, ClockPerf, 2, "%", pcq}, KindRatio, true, 100},
	{TypeInfo{Timer100nsInv, "PERF_100NSEC_TIMER_INV", "perf_100nsec_timer_inv", "the share of the interval that was busy; idle time is counted",
		"(1 - (N1 - N0) / (T1 - T0)) * 100", BaseNone, 0, Clock100ns, 2, "%", pcq}, KindRatio, true, 100},
	{TypeInfo{CounterMultiTimer, "PERF_COUNTER_MULTI_TIMER", "perf_counter_multi_timer", "the average share that several components were busy",
		"(N1 - N0) / ((T1 - T0) / F) / B1 * 100", BaseMulti, CounterMultiBase, ClockPerf, 2, "%", pcq}, KindMulti, false, 100},
	{TypeInfo{MultiTimer100ns, "PERF_100NSEC_MULTI_TIMER", "perf_100nsec_multi_timer", "the average share that several components were busy",
		"(N1 - N0) / (T1 - T0) / B1 * 100", BaseMulti, CounterMultiBase, Clock100ns, 2, "%", pcq}, KindMulti, false, 100},
	{TypeInfo{CounterMultiTimerInv, "PERF_COUNTER_MULTI_TIMER_INV", "perf_counter_multi_timer_inv", "the summed share that several components were busy, 0 to 100 for each; idle time is counted",
		"(B1 - (N1 - N0) / ((T1 - T0) / F)) * 100", BaseMulti, CounterMultiBase, ClockPerf, 2, "%", pcq}, KindMulti, true, 100},
	{TypeInfo{MultiTimer100nsInv, "PERF_100NSEC_MULTI_TIMER_INV", "perf_100nsec_multi_timer_inv", "the summed share that several components were busy, 0 to 100 for each; idle time is counted",
		"(B1 - (N1 - N0) / (T1 - T0)) * 100", BaseMulti, CounterMultiBase, Clock100ns, 2, "%", pcq}, KindMulti, true, 100},
	{TypeInfo{AverageTimer, "PERF_AVERAGE_TIMER", "perf_average_timer", "an average time per operation over the interval",
		"((N1 - N0) / F) / (B1 - B0)", BaseDivisor, AverageBase, ClockFreq, 2, "secs", pcq}, KindSeconds, false, 1},
	{TypeInfo{ElapsedTime, "PERF_ELAPSED_TIME", "perf_elapsed_time", "the time since the start",
		"(T1 - N1) / F", BaseNone, 0, ClockObject, 1, "secs", pcq}, KindElapsed, false, 1},
	hidden(CounterNoData, "PERF_COUNTER_NODATA", "", "a place holder, not shown", ntKit),
	{TypeInfo{AverageBulk, "PERF_AVERAGE_BULK", "perf_average_bulk", "an average amount per operation over the interval",
		"(N1 - N0) / (B1 - B0)", BaseDivisor, AverageBase, ClockNone, 2, "", pcq}, KindAverage, false, 1},
	hidden(SampleBase, "PERF_SAMPLE_BASE", "perf_sample_base", "the base of a sample fraction, not shown", pcq),
	hidden(AverageBase, "PERF_AVERAGE_BASE", "perf_average_base", "the number of operations, base of an average, not shown", pcq),
	hidden(RawBase, "PERF_RAW_BASE", "perf_raw_base", "the base of a raw fraction, not shown", pcq),
	hidden(LargeRawBase, "PERF_LARGE_RAW_BASE", "perf_large_raw_base", "the base of a raw fraction or clock of a precision timer, not shown", pcq),
	hidden(PrecisionTimestamp, "PERF_PRECISION_TIMESTAMP", "", "the clock of a precision timer, not shown", winperf),
	hidden(LargeRawBaseWMI, "PERF_LARGE_RAW_BASE", "perf_large_raw_base", "the base of a raw fraction, not shown", wmiTable),
	hidden(CounterMultiBase, "PERF_COUNTER_MULTI_BASE", "perf_counter_multi_base", "the number of components of a multi timer, not shown", ntKit),
	hidden(CounterHistogram, "PERF_COUNTER_HISTOGRAM_TYPE", "", "marks the range of a histogram, not shown", winperf),
	{TypeInfo{CounterComposite, "PERF_COUNTER_COMPOSITE", "perf_counter_composite", "a name without a public code or formula",
		"", BaseNone, 0, ClockNone, 0, "", schema}, KindUnsupported, false, 0},
}

// hidden is a base or a marker.
func hidden(t CounterType, name, manifestName, meaning, source string) rule {
	return rule{TypeInfo: TypeInfo{Type: t, Name: name, ManifestName: manifestName, Meaning: meaning, Source: source}}
}

const (
	ruleSlots = 256 // power of two, several times the number of rules
	slotMask  = ruleSlots - 1
)

// ruleIndex finds a rule by code: open addressing, nil is empty. Of two names for
// one code the first row wins.
var ruleIndex = indexRules()

func indexRules() (index [ruleSlots]*rule) {
	for row := range rules {
		slot := slotOf(rules[row].Type)
		for index[slot] != nil && index[slot].Type != rules[row].Type {
			slot = (slot + 1) & slotMask
		}
		if index[slot] == nil {
			index[slot] = &rules[row]
		}
	}
	return index
}

// slotOf spreads the codes by multiplication (Fibonacci hashing).
func slotOf(t CounterType) uint32 { return uint32(t) * 2654435769 >> 24 & slotMask }

// ruleOf is the rule of a code, nil if there is none.
func ruleOf(t CounterType) *rule {
	slot := slotOf(t)
	for ruleIndex[slot] != nil && ruleIndex[slot].Type != t {
		slot = (slot + 1) & slotMask
	}
	return ruleIndex[slot]
}
