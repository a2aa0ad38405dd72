package compare

import (
	"math"
	"time"

	"perfdeck/cooker"
)

// Window is a span with the time before it, of many series: what Rank needs of both, and
// each series as means of short times, which Along and pictures are made of. Its memory
// does not grow with the rows.
type Window struct {
	Before, During *Span

	series  int
	begin   time.Time
	bucket  time.Duration
	buckets int
	means   []float32 // of each series its buckets, one behind the other; NaN: no value

	at     int       // the bucket that is being filled
	came   int       // rows of it
	sums   []float64 // of each series in it
	counts []int32
}

// What a window is cut into, so that a series is drawn and compared with others.
const (
	mostBuckets = 3600
	mostMeans   = 8 << 20 // of all series
)

// NewWindow makes a window of a span and of so much time before it, of so many series
// that are sampled every so often. It is filled by Add.
func NewWindow(from, to time.Time, before, every time.Duration, series int) *Window {
	length := max(to.Sub(from), 1)
	before = max(before, 1)
	w := &Window{
		Before: NewSpan(from.Add(-before), before, Blocks, series),
		During: NewSpan(from, length, BlocksFor(length, before), series),
		series: series, begin: from.Add(-before),
		sums: make([]float64, series), counts: make([]int32, series),
	}
	whole := before + length
	w.buckets = int(min(whole/max(every, 1), mostBuckets, time.Duration(max(mostMeans/max(series, 1), 1))))
	w.buckets = max(w.buckets, 1)
	w.bucket = (whole + time.Duration(w.buckets) - 1) / time.Duration(w.buckets)
	w.means = make([]float32, series*w.buckets)
	for i := range w.means {
		w.means[i] = float32(math.NaN())
	}
	return w
}

// Add takes a row in: a value for each series, NaN where there is none. Rows come in order
// of time; one before those that came, of a clock that was set back, counts where they do.
func (w *Window) Add(at time.Time, values []float64) {
	w.Before.Add(at, values)
	w.During.Add(at, values)
	if !w.Before.Has(at) && !w.During.Has(at) {
		return
	}
	if bucket := min(int(at.Sub(w.begin)/w.bucket), w.buckets-1); bucket > w.at {
		w.endBucket()
		w.at = bucket
	}
	w.came++
	for i, v := range values {
		if cooker.IsFinite(v) {
			w.sums[i] += v
			w.counts[i]++
		}
	}
}

// endBucket sums up the bucket that is being filled.
func (w *Window) endBucket() {
	if w.came == 0 {
		return
	}
	for i, n := range w.counts {
		if n > 0 {
			w.means[i*w.buckets+w.at] = float32(w.sums[i] / float64(n))
		}
	}
	w.came = 0
	clear(w.sums)
	clear(w.counts)
}

// Bucket is how much time a mean is of.
func (w *Window) Bucket() time.Duration { return w.bucket }

// Means are those of a series, oldest first; NaN: no value.
func (w *Window) Means(series int) []float32 {
	w.endBucket()
	return w.means[series*w.buckets : (series+1)*w.buckets]
}

// Rank tells which series changed in the span. Then the window is complete: several may
// read it at a time.
func (w *Window) Rank(o Options) Ranking {
	w.endBucket()
	return Rank(w.Before, w.During, o)
}

// Along tells which series went along with one from a moment on, in the span and before it,
// at most so much time ahead of it or behind.
func (w *Window) Along(chosen int, since time.Time, most time.Duration) []Companion {
	skip := max(0, min(int(w.Share(since)*float64(w.buckets)), w.buckets-1))
	all := make([][]float32, w.series)
	for i := range all {
		all[i] = w.Means(i)[skip:]
	}
	return Along(chosen, all, int(most/w.bucket))
}

// Share is where a moment lies between the begin of the window, 0, and its end, 1.
func (w *Window) Share(at time.Time) float64 {
	return float64(at.Sub(w.begin)) / float64(w.bucket) / float64(w.buckets)
}

// Median is that of the values of a series, told by those of the blocks; NaN: it has none.
func (s *Span) Median(series int) float64 {
	s.end()
	s.column = s.sortedOf(series, s.column)
	return Median(s.column)
}
