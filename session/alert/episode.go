package alert

import (
	"time"
)

// Episode is one alert of a recording, from its beginning to its end.
type Episode struct {
	Alert           // as it fired, with the worst value of all of it
	Began time.Time // the first of the samples that fired it
	Until time.Time // when it was well again, or gone; zero: it fires at the end
	Every time.Duration
	Event uint64 // Seq of Fired: see Around
}

// Episodes are the alerts of the course in the order in which they fired.
func (c *Course) Episodes() []Episode {
	out := make([]Episode, 0, len(c.episodes))
	for _, ep := range c.episodes {
		out = append(out, Episode{Alert: ep.alert, Began: ep.began, Until: ep.to, Every: ep.every, Event: ep.event})
	}
	return out
}

// beganAt is when the first of the samples was taken that fire a series now.
func (e *evaluator) beganAt(s *series) time.Time {
	now := e.now.Wall
	if s.rule.Kind != Threshold {
		if s.lacks {
			return now.Add(-max(0, e.now.Mono-s.lackedAt))
		}
		return now
	}
	if s.trail == nil {
		return now
	}
	began, left := now, s.judge.hits()-1 // the sample of now is not in the trail yet
	n := len(s.trail.nanos)
	for i := n - 1; i >= max(0, n-int(s.judge.test.of)) && left > 0; i-- {
		if v := float64(s.trail.values[i]); v == v && s.judge.test.isBeyond(v) {
			began = time.Unix(0, s.trail.nanos[i]).In(now.Location())
			left--
		}
	}
	return began
}
