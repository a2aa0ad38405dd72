package alert

import (
	"cmp"
	"strings"
	"time"
)

// goingOn ends the names of rules that GoesOn makes.
const goingOn = " (going on)"

// What goes on is told once it was seen so long, and in so many samples.
const (
	leastGoing        = 10 * time.Second
	leastGoingSamples = 3
)

// GoesOn is the rule over every sample, for what goes on at the end of what is known and began
// too late for the rule itself: beyond the limit in all of at least 10 s, one severity lower
// and never critical. ok is false where the rule itself is as quick. every is the usual time
// between two samples.
func (r *Rule) GoesOn(every time.Duration) (g Rule, ok bool) {
	if r.Kind != Threshold || r.Trend > 0 || r.Grows > 0 || r.Interval == Once || every <= 0 {
		return g, false
	}
	g = *r
	g.Interval = max(every.Round(time.Second), MinInterval)
	need := max(leastGoingSamples, int((leastGoing+g.Interval-1)/g.Interval)+1)
	delay, _ := r.Counts()
	if time.Duration(need-1)*g.Interval >= time.Duration(delay-1)*max(cmp.Or(r.Interval, DefaultInterval), every) {
		return g, false
	}
	g.Name += goingOn
	g.Need, g.Of, g.Clear, g.Cooldown = need, need, nil, 0
	g.Severity = min(max(r.Severity, 1)-1, Warning)
	return g, true
}

// IsJudged tells whether so many samples in so long a time are enough to judge the rule, be it as
// what goes on.
func (r *Rule) IsJudged(samples int64, length time.Duration) bool {
	need, _ := r.Counts()
	return need <= 1 || samples >= leastGoingSamples && length >= leastGoing
}

// GoingOn are those of some alerts that go on at the end and began too late for their rule, with
// its name, behind those of the rules themselves.
func GoingOn(all []Episode) (out []Episode) {
	told := map[string]time.Time{} // until when a rule fired on a series; zero: to the end
	key := func(ep *Episode, rule string) string { return rule + "\x00" + ep.ID.Host + "\x00" + ep.Path }
	for _, ep := range all {
		if !ep.IsGoingOn() {
			if until, ok := told[key(&ep, ep.ID.Rule)]; !ok || !until.IsZero() {
				told[key(&ep, ep.ID.Rule)] = ep.Until
			}
			out = append(out, ep)
		}
	}
	for _, ep := range all {
		name, is := strings.CutSuffix(ep.ID.Rule, goingOn)
		until, fired := told[key(&ep, name)]
		if isTold := fired && (until.IsZero() || until.After(ep.Began)); is && ep.Until.IsZero() && !isTold {
			rule := *ep.Rule
			rule.Name, ep.Rule = name, &rule
			out = append(out, ep)
		}
	}
	return out
}

// IsGoingOn tells that an alert is one that GoesOn made.
func (ep *Episode) IsGoingOn() bool { return strings.HasSuffix(ep.ID.Rule, goingOn) }

// IsGoesOn tells that GoesOn made the rule.
func (r *Rule) IsGoesOn() bool { return strings.HasSuffix(r.Name, goingOn) }
