package cooker

import (
	"math/bits"
	"strings"
)

// AggregateFunc says how the values of instances become one (AggregateFunc of
// PERF_COUNTER_REG_INFO, MS-PCQ 2.2.4.2). The codes are those of the
// specification; a code beyond them is as good as undefined.
type AggregateFunc uint32

// The functions.
const (
	AggregateNone    AggregateFunc = iota // undefined: no aggregate
	AggregateTotal                        // sum
	AggregateAverage                      // mean
	AggregateMin                          // minimum
	AggregateMax                          // maximum
)

var aggregateNames = [...]string{"undefined", "total", "average", "minimum", "maximum"}

// String is the word of a chooser: "total", "average" ...
func (f AggregateFunc) String() string {
	if f < AggregateFunc(len(aggregateNames)) {
		return aggregateNames[f]
	}
	return aggregateNames[AggregateNone]
}

// ParseAggregate reads a function by its name or the short ones of the
// manifest schema: none, undefined, total, avg, average, min, minimum, max,
// maximum.
func ParseAggregate(name string) (AggregateFunc, bool) {
	switch strings.ToLower(name) {
	case "none", "undefined":
		return AggregateNone, true
	case "total", "sum":
		return AggregateTotal, true
	case "average", "avg":
		return AggregateAverage, true
	case "minimum", "min":
		return AggregateMin, true
	case "maximum", "max":
		return AggregateMax, true
	}
	return AggregateNone, false
}

// AggregateInstance is the name of the instance that shows an aggregate. It is
// ours: it is never sent and no wildcard matches it.
const AggregateInstance = "_Aggregate"

// InAggregate says that an instance takes part in aggregates: it is no total
// of others ("_Total", or "0,_Total" of Processor Information) and no
// aggregate itself.
func InAggregate(instance string) bool {
	if i := strings.LastIndexByte(instance, ','); i >= 0 {
		instance = instance[i+1:]
	}
	return !strings.EqualFold(instance, "_Total") && !strings.EqualFold(instance, AggregateInstance)
}

// Aggregator makes one value of the values of instances. The zero Aggregator
// with its Func set is ready. Values that do not count and texts are left out; but a sum or a
// mean with one whose count fell is none: what that one did in the interval nobody knows.
type Aggregator struct {
	Func AggregateFunc

	count   int
	fell    Status // why it is none
	first   Value
	extreme Value // so far the least or the greatest
	sum     wholeSum
	floats  float64 // sum of all as float64
	whole   bool    // all values so far are whole
	hex     bool    // all values so far are hexadecimal
}

// Add takes a value of an instance.
func (a *Aggregator) Add(v Value) {
	number, ok := v.Float()
	if !ok {
		if v.status.Fell() && (a.Func == AggregateTotal || a.Func == AggregateAverage) {
			a.fell = v.status
		}
		return
	}
	a.count++
	if a.count == 1 {
		a.first, a.extreme = v, v
		a.whole, a.hex = true, true
	}
	switch {
	case a.Func == AggregateMin && compare(v, a.extreme) < 0,
		a.Func == AggregateMax && compare(v, a.extreme) > 0:
		a.extreme = v
	}
	a.floats += number
	a.whole = a.whole && v.IsWhole() && a.sum.add(v)
	a.hex = a.hex && v.status == OKHex
}

// Count is the number of values taken.
func (a *Aggregator) Count() int { return a.count }

// Value is the aggregate. That of one instance is that instance's value; that
// of none, and of an undefined function, is Unavailable. Sums, minima and
// maxima of whole numbers are whole where 64 bits are enough.
func (a *Aggregator) Value() Value {
	if a.count == 0 || a.Func == AggregateNone || a.Func >= AggregateFunc(len(aggregateNames)) {
		return Absent(Unavailable)
	}
	if a.fell != OK {
		return Absent(a.fell)
	}
	if a.count == 1 {
		return a.first
	}
	switch a.Func {
	case AggregateMin, AggregateMax:
		return a.extreme
	case AggregateAverage:
		return FloatValue(a.floats / float64(a.count))
	}
	if !a.whole {
		return FloatValue(a.floats)
	}
	v, ok := a.sum.value()
	switch {
	case !ok:
		return FloatValue(a.floats)
	case a.hex:
		return v.WithStatus(OKHex)
	}
	return v
}

// wholeSum adds signed and unsigned 64-bit numbers, both kinds apart.
type wholeSum struct {
	positive, negative uint64 // sums of magnitudes
	signed             bool   // a difference was among them
}

// add is false if the sum left 64 bits.
func (s *wholeSum) add(v Value) bool {
	s.signed = s.signed || v.kind == kindDelta
	var carry uint64
	if n := int64(v.bits); v.kind == kindDelta && n < 0 {
		s.negative, carry = bits.Add64(s.negative, -uint64(n), 0)
	} else {
		s.positive, carry = bits.Add64(s.positive, v.bits, 0)
	}
	return carry == 0
}

func (s *wholeSum) value() (Value, bool) {
	n := s.positive - s.negative
	switch {
	case s.negative > s.positive:
		return DeltaValue(int64(n)), int64(n) < 0
	case s.signed && int64(n) >= 0:
		return DeltaValue(int64(n)), true
	}
	return WholeValue(n), true
}

// compare orders numbers; whole ones exactly.
func compare(a, b Value) int {
	if a.IsWhole() && b.IsWhole() {
		an := a.kind == kindDelta && int64(a.bits) < 0
		bn := b.kind == kindDelta && int64(b.bits) < 0
		switch {
		case an != bn && an:
			return -1
		case an != bn:
			return 1
		case a.bits < b.bits: // same sign: the patterns order as the numbers
			return -1
		case a.bits > b.bits:
			return 1
		}
		return 0
	}
	switch x, y := a.number(), b.number(); {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}
