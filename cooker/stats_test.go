package cooker

import (
	"math"
	"testing"
	"time"
)

// Point is a moment of a counter in a window.
type Point struct {
	Time  time.Time
	Value Value // cooked from this and the point before
	// Reading and Clocks are what Value was cooked from. Clocks is nil where
	// only values are kept.
	Reading Reading
	Clocks  *Clocks
}

// Statistics are those of perfmon's legend. Values that do not count are left
// out; a statistic of nothing has the status of the newest value.
type Statistics struct {
	Last     Value
	Average  Value
	Min, Max Value
	Duration time.Duration // from the first point to the last
	Covered  time.Duration // Duration without the intervals that gave no value
	Count    int           // values that count
}

// Summarize gives the statistics of a window, its points in order of time.
func Summarize(t CounterType, points []Point) Statistics {
	a := NewAccumulator(t)
	var s Statistics
	for i := range points {
		p := &points[i]
		a.Add(p.Time, p.Value, &p.Reading, p.Clocks)
		if _, ok := p.Value.Float(); ok && i > 0 {
			s.Covered += p.Time.Sub(points[i-1].Time)
		}
	}
	s.Last, s.Average, s.Min, s.Max, s.Count = a.Newest, a.Average(), a.Min, a.Max, int(a.Count)
	if s.Count == 0 {
		s.Min, s.Max = s.Last, s.Last
	}
	if len(points) > 0 {
		s.Duration = points[len(points)-1].Time.Sub(points[0].Time)
	}
	return s
}

// window cooks raw values taken every seconds[i] seconds into points.
func window(typ CounterType, raw, base []uint64, seconds []int) []Point {
	points := make([]Point, len(raw))
	elapsed := 0
	for i := range raw {
		elapsed += seconds[i]
		ticks := uint64(elapsed) * 1e7
		p := &points[i]
		p.Time = time.Unix(int64(elapsed), 0)
		p.Reading = Reading{Raw: raw[i], Size: 8, BaseSize: 8}
		if base != nil {
			p.Reading.Base = base[i]
		}
		p.Clocks = &Clocks{ticks, 1e7, ticks, ticks, 1e7}
		if i == 0 {
			p.Value = Cook(typ, nil, &p.Reading, nil, p.Clocks, nil)
			continue
		}
		before := &points[i-1]
		p.Value = Cook(typ, &before.Reading, &p.Reading, before.Clocks, p.Clocks, nil)
	}
	return points
}

func near(t *testing.T, what string, v Value, want float64) {
	t.Helper()
	if f, ok := v.Float(); !ok || math.Abs(f-want) > 1e-9*math.Abs(want) {
		t.Errorf("%s: %v %v, want %v", what, f, v.Status(), want)
	}
}

func TestSummarize(t *testing.T) {
	for _, c := range []struct {
		name                     string
		typ                      CounterType
		raw, base                []uint64
		seconds                  []int
		average, low, high, last float64
		covered                  time.Duration
	}{
		// 300 events in 10 s, not the mean of 100/s and 22.2/s
		{"rate", CounterBulkCount, []uint64{0, 100, 300}, nil, []int{0, 1, 9}, 30, 200.0 / 9, 100, 200.0 / 9, 10 * time.Second},
		{"inverse timer", Timer100nsInv, []uint64{0, 1e7, 1e7}, nil, []int{0, 1, 3}, 75, 0, 100, 100, 4 * time.Second},
		{"time per operation", AverageTimer, []uint64{0, 1e7, 3e7}, []uint64{0, 1, 10}, []int{0, 1, 1}, 0.3, 2.0 / 9, 1, 2.0 / 9, 2 * time.Second},
		{"raw count", CounterRawCount, []uint64{3, 5, 10}, nil, []int{0, 1, 9}, 6, 3, 10, 10, 10 * time.Second},
		{"difference", CounterLargeDelta, []uint64{0, 4, 10}, nil, []int{0, 1, 9}, 5, 4, 6, 6, 10 * time.Second},
		// the restart gives no value and is left out: 100 and 60 in 2 s
		{"restart", CounterBulkCount, []uint64{900, 1000, 0, 60}, nil, []int{0, 1, 5, 1}, 80, 60, 100, 60, 2 * time.Second},
		{"no operations in between", AverageBulk, []uint64{0, 8, 8, 9}, []uint64{0, 2, 2, 3}, []int{0, 1, 1, 1}, 3, 1, 4, 1, 2 * time.Second},
	} {
		points := window(c.typ, c.raw, c.base, c.seconds)
		s := Summarize(c.typ, points)
		near(t, c.name+" average", s.Average, c.average)
		near(t, c.name+" minimum", s.Min, c.low)
		near(t, c.name+" maximum", s.Max, c.high)
		near(t, c.name+" last", s.Last, c.last)
		if whole := points[len(points)-1].Time.Sub(points[0].Time); s.Duration != whole || s.Covered != c.covered {
			t.Errorf("%s: duration %v, covered %v", c.name, s.Duration, s.Covered)
		}
	}
}

// The average over a window is the value of its first and last sample.
func TestAverageIsThatOfFirstAndLast(t *testing.T) {
	raw, base := []uint64{5, 1e6, 3e6, 3e6 + 1}, []uint64{1e7, 3e7, 5e7, 9e7}
	for _, info := range Types() {
		if info.Samples != 2 || info.Base == BaseMulti || ruleOf(info.Type).kind == KindDifference {
			continue
		}
		points := window(info.Type, raw, base, []int{0, 1, 2, 7})
		first, last := points[0], points[3]
		want, ok := Cook(info.Type, &first.Reading, &last.Reading, first.Clocks, last.Clocks, nil).Float()
		if !ok {
			t.Fatalf("%s has no value", info.Name)
		}
		near(t, info.Name, Summarize(info.Type, points).Average, want)
	}
}

// Without raw samples rates are weighted by time.
func TestSummarizeValuesOnly(t *testing.T) {
	points := window(CounterBulkCount, []uint64{0, 100, 300}, nil, []int{0, 1, 9})
	for i := range points {
		points[i].Clocks, points[i].Reading = nil, Reading{}
	}
	near(t, "average", Summarize(CounterBulkCount, points).Average, 30)
}

func TestSummarizeOdd(t *testing.T) {
	if s := Summarize(CounterCounter, nil); s.Count != 0 || s.Average.Status() != Pending {
		t.Errorf("nothing: %+v", s)
	}
	now := time.Unix(0, 0)
	s := Summarize(CounterCounter, []Point{{Time: now, Value: Absent(FirstSample)}, {Time: now, Value: Absent(Denied)}})
	if s.Last.Status() != Denied || s.Max.Status() != Denied || s.Average.Valid() {
		t.Errorf("no values: %+v", s)
	}
	one := WholeValue(math.MaxUint64)
	if s := Summarize(CounterRawCount, []Point{{Time: now, Value: one}}); s.Average != one || s.Min != one || s.Count != 1 {
		t.Errorf("one value: %+v", s)
	}
	if s := Summarize(0x12345678, []Point{{Time: now, Value: one}, {Time: now, Value: one}}); s.Count != 2 {
		t.Errorf("unknown type: %+v", s)
	}
}
