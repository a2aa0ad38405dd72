package compare

import (
	"cmp"
	"math"
	"slices"

	"perfdeck/cooker"
)

// Companion is a series that went along with another.
type Companion struct {
	Series int
	// R is the correlation, from -1 to 1: below 0 it fell where the other rose.
	R float64
	// Lag is how many rows it was behind the other, below 0 ahead of it.
	Lag int
}

const (
	mostCompanions = 50
	mostLikely     = 200 // of which the lag is looked for in all rows
	leastPairs     = 12  // rows in which both have values
	mostSorted     = 128
	clipped        = 3   // spreads from the median: what is farther counts as that far
	mostMemory     = 0.9 // a step is one event however many rows it lasts, but both have it
	leastR         = 0.5 // less is not worth to be told
)

// Along tells which series went along with one of them over the same rows: at most 50, the
// most alike first. Values are NaN where there are none. A series may be behind the other, or
// ahead of it, by so many rows. Outliers are clipped, so that one does not make two series
// alike; and series of which each value is near the one before have to be more alike than
// others, since two that drift are alike by chance (Bartlett's number of independent values).
func Along[F float32 | float64](chosen int, series [][]F, mostLag int) []Companion {
	var a aligner
	reference := slices.Clone(clip(&a, series[chosen]))
	if reference == nil {
		return nil
	}
	mostLag = min(mostLag, len(reference)/4)
	step := (len(reference) + coarseRows - 1) / coarseRows
	coarse := means(reference, step)
	lags := max(mostLag/step, 0)
	var likely []Companion
	for i, values := range series {
		other := clip(&a, values)
		if i == chosen || other == nil {
			continue
		}
		c, _ := best(coarse, means(other, step), 0, 2*lags+1)
		if c.Series = i; math.Abs(c.R) >= leastR/2 {
			likely = append(likely, c)
		}
	}
	byLikeness := func(x, y Companion) int { return cmp.Compare(math.Abs(y.R), math.Abs(x.R)) }
	slices.SortStableFunc(likely, byLikeness)
	memory := a.persistence(reference, 0)
	var out []Companion
	for _, c := range likely[:min(len(likely), mostLikely)] {
		other := clip(&a, series[c.Series])
		found, n := best(reference, other, 0, 1)
		rows := means(other, step)
		for i, tried := 0, 0; i <= 2*lags && tried < mostTried; i++ { // around those that are nearly the best
			if r, _ := correlation(coarse, rows, nearest(i)); math.Abs(r) < nearly*math.Abs(c.R) {
				continue
			}
			tried++
			if near, m := best(reference, other, nearest(i)*step, 2*step-1); math.Abs(near.R) > math.Abs(found.R)*clearly {
				found, n = near, m
			}
		}
		tests := len(series)
		if found.Lag != 0 {
			tests *= 2*lags + 1 // so many were tried
		}
		if found.Series = c.Series; a.holds(found.R, n, memory*a.persistence(other, memory), tests) {
			out = append(out, found)
		}
	}
	slices.SortStableFunc(out, byLikeness)
	return out[:min(len(out), mostCompanions)]
}

// coarseRows is in how many rows lags are looked for first.
const coarseRows = 200

// means are those of so many rows each; NaN where none has a value.
func means(values []float64, step int) []float64 {
	if step <= 1 {
		return values
	}
	out := make([]float64, 0, len(values)/step+1)
	for i := 0; i < len(values); i += step {
		sum, n := 0.0, 0.0
		for _, v := range values[i:min(i+step, len(values))] {
			if v == v {
				sum, n = sum+v, n+1
			}
		}
		out = append(out, sum/n)
	}
	return out
}

// Another lag has to make two series clearly more alike than a nearer one does; of those that
// are nearly the best in coarse rows so many are looked at.
const (
	clearly, nearly = 1.02, 0.7
	mostTried       = 6
)

// best finds the lag at which two series are most alike, among so many around one, the nearest
// first, and how many rows both have there.
func best(reference, other []float64, around, many int) (found Companion, n int) {
	for i := range many {
		lag := around + nearest(i)
		if r, m := correlation(reference, other, lag); i == 0 || math.Abs(r) > math.Abs(found.R)*clearly {
			found, n = Companion{R: r, Lag: lag}, m
		}
	}
	return found, n
}

// nearest counts 0, 1, -1, 2, -2 ...
func nearest(i int) int {
	if i%2 == 1 {
		return (i + 1) / 2
	}
	return -i / 2
}

// aligner has the memory that is used again.
type aligner struct{ sorted, out []float64 }

// clip brings values to their median and within a few spreads of it. nil: there are too few
// of them, or they are all the same.
func clip[F float32 | float64](a *aligner, values []F) []float64 {
	a.sorted = a.sorted[:0]
	step := max(len(values)/mostSorted, 1) // so many tell where the rest lie
	for i := 0; i < len(values); i += step {
		if v := float64(values[i]); cooker.IsFinite(v) {
			a.sorted = append(a.sorted, v)
		}
	}
	if len(a.sorted) < leastPairs {
		return nil
	}
	slices.Sort(a.sorted)
	median := Median(a.sorted)
	limit := clipped * spread(a.sorted, median)
	if limit == 0 { // mostly the same: what it is besides is all there is
		for _, of := range values {
			if v := float64(of); cooker.IsFinite(v) {
				limit = max(limit, math.Abs(v-median))
			}
		}
	}
	if limit == 0 {
		return nil
	}
	a.out = a.out[:0]
	for _, of := range values {
		v := float64(of)
		if !cooker.IsFinite(v) {
			v = math.NaN()
		}
		a.out = append(a.out, min(max((v-median)/limit, -1), 1))
	}
	return a.out
}

// persistence is the correlation of values with those before, and otherwise where gaps do
// not let it be known.
func (a *aligner) persistence(values []float64, otherwise float64) float64 {
	r, n := correlation(values, values, 1)
	if n < leastPairs {
		return otherwise
	}
	return max(r, 0)
}

// holds tells whether a correlation is more than chance among so many series.
func (a *aligner) holds(r float64, n int, memory float64, series int) bool {
	memory = min(memory, mostMemory)
	free := float64(n) * (1 - memory) / (1 + memory)
	if n < leastPairs || free <= 4 || math.Abs(r) < leastR {
		return false
	}
	return math.Atanh(min(math.Abs(r), 1-1e-12))*math.Sqrt(free-3) >= threshold(series, int(free))
}

// correlation is that of a with b so many rows later, over the rows in which both have
// values, and how many there are.
func correlation(a, b []float64, lag int) (r float64, n int) {
	var sa, sb, saa, sbb, sab float64
	for i := max(0, -lag); i < len(a) && i+lag < len(b); i++ {
		x, y := a[i], b[i+lag]
		if x != x || y != y {
			continue
		}
		n++
		sa, sb, saa, sbb, sab = sa+x, sb+y, saa+x*x, sbb+y*y, sab+x*y
	}
	m := float64(n)
	va, vb := saa-sa*sa/m, sbb-sb*sb/m
	if n < leastPairs || !(va > 1e-12) || !(vb > 1e-12) {
		return 0, n
	}
	return (sab - sa*sb/m) / math.Sqrt(va*vb), n
}
