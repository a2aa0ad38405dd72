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
	mostCompanions = 50 // of which the lag is looked for
	leastPairs     = 12 // rows in which both have values
	mostSorted     = 128
	clipped        = 3   // spreads from the median: what is farther counts as that far
	mostMemory     = 0.9 // a step is one event however many rows it lasts, but both have it
	leastR         = 0.5 // less is not worth to be told
)

// Along tells which series went along with one of them over the same rows: at most 50, the
// most alike first. Values are NaN where there are none. Outliers are clipped, so that one
// does not make two series alike; and series of which each value is near the one before have
// to be more alike than others, since two that drift are alike by chance (Bartlett's number
// of independent values).
func Along[F float32 | float64](chosen int, series [][]F, mostLag int) []Companion {
	var a aligner
	reference := slices.Clone(clip(&a, series[chosen]))
	if reference == nil {
		return nil
	}
	memory := a.persistence(reference, 0)
	var out []Companion
	for i, values := range series {
		other := clip(&a, values)
		if i == chosen || other == nil {
			continue
		}
		if r, n := correlation(reference, other, 0); a.holds(r, n, memory*a.persistence(other, memory), len(series)) {
			out = append(out, Companion{Series: i, R: r})
		}
	}
	slices.SortStableFunc(out, func(x, y Companion) int { return cmp.Compare(math.Abs(y.R), math.Abs(x.R)) })
	out = out[:min(len(out), mostCompanions)]
	for i := range out {
		out[i].seek(reference, clip(&a, series[out[i].Series]), mostLag)
	}
	slices.SortStableFunc(out, func(x, y Companion) int { return cmp.Compare(math.Abs(y.R), math.Abs(x.R)) })
	return out
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

// seek finds the lag at which a companion is most alike. Only one that is clearly better
// than none counts.
func (c *Companion) seek(reference, other []float64, most int) {
	most = min(most, len(reference)/4)
	best := math.Abs(c.R) * 1.02
	for lag := -most; lag <= most; lag++ {
		if r, _ := correlation(reference, other, lag); math.Abs(r) > best && r*c.R > 0 {
			best, c.R, c.Lag = math.Abs(r), r, lag
		}
	}
}
