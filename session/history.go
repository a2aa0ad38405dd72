package session

import (
	"math"
	"slices"
	"sort"
	"time"

	"perfdeck/cooker"
)

// The history of what is shown is kept in rings of float32 with one shared
// column of times. A ring here is an append-only buffer of which the last n
// values count: when it is full, they move to a fresh buffer. So a reader can
// hold a slice of it while the writer goes on, without a copy or a lock.

// ring is the last n values of one kind.
type ring[T any] struct {
	n   int
	buf []T
}

// add appends v and forgets what is older than n values.
func (r *ring[T]) add(v T) {
	if len(r.buf) == cap(r.buf) {
		keep := r.buf[max(0, len(r.buf)-r.n+1):]
		// A quarter to spare: one move for every n/4 values.
		fresh := make([]T, len(keep), min(len(keep)*2, r.n+r.n/4)+8)
		copy(fresh, keep)
		r.buf = fresh
	}
	r.buf = append(r.buf, v)
}

// last returns the values that count, oldest first. They never change.
func (r *ring[T]) last() []T {
	v := r.buf[max(0, len(r.buf)-r.n):]
	return slices.Clip(v)
}

// series is the history of one counter of one instance.
type series struct {
	key    seriesKey
	values ring[float32]
	rests  ring[float32] // as Series.Rests, of counters that show all digits
	texts  *textHistory  // nil: it is no text so far
	next   uint64        // absolute number of the sample that comes next
	used   uint64        // tick at which it was last asked for
	row    int           // of its instance at that tick
	place  int           // among the histories, when they were listed last
}

// textHistory is what a text counter showed, sample by sample: which it was from one on,
// until it was another. It does not change.
type textHistory struct{ changes ring[textChange] }

type textChange struct {
	from  uint64 // absolute number of a sample
	value cooker.Value
}

// putText stores the text of sample number at, or why there is none, before put.
func (s *series) putText(at uint64, v cooker.Value, filled bool) {
	if at > s.next && !filled && s.texts != nil {
		s.changeText(s.next, cooker.Absent(cooker.Gap))
	}
	s.changeText(at, v)
}

func (s *series) changeText(at uint64, v cooker.Value) {
	var h textHistory
	if s.texts != nil {
		h = *s.texts
	}
	if n := len(h.changes.buf); n > 0 && h.changes.buf[n-1].value == v {
		return
	}
	h.changes.n = s.values.n
	h.changes.add(textChange{at, v})
	s.texts = &h
}

// put stores the value of sample number at, NaN where there is none. Samples
// that were passed over become NaN, or the value where it is filled in.
func (s *series) put(at uint64, f float64, filled bool) {
	if skipped := at - s.next; skipped > 0 && len(s.values.buf) > 0 {
		gap := math.NaN()
		if filled {
			gap = f
		}
		for range min(skipped, uint64(s.values.n)) {
			s.add(gap)
		}
	}
	s.add(f)
	s.next = at + 1
}

func (s *series) add(f float64) {
	v := float32(f)
	s.values.add(v)
	if s.rests.n > 0 {
		s.rests.add(float32(f - float64(v)))
	}
}

// Series is the recent history of one counter of one instance. A gap is NaN.
type Series struct {
	First  uint64    // absolute number of the sample Values[0]
	Values []float32 // oldest first; do not change
	// Rests are what Values lack of the numbers, kept of counters that show all their
	// digits; nil of others.
	Rests []float32

	texts *textHistory
}

// Text is what a text counter showed in the newest sample before number end; ok is
// false where no text is kept.
func (s Series) Text(end uint64) (v cooker.Value, ok bool) {
	if s.texts == nil || s.First+uint64(len(s.Values)) < end {
		return v, false
	}
	changes := s.texts.changes.last()
	i := sort.Search(len(changes), func(i int) bool { return changes[i].from >= end })
	if i == 0 || end <= s.First {
		return v, false
	}
	return changes[i-1].value, true
}

// At is the number of sample n, NaN where there is none.
func (s Series) At(n uint64) float64 {
	i := n - s.First
	switch {
	case n < s.First || i >= uint64(len(s.Values)):
		return math.NaN()
	case s.Rests == nil:
		return float64(s.Values[i])
	}
	return float64(s.Values[i]) + float64(s.Rests[i])
}

// view returns the series as readers see it.
func (s *series) view() Series {
	v := s.values.last()
	out := Series{First: s.next - uint64(len(v)), Values: v, texts: s.texts}
	if s.rests.n > 0 {
		out.Rests = s.rests.last()
	}
	return out
}

// Timeline is the shared time column of the series of one feed.
type Timeline struct {
	First uint64  // absolute number of the sample Nanos[0]
	Nanos []int64 // wall clock, Unix nanoseconds, oldest first; do not change
}

// At returns the time of sample n, the zero time when it is not kept.
func (t Timeline) At(n uint64) time.Time {
	if n < t.First || n-t.First >= uint64(len(t.Nanos)) {
		return time.Time{}
	}
	return time.Unix(0, t.Nanos[n-t.First])
}

// Next is the absolute number of the sample that comes next.
func (t Timeline) Next() uint64 { return t.First + uint64(len(t.Nanos)) }

// Window is what a series shows of its last samples.
type Window struct {
	Min, Max, Mean float64
	Count          int // samples with a value
}

// Window sums up the last n samples up to the sample before end.
func (s Series) Window(end uint64, n int) Window {
	low, high := math.Inf(1), math.Inf(-1)
	sum, count := 0.0, 0
	lo, hi := s.span(end, n)
	for i, v := range s.Values[lo:hi] {
		if v != v { // NaN: no value
			continue
		}
		f := float64(v)
		if s.Rests != nil {
			f += float64(s.Rests[lo+i])
		}
		if f < low {
			low = f
		}
		if f > high {
			high = f
		}
		sum += f
		count++
	}
	if count == 0 {
		return Window{}
	}
	return Window{Min: low, Max: high, Mean: sum / float64(count), Count: count}
}

// Slice returns at most n samples before the absolute sample number end. It is
// shorter where the series does not reach back so far; Align tells how much.
func (s Series) Slice(end uint64, n int) []float32 {
	lo, hi := s.span(end, n)
	if hi <= lo {
		return nil
	}
	return s.Values[lo:hi]
}

// span is the places of these samples in Values.
func (s Series) span(end uint64, n int) (from, to int) {
	have := s.First + uint64(len(s.Values))
	hi := min(end, have)
	lo := s.First
	if end > uint64(n) {
		lo = max(lo, end-uint64(n))
	}
	if hi <= lo {
		return 0, 0
	}
	return int(lo - s.First), int(hi - s.First)
}
