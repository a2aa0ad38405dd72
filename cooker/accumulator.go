package cooker

import (
	"strings"
	"time"
)

// Accumulator sums up the values of a counter over a span, row by row in order of time, in
// fixed memory. It looks at every row: what lies between the first and the last one decides
// what can be said of the whole.
//
// The average of a rate, a timer or an average of operations is that of its raw samples: the
// change over the span divided by the clock, or the base, over the span. The change is that of
// runs of readings in which nothing fell: wraps count, restarts, other instances and gaps do
// not. Where a value has no raw sample all are weighted by the time since the row before. The
// value of the first row was cooked with a sample outside of the span: it has no weight. The
// average of other types is the mean of the values.
type Accumulator struct {
	Min, Max     Value // with all their digits; Pending where nothing counts
	MinAt, MaxAt time.Time
	Newest       Value // whether it counts or not
	Count        int64 // values that count

	rule         *rule
	at           int64   // nanoseconds, of the last row
	begun        bool    // there is one
	low, high    float64 // Min and Max
	mean         float64 // of the values; of quotients the first
	sum, seconds float64 // of quotients times seconds, and of these

	isRunning       bool
	broke           bool    // a run ended in the span
	isBare          bool    // a value has no raw sample
	change, divisor float64 // of the runs that ended
	first, last     sample  // of the run that goes on
}

// sample is a reading with the clock that its type is divided by.
type sample struct {
	Reading

	ticks, freqHz uint64
}

func (s *sample) clocks() *Clocks { return &Clocks{s.ticks, s.freqHz, s.ticks, s.ticks, s.freqHz} }

// NewAccumulator makes an accumulator of values of a type.
func NewAccumulator(t CounterType) Accumulator {
	r := ruleOf(t)
	if r == nil {
		decoded := byBits(t)
		r = &decoded
	}
	return Accumulator{rule: r}
}

// TypeByName is the type of which the values of a counter are summed up whose own is not known:
// what it measures and its name tell whether they are over the time since the sample before.
func TypeByName(q Quantity, name string) CounterType {
	switch q.Kind {
	case PerSecond, BytesPerSecond, BitsPerSecond, Percent:
		return CounterCounter
	}
	if strings.HasPrefix(name, "Avg. ") {
		return CounterCounter
	}
	return CounterLargeRawCount
}

// IsOverTime tells whether values are each over the time since the sample before.
func (a *Accumulator) IsOverTime() bool { return a.rule != nil && a.rule.Samples == 2 }

// Next begins a span where the last one ended: with the last row, whose value is not part of it.
func (a *Accumulator) Next() {
	a.Min, a.Max, a.Count = Value{}, Value{}, 0
	a.sum, a.seconds, a.change, a.divisor = 0, 0, 0, 0
	a.broke, a.isBare, a.first = false, false, a.last
}

// Join takes in what was summed up in the span behind, as Next began it.
func (a *Accumulator) Join(next *Accumulator) {
	if next.Count > 0 {
		before := a.Count
		a.bound(next.MinAt, next.Min, next.low)
		a.bound(next.MaxAt, next.Max, next.high)
		if a.Count = before + next.Count; before == 0 {
			a.mean = next.mean
		} else if !isQuotient(a.rule) {
			a.mean += (next.mean - a.mean) * float64(next.Count) / float64(a.Count)
		}
	}
	a.Newest, a.at, a.begun, a.isBare = next.Newest, next.at, next.begun, a.isBare || next.isBare
	a.sum, a.seconds = a.sum+next.sum, a.seconds+next.seconds
	if next.broke || a.isRunning && next.isRunning && !goesOn(a.rule, &a.first, &next.last) {
		a.endRun()
		a.change, a.divisor, a.broke = a.change+next.change, a.divisor+next.divisor, true
	}
	if !a.isRunning {
		a.first, a.isRunning = next.first, next.isRunning
	}
	a.last = next.last
}

// Add takes a row in. clocks is nil where nothing is known of what its value was cooked from.
func (a *Accumulator) Add(at time.Time, v Value, r *Reading, clocks *Clocks) {
	number, ok := v.Float()
	if ok {
		a.count(at, v, number)
	}
	a.Newest = v
	if !a.IsOverTime() {
		return
	}
	now := at.UnixNano()
	if ok && a.begun && isQuotient(a.rule) {
		if seconds := float64(now-a.at) / float64(time.Second); seconds > 0 {
			a.sum += number * seconds
			a.seconds += seconds
		}
		a.isBare = a.isBare || !isRaw(r, clocks)
	}
	a.at, a.begun = now, true
	a.read(v, r, clocks)
}

// bound lets a value be one of those that came.
func (a *Accumulator) bound(at time.Time, v Value, number float64) {
	a.Count++
	if a.Count == 1 || number <= a.low && compare(v, a.Min) < 0 {
		a.Min, a.MinAt, a.low = v, at, number
	}
	if a.Count == 1 || number >= a.high && compare(v, a.Max) > 0 {
		a.Max, a.MaxAt, a.high = v, at, number
	}
}

func (a *Accumulator) count(at time.Time, v Value, number float64) {
	a.bound(at, v, number)
	if a.Count == 1 {
		a.mean = number
	} else if !isQuotient(a.rule) {
		a.mean += (number - a.mean) / float64(a.Count) // keeps small numbers beside large sums
	}
}

func isRaw(r *Reading, clocks *Clocks) bool {
	return clocks != nil && r.Size != SizeCooked && (r.State.Good() || r.State == NoBase)
}

// read goes on with the run of readings, or ends it. A reading that is missing does not end
// it: whether the next one goes on tells its own value.
func (a *Accumulator) read(v Value, r *Reading, clocks *Clocks) {
	counts := v.Valid()
	if !isRaw(r, clocks) {
		if counts {
			a.endRun()
		}
		return
	}
	counts = counts || v.status == ZeroBase || v.status == ZeroTime
	now := sample{*r, uint64(ticksOf(a.rule, &noClocks, clocks)), clocks.PerfFreqHz}
	if !a.isRunning || !counts || !goesOn(a.rule, &a.last, &now) {
		a.endRun()
		a.first, a.isRunning = now, true
	} else if (r.Size == 4 || r.BaseSize == 4) && !goesOn(a.rule, &a.first, &now) { // too far for their width
		a.endRun()
		a.first, a.isRunning = a.last, true
	}
	a.last = now
}

// goesOn tells whether nothing fell between two readings, but for a wrap.
func goesOn(r *rule, older, newer *sample) bool {
	if older.State != newer.State || older.freqHz != newer.freqHz || int64(newer.ticks-older.ticks) < 0 {
		return false
	}
	switch r.kind {
	case KindMulti:
		if older.Base != newer.Base {
			return false
		}
	case KindPrecision, KindAverage, KindSeconds:
		if moved(&older.Reading, &newer.Reading) < 0 {
			return false
		}
	}
	_, _, ok := difference(&older.Reading, &newer.Reading, &noOptions)
	return ok
}

// endRun takes the run into account that goes on.
func (a *Accumulator) endRun() {
	if !a.isRunning {
		return
	}
	a.isRunning, a.broke = false, true
	v, w := a.ofRun()
	a.change, a.divisor = a.change+v.number()*w, a.divisor+w
}

// ofRun is the value of the run, and its weight.
func (a *Accumulator) ofRun() (Value, float64) {
	t0, t1 := a.first.clocks(), a.last.clocks()
	v := Cook(a.rule.Type, &a.first.Reading, &a.last.Reading, t0, t1, nil)
	if !v.Valid() {
		return v, 0
	}
	return v, weigh(a.rule, &a.first.Reading, &a.last.Reading, t0, t1, 0)
}

// Broke tells that the value of the span is none of its first and last reading alone.
func (a *Accumulator) Broke() bool { return a.broke }

// Weighted is "by time" where that is what the average is weighted by, for want of raw samples.
func (a *Accumulator) Weighted() string {
	if _, hasRaw := a.ofRaw(); hasRaw || !isQuotient(a.rule) || a.Count < 2 || a.seconds <= 0 {
		return ""
	}
	return "by time"
}

// AverageHead is the head of averages, which says where one of them is weighted by time.
func AverageHead[T any](word string, all []T, weighted func(*T) string) string {
	for i := range all {
		if by := weighted(&all[i]); by != "" {
			return word + ", weighted " + by
		}
	}
	return word
}

// ofRaw is the average of the raw samples.
func (a *Accumulator) ofRaw() (Value, bool) {
	if a.isBare || !isQuotient(a.rule) {
		return Value{}, false
	}
	change, divisor := a.change, a.divisor
	if a.isRunning {
		v, w := a.ofRun()
		if divisor == 0 {
			return v, w > 0 // with all digits
		}
		change, divisor = change+v.number()*w, divisor+w
	}
	return FloatValue(change / divisor), divisor > 0
}

// Average is the average of the values; that of none has the status of the last. It is never
// below the smallest of them, nor above the largest.
func (a *Accumulator) Average() Value {
	if a.Count == 0 {
		return a.Newest
	}
	v, ok := a.ofRaw()
	switch {
	case a.Count == 1:
		return a.Min
	case ok:
	case isQuotient(a.rule) && a.seconds > 0:
		v = FloatValue(a.sum / a.seconds)
	default:
		v = FloatValue(a.mean)
	}
	return Within(v, a.Min, a.Max)
}

// Within is a value, but none below the least or above the most of those that it stands for.
func Within(v, least, most Value) Value {
	low, _ := least.Float()
	high, _ := most.Float()
	switch f, ok := v.Float(); {
	case ok && f <= low:
		return least
	case !ok, f >= high: // not ok: a sum left the range of float64
		return most
	}
	return v
}

// Value is what stands for the span as a sample of its own: of values over an interval that
// over the span, of others the last one. There is none of an instance that is not there at the
// end, nor of a difference over a fall.
func (a *Accumulator) Value() Value {
	s := a.Newest.Status()
	switch isThere := s.Good() || s.Fell() || s == FirstSample || s == ZeroBase || s == ZeroTime || s == Gap; {
	case !isThere || a.Count == 0 || !a.IsOverTime():
		return a.Newest
	case isQuotient(a.rule):
		return a.Average()
	case a.broke && a.Count > 1:
		return Absent(NegativeValue)
	case a.isRunning && !a.broke && a.first != a.last:
		v, _ := a.ofRun()
		return v
	}
	return a.Newest
}
