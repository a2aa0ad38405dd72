package alert

import (
	"time"

	"perfdeck/cooker"
)

// The limits of trends.
const (
	MinTrend = time.Minute
	MaxTrend = MaxInterval
	// trendBuckets are the means that are kept of a value, whatever the time: 16 bytes each.
	trendBuckets = 60
	// A trend is known as soon as values of this part of its time were seen,
	trendPart = 4
	// in so many of the buckets; and a rule asks for so many samples in its time.
	trendLeast = 3
	// trendLost is how many samples in a row may lack before a trend begins anew.
	trendLost = 3
)

// trend is how much a value grows in an hour: the least-squares slope over the newest
// values. It keeps means of a sixtieth of its time, and weighs them by their samples.
type trend struct {
	over    time.Duration
	buckets [trendBuckets]trendBucket // by slot modulo their count
	slot    int64                     // the newest
	last    time.Duration             // of the newest value
	begun   bool
	lacking int // samples without a value since
}

// trendBucket is the mean of the values of a slot.
type trendBucket struct {
	value float64
	at    float32 // seconds since the slot began
	n     uint32  // 0: there is none
}

func newTrend(over time.Duration) *trend { return &trend{over: over} }

// wide is how long a bucket is.
func (t *trend) wide() time.Duration { return max(t.over/trendBuckets, 1) }

// reset begins anew.
func (t *trend) reset() { *t = trend{over: t.over} }

// observe adds a value and returns the trend in units per hour. Before enough was seen there
// is none; where the value is absent there is none for the same reason, but for what was
// idle: that is left out. missed is how many samples are lacking before this one, gap that
// they cannot be bridged. now is monotonic.
func (t *trend) observe(now time.Duration, v cooker.Value, missed int, gap bool) cooker.Value {
	if gap || missed > trendLost || t.begun && now < t.last {
		t.reset()
	}
	f, ok := v.Float()
	switch {
	case ok:
		t.lacking = 0
		t.add(now, f)
	case v.Status() != cooker.ZeroBase:
		if t.lacking++; t.lacking > trendLost {
			t.reset()
		}
		return cooker.Absent(v.Status())
	}
	if perHour, known := t.slope(); known {
		return cooker.FloatValue(perHour)
	}
	return cooker.Absent(cooker.FirstSample)
}

func (t *trend) add(now time.Duration, f float64) {
	slot := int64(now / t.wide())
	switch {
	case !t.begun || slot-t.slot >= trendBuckets:
		t.buckets = [trendBuckets]trendBucket{}
	default:
		for s := t.slot + 1; s <= slot; s++ {
			t.buckets[t.index(s)] = trendBucket{}
		}
	}
	t.slot, t.last, t.begun = slot, now, true
	b := &t.buckets[t.index(slot)]
	b.n++
	// Means that go along keep a value that does not change as it is.
	b.value += (f - b.value) / float64(b.n)
	b.at += (float32((now - time.Duration(slot)*t.wide()).Seconds()) - b.at) / float32(b.n)
}

// index is where a slot is kept; slots may be below 0.
func (t *trend) index(slot int64) int {
	return int((slot%trendBuckets + trendBuckets) % trendBuckets)
}

// slope is the least-squares slope, per hour. known is false as long as too little was seen.
func (t *trend) slope() (perHour float64, known bool) {
	if !t.begun {
		return 0, false
	}
	wide := t.wide().Seconds()
	var weight, at, value, first, last float64
	used := 0
	for i := range int64(trendBuckets) {
		back := trendBuckets - 1 - i // the oldest first
		b := &t.buckets[t.index(t.slot-back)]
		if b.n == 0 {
			continue
		}
		x := float64(b.at) - float64(back)*wide // seconds since the newest slot began
		if last = x; used == 0 {
			first = x
		}
		used++
		weight += float64(b.n)
		part := float64(b.n) / weight
		at += (x - at) * part
		value += (b.value - value) * part
	}
	if used < trendLeast || last-first < t.over.Seconds()/trendPart {
		return 0, false
	}
	var square, product float64
	for back := range int64(trendBuckets) {
		if b := &t.buckets[t.index(t.slot-back)]; b.n > 0 {
			x := float64(b.at) - float64(back)*wide - at
			square += float64(b.n) * x * x
			product += float64(b.n) * x * (b.value - value)
		}
	}
	perHour = product / square * time.Hour.Seconds()
	return perHour, cooker.IsFinite(perHour)
}
