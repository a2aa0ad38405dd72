package compare_test

import (
	"testing"
	"time"

	"perfdeck/cooker/compare"
)

// However many rows come, those that are kept are evenly apart from the first one on, no more
// than the bound, and more than half of it once there were as many.
func TestRows(t *testing.T) {
	for most := 1; most < 20; most++ {
		r := compare.NewRows[float64](2, most)
		for i := range 300 {
			copy(r.Next(time.Unix(int64(i), 0)), []float64{float64(i), -float64(i)})
			if n := len(r.Times); n > most || i >= most && 2*n < most {
				t.Fatalf("%d of at most %d are kept after %d", n, most, i+1)
			}
			for k, at := range r.Times {
				if want := k * r.Stride; at.Unix() != int64(want) || r.Values[2*k] != float64(want) || r.Values[2*k+1] != -float64(want) {
					t.Fatalf("at most %d, after %d: row %d is of %v with %v, not %d", most, i+1, k, at.Unix(), r.Values[2*k:2*k+2], want)
				}
			}
			if last := r.Times[len(r.Times)-1].Unix(); int(last)+r.Stride <= i {
				t.Fatalf("at most %d: the last row that is kept of %d is %d", most, i+1, last)
			}
		}
	}
}
