package compare

import (
	"math"
	"slices"
	"time"
)

// Growth is how something grew: from which part of a course on, and from what to what.
type Growth struct {
	From    int
	Was, Is float64
}

// LeastGrowth is how long something grows at least to be told, SmallGrowth the share of what is left
// that is no growth worth it, and Soon how long what falls lasts at most to be told.
const (
	LeastGrowth = 30 * time.Minute
	SmallGrowth = 0.05
	Soon        = 24 * time.Hour
)

// Lasts is for how long what falls would last, as it fell in so long a time.
func (g *Growth) Lasts(fell time.Duration) time.Duration {
	return time.Duration(min(g.Is/(g.Was-g.Is)*float64(fell), math.MaxInt64/2))
}

// GrowthOf looks whether the course of a counter, means of equal times of which NaN is none, ends in
// a steady growth that goes on for half of it at least, by so much at least, and by so many times of
// what it was; ok is false otherwise. Where least is below 0 it is a fall.
func GrowthOf(course []float64, least, times float64) (found Growth, ok bool) {
	const parts, steady, goesOn, noise = 12, 0.9, 0.4, 4
	var v []float64
	var at []int
	sign := math.Copysign(1, least)
	least = math.Abs(least)
	for i, f := range course {
		if f == f {
			v, at = append(v, sign*f), append(at, i)
		}
	}
	n := len(v)
	if n < parts {
		return found, false
	}
	is := Median(slices.Sorted(slices.Values(v[n-3:])))
	if low := slices.Min(v); is-low < max(least, times*math.Abs(low)) {
		return found, false
	}
	c := bend(v)
	if n-c < max(n/2, parts/2) {
		return found, false
	}
	was := v[c]
	if c >= 3 {
		was = Median(slices.Sorted(slices.Values(v[:c])))
	}
	slope, fit, _ := line(v[c:])
	late, _, _ := line(v[n-max((n-c)/3, 3):])
	if is-was < max(least, times*math.Abs(was)) || fit < steady || late < goesOn*slope {
		return found, false
	}
	if c >= parts/2 { // against what it moves by itself
		before := slices.Sorted(slices.Values(v[:c]))
		if is-was < noise*Sigma*Distance(before, was) {
			return found, false
		}
	}
	return Growth{at[c], sign * was, sign * is}, true
}

// bend is where a course that is level and then a line bends: the two fit best there.
func bend(v []float64) (best int) {
	least := math.Inf(1)
	sum, squares := 0.0, 0.0 // of what lies before c
	for c := 0; c+3 <= len(v); c++ {
		level := 0.0
		if c > 0 {
			level = squares - sum*sum/float64(c)
		}
		_, _, rest := line(v[c:])
		if all := level + rest; all < least*(1-1e-9) {
			least, best = all, c
		}
		sum, squares = sum+v[c], squares+v[c]*v[c]
	}
	return best
}

// line is the least-squares slope of values by their places, how much of their variance it
// explains, and the square sum of what it leaves.
func line(v []float64) (slope, fit, rest float64) {
	n := float64(len(v))
	mid, mean := (n-1)/2, 0.0
	for _, f := range v {
		mean += f / n
	}
	xy, xx, yy := 0.0, 0.0, 0.0
	for i, f := range v {
		x, y := float64(i)-mid, f-mean
		xy, xx, yy = xy+x*y, xx+x*x, yy+y*y
	}
	if xx == 0 || yy == 0 {
		return 0, 0, yy
	}
	fit = xy * xy / (xx * yy)
	return xy / xx, fit, yy * (1 - fit)
}
