package session

import (
	"math"
	"time"
)

// maxMissedBeats is how many beats may be missed before the interval counts as
// a gap instead of a long interval.
const maxMissedBeats = 3

// beat keeps an even rhythm: ticks at n x every of the monotonic clock, so that
// beats of different intervals meet. A tick that comes too
// late is counted as missed and never made up for.
type beat struct {
	every time.Duration
	next  time.Duration // monotonic time of the next tick
	last  Instant       // of the tick before; zero before the first

	onDemand bool // it ticks when somebody asks for it
}

// never is the time of a tick that nobody asked for.
const never = time.Duration(math.MaxInt64)

// start lets the first tick come about one interval after origin.
func (b *beat) start(origin Instant) {
	b.last = origin
	b.retime(origin)
}

// retime lets the next tick come about one interval after the last.
func (b *beat) retime(now Instant) {
	if b.onDemand {
		b.next = never
		return
	}
	earliest := max(b.last.Mono+b.every/2, now.Mono)
	b.next = (earliest + b.every - 1) / b.every * b.every //nolint:durationcheck // a count of intervals, times the interval
}

// due reports whether the next tick has come.
func (b *beat) due(now Instant) bool { return now.Mono >= b.next }

// tick marks the tick as done at now. One after others were missed that comes less
// than a quarter of the interval before the next stands for that, so that no rate is of
// a moment. It returns how many beats were missed since the one before and whether the interval since then is a gap: after the
// computer slept, after a step of the wall clock, after too many missed beats.
func (b *beat) tick(now Instant) (missed int, gap bool) {
	if late := now.Mono - b.next; late >= b.every && !b.onDemand {
		missed = int((late + b.every/4) / b.every)
	}
	if b.onDemand {
		b.next = never
	} else {
		b.next += time.Duration(missed+1) * b.every
	}
	gap = missed > maxMissedBeats || b.stepped(now)
	b.last = now
	return missed, gap
}

// stepped tells whether the two clocks moved apart since the last tick.
func (b *beat) stepped(now Instant) bool {
	if b.last.Wall.IsZero() {
		return false
	}
	apart := now.Wall.Sub(b.last.Wall) - (now.Mono - b.last.Mono)
	return apart.Abs() > max(b.every/2, 500*time.Millisecond)
}
