package session

import (
	"math"
	"slices"
	"sort"
	"strconv"
	"time"

	"perfdeck/cooker"
)

// The history of what is shown is kept in rings of float32 with one shared
// column of times. A ring here is an append-only buffer of which the last n
// values count: when it is full, they move to a fresh buffer. So a reader can
// hold a slice of it while the writer goes on, without a copy or a lock.
//
// Beside the float32, of 24 bits, stands what numbers lack of which more is shown: all from
// 2^24 on, and those of counters that show all their digits. It takes 8 bytes a sample
// besides the 4, from the first number that lacks some until none of a whole history does:
// page-sized amounts of memory up to 64 GiB, shares, and most counts and rates never do.

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

// skipped is how many samples have to be filled in where so many were passed over.
func (r *ring[T]) skipped(passed uint64) uint64 {
	if len(r.buf) == 0 {
		return 0
	}
	return min(passed, uint64(r.n))
}

// newest is the last value, the zero value without one.
func (r *ring[T]) newest() (v T) {
	if n := len(r.buf); n > 0 {
		v = r.buf[n-1]
	}
	return v
}

// last returns the values that count, oldest first. They never change.
func (r *ring[T]) last() []T {
	v := r.buf[max(0, len(r.buf)-r.n):]
	return slices.Clip(v)
}

// sparse is a ring of what few samples have. It begins with the first that has some, and
// holds nothing where none of the last n has.
type sparse[T any] struct {
	ring[T]
	idle int // samples since the last that had some
}

// put adds what one of the last n samples has.
func (r *sparse[T]) put(v T, has bool, n int) {
	r.n = n
	if r.idle++; has {
		r.idle = 0
	}
	if has || len(r.buf) > 0 && r.idle < n {
		r.add(v)
	} else {
		r.buf = nil
	}
}

// isShort tells whether float32 keeps all digits before the point.
func isShort(number float64) bool { return math.Abs(number) < 1<<24 }

// split parts a value into a float32, NaN where there is no number, and the rest, which join
// puts to it again: doubled, a whole number, or, with 1 added, that of a float64 in its last
// places. fine says that digits behind the point count too.
func split(v cooker.Value, fine bool) (f float32, rest int64) {
	number, ok := v.Float()
	if !ok || math.Abs(number) > math.MaxFloat32 {
		return float32(math.NaN()), 0
	}
	f = float32(number)
	if isShort(number) && !fine || float64(f) == number && !v.IsWhole() {
		return f, 0
	}
	if n, ok := v.Whole(); ok {
		return f, int64(n-wholeOf(f)) << 1
	}
	if n, ok := v.Signed(); ok {
		return f, int64(uint64(n)-wholeOf(f)) << 1
	}
	return f, (int64(math.Float64bits(number))-int64(math.Float64bits(float64(f))))<<1 | 1
}

// join is the value that was split; without a rest, a whole number where it may be one.
func join(f float32, rest int64, whole bool) cooker.Value {
	number := float64(f)
	switch {
	case f != f:
		return cooker.Absent(cooker.Gap)
	case rest&1 != 0:
		return cooker.FloatValue(math.Float64frombits(math.Float64bits(number) + uint64(rest>>1)))
	case rest == 0 && (!whole || number != math.Trunc(number) || number < -1<<63 || number >= 1<<64):
		return cooker.FloatValue(number)
	case f < 0:
		return cooker.DeltaValue(int64(wholeOf(f)) + rest>>1)
	}
	return cooker.WholeValue(wholeOf(f) + uint64(rest>>1))
}

// wholeOf is a whole number in 64 bits, of which those of 2^64 are 0.
func wholeOf(f float32) uint64 {
	switch {
	case f >= 1<<64:
		return 0
	case f < 0:
		return uint64(int64(f))
	}
	return uint64(f)
}

// numbers are the last numbers of one counter of one instance.
type numbers struct {
	values  ring[float32]
	rests   sparse[int64]
	weights *weights // nil: all count alike
	fine    bool     // the counter shows all digits
	whole   bool     // the last number was whole
}

// add adds the value of the sample that comes next.
func (m *numbers) add(v cooker.Value) {
	if v.HasNumber() {
		m.whole = v.IsWhole()
	}
	m.keep(split(v, m.fine))
}

// zeros is what histories share as long as nothing else is in them, as those of processes that
// sleep. Nobody writes to it: what is added to a part of it moves.
var zeros [1024]float32

// areShared tells whether values are those of zeros.
func areShared(values []float32) bool { return len(values) > 0 && &values[0] == &zeros[0] }

// room is how many values a slice has of its own.
func room(values []float32) int {
	if areShared(values) {
		return 0
	}
	return cap(values)
}

// keep adds one that was split.
func (m *numbers) keep(f float32, rest int64) {
	v := &m.values
	if n := len(v.buf); math.Float32bits(f) == 0 && v.n <= len(zeros) && (n == 0 || areShared(v.buf)) {
		n = min(n+1, v.n)
		v.buf = zeros[:n:n]
	} else {
		v.add(f)
	}
	if rest != 0 || m.rests.buf != nil {
		m.rests.put(rest, rest != 0, m.values.n)
	}
}

// before is what readers see of the samples before the absolute number next, of which the
// weights may have more.
func (m *numbers) before(next, weighed uint64) Series {
	v := m.values.last()
	return Series{
		First: next - uint64(len(v)), Values: v, rests: m.rests.last(), fine: m.fine, whole: m.whole, weighed: m.weights.before(weighed),
	}
}

// series is the history of one counter of one instance.
type series struct {
	numbers

	texts *textHistory // nil: it is no text so far
	next  uint64       // absolute number of the sample that comes next
	used  uint64       // tick at which it was last added to
	row   int          // of its instance at that tick
	col   int          // of its counter then
	asked int          // ticks at which it was asked for
	seen  uint64       // sample at which it was asked for last
	isOwn bool         // the weights are

	key   seriesKey
	place int // among the histories, when they were listed last
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

// put stores the value of sample number at. Samples that were passed over are
// gaps, or have the value where it is filled in.
func (s *series) put(at uint64, v cooker.Value, filled bool) {
	gap := cooker.Absent(cooker.Gap)
	if filled {
		gap = v
	}
	for range s.values.skipped(at - s.next) {
		s.add(gap)
	}
	s.add(v)
	s.next = at + 1
}

// Series is the recent history of one counter of one instance. A gap is NaN.
type Series struct { //nolint:recvcheck // what is asked of one sample copies none of it
	First  uint64    // absolute number of the sample Values[0]
	Values []float32 // oldest first, for drawings; do not change

	rests   []int64 // what the newest of Values lack of the numbers; of those before nothing is
	weighed weighed
	fine    bool // all digits are kept
	whole   bool // the numbers are whole where they can be
	texts   *textHistory
}

// End is the absolute number of the sample behind the last one.
func (s Series) End() uint64 { return s.First + uint64(len(s.Values)) }

// With is a series of other values at the same samples.
func (s Series) With(values []float32) Series {
	return Series{First: s.First, Values: values, weighed: s.weighed}
}

// Cut is at most the last n samples before number end. It is shorter where the series does not
// reach so far.
func (s Series) Cut(end uint64, n int) Series {
	to := min(end, s.End())
	from := max(s.First, end-min(end, uint64(n)))
	if from >= to {
		from, to = s.First, s.First
	}
	lacks := s.End() - uint64(len(s.rests))
	s.rests = s.rests[max(from, lacks)-lacks : max(to, lacks)-lacks]
	s.Values, s.First = s.Values[from-s.First:to-s.First], from
	return s
}

// Highest is the highest of Values, 0 where none is above it.
func (s Series) Highest() (most float32) {
	for _, v := range s.Values {
		if v > most {
			most = v
		}
	}
	return most
}

// Text is what a text counter showed in the newest sample before number end; ok is
// false where no text is kept.
func (s Series) Text(end uint64) (v cooker.Value, ok bool) {
	if s.texts == nil || s.End() < end {
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
	if n < s.First || n >= s.End() {
		return math.NaN()
	}
	return s.number(int(n - s.First))
}

// Value is what sample n was: a whole number with all its digits, another one with those
// that are kept.
func (s Series) Value(n uint64) cooker.Value {
	if n < s.First || n >= s.End() {
		return cooker.Absent(cooker.Gap)
	}
	return s.value(int(n - s.First))
}

// rest is what Values[i] lacks.
func (s *Series) rest(i int) int64 {
	if i -= len(s.Values) - len(s.rests); i < 0 {
		return 0
	}
	return s.rests[i]
}

// number is that of Values[i].
func (s *Series) number(i int) float64 {
	if rest := s.rest(i); rest != 0 {
		f, _ := join(s.Values[i], rest, false).Float()
		return f
	}
	return float64(s.Values[i])
}

// value is that of Values[i].
func (s Series) value(i int) cooker.Value {
	f := s.Values[i]
	if !s.fine && f != float32(math.Trunc(float64(f))) {
		// No more digits than tell it from other float32.
		short, _ := strconv.ParseFloat(strconv.FormatFloat(float64(f), 'g', -1, 32), 64)
		return cooker.FloatValue(short)
	}
	return join(f, s.rest(i), s.whole)
}

// view returns the series as readers see it.
func (s *series) view() Series {
	var weighed uint64
	if s.weights != nil {
		weighed = s.weights.next
	}
	out := s.before(s.next, weighed)
	out.texts = s.texts
	return out
}

// clone is the series without what is spare of it.
func (s Series) clone() Series {
	if s.rests = slices.Clone(s.rests); !areShared(s.Values) {
		s.Values = slices.Clone(s.Values)
	}
	if s.weighed.own {
		s.weighed.by = slices.Clone(s.weighed.by)
	}
	return s
}

// size is how many samples of float32 take as much room.
func (s Series) size() int {
	n := room(s.Values) + 2*len(s.rests)
	if s.weighed.own {
		n += len(s.weighed.by)
	}
	return n
}

// from is the samples from a number on.
func (s Series) from(number uint64) Series {
	return s.Cut(s.End(), int(s.End()-min(number, s.End())))
}

// samples is the times of the samples of a feed.
type samples struct {
	times ring[int64]
	next  uint64 // absolute number of the next sample
}

// add takes the time of a sample and gives it its number.
func (s *samples) add(at time.Time) uint64 {
	s.times.add(at.UnixNano())
	s.next++
	return s.next - 1
}

// line is the times that are kept.
func (s *samples) line() Timeline {
	nanos := s.times.last()
	return Timeline{First: s.next - uint64(len(nanos)), Nanos: nanos}
}

// Trail is the newest values of one counter at times of their own.
type Trail struct {
	samples
	numbers
}

// NewTrail keeps so many samples.
func NewTrail(most int) *Trail {
	return &Trail{samples{times: ring[int64]{n: most}}, numbers{values: ring[float32]{n: most}}}
}

// Add adds the value of the sample that comes next, and tells its number.
func (t *Trail) Add(at time.Time, v cooker.Value) uint64 {
	t.numbers.add(v)
	return t.samples.add(at)
}

// Series are those that are kept, of which none changes while values are added.
func (t *Trail) Series() (Timeline, Series) { return t.line(), t.before(t.next, t.next) }

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
	Min, Max, Mean cooker.Value
	MaxAt          uint64 // number of the last sample that is Max
	Count          int    // samples with a value
	ByTime         bool   // Mean is weighted by time, for want of raw samples
}

// Largest is the largest magnitude in a window and of a value beside it, 0 without any.
func (w *Window) Largest(beside cooker.Value) (largest float64) {
	for _, v := range [...]cooker.Value{w.Min, w.Max, beside} {
		if f, ok := v.Float(); ok {
			largest = max(largest, f, -f)
		}
	}
	return largest
}

// Window sums up the last n samples up to the sample before end. Each counts in the mean by the
// interval that it ends, also the first.
func (s Series) Window(end uint64, n int) Window {
	s = s.Cut(end, n)
	low, high := float32(math.Inf(1)), float32(math.Inf(-1))
	lowest, highest := 0, 0
	by, unweighed := s.weighed.from(s.First)
	var sum, weights, plain float64
	count := 0
	for i, v := range s.Values {
		if v != v { // NaN: no value
			continue
		}
		if v < low {
			low, lowest = v, i
		}
		if v >= high {
			high, highest = v, i
		}
		f := float64(v)
		if len(s.rests) > 0 {
			f = s.number(i)
		}
		if at := i - unweighed; 0 <= at && at < len(by) {
			w := float64(by[at])
			sum += f * w
			weights += w
		}
		plain += f
		count++
	}
	if count == 0 {
		return Window{}
	}
	mean := plain / float64(count)
	if weights > 0 {
		mean = sum / weights
	}
	w := Window{Mean: cooker.FloatValue(mean), Count: count, ByTime: s.weighed.byTime && count > 1}
	if s.whole {
		w.Mean = cooker.NumberValue(mean)
	}
	w.Min, _ = s.extreme(cooker.AggregateMin, lowest)
	w.Max, w.MaxAt = s.extreme(cooker.AggregateMax, highest)
	w.Mean = cooker.Within(w.Mean, w.Min, w.Max) // rounding is no change
	return w
}

// extreme is the least or the largest of Values, of which Values[at] is one by the digits of
// float32, and the number of the last sample that is it.
func (s Series) extreme(f cooker.AggregateFunc, at int) (cooker.Value, uint64) {
	if len(s.rests) == 0 {
		return join(s.Values[at], 0, s.whole), s.First + uint64(at)
	}
	of := cooker.Aggregator{Func: f}
	for i, v := range s.Values {
		if v != s.Values[at] {
			continue
		}
		exact := s.value(i)
		if of.Add(exact); of.Value() == exact {
			at = i
		}
	}
	return of.Value(), s.First + uint64(at)
}
