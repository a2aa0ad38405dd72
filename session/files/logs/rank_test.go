package logs

import (
	"math"
	"testing"
	"time"

	"perfdeck/cooker"
)

// take sums up one more value.
func (s *Summary) take(at int, v cooker.Value) {
	s.Add(&Row{Time: time.Unix(int64(at), 0), Values: []cooker.Value{v}}, 0)
}

func (s *Summary) quantile(q float64) float64 {
	f, _ := s.Quantile(q).Float()
	return f
}

// TestNearestRank: a percentile is the smallest value that so many of all do not
// exceed; of few values exactly, of many within 1 %.
func TestNearestRank(t *testing.T) {
	for _, n := range []int{1, 2, 10, 14, 20, 100, 101, 1000, 20_000} {
		s := Summarize(&Header{Columns: make([]Column, 1)})
		for i := range n {
			s[0].take(i, cooker.FloatValue(float64(i+1)))
		}
		for _, percent := range []int{1, 7, 10, 50, 57, 90, 95, 99} {
			want := float64((percent*n + 99) / 100)
			tolerance := 0.0
			if n > mostFew {
				tolerance = 0.01 * want
			}
			if got := s[0].quantile(float64(percent) / 100); math.Abs(got-want) > tolerance {
				t.Errorf("%d %% of 1 to %d is %g, want %g", percent, n, got, want)
			}
		}
	}
}

// Texts are neither numbers nor missing.
func TestSummaryOfTexts(t *testing.T) {
	s := &Summarize(&Header{Columns: make([]Column, 1)})[0]
	for i, v := range []cooker.Value{cooker.TextValue("a"), cooker.Absent(cooker.Gap), cooker.FloatValue(2), cooker.TextValue("")} {
		s.take(i, v)
	}
	if s.Count != 1 || s.Missing != 1 || s.Texts != 2 || s.Min != cooker.FloatValue(2) {
		t.Errorf("%+v", s)
	}
}

// TestTopOfMany: of many values the highest percent is not left out.
func TestTopOfMany(t *testing.T) {
	s := Summarize(&Header{Columns: make([]Column, 1)})
	for i := range 150 {
		f := 1.0
		if i >= 148 {
			f = 1000
		}
		s[0].take(i, cooker.FloatValue(f))
	}
	if got := s[0].quantile(0.99); math.Abs(got-1000) > 10 { // the 149th
		t.Errorf("99 %% is %g", got)
	}
}

// A quantile is within 1 % of its value however far apart values are, and however small.
func TestQuantileSpan(t *testing.T) {
	for _, c := range []struct{ low, high float64 }{{-60, 60}, {-120, 5}, {-300, -200}, {200, 300}} {
		const n = 5000
		var s Summary
		value := func(i int) float64 { return math.Pow(10, c.low+(c.high-c.low)*float64(i)/(n-1)) }
		for i := range n {
			s.take(i, cooker.FloatValue(value(i*7919%n)))
		}
		for _, q := range []float64{0.05, 0.5, 0.95, 0.999} {
			want := value(int(math.Ceil(q*n)) - 1)
			if got := s.quantile(q); math.Abs(got-want) > want/100 {
				t.Errorf("10^%g to 10^%g: %g is %g, want %g", c.low, c.high, q, got, want)
			}
		}
	}
}
