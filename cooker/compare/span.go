// Package compare tells which series changed between two spans of time, and which went
// along with one of them. It is pure: rows of values go in, in order of time, and are
// summed up in fixed memory, however long a span is.
//
// A span is cut into blocks of equal length, and each series has the median of its values
// in each block. What differs from block to block before is how much the series moves by
// itself, slow swings included, which single samples would hide: they follow one another.
package compare

import (
	"math"
	"slices"
	"time"

	"perfdeck/cooker"
)

// Span is what many series were in a span of time.
type Span struct {
	begin  time.Time
	length time.Duration
	blocks int
	facts  []facts
	levels []float64 // of each series its blocks, one behind the other; NaN: no value
	shares []float32 // of the samples of the block those that were not zero; alike

	rows   int       // in the span
	oldest time.Time // of them
	newest time.Time
	block  int           // that is being filled
	kept   Rows[float64] // of it
	counts []int32       // of each series its values in the block
	busy   []int32       // and those that were not zero
	column []float64     // of one series, to be sorted
}

// facts are what is known of a series over the whole span.
type facts struct {
	count, busy int // values, and those that were not zero
	runs        int // of values that were not zero, one behind the other
	low, high   float64
	fractional  bool // not all of them were whole numbers
	lastBusy    bool
}

// mostHeld bounds the rows of a block of which the median is taken: of more every second,
// fourth ... row is. mostValues bounds the values of them.
const (
	mostHeld   = 64
	mostValues = 4 << 20
)

// NewSpan makes a span of so many series, which is filled by Add.
func NewSpan(begin time.Time, length time.Duration, blocks, series int) *Span {
	s := &Span{
		begin: begin, length: max(length, 1), blocks: max(blocks, 1), facts: make([]facts, series),
		kept:   NewRows[float64](series, min(mostHeld, max(mostValues/max(series, 1), 8))),
		counts: make([]int32, series), busy: make([]int32, series),
	}
	s.levels, s.shares = make([]float64, series*s.blocks), make([]float32, series*s.blocks)
	for i := range s.levels {
		s.levels[i] = math.NaN()
	}
	return s
}

// Has tells whether a moment is in the span.
func (s *Span) Has(at time.Time) bool {
	since := at.Sub(s.begin)
	return since >= 0 && since < s.length
}

// Begin is when the span begins.
func (s *Span) Begin() time.Time { return s.begin }

// End is when it ends; that moment is not in it.
func (s *Span) End() time.Time { return s.begin.Add(s.length) }

// Length is how long it is.
func (s *Span) Length() time.Duration { return s.length }

// Rows is how many rows it got.
func (s *Span) Rows() int { return s.rows }

// Add takes a row in: a value for each series, NaN where there is none. One that is not in
// the span is left out. A row before those that came, of a clock that was set back, counts
// in the block that is being filled.
func (s *Span) Add(at time.Time, values []float64) {
	if !s.Has(at) {
		return
	}
	block := int(float64(at.Sub(s.begin)) / float64(s.length) * float64(s.blocks))
	if block = min(block, s.blocks-1); block > s.block {
		s.endBlock()
		s.block = block
	}
	if s.rows++; s.rows == 1 {
		s.oldest = at
	}
	s.newest = at
	for i, v := range values {
		if !cooker.IsFinite(v) {
			continue
		}
		s.counts[i]++
		if v != 0 {
			s.busy[i]++
		}
		s.facts[i].add(v)
	}
	copy(s.kept.Next(at), values)
}

func (f *facts) add(v float64) {
	if f.count == 0 || v < f.low {
		f.low = v
	}
	if f.count == 0 || v > f.high {
		f.high = v
	}
	f.count++
	if v != 0 {
		f.busy++
		if !f.lastBusy {
			f.runs++
		}
		f.fractional = f.fractional || v != math.Trunc(v)
	}
	f.lastBusy = v != 0
}

// endBlock sums the block up that is being filled.
func (s *Span) endBlock() {
	for i := range s.facts {
		s.column = s.column[:0]
		for row := range s.kept.Times {
			if v := s.kept.row(row)[i]; cooker.IsFinite(v) {
				s.column = append(s.column, v)
			}
		}
		slices.Sort(s.column)
		s.levels[i*s.blocks+s.block] = Median(s.column)
		if s.counts[i] > 0 {
			s.shares[i*s.blocks+s.block] = float32(s.busy[i]) / float32(s.counts[i])
		}
	}
	clear(s.counts)
	clear(s.busy)
	s.kept.clear()
}

// end sums up what is left.
func (s *Span) end() {
	if len(s.kept.Times) > 0 {
		s.endBlock()
	}
}

// levelsOf are the levels of a series, NaN in blocks without values.
func (s *Span) levelsOf(series int) []float64 {
	return s.levels[series*s.blocks : (series+1)*s.blocks]
}

// at is the middle of a block, in seconds since the beginning of the other span.
func (s *Span) at(block int, since time.Time) float64 {
	return s.begin.Sub(since).Seconds() + s.length.Seconds()*(float64(block)+0.5)/float64(s.blocks)
}

// sortedOf are the values of a series in its blocks, in the memory of others.
func (s *Span) sortedOf(series int, buf []float64) []float64 {
	buf = buf[:0]
	for _, v := range s.levelsOf(series) {
		if v == v {
			buf = append(buf, v)
		}
	}
	slices.Sort(buf)
	return buf
}

// Median is that of sorted values; NaN: there is none.
func Median(sorted []float64) float64 {
	n := len(sorted)
	if n == 0 {
		return math.NaN()
	}
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// Interval is the usual time between two rows; 0: not known.
func (s *Span) Interval() time.Duration {
	if s.rows < 2 {
		return 0
	}
	return s.newest.Sub(s.oldest) / time.Duration(s.rows-1)
}

// Blocks is in how many blocks the time before is cut.
const Blocks = 48

// BlocksFor is in how many blocks a span is cut, so that they are as long as those of the
// time before it is compared with.
func BlocksFor(span, before time.Duration) int {
	return min(max(int(math.Round(Blocks*span.Seconds()/max(before.Seconds(), 1))), 1), 4*Blocks)
}
