package logs

import (
	"math"
	"slices"
)

// sketch keeps the distribution of any number of values in fixed memory: it counts
// them in buckets that grow by 1 %, so a quantile is within 1 % of the value of
// that rank (DDSketch: Masson, Rim, Lee, "DDSketch: a fast and fully-mergeable
// quantile sketch with relative-error guarantees", VLDB 2019). Within a bucket
// values are taken to lie evenly. When there are too many buckets they are merged
// in pairs, which doubles the error (UDDSketch: Epicoco et al., 2020). The first few
// values are kept as they are.
type sketch struct {
	few                []float64
	many               bool // too many for few: it is empty
	positive, negative buckets
	zeros              uint64
}

const (
	gamma       = 1.01 // from bucket to bucket
	mostFew     = 100
	mostBuckets = 1 << 15 // a factor of 10^141 between the largest and the smallest
	// tiny is below what a magnitude counts as zero: it has not all digits any more.
	tiny = 1e-307
)

var bucketsPerE = 1 / math.Log(gamma)

// buckets count values by the logarithm of their magnitude.
type buckets struct {
	first  int // index of counts[0]: values up to gamma^(index*2^merged)
	counts []uint32
	total  uint64
	merged uint // how often pairs were merged
}

func (s *sketch) add(f float64) {
	if s.many {
		s.count(f)
		return
	}
	if s.few = append(s.few, f); len(s.few) > mostFew {
		for _, f := range s.few {
			s.count(f)
		}
		s.few, s.many = nil, true
	}
}

func (s *sketch) count(f float64) {
	switch {
	case f > tiny:
		s.positive.add(f)
	case f < -tiny:
		s.negative.add(-f)
	default:
		s.zeros++
	}
}

func (b *buckets) add(magnitude float64) {
	b.total++
	index := halved(int(math.Ceil(math.Log(magnitude)*bucketsPerE)), b.merged)
	if i := index - b.first; i >= 0 && i < len(b.counts) {
		b.counts[i] = saturated(b.counts[i], 1)
		return
	}
	for len(b.counts) > 0 && max(b.first+len(b.counts), index+1)-min(b.first, index) > mostBuckets {
		b.merge()
		index = halved(index, 1)
	}
	b.reach(index)
	b.counts[index-b.first]++
}

// saturated is a sum that stays at the largest number.
func saturated(a, b uint32) uint32 {
	sum := a + b
	if sum < a {
		return math.MaxUint32
	}
	return sum
}

// halved is the index of the bucket after so many merges.
func halved(index int, merges uint) int { return (index + 1<<merges - 1) >> merges }

// merge makes one bucket of two.
func (b *buckets) merge() {
	first := halved(b.first, 1)
	fresh := make([]uint32, halved(b.first+len(b.counts)-1, 1)-first+1)
	for i, n := range b.counts {
		at := halved(b.first+i, 1) - first
		fresh[at] = saturated(fresh[at], n)
	}
	b.first, b.counts = first, fresh
	b.merged++
}

// reach makes room for a bucket.
func (b *buckets) reach(index int) {
	if len(b.counts) == 0 {
		b.first, b.counts = index, make([]uint32, 1, 64)
		return
	}
	low, high := min(b.first, index), max(b.first+len(b.counts)-1, index)
	spare := max(min(256, (high-low)/2, mostBuckets-(high-low+1)), 0) // more are likely to come
	if index < b.first {
		low -= spare
	} else {
		high += spare
	}
	fresh := make([]uint32, high-low+1)
	copy(fresh[b.first-low:], b.counts)
	b.first, b.counts = low, fresh
}

// value is the n-th smallest magnitude, counted from 0. None is below least or
// above greatest.
func (b *buckets) value(n uint64, least, greatest float64) float64 {
	for i, count := range b.counts {
		if n < uint64(count) {
			width := math.Ldexp(1, int(b.merged)) / bucketsPerE
			low := max(math.Exp(width*float64(b.first+i-1)), least)
			high := min(math.Exp(width*float64(b.first+i)), greatest)
			return low + (high-low)*(float64(n)+0.5)/float64(count)
		}
		n -= uint64(count)
	}
	return 0
}

// quantile is the value of rank q from 0 to 1. least and greatest are those of all
// values.
func (s *sketch) quantile(q, least, greatest float64) float64 {
	if n := len(s.few); n > 0 {
		sorted := slices.Sorted(slices.Values(s.few))
		return sorted[nearestRank(q, uint64(n))]
	}
	total := s.positive.total + s.negative.total + s.zeros
	if total == 0 {
		return 0
	}
	rank := nearestRank(q, total)
	f := 0.0
	switch {
	case rank < s.negative.total:
		f = -s.negative.value(s.negative.total-1-rank, -greatest, -least)
	case rank >= s.negative.total+s.zeros:
		f = s.positive.value(rank-s.negative.total-s.zeros, least, greatest)
	}
	return min(max(f, least), greatest)
}

// nearestRank is which of n sorted values, counted from 0, is the quantile q: the
// smallest that q of all values do not exceed, the ceil(q*n)-th.
func nearestRank(q float64, n uint64) uint64 {
	at := q * float64(n)
	if whole := math.Round(at); math.Abs(at-whole) <= 1e-12*at { // 0.07*100 is above 7
		at = whole
	}
	return uint64(min(max(math.Ceil(at), 1), float64(n))) - 1
}
