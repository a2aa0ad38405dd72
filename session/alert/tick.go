package alert

import (
	"slices"
	"time"

	"perfdeck/session"
)

// Tick lets time pass: what is absent long enough fires, what was held back by
// quiet hours or a mute is told when they end. It is to be called about once a
// second. states says how things stand with each host; it is asked while nobody
// observes, so that no answer is older than what Observe told.
func (g *Engine) Tick(now session.Instant, states func(host string) session.HostState) {
	e := g.at(now)
	defer g.unlock()
	for _, name := range e.order {
		e.tellState(e.hosts[name], states(name))
	}
	e.fireAbsent()
	e.endMutes()
	for _, r := range e.quiet {
		if quiet := r.quietAt(now.Wall, e.zone); quiet != r.quiet {
			r.quiet = quiet
			e.version++
		}
	}
	e.release()
}

// tellState tells the rules about a host whether it answers.
func (e *evaluator) tellState(h *host, state session.HostState) {
	h.state = state
	for _, s := range h.lost {
		switch {
		case state.Phase == session.Live:
			e.present(s)
		case state.Err != nil:
			e.lack(s, state.Err.Error())
		default:
			e.lack(s, state.Phase.String())
		}
	}
}

// fireAbsent fires what is absent long enough. Those that are back leave the
// list.
func (e *evaluator) fireAbsent() {
	e.lackers = slices.DeleteFunc(e.lackers, func(s *series) bool {
		if !s.lacks || !e.isFollowed(s) {
			return true
		}
		if s.casual && e.now.Mono-s.lackedAt > waitFor {
			e.drop(s, "gone for good")
			return true
		}
		if s.judge.firing || s.judge.rests(e.now.Mono) {
			return false
		}
		switch lacked, after := e.now.Mono-s.lackedAt, s.rule.after(); {
		case lacked >= after:
			e.fire(s)
		case s.state == OK && lacked >= min(after/2, settling):
			s.state, s.since = Pending, e.now
			e.version++
		}
		return false
	})
}

// settling is how long something may lack before it shows: at the start all does.
const settling = 5 * time.Second

// waitFor is how long something is missed that was there once.
const waitFor = 24 * time.Hour

// isFollowed tells whether a series is still what its host knows.
func (e *evaluator) isFollowed(s *series) bool {
	h := e.hosts[s.id.Host]
	return h != nil && h.byID[s.id] == s
}

// endMutes forgets mutes that are over.
func (e *evaluator) endMutes() {
	for scope, until := range e.mutes {
		if !until.After(e.now.Wall) {
			delete(e.mutes, scope)
			e.version++
		}
	}
}

// release tells of what still fires when nothing holds it back any more. What was
// acknowledged meanwhile is known.
func (e *evaluator) release() {
	e.held = slices.DeleteFunc(e.held, func(s *series) bool {
		if !s.held || s.state != Firing || !e.isFollowed(s) {
			return true
		}
		if e.holds(s) != "" {
			return false
		}
		s.held = false
		ev := e.event(s, Released)
		ev.Actions = s.rule.Actions
		ev.Lasted = max(0, e.now.Mono-s.since.Mono)
		ev.Why = "since " + s.since.Wall.In(e.zone).Format(time.DateTime)
		e.emit(ev)
		return true
	})
}
