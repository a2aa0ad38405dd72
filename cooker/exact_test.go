package cooker

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// exactly are the formulas over the differences of one interval, in fractions:
// d of the counter, t of the type's clock in ticks of f Hz, b of the base, and
// the newest value n, base m and time now. Written apart from the table of
// rules.
var exactly = map[string]func(x span) *big.Rat{
	"PERF_SAMPLE_COUNTER":                 func(x span) *big.Rat { return ratio(x.d, x.f, x.t) },
	"PERF_COUNTER_COUNTER":                func(x span) *big.Rat { return ratio(x.d, x.f, x.t) },
	"PERF_COUNTER_BULK_COUNT":             func(x span) *big.Rat { return ratio(x.d, x.f, x.t) },
	"PERF_COUNTER_QUEUELEN_TYPE":          func(x span) *big.Rat { return ratio(x.d, 1, x.t) },
	"PERF_COUNTER_LARGE_QUEUELEN_TYPE":    func(x span) *big.Rat { return ratio(x.d, 1, x.t) },
	"PERF_COUNTER_100NS_QUEUELEN_TYPE":    func(x span) *big.Rat { return ratio(x.d, 1, x.t) },
	"PERF_COUNTER_OBJ_TIME_QUEUELEN_TYPE": func(x span) *big.Rat { return ratio(x.d, 1, x.t) },
	"PERF_COUNTER_TIMER":                  func(x span) *big.Rat { return ratio(x.d, 100, x.t) },
	"PERF_100NSEC_TIMER":                  func(x span) *big.Rat { return ratio(x.d, 100, x.t) },
	"PERF_OBJ_TIME_TIMER":                 func(x span) *big.Rat { return ratio(x.d, 100, x.t) },
	"PERF_COUNTER_TIMER_INV":              func(x span) *big.Rat { return ratio(x.t-x.d, 100, x.t) },
	"PERF_100NSEC_TIMER_INV":              func(x span) *big.Rat { return ratio(x.t-x.d, 100, x.t) },
	"PERF_PRECISION_SYSTEM_TIMER":         func(x span) *big.Rat { return ratio(x.d, 100, x.b) },
	"PERF_PRECISION_100NS_TIMER":          func(x span) *big.Rat { return ratio(x.d, 100, x.b) },
	"PERF_PRECISION_OBJECT_TIMER":         func(x span) *big.Rat { return ratio(x.d, 100, x.b) },
	"PERF_SAMPLE_FRACTION":                func(x span) *big.Rat { return ratio(x.d, 100, x.b) },
	"PERF_AVERAGE_BULK":                   func(x span) *big.Rat { return ratio(x.d, 1, x.b) },
	"PERF_AVERAGE_TIMER":                  func(x span) *big.Rat { return ratio(x.d, 1, x.b*x.f) },
	"PERF_RAW_FRACTION":                   func(x span) *big.Rat { return ratio(x.n, 100, x.m) },
	"PERF_LARGE_RAW_FRACTION":             func(x span) *big.Rat { return ratio(x.n, 100, x.m) },
	"PERF_COUNTER_MULTI_TIMER":            func(x span) *big.Rat { return ratio(x.d*x.f, 100, x.t*x.m) },
	"PERF_100NSEC_MULTI_TIMER":            func(x span) *big.Rat { return ratio(x.d, 100, x.t*x.m) },
	"PERF_COUNTER_MULTI_TIMER_INV":        func(x span) *big.Rat { return ratio(x.m*x.t-x.d*x.f, 100, x.t) },
	"PERF_100NSEC_MULTI_TIMER_INV":        func(x span) *big.Rat { return ratio(x.m*x.t-x.d, 100, x.t) },
	"PERF_ELAPSED_TIME":                   func(x span) *big.Rat { return ratio(x.now-x.n, 1, x.f) },
}

type span struct{ d, t, f, b, n, m, now int64 }

// ratio is a*times/by.
func ratio(a, times, by int64) *big.Rat {
	return new(big.Rat).Mul(new(big.Rat).SetFrac64(a, by), new(big.Rat).SetInt64(times))
}

// TestExactly holds every type that gives a quotient to its formula.
func TestExactly(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	tested := 0
	for _, info := range Types() {
		formula, ok := exactly[info.Name]
		if !ok {
			if kind := ruleOf(info.Type).kind; kind > KindDifference {
				t.Errorf("%s has no formula here", info.Name)
			}
			continue
		}
		tested++
		for range 500 {
			x := span{d: r.Int64N(1e6), t: 1 + r.Int64N(1e7), f: 1 + r.Int64N(1e4), b: 1 + r.Int64N(1e6)}
			prev := Reading{Raw: r.Uint64N(1e9), Base: r.Uint64N(16)}
			if info.Base == BaseMulti {
				x.b = 0
				prev.Base++
			}
			cur := Reading{Raw: prev.Raw + uint64(x.d), Base: prev.Base + uint64(x.b)}
			t0 := Clocks{1 << 33, uint64(x.f), 1 << 57, 1 << 34, uint64(x.f)}
			t1 := Clocks{t0.PerfTime + uint64(x.t), uint64(x.f), t0.Time100ns + uint64(x.t), t0.ObjTime + uint64(x.t), uint64(x.f)}
			x.n, x.m, x.now = int64(cur.Raw), int64(cur.Base), int64(t1.ObjTime)
			want, _ := formula(x).Float64()
			v := Cook(info.Type, &prev, &cur, &t0, &t1, nil)
			got, good := v.Float()
			scale := math.Abs(want)
			if ruleOf(info.Type).inverse { // subtracting costs digits
				scale = 100 * float64(max(x.m, 1))
			}
			if !good || math.Abs(got-max(want, 0)) > 1e-14*scale {
				t.Fatalf("%s of %+v: %v %v, want %v", info.Name, x, got, v.Status(), want)
			}
		}
	}
	if tested != len(exactly) {
		t.Errorf("%d types of %d are in the table", tested, len(exactly))
	}
}
