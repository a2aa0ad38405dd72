package cooker

import (
	"strconv"
	"strings"
)

// CounterType is a counter type: its low 32 bits are the code of winperf.h, which is what
// goes over wires and into files. The zero value says that no type is known; of the type whose
// code is 0 the bits above are set. Decoders use [TypeOf].
type CounterType uint64

// TypeOf is the type of a code.
func TypeOf(code uint32) CounterType {
	if code == 0 {
		return CounterRawCountHex
	}
	return CounterType(code)
}

// The counter types. Formulas, companions and sources stand in rules.go.
const (
	CounterRawCountHex      CounterType = 0xFFFFFFFF << 32 // PERF_COUNTER_RAWCOUNT_HEX, code 0
	CounterLargeRawCountHex CounterType = 0x00000100       // PERF_COUNTER_LARGE_RAWCOUNT_HEX
	CounterText             CounterType = 0x00000B00       // PERF_COUNTER_TEXT
	CounterRawCount         CounterType = 0x00010000       // PERF_COUNTER_RAWCOUNT
	CounterLargeRawCount    CounterType = 0x00010100       // PERF_COUNTER_LARGE_RAWCOUNT
	CounterDelta            CounterType = 0x00400400       // PERF_COUNTER_DELTA
	CounterLargeDelta       CounterType = 0x00400500       // PERF_COUNTER_LARGE_DELTA
	SampleCounter           CounterType = 0x00410400       // PERF_SAMPLE_COUNTER
	CounterQueueLen         CounterType = 0x00450400       // PERF_COUNTER_QUEUELEN_TYPE
	CounterLargeQueueLen    CounterType = 0x00450500       // PERF_COUNTER_LARGE_QUEUELEN_TYPE
	Counter100nsQueueLen    CounterType = 0x00550500       // PERF_COUNTER_100NS_QUEUELEN_TYPE
	CounterObjTimeQueueLen  CounterType = 0x00650500       // PERF_COUNTER_OBJ_TIME_QUEUELEN_TYPE
	CounterCounter          CounterType = 0x10410400       // PERF_COUNTER_COUNTER
	CounterBulkCount        CounterType = 0x10410500       // PERF_COUNTER_BULK_COUNT
	RawFraction             CounterType = 0x20020400       // PERF_RAW_FRACTION
	LargeRawFraction        CounterType = 0x20020500       // PERF_LARGE_RAW_FRACTION
	CounterTimer            CounterType = 0x20410500       // PERF_COUNTER_TIMER
	PrecisionSystemTimer    CounterType = 0x20470500       // PERF_PRECISION_SYSTEM_TIMER
	Timer100ns              CounterType = 0x20510500       // PERF_100NSEC_TIMER
	Precision100nsTimer     CounterType = 0x20570500       // PERF_PRECISION_100NS_TIMER
	ObjTimeTimer            CounterType = 0x20610500       // PERF_OBJ_TIME_TIMER
	PrecisionObjectTimer    CounterType = 0x20670500       // PERF_PRECISION_OBJECT_TIMER
	SampleFraction          CounterType = 0x20C20400       // PERF_SAMPLE_FRACTION
	CounterTimerInv         CounterType = 0x21410500       // PERF_COUNTER_TIMER_INV
	Timer100nsInv           CounterType = 0x21510500       // PERF_100NSEC_TIMER_INV
	CounterMultiTimer       CounterType = 0x22410500       // PERF_COUNTER_MULTI_TIMER
	MultiTimer100ns         CounterType = 0x22510500       // PERF_100NSEC_MULTI_TIMER
	CounterMultiTimerInv    CounterType = 0x23410500       // PERF_COUNTER_MULTI_TIMER_INV
	MultiTimer100nsInv      CounterType = 0x23510500       // PERF_100NSEC_MULTI_TIMER_INV
	AverageTimer            CounterType = 0x30020400       // PERF_AVERAGE_TIMER
	ElapsedTime             CounterType = 0x30240500       // PERF_ELAPSED_TIME
	CounterNoData           CounterType = 0x40000200       // PERF_COUNTER_NODATA
	AverageBulk             CounterType = 0x40020500       // PERF_AVERAGE_BULK
	SampleBase              CounterType = 0x40030401       // PERF_SAMPLE_BASE
	AverageBase             CounterType = 0x40030402       // PERF_AVERAGE_BASE
	RawBase                 CounterType = 0x40030403       // PERF_RAW_BASE
	LargeRawBase            CounterType = 0x40030500       // PERF_LARGE_RAW_BASE
	LargeRawBaseWMI         CounterType = 0x40030503       // PERF_LARGE_RAW_BASE as the WMI table has it
	PrecisionTimestamp                  = LargeRawBase     // PERF_PRECISION_TIMESTAMP
	CounterMultiBase        CounterType = 0x42030500       // PERF_COUNTER_MULTI_BASE
	CounterHistogram        CounterType = 0x80000000       // PERF_COUNTER_HISTOGRAM_TYPE

	// CounterComposite stands for PERF_COUNTER_COMPOSITE, a name of the
	// manifest schema without a public code. The value is ours.
	CounterComposite CounterType = 0xFFFFFFFF
)

// TypeInfo is what is known about a counter type.
type TypeInfo struct {
	Type         CounterType
	Name         string // Win32 name, such as "PERF_COUNTER_BULK_COUNT"
	ManifestName string // name in the counter manifest schema, empty if none
	Meaning      string // one line in words
	Formula      string // with symbols: N value, B base, T clock, F frequency; 0 older, 1 newer
	Base         BaseKind
	BaseType     CounterType // the type the companion should have; 0 if Base is BaseNone
	Clock        Clock
	Samples      int    // 2 if the formula needs an older sample; 0 if never shown
	Suffix       string // "/sec", "%", "secs" or empty
	Source       string // specification that describes it
}

// BaseKind says what Reading.Base holds for a type.
type BaseKind uint8

// Kinds of companions.
const (
	BaseNone    BaseKind = iota
	BaseDivisor          // the counter named by BaseCounterId
	BaseClock            // as BaseDivisor: a time stamp, the type's own clock
	BaseMulti            // the counter named by MultiId: number of instances
)

// Clock says which clock of a reply a type uses.
type Clock uint8

// Clocks of a reply.
const (
	ClockNone   Clock = iota
	ClockPerf         // PerfTime, PerfFreqHz
	ClockFreq         // PerfFreqHz alone
	Clock100ns        // Time100ns
	ClockObject       // ObjTime, ObjFreqHz: PerfTimeId and PerfFreqId
)

// String is the Win32 name, "unknown 0x…" for a code of no known type, "not known" for the
// zero value.
func (t CounterType) String() string {
	if r := ruleOf(t); r != nil {
		return r.Name
	}
	return unnamed(t)
}

// Known says that the table has a row for the code.
func (t CounterType) Known() bool { return ruleOf(t) != nil }

// Info is the table row of the type. For unknown codes ok is false and the
// row holds what the bit fields say, with the formula by which it is cooked if
// they say enough.
func (t CounterType) Info() (info TypeInfo, ok bool) {
	if r := ruleOf(t); r != nil {
		return r.TypeInfo, true
	}
	r := byBits(t)
	return r.TypeInfo, false
}

// Kind is the shape of the formula of a type, for who makes raw values that cook to a value.
func (t CounterType) Kind() Kind {
	if r := ruleOf(t); r != nil {
		return r.kind
	}
	return byBits(t).kind
}

// Displayable says that the type is shown: it is no base and no marker. A
// counter of unknown type is shown too, as a name without a value.
func (t CounterType) Displayable() bool {
	if r := ruleOf(t); r != nil {
		return r.kind != KindHidden
	}
	return byBits(t).kind != KindHidden
}

// IsAdditive says that the values of several instances may be added up: amounts and
// rates, no shares, means and times. Names tell more of amounts.
func (t CounterType) IsAdditive() bool {
	r := ruleOf(t)
	if r == nil {
		unnamed := byBits(t)
		r = &unnamed
	}
	switch r.kind {
	case KindRaw, KindDifference, KindRate:
		return true
	}
	return false
}

// AcceptsBase says that a counter of type base may be the companion of t that
// TypeInfo.Base describes. The low byte of base types is a leftover mark, so
// bases of another mark or width are accepted; MULTI types take a plain count
// too (MS-PCQ 2.2.4.2, MultiId).
func (t CounterType) AcceptsBase(base CounterType) bool {
	r := ruleOf(t)
	if r == nil {
		return false
	}
	switch r.Base {
	case BaseDivisor, BaseClock:
		return base.Fields().Subtype == SubtypeBase && base.Known()
	case BaseMulti:
		return base == CounterMultiBase || base == CounterRawCount || base == CounterLargeRawCount
	case BaseNone:
	}
	return false
}

// Types lists every row of the table, in order of code.
func Types() []TypeInfo {
	infos := make([]TypeInfo, len(rules))
	for i := range rules {
		infos[i] = rules[i].TypeInfo
	}
	return infos
}

// LookupType finds a type by its Win32 name with or without "PERF_", its name
// in the manifest schema, or its code in decimal or hex with "0x". Letter case
// does not matter. Any 32-bit code is found, known or not.
func LookupType(nameOrCode string) (CounterType, bool) {
	s := strings.TrimSpace(nameOrCode)
	digits, base := s, 10
	if len(s) > 2 && strings.EqualFold(s[:2], "0x") {
		digits, base = s[2:], 16
	}
	if code, err := strconv.ParseUint(digits, base, 32); err == nil {
		return TypeOf(uint32(code)), true
	}
	for i := range rules {
		name := rules[i].Name
		if strings.EqualFold(s, name) || strings.EqualFold(s, strings.TrimPrefix(name, "PERF_")) {
			return rules[i].Type, true
		}
	}
	return 0, false
}
