package compare

import (
	"iter"
	"slices"
	"time"
)

// Rows are rows of so many values each, in order of time. They are bounded: of more than Most
// every second, fourth ... is kept, and only these are given to whoever fills them.
type Rows[F float32 | float64] struct {
	Times  []time.Time
	Values []F // row by row
	Most   int // rows
	Stride int // of those that come every so many are kept

	width, came int
}

// NewRows makes an empty one.
func NewRows[F float32 | float64](width, most int) Rows[F] {
	return Rows[F]{Most: most, Stride: 1, width: width}
}

// Next is where the values of a row belong; nil: it is not kept.
func (r *Rows[F]) Next(at time.Time) []F {
	if r.came++; (r.came-1)%r.Stride != 0 {
		return nil
	}
	if n := len(r.Times); n >= r.Most {
		for i := 1; 2*i < n; i++ {
			r.Times[i] = r.Times[2*i]
			copy(r.row(i), r.row(2*i))
		}
		n = (n + 1) / 2
		r.Times, r.Values = r.Times[:n], r.Values[:n*r.width]
		if r.Stride *= 2; (r.came-1)%r.Stride != 0 {
			return nil
		}
	}
	n := len(r.Values)
	r.Times, r.Values = append(r.Times, at), slices.Grow(r.Values, r.width)[:n+r.width]
	return r.Values[n:]
}

func (r *Rows[F]) row(i int) []F { return r.Values[i*r.width : (i+1)*r.width] }

// Of are the values of a column from a moment to another, the last one not included, with
// their times; those that are no number are left out.
func (r *Rows[F]) Of(column int, from, to time.Time) iter.Seq2[time.Time, float64] {
	return func(yield func(time.Time, float64) bool) {
		for i, at := range r.Times {
			if v := float64(r.Values[i*r.width+column]); v == v && !at.Before(from) && at.Before(to) && !yield(at, v) {
				return
			}
		}
	}
}

// clear begins anew.
func (r *Rows[F]) clear() {
	r.Times, r.Values, r.Stride, r.came = r.Times[:0], r.Values[:0], 1, 0
}
