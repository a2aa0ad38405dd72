package cooker

// Clocks are the clocks of one reply (_PERF_DATA_HEADER of MS-PCQ 2.2.4.1,
// PERF_DATA_BLOCK and PERF_OBJECT_TYPE of winperf.h). Every counter of a reply
// is cooked with the clocks of that reply, never with the client's own.
//
// A V2 counter whose PerfTimeId and PerfFreqId name companions gets a Clocks
// of its own with their values in ObjTime and ObjFreqHz.
type Clocks struct {
	PerfTime   uint64 // ticks of PerfFreqHz
	PerfFreqHz uint64
	Time100ns  uint64 // 100 ns since 1601
	ObjTime    uint64 // ticks of ObjFreqHz
	ObjFreqHz  uint64
}

// Reading is one raw sample of one counter of one instance. Base is the value
// of its companion: the base counter, or the multi count (MultiId).
type Reading struct {
	Raw, Base      uint64
	Size, BaseSize uint8 // bytes as delivered, 4 or 8; 0 means 8; SizeText
	// State is OK, or why nothing was read (Gone, Denied, Unavailable ...).
	// NoBase means that Raw was read and a companion that the type needs was
	// not: base, multi count, PerfTimeId or PerfFreqId.
	State Status
}

// Options change how Cook judges. The zero Options, and nil, are the rules of
// the vectors: wraps accepted, nothing capped.
type Options struct {
	// StrictWrap refuses every fall: NegativeValue instead of OKWrap.
	StrictWrap bool
	// Cap100 caps percentages at 100 (PDH without PDH_FMT_NOCAP100).
	Cap100 bool
	// Restarted says that the newer reading comes with a new start time or
	// instance id, so a fall cannot be a wrap.
	Restarted bool
	// MultiInTicks takes the clock of the two MULTI timers of the performance
	// clock in ticks instead of seconds (NT resource kit).
	MultiInTicks bool
	// WindowMax is the largest cooked value of the window shown, 0 when
	// unknown. A wrap that would give more than 100 times as much is refused.
	WindowMax float64
	// Texts are what readings of SizeText point at: those of the newer sample.
	Texts []Text
}
