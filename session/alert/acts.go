package alert

import (
	"errors"
	"time"

	"perfdeck/session"
)

// Acknowledge notes that somebody has seen alerts. It returns how many fired
// until then.
func (g *Engine) Acknowledge(by string, now session.Instant, ids ...ID) (n int) {
	e := g.at(now)
	defer g.unlock()
	for _, id := range ids {
		s := e.find(id)
		if s == nil || s.state != Firing {
			continue
		}
		n++
		ev := e.event(s, Acked)
		ev.By, ev.Why = by, ""
		s.acknowledge(by, now.Wall)
		e.emit(ev)
		e.dismiss(s)
	}
	return n
}

func (s *series) acknowledge(by string, at time.Time) {
	s.state, s.by, s.at, s.held = Acknowledged, by, at, false
}

// dismiss ends an alert about something that was there once and that, now that
// somebody knows, nobody waits for.
func (e *evaluator) dismiss(s *series) {
	if s.casual && s.lacks {
		e.drop(s, "nobody waits for it")
	}
}

func (e *evaluator) find(id ID) *series {
	if h := e.hosts[id.Host]; h != nil {
		return h.byID[id]
	}
	return nil
}

// Mute keeps everybody from being told of what is in the scope, until a time. A
// time that is past unmutes.
func (g *Engine) Mute(by string, scope Scope, until time.Time, now session.Instant) {
	e := g.at(now)
	defer g.unlock()
	ev := Event{Kind: Muted, ID: scope.id(), Until: until, By: by}
	if s := e.find(scope.One); s != nil {
		ev.Path = s.pathOf()
	}
	if !until.After(now.Wall) {
		ev.Kind, ev.Until = Unmuted, time.Time{}
	}
	e.kept.Apply(ev)
	e.emit(ev)
}

// id is the scope as events and records have it.
func (s Scope) id() ID {
	if s.One != (ID{}) {
		return s.One
	}
	return ID{Rule: s.Rule, Host: s.Host}
}

// ScopeOf is what the ID of an act names: one alert, or all of a rule or a host.
func ScopeOf(id ID) Scope {
	if id == (ID{Rule: id.Rule, Host: id.Host}) {
		return Scope{Rule: id.Rule, Host: id.Host}
	}
	return Scope{One: id}
}

var errNoRule = errors.New("there is no such rule")

// Enable switches a rule on or off. What it fired ends when it is switched off.
func (g *Engine) Enable(by, name string, on bool, now session.Instant) error {
	e := g.at(now)
	defer g.unlock()
	r := e.byName[name]
	if r == nil {
		return &RuleError{name, "name", errNoRule}
	}
	kind := RuleEnabled
	if !on {
		kind = RuleDisabled
	}
	e.edit(Event{Kind: kind, ID: ID{Rule: name}, Severity: r.Severity, By: by})
	return nil
}

// Put adds a rule, or replaces the one of its name. What the old one fired goes
// on if both judge the same.
func (g *Engine) Put(by string, r Rule, now session.Instant) error {
	if err := r.Check(); err != nil {
		return err
	}
	e := g.at(now)
	defer g.unlock()
	e.edit(Event{Kind: RulePut, ID: ID{Rule: r.Name}, Severity: r.Severity, By: by, Rule: &r, Replacement: e.byName[r.Name] != nil})
	return nil
}

var errNotEdited = errors.New("it stands in a file, which is only read")

// Remove takes back what Put did: the rule goes, or is again what files say. A
// rule of files alone is switched off with Enable.
func (g *Engine) Remove(by, name string, now session.Instant) error {
	e := g.at(now)
	defer g.unlock()
	r := e.byName[name]
	if r == nil {
		return &RuleError{name, "name", errNoRule}
	}
	if _, ok := e.kept.Rules[name]; !ok {
		return &RuleError{name, "name", errNotEdited}
	}
	e.edit(Event{Kind: RuleRemoved, ID: ID{Rule: name}, Severity: r.Severity, By: by})
	return nil
}

// edit tells of an act on a rule, and then does it: what it ends is told behind it.
func (e *evaluator) edit(ev Event) {
	e.emit(ev)
	e.applyRule(ev)
}

// applyRule does what an act on a rule says.
func (e *evaluator) applyRule(ev Event) {
	e.kept.Apply(ev)
	e.settle()
}

// Apply does what another process noted that a user did there.
func (g *Engine) Apply(ev Event, now session.Instant) {
	e := g.at(now)
	defer g.unlock()
	switch ev.Kind {
	case Acked:
		if s := e.find(ev.ID); s != nil && s.state == Firing {
			s.acknowledge(ev.By, ev.Time)
			ev.Path, ev.Severity = s.pathOf(), s.rule.Severity
			defer e.dismiss(s)
		} else if e.kept.Alerts[ev.ID].State == Firing {
			e.kept.Apply(ev)
		}
	case Muted, Unmuted:
		e.kept.Apply(ev)
	case RuleEnabled, RuleDisabled, RulePut, RuleRemoved:
		e.applyRule(ev)
	default:
		return
	}
	ev.Foreign = true
	e.emit(ev)
}
