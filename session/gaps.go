package session

import (
	"math"
	"sort"
	"time"
)

// How samples follow each other: a host that does not answer leaves a gap.

// GapAfter is how long a sample takes at most that comes after a usual interval: behind it there is
// a gap, of two samples or more, and nobody knows what was in it.
func GapAfter(usual time.Duration) time.Duration { return min(usual, math.MaxInt64/5) * 5 / 2 }

// IsBroken tells whether there is a gap before sample i: the host did not answer,
// or the clock was set back.
func IsBroken(nanos []int64, i int) bool {
	if i < 1 || i >= len(nanos) {
		return false
	}
	apart := nanos[i] - nanos[i-1]
	if apart <= 0 {
		return true
	}
	usual := usualAt(nanos, i)
	return usual > 0 && apart > int64(GapAfter(time.Duration(usual)))
}

// usualAt is the usual interval around that which ends with sample i, by the others.
func usualAt(nanos []int64, i int) int64 {
	usual := UsualInterval(nanos[:i], true)
	if usual == 0 { // it is the first one: the interval behind it tells most
		return UsualInterval(nanos[i:min(len(nanos), i+2)], false)
	}
	return max(usual, UsualInterval(nanos[i:], false))
}

// Every is how far apart samples usually are around a moment; 0: it is not known.
func (t Timeline) Every(at time.Time) time.Duration {
	return time.Duration(usualAt(t.Nanos, Behind(t.Nanos, at.UnixNano())))
}

// Missed is how many beats an interval lacks.
func Missed(interval, usual time.Duration) int {
	if usual <= 0 {
		return 0
	}
	const most = 1 << 30 // so that it fits any int
	return int(min(max(math.Round(float64(interval)/float64(usual))-1, 0), most))
}

// Behind is the first of the samples after a moment.
func Behind(nanos []int64, moment int64) int {
	return sort.Search(len(nanos), func(i int) bool { return nanos[i] > moment })
}

// IsLate tells whether a moment after sample i is one at which the next sample
// should have come.
func IsLate(nanos []int64, i int, moment int64) bool { return moment > LateFrom(nanos, i) }

// LateFrom is the last moment, in Unix ns, at which sample i counts as the newest.
func LateFrom(nanos []int64, i int) int64 {
	usual := usualAt(nanos, i+1)
	if hold := int64(GapAfter(time.Duration(usual))); usual > 0 && hold < math.MaxInt64-max(0, nanos[i]) {
		return nanos[i] + hold
	}
	return math.MaxInt64
}

// UsualInterval is the median of the intervals of the last (or first) samples
// in ns, 0 if there are not two. One lost answer more or less does not change it, and
// the user's change of the interval does soon.
func UsualInterval(nanos []int64, last bool) int64 {
	const most = 5
	if last {
		nanos = nanos[max(0, len(nanos)-most-1):]
	} else {
		nanos = nanos[:min(len(nanos), most+1)]
	}
	var sorted [most]int64
	n := 0
	for i := 1; i < len(nanos); i++ {
		d, at := nanos[i]-nanos[i-1], n
		for ; at > 0 && sorted[at-1] > d; at-- {
			sorted[at] = sorted[at-1]
		}
		sorted[at] = d
		n++
	}
	if n == 0 {
		return 0
	}
	return max(0, sorted[(n-1)/2])
}
