package cooker

import (
	"math"
	"testing"
)

var allFuncs = []AggregateFunc{AggregateTotal, AggregateAverage, AggregateMin, AggregateMax}

func TestAggregate(t *testing.T) {
	w, d, f := WholeValue, DeltaValue, FloatValue
	none := Absent(Unavailable)
	for _, c := range []struct {
		values                   []Value
		total, average, min, max Value
	}{
		{[]Value{w(1), w(2), w(6)}, w(9), f(3), w(1), w(6)},
		{[]Value{w(math.MaxUint64), w(1)}, f(0x1p64), f(0x1p63), w(1), w(math.MaxUint64)},
		{[]Value{w(math.MaxUint64 - 1), w(math.MaxUint64)}, f(0x1p65), f(0x1p64), w(math.MaxUint64 - 1), w(math.MaxUint64)},
		{[]Value{d(-5), d(3)}, d(-2), f(-1), d(-5), d(3)},
		{[]Value{d(-5), w(math.MaxUint64)}, w(math.MaxUint64 - 5), f(0x1p63), d(-5), w(math.MaxUint64)},
		{[]Value{d(math.MinInt64), d(-1)}, f(-0x1p63), f(-0x1p62), d(math.MinInt64), d(-1)},
		{[]Value{f(0.5), w(2)}, f(2.5), f(1.25), f(0.5), w(2)},
		{[]Value{Absent(Gone), w(4), floatValue(0, ZeroBase), TextValue("x")}, w(4), w(4), w(4), w(4)},
		{[]Value{w(4), Absent(NegativeValue), w(2)}, Absent(NegativeValue), Absent(NegativeValue), w(2), w(4)},
		{[]Value{Absent(NegativeDenominator), w(4)}, Absent(NegativeDenominator), Absent(NegativeDenominator), w(4), w(4)},
		{[]Value{Absent(Gone)}, none, none, none, none},
		{nil, none, none, none, none},
	} {
		for i, want := range []Value{c.total, c.average, c.min, c.max} {
			if got := aggregate(allFuncs[i], c.values...); got != want {
				t.Errorf("%v of %v: %v, want %v", allFuncs[i], c.values, got, want)
			}
		}
		for _, f := range []AggregateFunc{AggregateNone, 5, math.MaxUint32} {
			if got := aggregate(f, c.values...); got != none {
				t.Errorf("function %d gives %v", uint32(f), got)
			}
			if got := f.String(); got != "undefined" {
				t.Errorf("function %d is called %s", uint32(f), got)
			}
		}
	}
}

// The aggregate of one instance is that instance.
func TestAggregateOfOne(t *testing.T) {
	for _, v := range []Value{
		WholeValue(math.MaxUint64), DeltaValue(-1), FloatValue(0.1),
		WholeValue(16).WithStatus(OKHex), FloatValue(5).WithStatus(OKWrap),
	} {
		for _, f := range allFuncs {
			if got := aggregate(f, v); got != v {
				t.Errorf("%v of %v: %v", f, v, got)
			}
		}
	}
	hex := WholeValue(15).WithStatus(OKHex)
	if got := aggregate(AggregateTotal, hex, hex); got != WholeValue(30).WithStatus(OKHex) {
		t.Errorf("sum of hexadecimal numbers: %v", got)
	}
}

func TestInAggregate(t *testing.T) {
	for instance, want := range map[string]bool{
		"0": true, "0,0": true, "sqlservr": true, "My_Total": true,
		"_Total": false, "_total": false, "0,_Total": false, AggregateInstance: false,
	} {
		if InAggregate(instance) != want {
			t.Errorf("%q: %v", instance, !want)
		}
	}
}

func TestParseAggregate(t *testing.T) {
	for f := range AggregateFunc(len(aggregateNames)) {
		if got, ok := ParseAggregate(f.String()); !ok || got != f {
			t.Errorf("%v reads back as %v", f, got)
		}
	}
	if _, ok := ParseAggregate("median"); ok {
		t.Error("median is no function")
	}
}

func TestVanished(t *testing.T) {
	var h Vanished[int]
	for i := range MaxVanished + 5 {
		h.Keep(i, WholeValue(uint64(i)))
	}
	h.Keep(7, WholeValue(1_000_000)) // went again: remembered as the newest
	h.Keep(8, Absent(Gone))          // not worth it
	if h.Len() != MaxVanished {
		t.Fatalf("%d remembered", h.Len())
	}
	smallest := Aggregator{Func: AggregateMin}
	smallest.Add(WholeValue(500))
	h.AddTo(&smallest)
	if got, _ := smallest.Value().Whole(); got != 5 || smallest.Count() != MaxVanished+1 {
		t.Errorf("minimum %d of %d", got, smallest.Count())
	}
	h.Return(5)
	h.Return(5)
	largest, least := Aggregator{Func: AggregateMax}, Aggregator{Func: AggregateMin}
	h.AddTo(&largest)
	h.AddTo(&least)
	top, _ := largest.Value().Whole()
	low, _ := least.Value().Whole()
	if top != 1_000_000 || low != 6 || h.Len() != MaxVanished-1 {
		t.Errorf("from %d to %d, %d remembered", low, top, h.Len())
	}
}

// aggregate is the aggregate of values, see [Aggregator].
func aggregate(f AggregateFunc, values ...Value) Value {
	a := Aggregator{Func: f}
	for _, v := range values {
		a.Add(v)
	}
	return a.Value()
}
