package cooker

import (
	"math"
	"time"
)

// Cook makes the value of a counter of type t from its newer reading, for most
// types together with the older one, and the clocks of the two replies. prev
// is nil for the first sample. opt may be nil.
//
// Differences are taken in integers before anything is divided; their width
// comes from the sizes of the data, not from the type code. A fall is a wrap
// if the signed difference of that width is positive. The result is never NaN
// or infinite. Cook does not allocate.
func Cook(t CounterType, prev, cur *Reading, prevClocks, curClocks *Clocks, opt *Options) Value {
	r := ruleOf(t)
	if r == nil {
		decoded := byBits(t)
		r = &decoded
	}
	if r.kind == KindUnsupported {
		return Absent(Unsupported)
	}
	if r.kind == KindHidden {
		return Absent(NotDisplayable)
	}
	if cur == nil {
		return Absent(Pending)
	}
	if !cur.State.Good() && cur.State != NoBase {
		return Absent(cur.State)
	}
	if cur.Size == SizeCooked {
		return cookedValue(r, math.Float64frombits(cur.Raw))
	}
	if opt == nil {
		opt = &noOptions
	}
	if curClocks == nil {
		curClocks = &noClocks
	}
	if prev != nil && prev.Size == SizeCooked {
		prev = nil // it says nothing of the raw value then
	}
	if r.Samples == 1 {
		return cookOne(r, cur, curClocks, opt)
	}
	if prev == nil || !prev.State.Good() && prev.State != NoBase {
		return Absent(FirstSample)
	}
	if prevClocks == nil {
		prevClocks = &noClocks
	}
	return cookTwo(r, prev, cur, prevClocks, curClocks, opt)
}

// Shared and never written to.
var (
	noOptions Options
	noClocks  Clocks
)

// cookOne cooks the types that need one sample.
func cookOne(r *rule, cur *Reading, clocks *Clocks, opt *Options) Value {
	switch r.kind {
	case KindRaw:
		return Value{bits: narrow(cur.Raw, cur.Size), kind: kindWhole}
	case KindRawHex:
		return Value{bits: narrow(cur.Raw, cur.Size), kind: kindWhole, status: OKHex}
	case KindThousandth:
		return floatValue(float64(narrow(cur.Raw, cur.Size))/1000, OK)
	case KindZero:
		return WholeValue(0)
	case KindString:
		if cur.Size != SizeText || cur.Raw >= uint64(len(opt.Texts)) {
			return Absent(Unavailable)
		}
		return Value{text: opt.Texts[cur.Raw], kind: kindText}
	case KindFraction:
		if cur.State == NoBase {
			return Absent(NoBase)
		}
		base := narrow(cur.Base, cur.BaseSize)
		if base == 0 {
			return floatValue(0, ZeroBase)
		}
		n := float64(narrow(cur.Raw, cur.Size))
		return finish(r, n/float64(base)*r.factor, OK, opt)
	case KindElapsed:
		return cookElapsed(cur, clocks)
	}
	return Absent(Unsupported)
}

// cookElapsed gives the seconds since the start. A start in the future is 0
// with NegativeValue, as .NET shows it; a start of 0, in 1601 by most clocks, is
// none.
func cookElapsed(cur *Reading, clocks *Clocks) Value {
	if cur.State == NoBase {
		return Absent(NoBase)
	}
	if !usableFreq(clocks.ObjFreqHz) {
		return Absent(NegativeTimebase)
	}
	switch {
	case cur.Raw == 0:
		return Absent(NoStart)
	case cur.Raw > clocks.ObjTime:
		return floatValue(0, NegativeValue)
	}
	return floatValue(float64(clocks.ObjTime-cur.Raw)/float64(clocks.ObjFreqHz), OK)
}

// cookTwo cooks the types that need two samples. The divisor is judged first:
// when the clock did not move there is no interval to speak of.
func cookTwo(r *rule, prev, cur *Reading, t0, t1 *Clocks, opt *Options) Value {
	var divisor float64 // what the difference of N is divided by
	status := OK
	switch r.kind {
	case KindDifference:
		divisor = 1
	case KindRate, KindRatio, KindMulti:
		if lacksCompanion(r, prev, cur, &status) {
			return Absent(status)
		}
		divisor, status = interval(r, t0, t1, opt)
	case KindPrecision:
		divisor, status = ownInterval(r, prev, cur, t0, t1)
	case KindAverage, KindSeconds:
		divisor, status = baseInterval(r, prev, cur, t1)
	}
	if !status.Good() && status != ZeroBase {
		return Absent(status)
	}

	d, wrapped, ok := difference(prev, cur, opt)
	switch {
	case !ok:
		return Absent(NegativeValue)
	case status == ZeroBase:
		return floatValue(0, ZeroBase)
	case wrapped:
		status = OKWrap
	}
	if r.kind == KindDifference {
		if wrapped && implausible(float64(d), opt) {
			return Absent(NegativeValue)
		}
		return Value{bits: uint64(d), kind: kindDelta, status: status}
	}
	amount := float64(d)
	if r.kind == KindSeconds {
		amount /= float64(t1.PerfFreqHz)
	}
	return cookQuotient(r, amount, divisor, cur, status, opt)
}

// cookQuotient divides, turns inverse types around and judges the result. The factor of
// percentages comes last: in this order the last digits are those of PDH, as a log with a
// twin in text shows for rates, timers, inverse timers and fractions.
func cookQuotient(r *rule, amount, divisor float64, cur *Reading, status Status, opt *Options) Value {
	whole := 1.0 // what an inverse type is subtracted from
	f := amount / divisor
	if r.kind == KindMulti {
		count := narrow(cur.Base, cur.BaseSize)
		if count == 0 {
			return floatValue(0, ZeroBase)
		}
		whole = float64(count)
		if !r.inverse {
			f /= whole
		}
	}
	// What an inverse type counts is no shown value, but at most 100 each.
	if status == OKWrap && implausible(f*r.factor, opt) && !(r.inverse && f <= 100*whole) {
		return Absent(NegativeValue)
	}
	if r.inverse {
		f = whole - f
		if f < 0 {
			return floatValue(0, OKClampedLow)
		}
	}
	return finish(r, f*r.factor, status, opt)
}

// finish caps percentages if asked.
func finish(r *rule, f float64, status Status, opt *Options) Value {
	if opt.Cap100 && f > 100 && r.factor == 100 {
		f, status = 100, OKCapped100
	}
	return floatValue(f, status)
}

// lacksCompanion says that a multi count or an object's clock was not read.
func lacksCompanion(r *rule, prev, cur *Reading, why *Status) bool {
	switch {
	case r.kind != KindMulti && r.Clock != ClockObject:
		return false
	case cur.State == NoBase:
		*why = NoBase
		return true
	case r.Clock == ClockObject && prev.State == NoBase:
		*why = FirstSample
		return true
	}
	return false
}

// interval is the time between two replies on the clock of the rule: in
// seconds for rates and MULTI timers of the performance clock, else in ticks.
func interval(r *rule, t0, t1 *Clocks, opt *Options) (float64, Status) {
	ticks := ticksOf(r, t0, t1)
	inSeconds := isInSeconds(r, opt)
	if inSeconds && !usableFreq(t1.PerfFreqHz) || ticks < 0 {
		return 0, NegativeTimebase
	}
	if ticks == 0 {
		return 0, ZeroTime
	}
	if inSeconds {
		return float64(ticks) / float64(t1.PerfFreqHz), OK
	}
	return float64(ticks), OK
}

// ticksOf is how far the clock of the rule went.
func ticksOf(r *rule, t0, t1 *Clocks) int64 {
	switch r.Clock {
	case Clock100ns:
		return int64(t1.Time100ns - t0.Time100ns)
	case ClockObject:
		return int64(t1.ObjTime - t0.ObjTime)
	}
	return int64(t1.PerfTime - t0.PerfTime)
}

func isInSeconds(r *rule, opt *Options) bool {
	return r.kind == KindRate || r.kind == KindMulti && r.Clock == ClockPerf && !opt.MultiInTicks
}

// frequency is that of the clock of the rule, 1 where it is not known.
func frequency(r *rule, t *Clocks) float64 {
	switch r.Clock {
	case Clock100ns:
		return 1e7
	case ClockObject:
		return max(1, float64(t.ObjFreqHz))
	default:
		return max(1, float64(t.PerfFreqHz))
	}
}

// WeighedBy tells what Weight is of values of a type: the interval of a clock, which all counters
// of a reply share, or of a base of their own; neither: they count alike.
func WeighedBy(t CounterType) (clock Clock, own bool) {
	r := ruleOf(t)
	switch {
	case r == nil || r.Samples < 2:
		return ClockNone, false
	case r.Base == BaseDivisor || r.Base == BaseClock:
		return ClockNone, true
	}
	return r.Clock, false
}

// ownInterval is the time a precision timer's own clock, its base, went on. An
// object timer without a base uses the object's clock (MS-PCQ 2.2.4.2).
func ownInterval(r *rule, prev, cur *Reading, t0, t1 *Clocks) (float64, Status) {
	ticks := moved(prev, cur)
	if cur.State == NoBase || prev.State == NoBase {
		if r.Clock != ClockObject || t1.ObjTime == 0 || t0.ObjTime == 0 {
			return 0, missingBase(cur)
		}
		ticks = int64(t1.ObjTime - t0.ObjTime)
	}
	switch {
	case ticks < 0:
		return 0, NegativeTimebase
	case ticks == 0:
		return 0, ZeroTime
	}
	return float64(ticks), OK
}

// baseInterval is how far the base moved. Averages in seconds need a frequency too.
func baseInterval(r *rule, prev, cur *Reading, t1 *Clocks) (float64, Status) {
	switch {
	case cur.State == NoBase || prev.State == NoBase:
		return 0, missingBase(cur)
	case r.kind == KindSeconds && !usableFreq(t1.PerfFreqHz):
		return 0, NegativeTimebase
	}
	operations := moved(prev, cur)
	switch {
	case operations < 0:
		return 0, NegativeDenominator
	case operations == 0:
		return 0, ZeroBase
	}
	return float64(operations), OK
}

// moved is how far the base went, as a signed number of its width.
func moved(prev, cur *Reading) int64 {
	if cur.BaseSize == 4 && prev.BaseSize == 4 {
		return int64(int32(cur.Base - prev.Base))
	}
	return int64(narrow(cur.Base, cur.BaseSize) - narrow(prev.Base, prev.BaseSize))
}

// missingBase: a base read now for the first time makes this the first sample.
func missingBase(cur *Reading) Status {
	if cur.State == NoBase {
		return NoBase
	}
	return FirstSample
}

// difference is N1-N0 as a signed number of the width of the data. ok is false
// for a fall that is no wrap.
func difference(prev, cur *Reading, opt *Options) (d int64, wrapped, ok bool) {
	n0, n1 := narrow(prev.Raw, prev.Size), narrow(cur.Raw, cur.Size)
	d = int64(n1 - n0)
	if prev.Size == 4 && cur.Size == 4 {
		d = int64(int32(n1 - n0))
	}
	if n1 >= n0 {
		// A rise beyond half the width is a fall through zero.
		return d, false, d >= 0
	}
	return d, true, d > 0 && !opt.StrictWrap && !opt.Restarted
}

// implausible says that a wrap would give more than 100 times the largest
// value of the window: the counter restarted.
func implausible(f float64, opt *Options) bool {
	return opt.WindowMax > 0 && f > 100*opt.WindowMax
}

// narrow drops what lies beyond the size of the data.
func narrow(n uint64, size uint8) uint64 {
	if size == 4 {
		return uint64(uint32(n))
	}
	return n
}

// usableFreq: a frequency is a positive LARGE_INTEGER.
func usableFreq(hz uint64) bool { return int64(hz) > 0 }

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

// Unix100ns is 1970 in 100 ns since 1601.
const Unix100ns = 116_444_736_000_000_000

// FileTime is a moment in 100 ns since 1601.
func FileTime(t time.Time) uint64 {
	return uint64(t.Unix()*1e7 + int64(t.Nanosecond()/100) + Unix100ns)
}

// TimeOf is the moment of a FileTime.
func TimeOf(ticks uint64) time.Time {
	since := int64(ticks - Unix100ns)
	return time.Unix(since/1e7, since%1e7*100)
}

// Ticking are clocks that all tick each 100 ns, as those of present Windows do.
func Ticking(perf, ticks uint64) Clocks {
	return Clocks{PerfTime: perf, PerfFreqHz: 1e7, Time100ns: ticks, ObjTime: ticks, ObjFreqHz: 1e7}
}

// Earlier are the clocks some time before.
func (c Clocks) Earlier(by time.Duration) Clocks {
	ticks := func(hz uint64) uint64 {
		return uint64(by/time.Second)*hz + uint64(by%time.Second)*hz/uint64(time.Second)
	}
	c.PerfTime -= ticks(c.PerfFreqHz)
	c.ObjTime -= ticks(c.ObjFreqHz)
	c.Time100ns -= uint64(by / 100)
	return c
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
