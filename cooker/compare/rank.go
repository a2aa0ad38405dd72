package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"perfdeck/cooker"
)

// Kind is what happened to a series.
type Kind uint8

// The kinds.
const (
	Level Kind = iota // it is higher or lower
	Often             // it was mostly zero, and is not zero more or less often
	New               // it has values, and had none
	Gone              // it has none, and had
)

// Change is a series that changed.
type Change struct {
	Series int
	Kind   Kind
	// From and To are the medians before and in the span; of Often the shares of samples
	// that were not zero, 0 to 1. Before New and after Gone there is none: 0.
	From, To float64
	// Times is how many times its own spread it went, below 0: down. It is 0 of New and
	// Gone, and never more than mostTimes.
	Times float64
	// Usual tells that the same time of other days was looked at too: Times is of whichever
	// of the two it differs from less.
	Usual bool
	// Strength is what orders them: the share of the larger median by which they differ, times
	// the binary logarithm of 1 + |Times|. What moved by little is not told first because it
	// stood still before, nor noise because it is large. It is 1 of New and Gone.
	Strength float64
}

// Options say what is known of the series.
type Options struct {
	// Least is the spread that a series has at least, in its own unit: what is less than a
	// few of it is not worth to be told. nil: 0.
	Least func(series int) float64
	// Host tells series that come from one place, so that where it gave no values at all
	// nothing is called gone or new. nil: all come from one.
	Host func(series int) any
	// Skip tells series that are no quantity, as IDs: they do not change. nil: all are.
	Skip func(series int) bool
	// Rises tells of steady rises and falls, too, from where they began: who looks on right now
	// wants to know what grows; who compares nights knows what always does.
	Rises bool
	// Usual are the same time of other days. They have one block or more.
	Usual []*Span
}

// Ranking is the answer: what changed, the strongest first.
type Ranking struct {
	Changes []Change
	Judged  int // series that could be judged
	Few     int // with too few samples to tell
}

const (
	mostTimes   = 50   // what went farther is not told apart
	leastValues = 5    // before, of a series that is judged
	leastBlocks = 5    // before
	leastNow    = 3    // values in the span of one that came
	leastSpans  = 4    // as long as it, before, to know how such spans differ
	floorShare  = 0.01 // of the level: the least spread
	leastShare  = 0.05 // the least spread of shares of samples that are not zero
	steady      = 0.7  // Kendall's tau from which the levels before are a trend
	leastStep   = 0.05 // of the larger: the least step from one constant to another
	leastRise   = 0.1  // of the larger: the least steady rise that is told
)

// threshold is how many spreads a series has to go. The more series are looked at, the
// farther one goes by chance, about as the quantiles of normal values grow; and the fewer
// blocks there are before, the less is known of the spread, as in Student's t.
func threshold(series, blocks int) float64 {
	return (3 + 0.5*math.Log10(float64(max(series, 1)))) * (1 + 4/float64(max(blocks, 1)))
}

// Rank tells which series changed from one span to the other. Both have the same series.
func Rank(before, during *Span, o Options) Ranking {
	before.end()
	during.end()
	for _, u := range o.Usual {
		u.end()
	}
	if o.Least == nil {
		o.Least = func(int) float64 { return 0 }
	}
	if o.Host == nil {
		o.Host = func(int) any { return nil }
	}
	if o.Skip == nil {
		o.Skip = func(int) bool { return false }
	}
	r := ranker{before: before, during: during, Options: o}
	r.hosts()
	var out Ranking
	for i := range before.facts {
		if o.Skip(i) {
			continue
		}
		c, ok, few := r.judge(i)
		switch {
		case few:
			out.Few++
			continue
		case ok:
			out.Changes = append(out.Changes, c)
		}
		if before.facts[i].count > 0 || during.facts[i].count > 0 {
			out.Judged++
		}
	}
	slices.SortStableFunc(out.Changes, func(a, b Change) int { return cmp.Compare(b.Strength, a.Strength) })
	return out
}

type ranker struct {
	Options

	before, during *Span
	here           [2]map[any][]bool // of each host the blocks with any value, before and in the span
	levels, now    []float64         // of the series that is judged: those that there are
	places         []float64         // of levels, in seconds
	sorted         []float64
	slopes, wholes []float64
	logs           []float64
}

// hosts finds the blocks in which hosts gave anything.
func (r *ranker) hosts() {
	for n, s := range []*Span{r.before, r.during} {
		r.here[n] = map[any][]bool{}
		for i := range s.facts {
			host := r.Host(i)
			blocks := r.here[n][host]
			if blocks == nil {
				blocks = make([]bool, s.blocks)
				r.here[n][host] = blocks
			}
			for b, v := range s.levelsOf(i) {
				blocks[b] = blocks[b] || v == v
			}
		}
	}
}

// presence is in how many of the blocks in which its host gave anything a series has values.
func (r *ranker) presence(n int, s *Span, series int) (has, of int) {
	here := r.here[n][r.Host(series)]
	for b, v := range s.levelsOf(series) {
		if here[b] {
			of++
		}
		if v == v {
			has++
		}
	}
	return has, of
}

// judge compares one series. few tells that too little is known of it.
func (r *ranker) judge(i int) (c Change, ok, few bool) {
	was, is := &r.before.facts[i], &r.during.facts[i]
	had, hadOf := r.presence(0, r.before, i)
	has, hasOf := r.presence(1, r.during, i)
	c.Series = i
	switch {
	case was.count == 0 && is.count == 0:
		return c, false, false
	case was.count == 0:
		c.Kind, c.Strength = New, 1
		return c, hadOf >= leastBlocks && 2*has >= hasOf && is.count >= leastNow && !r.knownOn(i), false
	case is.count == 0:
		c.Kind, c.Strength = Gone, 1
		return c, hasOf > 0 && 10*had >= 9*hadOf && had >= leastBlocks, false
	case had < leastBlocks || was.count < leastValues || 2*has < hasOf || !enough(was.count, is.count, len(r.before.facts)):
		return c, false, true
	}
	r.rankOne(i)
	need := threshold(len(r.before.facts), len(r.levels))
	if isRare(was) && isRare(is) {
		c.Kind = Often
		c.From, c.To = share(was), share(is)
		c.Times = r.often(i, was, is)
	} else {
		c.From, c.To, c.Times, c.Usual = r.level(i, need)
		if r.Rises && math.Abs(c.Times) < need {
			c.From, c.Times = r.rise(c.From, c.To, r.Least(i))
		}
	}
	larger := max(math.Abs(c.From), math.Abs(c.To))
	if math.Abs(c.Times) < need || larger == 0 {
		return c, false, false
	}
	c.Times = min(max(c.Times, -mostTimes), mostTimes)
	c.Strength = math.Log2(1+math.Abs(c.Times)) * min(math.Abs(c.To-c.From)/larger, 1)
	return c, true, false
}

// mostChance is how probable it may be that any of all series is called changed.
const mostChance = 0.05

// enough tells whether so few values can tell anything at all among so many series: where
// all of the new ones lie beyond all before, chance has to be a rare reason of it, which is
// one of the ways to choose so many of all.
func enough(before, now, series int) bool {
	ways := 1.0
	for i := range now {
		if ways *= float64(before+now-i) / float64(i+1); ways*mostChance >= float64(series) {
			return true
		}
	}
	return false
}

// knownOn tells whether a series had values at the same time of another day.
func (r *ranker) knownOn(series int) bool {
	return slices.ContainsFunc(r.Usual, func(u *Span) bool { return u.facts[series].count > 0 })
}

// rankOne takes the levels of a series.
func (r *ranker) rankOne(i int) {
	r.levels, r.places = r.levels[:0], r.places[:0]
	for b, v := range r.before.levelsOf(i) {
		if v == v {
			r.levels, r.places = append(r.levels, v), append(r.places, r.before.at(b, r.before.begin))
		}
	}
	r.now = r.during.sortedOf(i, r.now)
}

// isRare tells a series that is mostly zero: its median tells nothing.
func isRare(f *facts) bool { return 2*f.busy < f.count && f.busy > 0 || f.busy == 0 }

func share(f *facts) float64 { return float64(f.busy) / float64(max(f.count, 1)) }

// often is by how many spreads a series that is mostly zero is not zero more often. Samples
// that are not zero come in runs, which count as one (Anscombe's transform of Poisson
// numbers); and from block to block their share differs by itself.
func (r *ranker) often(i int, was, is *facts) float64 {
	if was.busy == 0 && is.busy == 0 {
		return 0
	}
	ratio := float64(is.count) / float64(was.count)
	runs := 2 * (math.Sqrt(float64(is.runs)+0.375) - math.Sqrt((float64(was.runs)+0.375)*ratio)) / math.Sqrt(1+ratio)
	return nearer(runs, r.share(i, is))
}

// share is by how many spreads the share of samples that are not zero differs.
func (r *ranker) share(i int, is *facts) float64 {
	r.slopes = r.slopes[:0]
	for b, v := range r.before.levelsOf(i) {
		if v == v {
			r.slopes = append(r.slopes, float64(r.before.shares[i*r.before.blocks+b]))
		}
	}
	slices.Sort(r.slopes)
	typical := Median(r.slopes)
	return (share(is) - typical) / max(spread(r.slopes, typical), leastShare)
}

// nearer is the smaller of two distances, 0 if they are not in the same direction.
func nearer(a, b float64) float64 {
	switch {
	case a*b <= 0:
		return 0
	case math.Abs(a) < math.Abs(b):
		return a
	}
	return b
}

// level is the medians before and in the span, and how many spreads are between them. need
// is how many make a change.
func (r *ranker) level(i int, need float64) (from, to, times float64, usual bool) {
	to = Median(r.now)
	r.sorted = r.before.sortedOf(i, r.sorted)
	from = Median(r.sorted)
	least := max(floorShare*math.Abs(from), r.Least(i))
	was, is := &r.before.facts[i], &r.during.facts[i]
	if !was.fractional && !is.fractional {
		least = max(least, 1)
	}
	if was.low == was.high && is.low == is.high { // one constant, then another
		if step := math.Abs(to-from) / max(math.Abs(to), math.Abs(from), math.SmallestNonzeroFloat64); step >= leastStep {
			times = math.Copysign(need*(1+step), to-from)
		}
		return r.asUsual(i, from, to, times, max(least, floorShare*math.Abs(to)))
	}
	least = max(least, floorShare*math.Abs(to)/4)
	wide := max(bounded(r.sorted, from), least)
	times = (to - from) / wide
	if beyond(r.sorted, to, from) > len(r.sorted)/25 {
		return from, to, 0, false // it was there before
	}
	if math.Abs(times) < need && math.Abs(to-from) > wide {
		times = farther(times, r.asWhole(r.levels, to, max(least, wide/math.Sqrt(float64(len(r.now)))), need))
	}
	if math.Abs(times) >= need && isRare(was) {
		times = nearer(times, math.Copysign(r.share(i, is), times)) // it is the share that rises or falls
	}
	if math.Abs(times) >= need && isSkewed(r.sorted, from) {
		times = nearer(times, r.inLogs(to, from, need))
	}
	if math.Abs(times) >= need {
		times = nearer(times, r.trend(to, wide))
	}
	return r.asUsual(i, from, to, times, wide)
}

// asUsual takes other days into account.
func (r *ranker) asUsual(i int, from, to, times, wide float64) (_, _, _ float64, usual bool) {
	r.slopes = r.slopes[:0]
	for _, u := range r.Usual {
		if typical := Median(u.sortedOf(i, nil)); typical == typical {
			r.slopes = append(r.slopes, typical)
		}
	}
	if len(r.slopes) == 0 || times == 0 {
		return from, to, times, false
	}
	slices.Sort(r.slopes)
	typical := Median(r.slopes)
	return from, to, nearer(times, (to-typical)/max(spread(r.slopes, typical), wide, math.SmallestNonzeroFloat64)), true
}

// spread is how far levels lie around their median, as a standard deviation: the larger of
// what half of them and of what 80 % of them keep to.
func spread(sorted []float64, median float64) float64 {
	n := len(sorted)
	tail := sorted[n-1-n/10] - sorted[n/10]
	return max(Sigma*Distance(sorted, median), tail/2.563)
}

// Sigma times the median distance is the standard deviation of normal values.
const Sigma = 1.4826

// Distance is the median of the distances of sorted values from their median.
func Distance(sorted []float64, median float64) float64 {
	// Two ends close in on it.
	n := len(sorted)
	lo, hi, last := 0, n-1, 0.0
	for range n - n/2 {
		if below, above := median-sorted[lo], sorted[hi]-median; below > above {
			last, lo = below, lo+1
		} else {
			last, hi = above, hi-1
		}
	}
	return last
}

// bounded is spread of what may swing between two ends: it lies near these most of the
// time, so its spread is no more than its farthest level tells, which of n normal values is
// as a rule at least so many standard deviations away.
func bounded(sorted []float64, median float64) float64 {
	n := len(sorted)
	ends := max(0.7*math.Sqrt(2*math.Log(float64(n))), 1)
	return min(spread(sorted, median), max(median-sorted[0], sorted[n-1]-median)/ends)
}

// isSkewed tells levels above 0 that reach much farther up than down, as times may do.
func isSkewed(sorted []float64, median float64) bool {
	n := len(sorted)
	return sorted[0] > 0 && sorted[n-1-n/10]-median > 1.5*(median-sorted[n/10])
}

// inLogs is by how many spreads the logarithms differ: what is skewed goes by factors.
func (r *ranker) inLogs(to, from, need float64) float64 {
	if to <= 0 {
		return math.Inf(-1)
	}
	r.logs, r.slopes = r.logs[:0], r.slopes[:0]
	for i := range r.levels {
		r.logs = append(r.logs, math.Log(r.levels[i]))
		r.slopes = append(r.slopes, math.Log(r.sorted[i]))
	}
	to, from = math.Log(to), math.Log(from)
	wide := max(spread(r.slopes, from), floorShare)
	return farther((to-from)/wide, r.asWhole(r.logs, to, wide/math.Sqrt(float64(len(r.now))), need))
}

// farther is the larger of two distances, the first if they are not in the same direction.
func farther(a, b float64) float64 {
	if a*b > 0 && math.Abs(b) > math.Abs(a) {
		return b
	}
	return a
}

// asWhole is by how many spreads the level differs from those of spans as long as the one
// that is looked at, before it: what swings faster than that is no news in it. There are
// fewer of them than of blocks, which makes need more; and they overlap, so half as many
// count. 0: there are too few, or one of them was there already.
func (r *ranker) asWhole(levels []float64, to, least, need float64) float64 {
	k := len(r.now)
	if len(levels)/k < leastSpans {
		return 0
	}
	r.wholes = r.wholes[:0]
	for first := 0; first+k <= len(levels); first++ {
		r.slopes = append(r.slopes[:0], levels[first:first+k]...)
		slices.Sort(r.slopes)
		r.wholes = append(r.wholes, Median(r.slopes))
	}
	slices.Sort(r.wholes)
	typical := Median(r.wholes)
	if beyond(r.wholes, to, typical) > 0 {
		return 0
	}
	times := (to - typical) / max(spread(r.wholes, typical), least, math.SmallestNonzeroFloat64)
	return times * need / threshold(len(r.before.facts), len(levels)/k/2)
}

// beyond is how many levels were as far from the median as the new one, or farther.
func beyond(sorted []float64, to, median float64) int {
	if to >= median {
		at, _ := slices.BinarySearch(sorted, to)
		return len(sorted) - at
	}
	at, _ := slices.BinarySearch(sorted, math.Nextafter(to, math.Inf(1)))
	return at
}

// rise is from where a series rose or fell steadily, and by how many spreads around its line; as
// it was and 0 where it did not, or not on into the span.
func (r *ranker) rise(was, to, least float64) (from, times float64) {
	tau, slope, base, rest := r.line()
	if math.Abs(tau) < steady || (to-r.levels[len(r.levels)-1])*slope <= 0 {
		return was, 0
	}
	if from = base + slope*r.places[0]; math.Abs(to-from) < leastRise*max(math.Abs(to), math.Abs(from)) {
		return was, 0
	}
	return from, (to - from) / max(rest, least, floorShare*math.Abs(to), math.SmallestNonzeroFloat64)
}

// trend is by how many spreads the new level differs from where the levels before, if they
// rose or fell steadily, would have come by then. Without a trend nothing is known: infinitely
// many, in the direction in which it went.
func (r *ranker) trend(to, wide float64) float64 {
	tau, slope, base, rest := r.line()
	if math.Abs(tau) < steady {
		return math.Copysign(math.Inf(1), to-r.sorted[len(r.levels)/2])
	}
	at := r.during.at(0, r.before.begin) + (r.during.length.Seconds()-r.during.length.Seconds()/float64(r.during.blocks))/2
	return (to - (base + slope*at)) / max(rest, floorShare*math.Abs(to), wide/10)
}

// line is the line through the levels before by Theil and Sen's slope, a second, and its base, how
// far they lie around it, and Kendall's tau: below steady there is no line.
func (r *ranker) line() (tau, slope, base, rest float64) {
	n := len(r.levels)
	r.slopes = r.slopes[:0]
	signs := 0
	for i := range n {
		for j := i + 1; j < n; j++ {
			d := r.levels[j] - r.levels[i]
			switch {
			case d > 0:
				signs++
			case d < 0:
				signs--
			}
			r.slopes = append(r.slopes, d/(r.places[j]-r.places[i]))
		}
	}
	if tau = float64(signs) / float64(len(r.slopes)); math.Abs(tau) < steady {
		return tau, 0, 0, 0 // the rest is of no use
	}
	slices.Sort(r.slopes)
	slope = Median(r.slopes)
	r.slopes = r.slopes[:0]
	for i, v := range r.levels {
		r.slopes = append(r.slopes, v-slope*r.places[i])
	}
	slices.Sort(r.slopes)
	base = Median(r.slopes)
	return tau, slope, base, spread(r.slopes, base)
}

// String is the word of the kind.
func (k Kind) String() string {
	return [...]string{Level: "level", Often: "often", New: "new", Gone: "gone"}[k]
}

// Words is how much a series changed, in words.
func (c *Change) Words() string {
	ratio := c.To / c.From
	switch up := c.To > c.From; {
	case c.Kind == New, c.Kind == Gone:
		return c.Kind.String()
	case c.Kind == Often && up:
		return "more often"
	case c.Kind == Often:
		return "less often"
	case c.From == 0:
		return "from 0"
	case c.To == 0:
		return "to 0"
	case ratio < 0 && up:
		return "up"
	case ratio < 0:
		return "down"
	case ratio >= 10:
		return strconv.FormatFloat(math.Round(ratio), 'f', -1, 64) + " times"
	case ratio >= 2:
		return strconv.FormatFloat(ratio, 'f', 1, 64) + " times"
	}
	return fmt.Sprintf("%+.0f %%", 100*(ratio-1))
}

// IsUp tells whether it went up, or came.
func (c *Change) IsUp() bool { return c.Kind == New || c.Kind != Gone && c.To > c.From }

// TimeBefore is how much time before a span it is compared with, where there is as much.
func TimeBefore(span time.Duration) time.Duration {
	const times, least = 12, 30 * time.Minute
	return max(min(span, math.MaxInt64/(2*times))*times, least)
}

// Least is the spread that a counter has at least, in its own unit: half a point of a
// percentage. Of others nothing can be told by their type.
func Least(q cooker.Quantity) float64 {
	if q.Kind == cooker.Percent {
		return 0.5
	}
	return 0
}
