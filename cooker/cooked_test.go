package cooker

import (
	"math"
	"testing"
)

// A value that came cooked is the value, whatever the type; it is no earlier sample of a raw
// one.
func TestCookedReadings(t *testing.T) {
	clocks := []Clocks{{Time100ns: 1e7, PerfTime: 1, PerfFreqHz: 1}, {Time100ns: 2e7, PerfTime: 2, PerfFreqHz: 1}}
	for _, of := range []CounterType{CounterRawCount, Timer100nsInv, CounterBulkCount, ElapsedTime} {
		r := CookedReading(12.5)
		if v := Cook(of, nil, &r, nil, &clocks[1], nil); v != FloatValue(12.5) {
			t.Errorf("%v: %v", of, v)
		}
		x := Explain(Evidence{Type: of, Cur: &r, CurClocks: &clocks[1]})
		if !x.Cooked || len(x.Operands) > 0 || x.Substituted != "" || x.Result != FloatValue(12.5) {
			t.Errorf("%v: %+v", of, x)
		}
	}
	whole := CookedReading(12)
	if v := Cook(CounterLargeRawCount, nil, &whole, nil, nil, nil); v != WholeValue(12) {
		t.Errorf("a whole count: %v", v)
	}
	for _, f := range []float64{math.NaN(), math.Inf(1)} {
		r := CookedReading(f)
		if v := Cook(CounterRawCount, nil, &r, nil, nil, nil); v.Status() != NotFinite || v.HasNumber() {
			t.Errorf("%v: %v", f, v)
		}
	}
	cooked, raw := CookedReading(5), Reading{Raw: 7}
	if v := Cook(CounterBulkCount, &cooked, &raw, &clocks[0], &clocks[1], nil); v.Status() != FirstSample {
		t.Errorf("a raw value behind a cooked one: %v", v)
	}
	if v := Cook(CounterRawCount, &cooked, &raw, &clocks[0], &clocks[1], nil); v != WholeValue(7) {
		t.Errorf("a count behind a cooked one: %v", v)
	}
	gone := Reading{State: Gone, Size: SizeCooked}
	if v := Cook(CounterRawCount, nil, &gone, nil, nil, nil); v.Status() != Gone {
		t.Errorf("a gone one: %v", v)
	}
	if x := Explain(Evidence{Type: CounterBulkCount, Prev: &cooked, Cur: &raw, PrevClocks: &clocks[0], CurClocks: &clocks[1]}); x.Status != FirstSample || x.Operands[0].Older.Set {
		t.Errorf("explained %+v", x)
	}
}
