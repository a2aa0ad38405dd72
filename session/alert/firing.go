package alert

import (
	"slices"
	"time"
)

// Firing are the alerts of which an action told that they fire, as events with their value
// of now, for who repeats that: at the time since when they fire, acknowledged ones as Acked
// with By. What nobody was told of so far is left out, and what is muted now. Who is told
// goes on to be told in quiet hours, but for what began in them.
func (g *Engine) Firing(do Do) (out []Event) {
	e := g.lock()
	defer g.unlock()
	for _, name := range e.order {
		for _, s := range e.hosts[name].those(func(s *series) bool { return e.isTold(s, do) }) {
			ev := e.event(s, Fired)
			ev.Time, ev.Actions = s.since.Wall, s.rule.Actions
			if s.state == Acknowledged {
				ev.Kind, ev.By = Acked, s.by
			}
			out = append(out, ev)
		}
	}
	return out
}

// isTold tells whether an alert is one of Firing.
func (e *evaluator) isTold(s *series, do Do) bool {
	if s.state < Acknowledged || s.held || !s.rule.does(do) || e.mutedUntil(s).After(e.now.Wall) {
		return false
	}
	// What was acknowledged before anybody was told is not held back any more.
	return s.state == Firing || !s.rule.quietAt(e.now.Wall, e.zone) || !s.rule.quietAt(s.since.Wall, e.zone) || e.now.Wall.Sub(s.since.Wall) > day
}

const day = 24 * time.Hour

// does tells whether a rule has an action.
func (r *Rule) does(do Do) bool {
	return slices.ContainsFunc(r.Actions, func(a Action) bool { return a.Do == do })
}

// endActions are what is done at the end: an Alertmanager that was told of the alert is
// told of its end, too.
func (r *Rule) endActions() []Action {
	out := slices.Clip(r.OnClear)
	for _, a := range r.Actions {
		if a.Do == Alertmanager && !slices.Contains(out, a) {
			out = append(out, a)
		}
	}
	return out
}
