package compare_test

import (
	"math"
	"testing"
	"time"

	"perfdeck/cooker/compare"
)

// A window ranks as its spans do, keeps the means of short times, and knows where moments
// lie in it.
func TestWindow(t *testing.T) {
	n := noise(8)
	courses := []course{
		func(int, bool) float64 { return 100 + 10*n() },
		func(_ int, in bool) float64 { return pick(in, 100, 200) + 5*n() },
		func(k int, _ bool) float64 { return pick(k%7 == 0, math.NaN(), float64(k)) },
		func(int, bool) float64 { return math.NaN() },
	}
	begin := nightfall.Add(rowsBefore * time.Second)
	end := begin.Add(rowsIn * time.Second)
	w := compare.NewWindow(begin, end, rowsBefore*time.Second, time.Second, len(courses))
	values := make([]float64, len(courses))
	for k := -20; k < rowsBefore+rowsIn+20; k++ { // what is outside is left out
		for i, c := range courses {
			values[i] = c(k, k >= rowsBefore)
		}
		w.Add(nightfall.Add(time.Duration(k)*time.Second), values)
	}
	r := w.Rank(compare.Options{})
	if len(r.Changes) != 1 || r.Changes[0].Series != 1 {
		t.Errorf("%+v", r)
	}
	if m := w.Before.Median(1); math.Abs(m-100) > 3 {
		t.Errorf("the median before is %v", m)
	}
	if m := w.During.Median(1); math.Abs(m-200) > 6 {
		t.Errorf("the median in it is %v", m)
	}
	if m := w.During.Median(3); m == m {
		t.Errorf("the median of nothing is %v", m)
	}
	means := w.Means(2)
	if len(means) != rowsBefore+rowsIn || w.Bucket() != time.Second {
		t.Fatalf("%d means, every %v", len(means), w.Bucket())
	}
	for k, m := range means {
		if k%7 == 0 && m != float32(k) || k%7 != 0 && m == m {
			t.Fatalf("mean %d is %v", k, m)
		}
	}
	for at, want := range map[time.Time]float64{nightfall: 0, end: 1, begin: rowsBefore / float64(rowsBefore+rowsIn)} {
		if got := w.Share(at); math.Abs(got-want) > 1e-9 {
			t.Errorf("%v is at %v, want %v", at, got, want)
		}
	}
	if got := w.Along(1, begin.Add(-40*time.Second), 10*time.Second); len(got) != 0 {
		t.Errorf("with the step went %+v", got)
	}
}

// However long a window is, and of however many series, its memory is bounded; a row of a
// clock that was set back counts where it comes.
func TestWindowBounds(t *testing.T) {
	w := compare.NewWindow(nightfall, nightfall.Add(1000*time.Hour), 9000*time.Hour, time.Second, 100_000)
	if n := len(w.Means(0)); n < 1 || n > 600 {
		t.Errorf("%d means of a series", n)
	}
	w = compare.NewWindow(nightfall, nightfall, 0, 0, 1)
	w.Add(nightfall, []float64{1})
	w.Add(nightfall.Add(-time.Hour), []float64{math.Inf(1)})
	w.Rank(compare.Options{})
	w = compare.NewWindow(nightfall.Add(10*time.Second), nightfall.Add(20*time.Second), 10*time.Second, time.Second, 1)
	w.Add(nightfall.Add(5*time.Second), []float64{4})
	w.Add(nightfall.Add(2*time.Second), []float64{8})
	if m := w.Means(0); m[5] != 6 || m[2] == m[2] {
		t.Errorf("%v", m)
	}
}
