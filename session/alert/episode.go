package alert

import (
	"math/bits"
	"slices"
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

// beganAt is when the first of the samples was taken that fire a series now. Those that
// lacked are counted in its interval.
func (e *Engine) beganAt(s *series) time.Time {
	now := e.now.Wall
	if s.rule.Kind != Threshold {
		if s.lacks {
			return now.Add(-max(0, e.now.Mono-s.lackedAt))
		}
		return now
	}
	oldest := bits.Len64(s.judge.beyond & s.judge.test.window())
	if oldest < 2 || s.trail == nil {
		return now
	}
	every := e.interval(s.rule)
	at := now.Add(-time.Duration(oldest-1) * every)
	times := s.trail.nanos // without the sample of now
	i, _ := slices.BinarySearch(times, at.Add(-every/2).UnixNano())
	if i == len(times) {
		return now
	}
	return time.Unix(0, times[i]).In(now.Location())
}
