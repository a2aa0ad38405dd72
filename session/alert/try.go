package alert

import (
	"cmp"
	"math"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
)

// Past is the history of one value.
type Past struct {
	Nanos  []int64   // wall clock, Unix nanoseconds, oldest first
	Values []float32 // one for each; NaN: there was none
	// Rate marks values over the time since the one before: over a longer time
	// they are averaged. Of others the newest counts.
	Rate bool
}

// PastOf is the history that a snapshot keeps of a counter.
func PastOf(t session.Timeline, s session.Series, c *session.Counter) Past {
	info, _ := c.Type.Info()
	p := Past{Nanos: t.Nanos, Values: s.Values, Rate: info.Samples == 2}
	if ahead := int64(s.First) - int64(t.First); ahead >= 0 {
		p.Nanos = p.Nanos[min(int(ahead), len(p.Nanos)):]
	} else {
		p.Values = p.Values[min(int(-ahead), len(p.Values)):]
	}
	n := min(len(p.Nanos), len(p.Values))
	p.Nanos, p.Values = p.Nanos[:n], p.Values[:n]
	return p
}

// Crossing is one alert that a rule would have fired.
type Crossing struct {
	From time.Time
	To   time.Time // zero: it fires still
	Peak float64
	Held bool // it would have begun in quiet hours
}

// Trial says what a rule would have done.
type Trial struct {
	Crossings []Crossing
	Samples   int // of the rule's interval
	Lacking   int // of them, without a value
}

// Try runs a rule over a history: how often would it have fired? every is the
// interval of a rule without one, 0 for DefaultInterval; zone that of its quiet
// hours. A rule about a host, or with a formula, finds nothing.
func Try(r Rule, p Past, every time.Duration, zone *time.Location) Trial {
	if r.Interval != 0 && r.Interval != Once {
		every = r.Interval
	}
	t := trial{rule: &r, judge: newJudge(&r), trend: newTrend(r.Trend), zone: zone, every: max(cmp.Or(every, DefaultInterval), MinInterval)}
	if t.zone == nil {
		t.zone = time.Local
	}
	for at := 0; at < len(p.Nanos) && r.Kind != HostLost && r.Value == nil; {
		if r.Interval == Once && t.Samples > 0 {
			break
		}
		at = t.judgeInterval(p, at)
	}
	return t.Trial
}

// trial is a rule on its way through a history.
type trial struct {
	Trial
	rule    *Rule
	zone    *time.Location
	every   time.Duration
	judge   judge
	trend   *trend
	now     time.Duration // since the first sample; never goes back
	last    int64
	absent  time.Duration // since when there is no value
	lacking bool
}

// judgeInterval judges the samples of one interval and returns where the next begins.
func (t *trial) judgeInterval(p Past, at int) (next int) {
	end := p.Nanos[at] + int64(t.every)
	value, n, sum := math.NaN(), 0, 0.0
	for next = at; next < len(p.Nanos) && p.Nanos[next] < end && p.Nanos[next] >= p.Nanos[at]; next++ {
		if v := float64(p.Values[next]); v == v {
			value, n, sum = v, n+1, sum+v
		}
	}
	if p.Rate && n > 0 {
		value = sum / float64(n)
	}
	missed := 0
	if t.last != 0 && p.Nanos[at] > t.last {
		passed := time.Duration(p.Nanos[at] - t.last)
		t.now += passed
		missed = max(0, int(min(passed/t.every, MaxOf))-1)
	}
	t.last = p.Nanos[at]
	t.Samples++
	if t.rule.Trend > 0 {
		value = t.trend.of(t.now, value, missed)
	}
	t.judgeSample(time.Unix(0, p.Nanos[next-1]), value, missed)
	return next
}

// judgeSample judges one sample.
func (t *trial) judgeSample(at time.Time, value float64, missed int) {
	kind := measured
	if value != value { // NaN
		kind = unknown
		t.Lacking++
	}
	switch t.judgeOne(kind, value, missed) {
	case fires:
		t.Crossings = append(t.Crossings, Crossing{From: at, Peak: value, Held: t.rule.quietAt(at, t.zone)})
	case clears:
		t.Crossings[len(t.Crossings)-1].To = at
	case stays:
	}
	if t.judge.firing && kind == measured {
		last := &t.Crossings[len(t.Crossings)-1]
		if worse(t.rule, value, cooker.FloatValue(last.Peak)) {
			last.Peak = value
		}
	}
}

func (t *trial) judgeOne(kind sampleKind, value float64, missed int) verdict {
	if t.rule.Kind == NoValue {
		return t.judgePresence(kind == measured)
	}
	return t.judge.judge(t.now, kind, value, missed)
}

func (t *trial) judgePresence(there bool) verdict {
	switch {
	case there && t.judge.firing:
		t.judge.end(t.now)
		t.lacking = false
		return clears
	case there:
		t.lacking = false
	case !t.lacking:
		t.lacking, t.absent = true, t.now
	case !t.judge.firing && !t.judge.rests(t.now) && t.now-t.absent >= t.rule.after():
		t.judge.firing = true
		return fires
	}
	return stays
}
