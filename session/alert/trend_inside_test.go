package alert

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"perfdeck/cooker"
)

// after is the trend over an hour once values of a motion were seen for a time.
func after(seen, every time.Duration, value func(hours float64) float64) cooker.Value {
	t := newTrend(time.Hour)
	last := cooker.Absent(cooker.Pending)
	for at := 17 * time.Minute; at <= 17*time.Minute+seen; at += every {
		last = t.observe(at, cooker.FloatValue(value(at.Hours())), 0, false)
	}
	return last
}

// What does not change has no trend at all; a line has its slope, whatever the interval
// and however much of it was seen.
func TestTrendOfLines(t *testing.T) {
	for _, every := range []time.Duration{time.Second, 7 * time.Second, 15 * time.Second, time.Minute, 4*time.Minute + time.Second} {
		for _, seen := range []time.Duration{20 * time.Minute, time.Hour, 3*time.Hour + 11*time.Second} {
			if f, ok := after(seen, every, func(float64) float64 { return 0.1 }).Float(); !ok || f != 0 {
				t.Errorf("constant, every %v for %v: %v %v", every, seen, f, ok)
			}
			for _, slope := range []float64{100, -3e9, 1e-6} {
				f, ok := after(seen, every, func(h float64) float64 { return 7 + slope*h }).Float()
				if !ok || math.Abs(f-slope) > 1e-5*math.Abs(slope) {
					t.Errorf("%v per hour, every %v for %v: %v %v", slope, every, seen, f, ok)
				}
			}
		}
	}
}

// A trend over an hour is known after a quarter of it, and knows nothing from before the hour.
func TestTrendWindow(t *testing.T) {
	line := func(h float64) float64 { return h }
	if v := after(14*time.Minute, 15*time.Second, line); v.Valid() || v.Status() != cooker.FirstSample {
		t.Errorf("after 14 minutes: %v", v)
	}
	if v := after(16*time.Minute, 15*time.Second, line); !v.Valid() {
		t.Errorf("after 16 minutes: %v", v.Status())
	}
	if v := after(3*time.Hour, 25*time.Minute, line); !v.Valid() {
		t.Errorf("three samples in the hour: %v", v.Status())
	}
	if v := after(3*time.Hour, 40*time.Minute, line); v.Valid() {
		t.Error("two samples in the hour have a trend")
	}
	bent := func(h float64) float64 { return max(0, 1000-1000*h) } // steep up to 1 h, then even
	if f, ok := after(2*time.Hour, 15*time.Second, bent).Float(); !ok || f != 0 {
		t.Errorf("an hour after the bend: %v %v", f, ok)
	}
}

// Noise moves the slope by no more than least squares allow: 10 standard errors.
func TestTrendOfNoise(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	const n = 240 // samples in the hour, evenly: the standard error of the slope is sqrt(12/n) of the noise
	for _, slope := range []float64{0, 50} {
		f, ok := after(2*time.Hour, 15*time.Second, func(h float64) float64 { return slope*h + random.NormFloat64() }).Float()
		if !ok || math.Abs(f-slope) > 10*math.Sqrt(12.0/n) || f == slope {
			t.Errorf("%v with noise: %v %v", slope, f, ok)
		}
	}
}

// Trends begin anew after gaps; what was idle is left out.
func TestTrendGaps(t *testing.T) {
	feed := func(tr *trend, from, to time.Duration) (last cooker.Value) {
		for at := from; at < to; at += 15 * time.Second {
			last = tr.observe(at, cooker.FloatValue(at.Hours()*60), 0, false)
		}
		return last
	}
	for name, break1 := range map[string]func(tr *trend, at time.Duration) cooker.Value{
		"gap": func(tr *trend, at time.Duration) cooker.Value {
			return tr.observe(at, cooker.FloatValue(0), 0, true)
		},
		"missed": func(tr *trend, at time.Duration) cooker.Value {
			return tr.observe(at, cooker.FloatValue(0), trendLost+1, false)
		},
		"denied": func(tr *trend, at time.Duration) (v cooker.Value) {
			for range trendLost + 1 {
				v = tr.observe(at, cooker.Absent(cooker.Denied), 0, false)
			}
			return v
		},
		"clock": func(tr *trend, _ time.Duration) cooker.Value {
			return tr.observe(time.Minute, cooker.FloatValue(5), 0, false)
		},
	} {
		tr := newTrend(time.Hour)
		if v := feed(tr, time.Minute, time.Hour); !v.Valid() {
			t.Fatal(v.Status())
		}
		if v := break1(tr, time.Hour); v.Valid() {
			t.Errorf("%s: still %v", name, v)
		}
		if v := feed(tr, time.Hour, 70*time.Minute); v.Valid() {
			t.Errorf("%s: 10 minutes later %v", name, v)
		}
		if f, ok := feed(tr, 70*time.Minute, 2*time.Hour).Float(); !ok || name != "gap" && name != "missed" && math.Abs(f-60) > 1e-3 {
			t.Errorf("%s: an hour later %v %v", name, f, ok)
		}
	}
	tr := newTrend(time.Hour)
	feed(tr, 0, time.Hour)
	for i := range 3 * trendLost {
		at := time.Hour + time.Duration(i)*15*time.Second
		if f, ok := tr.observe(at, cooker.Absent(cooker.ZeroBase), 0, false).Float(); !ok || math.Abs(f-60) > 1e-3 {
			t.Errorf("idle: %v %v", f, ok)
		}
	}
	if v := tr.observe(62*time.Minute+30*time.Second, cooker.Absent(cooker.Denied), 0, false); v.Valid() || v.Status() != cooker.Denied {
		t.Errorf("denied once: %v", v)
	}
	if f, ok := feed(tr, 63*time.Minute, 64*time.Minute).Float(); !ok || math.Abs(f-60) > 1e-3 {
		t.Errorf("after a sample that lacked: %v %v", f, ok)
	}
}
