package cooker

import (
	"math"
)

type valueKind uint8

const (
	kindNone  valueKind = iota
	kindWhole           // bits is a uint64
	kindDelta           // bits is an int64
	kindFloat           // bits are those of a finite float64, never -0
	kindText
)

// Value is a cooked value: a whole 64-bit number, a finite float64 or a text,
// and a status. Values are comparable with ==. The zero Value is Pending.
type Value struct {
	bits   uint64
	text   Text
	kind   valueKind
	status Status
}

// WholeValue is an unsigned whole number (raw counts).
func WholeValue(n uint64) Value { return Value{bits: n, kind: kindWhole} }

// DeltaValue is a signed whole number (differences).
func DeltaValue(n int64) Value { return Value{bits: uint64(n), kind: kindDelta} }

// FloatValue is a float64. What is not finite becomes a Value without a number
// and the status NotFinite.
func FloatValue(f float64) Value { return floatValue(f, OK) }

// NumberValue is a value of which only the number was kept: one that is whole stays so.
func NumberValue(f float64) Value {
	if f == math.Trunc(f) && math.Abs(f) < exactTo {
		return DeltaValue(int64(f))
	}
	return FloatValue(f)
}

// TextValue is the text of a PERF_COUNTER_TEXT.
func TextValue(text string) Value {
	return Value{text: MakeText(text), kind: kindText}
}

// Absent is a Value without a number that says why.
func Absent(why Status) Value { return Value{status: why} }

// WithStatus is the same number or text with another status, as for a last
// value kept after its instance went.
func (v Value) WithStatus(s Status) Value {
	v.status = s
	return v
}

// IsFinite tells a number from NaN and the infinities. f-f would not: where f is a product, processors that
// multiply and subtract in one go have the unrounded one on the left.
func IsFinite(f float64) bool { return -math.MaxFloat64 <= f && f <= math.MaxFloat64 }

func floatValue(f float64, s Status) Value {
	if !IsFinite(f) {
		return Value{status: NotFinite}
	}
	return Value{bits: math.Float64bits(f + 0), kind: kindFloat, status: s} // +0 turns -0 into 0
}

// Status says what the value is worth, or why there is none.
func (v Value) Status() Status {
	if v.kind == kindNone && v.status.Good() {
		return Pending
	}
	return v.status
}

// Valid says that the value counts: there is a number or a text, and the
// status is good. The 0 of ZeroBase is not valid.
func (v Value) Valid() bool { return v.kind != kindNone && v.status.Good() }

// Float is the number of a valid value as float64; whole numbers above 2^53
// lose their last digits.
func (v Value) Float() (float64, bool) {
	return v.number(), v.kind != kindNone && v.kind != kindText && v.status.Good()
}

// Whole is the number of a valid whole value as an unsigned number. A negative
// difference and a float64 have none.
func (v Value) Whole() (uint64, bool) {
	ok := v.kind == kindWhole || v.kind == kindDelta && int64(v.bits) >= 0
	if !ok || !v.status.Good() {
		return 0, false
	}
	return v.bits, true
}

// Signed is the number of a valid whole value as a signed number. A raw count
// above 2^63-1 has none.
func (v Value) Signed() (int64, bool) {
	ok := v.kind == kindDelta || v.kind == kindWhole && int64(v.bits) >= 0
	if !ok || !v.status.Good() {
		return 0, false
	}
	return int64(v.bits), true
}

// IsWhole says that the number, if there is one, is whole.
func (v Value) IsWhole() bool { return v.kind == kindWhole || v.kind == kindDelta }

// Text is the text of a valid text value.
func (v Value) Text() (string, bool) {
	if v.kind != kindText || !v.status.Good() {
		return "", false
	}
	return v.text.String(), true
}

// IsText says that the value, if there is one, is a text.
func (v Value) IsText() bool { return v.kind == kindText }

// HasNumber says that there is a number, whatever the status: the 0 of
// ZeroBase, of an elapsed time that starts in the future, and the last value
// of a vanished instance are numbers that do not count.
func (v Value) HasNumber() bool { return v.kind >= kindWhole && v.kind <= kindFloat }

// number is the number as float64 without regard to the status, 0 if none.
func (v Value) number() float64 {
	switch v.kind {
	case kindWhole:
		return float64(v.bits)
	case kindDelta:
		return float64(int64(v.bits))
	case kindFloat:
		return math.Float64frombits(v.bits)
	case kindNone, kindText:
	}
	return 0
}

func (v Value) string() string { return v.text.String() }

// String is the number or text with the status, for logs and tests.
func (v Value) String() string {
	text := AppendMachine(nil, v)
	if len(text) > 0 {
		text = append(text, ' ')
	}
	return string(append(text, v.Status().String()...))
}

// SizeCooked is the Reading.Size of a value that came cooked, whatever the type of its
// counter: Raw is the bits of its float64.
const SizeCooked uint8 = 0xFE

// cookedValue is such a value: a whole number where the type gives whole ones.
func cookedValue(r *rule, f float64) Value {
	if (r.kind == KindRaw || r.kind == KindRawHex) && f >= 0 && f < exactTo && f == math.Trunc(f) {
		return WholeValue(uint64(f))
	}
	return floatValue(f, OK)
}

// CookedReading is the reading of a value that came cooked.
func CookedReading(f float64) Reading { return Reading{Raw: math.Float64bits(f), Size: SizeCooked} }

// ReadingOf is the reading of a value of a type that came cooked. Whole numbers of counters that
// are shown as they are keep all their digits.
func ReadingOf(t CounterType, v Value) Reading {
	r := ruleOf(t)
	if n, ok := v.Whole(); ok && r != nil && (r.kind == KindRaw || r.kind == KindRawHex) {
		return Reading{Raw: n, Size: 8}
	}
	if f, ok := v.Float(); ok {
		return CookedReading(f)
	}
	return Reading{State: v.Status()}
}
