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
	at           time.Time // of the last row; zero: there is none
	mean         float64   // of the values
	sum, seconds float64   // of values times seconds, and of these

	run             [2]sample // the first and the last reading of the run that goes on
	isRunning       bool
	broke           bool    // a run ended in the span
	isBare          bool    // a value has no raw sample
	change, divisor float64 // of the runs that ended
}

// sample is a reading with the clocks of its reply.
type sample struct {
	Reading

	clocks Clocks
}

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
	*a = Accumulator{rule: a.rule, at: a.at, run: [2]sample{a.run[1], a.run[1]}, isRunning: a.isRunning}
}

// Add takes a row in. clocks is nil where nothing is known of what its value was cooked from.
func (a *Accumulator) Add(at time.Time, v Value, r *Reading, clocks *Clocks) {
	number, ok := v.Float()
	if ok {
		a.count(at, v, number)
	}
	if isQuotient(a.rule) && !a.at.IsZero() {
		if seconds := at.Sub(a.at).Seconds(); ok && seconds > 0 {
			a.sum += number * seconds
			a.seconds += seconds
		}
		a.isBare = a.isBare || ok && !isRaw(r, clocks)
	}
	if a.IsOverTime() {
		a.read(v, r, clocks)
	}
	a.Newest, a.at = v, at
}

func (a *Accumulator) count(at time.Time, v Value, number float64) {
	if a.Count++; a.Count == 1 {
		a.Min, a.MinAt, a.Max, a.MaxAt, a.mean = v, at, v, at, number
		return
	}
	if compare(v, a.Min) < 0 {
		a.Min, a.MinAt = v, at
	} else if compare(v, a.Max) > 0 {
		a.Max, a.MaxAt = v, at
	}
	a.mean += (number - a.mean) / float64(a.Count) // keeps small numbers beside large sums
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
	now := sample{*r, *clocks}
	counts = counts || v.status == ZeroBase || v.status == ZeroTime
	last := &a.run[1]
	if a.isRunning && counts && goesOn(a.rule, last, &now) {
		if (now.Size == 4 || now.BaseSize == 4) && !goesOn(a.rule, &a.run[0], &now) { // too far for their width
			from := *last
			a.endRun()
			a.run[0], a.isRunning = from, true
		}
		*last = now
		return
	}
	a.endRun()
	a.run, a.isRunning = [2]sample{now, now}, true
}

// goesOn tells whether nothing fell between two readings, but for a wrap.
func goesOn(r *rule, older, newer *sample) bool {
	if _, _, ok := difference(&older.Reading, &newer.Reading, &noOptions); !ok || older.State != newer.State {
		return false
	}
	t0, t1 := &older.clocks, &newer.clocks
	switch r.kind {
	case kindMulti:
		return older.Base == newer.Base && clockGoesOn(r, t0, t1)
	case kindRate, kindRatio:
		return clockGoesOn(r, t0, t1)
	case kindPrecision:
		return moved(&older.Reading, &newer.Reading) >= 0 && clockGoesOn(r, t0, t1)
	case kindAverage, kindSeconds:
		return moved(&older.Reading, &newer.Reading) >= 0 && t0.PerfFreqHz == t1.PerfFreqHz
	}
	return true
}

func clockGoesOn(r *rule, t0, t1 *Clocks) bool {
	_, status := interval(r, t0, t1, &noOptions)
	return (status == OK || status == ZeroTime) && t0.PerfFreqHz == t1.PerfFreqHz
}

// endRun takes the run into account that goes on.
func (a *Accumulator) endRun() {
	if !a.isRunning {
		return
	}
	a.isRunning, a.broke = false, true
	if f, ok := a.ofRun().Float(); ok {
		w := a.weightOfRun()
		a.change, a.divisor = a.change+f*w, a.divisor+w
	}
}

func (a *Accumulator) ofRun() Value {
	from, to := &a.run[0], &a.run[1]
	return Cook(a.rule.Type, &from.Reading, &to.Reading, &from.clocks, &to.clocks, nil)
}

func (a *Accumulator) weightOfRun() float64 {
	from, to := &a.run[0], &a.run[1]
	return weigh(a.rule, &from.Reading, &to.Reading, &from.clocks, &to.clocks, 0)
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

// ofRaw is the average of the raw samples.
func (a *Accumulator) ofRaw() (Value, bool) {
	if a.isBare || !isQuotient(a.rule) {
		return Value{}, false
	}
	change, divisor := a.change, a.divisor
	if a.isRunning {
		v := a.ofRun()
		f, ok := v.Float()
		if ok && divisor == 0 {
			return v, true // all of its digits
		}
		if ok {
			w := a.weightOfRun()
			change, divisor = change+f*w, divisor+w
		}
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
	return a.Within(v)
}

// Within is a value, but none below the smallest or above the largest of those that came.
func (a *Accumulator) Within(v Value) Value {
	switch f, ok := v.Float(); {
	case ok && f <= a.Min.number():
		return a.Min
	case !ok, f >= a.Max.number(): // not ok: a sum left the range of float64
		return a.Max
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
	case a.isRunning && !a.broke && a.run[0] != a.run[1]:
		return a.ofRun()
	}
	return a.Newest
}
