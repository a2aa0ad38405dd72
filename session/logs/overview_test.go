package logs

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"perfdeck/cooker"
)

// TestOverview compares with all values.
func TestOverview(t *testing.T) {
	const count, buckets = 2000, 12
	rows := someRows(count, 4)
	for i := range rows {
		if i >= 1200 {
			rows[i].Time = rows[i].Time.Add(time.Hour)
		}
	}
	for _, format := range FormatNames() {
		t.Run(format, func(t *testing.T) {
			r, err := Open(recorded(t, format, wideHeader(4), rows), OpenOptions{})
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			var first *Survey
			calls := 0
			s, err := Overview(t.Context(), r, 2, buckets, func(s Survey) {
				if calls++; calls == 1 {
					first = &s
				}
			})
			if err != nil || first == nil || calls < 2 {
				t.Fatalf("%d calls, %v", calls, err)
			}
			want := make([]Bucket, buckets)
			length := rows[count-1].Time.Sub(rows[0].Time)
			for i := range rows {
				if f, ok := rows[i].Values[2].Float(); ok {
					b := &want[min(int(float64(rows[i].Time.Sub(rows[0].Time))/float64(length)*buckets), buckets-1)]
					if b.Count == 0 {
						*b = Bucket{f, f, 1}
						continue
					}
					*b = Bucket{min(b.Min, f), max(b.Max, f), b.Count + 1}
				}
			}
			for i := range want {
				if s.Buckets[i] != want[i] {
					t.Errorf("bucket %d: %+v, want %+v", i, s.Buckets[i], want[i])
				}
				if p := first.Buckets[i]; p.Count > 0 && (p.Min < want[i].Min || p.Max > want[i].Max) {
					t.Errorf("preview of bucket %d: %+v, of %+v", i, p, want[i])
				}
			}
			gap := Gap{rows[1199].Time, rows[1200].Time}
			if s.Rows != count || s.Interval != time.Second || s.Done != 1 || len(s.Gaps) != 1 || !s.Gaps[0].From.Equal(gap.From) || !s.Gaps[0].To.Equal(gap.To) {
				t.Errorf("survey %+v", s)
			}
			stopped, cancel := context.WithCancel(t.Context())
			cancel()
			if _, err := Overview(stopped, r, 2, buckets, func(Survey) {}); !errors.Is(err, context.Canceled) {
				t.Errorf("a survey that was stopped: %v", err)
			}
		})
	}
}

func TestSummary(t *testing.T) {
	source := rand.New(rand.NewPCG(9, 9))
	for name, value := range map[string]func() float64{
		"even":    func() float64 { return source.Float64() * 100 },
		"wide":    func() float64 { return math.Exp(source.NormFloat64() * 4) },
		"signed":  func() float64 { return source.NormFloat64() * 1e6 },
		"zeros":   func() float64 { return max(source.NormFloat64(), 0) },
		"narrow":  func() float64 { return 86.9 + source.Float64()/10 },
		"extreme": func() float64 { return math.Exp(source.Float64()*1400 - 700) },
	} {
		s := Summarize(&Header{Columns: make([]Column, 1)})
		all := make([]float64, 50_000)
		at := time.Unix(0, 0)
		sum := 0.0
		for i := range all {
			all[i] = value()
			sum += all[i]
			s[0].Add(at.Add(time.Duration(i)*time.Second), cooker.FloatValue(all[i]))
		}
		s[0].Add(at, cooker.Absent(cooker.Gap))
		s[0].Add(at, cooker.TextValue("x"))
		slices.Sort(all)
		if s[0].Count != 50_000 || s[0].Missing != 2 || s[0].Min != all[0] || s[0].Max != all[len(all)-1] {
			t.Errorf("%s: %d values, %d missing, %g to %g", name, s[0].Count, s[0].Missing, s[0].Min, s[0].Max)
		}
		if mean := sum / 50_000; math.Abs(s[0].Average()-mean) > 1e-9*math.Abs(mean)+1e-12 {
			t.Errorf("%s: average %g, want %g", name, s[0].Average(), mean)
		}
		for _, q := range []float64{0, 0.01, 0.25, 0.5, 0.9, 0.99, 0.999, 1} {
			want := all[max(int(math.Ceil(q*float64(len(all)))), 1)-1]
			got := s[0].Quantile(q)
			tolerance := 0.0101
			if name == "extreme" {
				tolerance = 1 // more than 10^600 between them
			}
			if math.Abs(got-want) > tolerance*math.Abs(want) {
				t.Errorf("%s: quantile %g is %g, want %g", name, q, got, want)
			}
		}
		if n := len(s[0].sketch.positive.counts) + len(s[0].sketch.negative.counts); n > 2*mostBuckets {
			t.Errorf("%s: %d buckets", name, n)
		}
	}
}

// TestSummaryOfFew is exact.
func TestSummaryOfFew(t *testing.T) {
	s := Summarize(&Header{Columns: make([]Column, 1)})
	for _, f := range []float64{30, -10, 20, 20.5, 5} {
		s[0].Add(time.Unix(0, 0), cooker.FloatValue(f))
	}
	if got := []float64{s[0].Quantile(0), s[0].Quantile(0.25), s[0].Quantile(0.5), s[0].Quantile(0.99), s[0].Quantile(1)}; !slices.Equal(got, []float64{-10, 5, 20, 30, 30}) {
		t.Errorf("quantiles %v", got)
	}
}

// TestSummaryWeights agrees with cooker.Summarize, which has all points.
func TestSummaryWeights(t *testing.T) {
	source := rand.New(rand.NewPCG(2, 9))
	for _, info := range cooker.Types() {
		if !info.Type.Displayable() || info.Type == cooker.CounterText || info.Type == cooker.CounterComposite {
			continue
		}
		s := Summarize(&Header{Columns: []Column{{TypeKnown: true, Type: info.Type}}})
		var points []cooker.Point
		at := time.Unix(1e9, 0)
		for i := range 200 {
			at = at.Add(time.Duration(source.IntN(5000)+1) * time.Millisecond)
			v := cooker.FloatValue(source.Float64() * 100)
			if i > 0 && source.IntN(5) == 0 {
				v = cooker.Absent(cooker.Gap)
			}
			points = append(points, cooker.Point{Time: at, Value: v})
			s[0].Add(at, v)
		}
		want := cooker.Summarize(info.Type, points)
		average, _ := want.Average.Float()
		least, _ := want.Min.Float()
		if math.Abs(s[0].Average()-average) > 1e-9*average || s[0].Min != least || int(s[0].Count) != want.Count {
			t.Errorf("%s: average %g, min %g, want %g, %g", info.Name, s[0].Average(), s[0].Min, average, least)
		}
	}
}
