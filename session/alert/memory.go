package alert

import (
	"maps"
	"slices"
	"time"
)

// Saved is what is kept of an alert over a restart.
type Saved struct {
	ID      ID        `json:"id"`
	State   State     `json:"state"`
	Since   time.Time `json:"since"`
	Peak    float64   `json:"peak,omitempty"`
	HasPeak bool      `json:"hasPeak,omitempty"`
	Held    bool      `json:"held,omitempty"` // nobody was told so far
	Why     string    `json:"why,omitempty"`
	By      string    `json:"by,omitempty"` // who acknowledged it
	At      time.Time `json:"at,omitzero"`
	Rest    time.Time `json:"rest,omitzero"` // end of the cool-down
}

// Memory is what is kept of an engine over a restart. It is made of the events
// alone, so that whoever wrote them down can make it again.
type Memory struct {
	Alerts   map[ID]Saved
	Mutes    map[Scope]time.Time
	Rules    map[string]Rule // that users made or changed
	Disabled map[string]bool
	History  []Event // oldest first
}

// NewMemory returns an empty memory.
func NewMemory() *Memory {
	return &Memory{Alerts: map[ID]Saved{}, Mutes: map[Scope]time.Time{}, Rules: map[string]Rule{}, Disabled: map[string]bool{}}
}

// Add adds an event.
func (m *Memory) Add(ev Event) {
	m.note(ev)
	m.Apply(ev)
}

// note adds an event to the history alone.
func (m *Memory) note(ev Event) {
	if len(m.History) >= historyLen*2 {
		m.History = slices.Clone(m.History[len(m.History)-historyLen+1:])
	}
	m.History = append(m.History, ev)
}

// Apply does what an event says to all but the history.
func (m *Memory) Apply(ev Event) {
	switch ev.Kind {
	case Fired:
		was := savedOf(&ev)
		was.State, was.Held, was.Why = Firing, ev.Held != "", ev.Why
		m.Alerts[ev.ID] = was
	case Released:
		was, ok := m.Alerts[ev.ID]
		if was.Held = false; ok {
			m.Alerts[ev.ID] = was
		}
	case Cleared:
		delete(m.Alerts, ev.ID)
		if !ev.Until.IsZero() {
			m.Alerts[ev.ID] = Saved{ID: ev.ID, State: OK, Since: ev.Time, Rest: ev.Until}
		}
	case Acked:
		was, ok := m.Alerts[ev.ID]
		if !ok {
			was = savedOf(&ev)
		}
		was.State, was.By, was.At, was.Held = Acknowledged, ev.By, ev.Time, false
		m.Alerts[ev.ID] = was
	case Muted:
		m.Mutes[ScopeOf(ev.ID)] = ev.Until
	case Unmuted:
		delete(m.Mutes, ScopeOf(ev.ID))
	case RuleEnabled, RuleDisabled:
		m.Disabled[ev.ID.Rule] = ev.Kind == RuleDisabled
	case RulePut:
		if ev.Rule != nil {
			m.Rules[ev.ID.Rule] = *ev.Rule
			m.Disabled[ev.ID.Rule] = ev.Rule.Disabled
		}
	case RuleRemoved:
		delete(m.Rules, ev.ID.Rule)
		delete(m.Disabled, ev.ID.Rule)
	}
}

// savedOf is an alert that begins with an event.
func savedOf(ev *Event) Saved {
	out := Saved{ID: ev.ID, Since: ev.Time}
	if ev.Value != nil {
		out.Peak, out.HasPeak = *ev.Value, true
	}
	return out
}

// Knows tells whether anything is known of a rule.
func (m *Memory) Knows(rule string) bool {
	if _, edited := m.Rules[rule]; edited {
		return true
	}
	for id := range m.Alerts {
		if id.Rule == rule {
			return true
		}
	}
	for scope := range m.Mutes {
		if scope.Rule == rule || scope.One.Rule == rule {
			return true
		}
	}
	return false
}

// MutesAt are the mutes in force at a moment: the widest first.
func (m *Memory) MutesAt(now time.Time) []Mute {
	return slices.DeleteFunc(listMutes(m.Mutes), func(one Mute) bool { return !one.Until.After(now) })
}

// rememberFor is how long alerts of hosts that are not watched any more are kept.
const rememberFor = 366 * 24 * time.Hour

// Forget drops what is over at a moment: mutes, cool-downs, alerts that nobody
// has watched for long, and all but the newest events.
func (m *Memory) Forget(now time.Time) {
	maps.DeleteFunc(m.Mutes, func(_ Scope, until time.Time) bool { return !until.After(now) })
	maps.DeleteFunc(m.Alerts, func(_ ID, s Saved) bool {
		return s.State == OK && !s.Rest.After(now) || now.Sub(s.Since) > rememberFor
	})
	if n := len(m.History) - historyLen; n > 0 {
		m.History = slices.Clone(m.History[n:])
	}
}

// clone is a memory that goes on beside the other.
func (m *Memory) clone() *Memory {
	return &Memory{maps.Clone(m.Alerts), maps.Clone(m.Mutes), maps.Clone(m.Rules), maps.Clone(m.Disabled), slices.Clone(m.History)}
}

// saved is what is kept of a series.
func (s *series) saved() Saved {
	out := Saved{ID: s.id, State: s.state, Since: s.since.Wall, Held: s.held, Why: s.lacking, By: s.by, At: s.at}
	out.Peak, out.HasPeak = s.peak.Float()
	return out
}
