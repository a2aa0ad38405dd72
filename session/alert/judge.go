package alert

import (
	"math/bits"
	"time"

	"perfdeck/paths"
)

// sampleKind says what one sample is worth.
type sampleKind uint8

const (
	measured sampleKind = iota
	// idle: there was nothing to measure, as an average over no operations. What
	// did not happen was not slow.
	idle
	// unknown: a gap, a denial, a host that is lost. It counts neither as beyond
	// the limit nor as well again.
	unknown
)

// verdict is what a sample leads to.
type verdict uint8

const (
	stays verdict = iota
	fires
	clears
)

// test is what a judge needs of a rule, together in few bytes: most of the work of
// a beat is to fetch it.
type test struct {
	limit, clear float64
	cooldown     time.Duration
	kind         Kind
	above        bool // the limit is an upper one
	hasClear     bool
	need, of     uint8
}

func (r *Rule) test() test {
	need, of := r.Counts()
	t := test{
		kind: r.Kind, cooldown: r.Cooldown,
		need: uint8(need), of: uint8(of),
	}
	op, limit := r.Limit()
	t.above, t.limit = op == paths.Above, limit
	if r.Clear != nil {
		t.clear, t.hasClear = *r.Clear, true
	}
	return t
}

// isBeyond tells whether a value is beyond the limit.
func (t *test) isBeyond(value float64) bool {
	if t.above {
		return value > t.limit
	}
	return value < t.limit
}

// isCalm tells whether a value is well again.
func (t *test) isCalm(value float64) bool {
	switch {
	case !t.hasClear:
		return !t.isBeyond(value)
	case t.above:
		return value < t.clear
	}
	return value > t.clear
}

// window are the bits of the samples that count.
func (t *test) window() uint64 { return ^uint64(0) >> (MaxOf - t.of) }

// judge follows the values of one series.
type judge struct {
	test test
	// The last samples, the newest in bit 0: those beyond the limit, and those not
	// known to be beyond the clear level.
	beyond, uncalm uint64
	firing         bool
	rested         bool          // restUntil counts
	restUntil      time.Duration // monotonic end of the cool-down
}

// judge judges a sample. now is monotonic. missed is how many samples are lacking
// before this one.
func (j *judge) judge(now time.Duration, kind sampleKind, value float64, missed int) verdict {
	for range min(missed, int(j.test.of)) {
		j.shift(0, 1)
	}
	switch kind {
	case measured:
		switch {
		case j.test.isBeyond(value):
			j.shift(1, 1)
		case j.test.isCalm(value):
			j.shift(0, 0)
		default:
			j.shift(0, 1)
		}
	case idle:
		j.shift(0, 0)
	case unknown:
		j.shift(0, 1)
		return stays
	}
	switch {
	case !j.firing && j.beyond&1 != 0 && j.hits() >= int(j.test.need) && !j.rests(now):
		j.firing = true
		return fires
	case j.firing && j.uncalm&1 == 0 && bits.OnesCount64(j.uncalm&j.test.window()) < int(j.test.need):
		j.end(now)
		return clears
	}
	return stays
}

// shift notes a sample; the arguments are bits.
func (j *judge) shift(beyond, uncalm uint64) {
	j.beyond, j.uncalm = j.beyond<<1|beyond, j.uncalm<<1|uncalm
}

// rests tells whether the cool-down still runs.
func (j *judge) rests(now time.Duration) bool { return j.rested && now < j.restUntil }

// end notes the end of an alert.
func (j *judge) end(now time.Duration) {
	j.firing = false
	j.rested, j.restUntil = j.test.cooldown > 0, now+j.test.cooldown
}

// resume goes on with an alert that fired before the program was started.
func (j *judge) resume() { j.firing, j.uncalm = true, ^uint64(0) }

// rest goes on with a cool-down.
func (j *judge) rest(until time.Duration) { j.rested, j.restUntil = true, until }

// hits is how many of the last samples were beyond the limit.
func (j *judge) hits() int { return bits.OnesCount64(j.beyond & j.test.window()) }
