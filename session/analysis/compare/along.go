package compare

import (
	"cmp"
	"math"
	"slices"
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
	leastPairs     = 12 // rows in which both have values
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
	memory := a.persistence(reference, 0)
	var out []Companion
	for i, values := range series {
		other := clip(&a, values)
		if i == chosen || other == nil {
			continue
		}
		c, n := a.seek(reference, other, coarse, step, mostLag)
		tests := len(series)
		if c.Lag != 0 {
			tests *= 2*mostLag/step + 1 // so many lags were tried
		}
		if c.Series = i; a.holds(c.R, n, memory*a.persistence(other, memory), tests) {
			out = append(out, c)
		}
	}
	slices.SortStableFunc(out, func(x, y Companion) int { return cmp.Compare(math.Abs(y.R), math.Abs(x.R)) })
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

// seek finds the lag at which another series is most alike, and how many rows both have there:
// first in coarse rows, then around the few of these that are nearly the best. Nearer lags come
// first: only one that is clearly better than those before it counts.
func (a *aligner) seek(reference, other, coarse []float64, step, most int) (best Companion, n int) {
	const few, nearly = 6, 0.7
	best.R, n = correlation(reference, other, 0)
	try := func(lag int) {
		if r, m := correlation(reference, other, lag); math.Abs(r) > math.Abs(best.R)*1.02 {
			best, n = Companion{R: r, Lag: lag}, m
		}
	}
	rows, likely, highest := means(other, step), []int(nil), 0.0
	alike := make([]float64, 2*(most/step)+1)
	for i := range alike {
		r, _ := correlation(coarse, rows, nearest(i))
		alike[i] = math.Abs(r)
		highest = max(highest, alike[i])
	}
	for i, r := range alike {
		if r >= leastR/2 && r >= nearly*highest && len(likely) < few {
			likely = append(likely, nearest(i))
		}
	}
	for _, at := range likely {
		for i := range 2*step - 1 {
			if lag := at*step + nearest(i); lag >= -most && lag <= most {
				try(lag)
			}
		}
	}
	return best, n
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
		if v := float64(values[i]); v-v == 0 {
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
			if v := float64(of); v-v == 0 {
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
		if v-v != 0 {
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
