package alert

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/text/printable"
)

// Board is how things stand with all rules at one moment. It does not change.
type Board struct {
	Active  []*Alert        // all that is not OK: worst first, then the newest
	Rules   []RuleStatus    // in the order of the rules
	History []Event         // oldest first, the last 1000
	Count   [severities]int // that fire, neither acknowledged nor muted, by severity
	Muted   time.Time       // until when everything is muted
	Mutes   []Mute          // in force: the widest first

	index  map[place]Mark
	byID   map[ID]*Alert
	limits map[valueKey][]*binding
}

// Alert is one rule on one instance of one host that is not OK.
type Alert struct {
	ID       ID
	Rule     *Rule
	Path     string              // with the host; empty: the host itself
	Set      *session.Counterset // nil: the host itself, or a path it does not have
	Counter  int                 // index in Set.Counters
	Key      session.InstanceKey
	Instance string // as paths write it

	State      State
	Since      time.Time // of the state
	Value      cooker.Value
	Peak       cooker.Value // while it fires
	Hits, Of   int          // so many of the last samples are beyond the limit
	MutedUntil time.Time    // zero: it is not muted
	Quiet      bool         // nobody is told at this hour
	Lacking    string       // why there is no value; empty: there is one
	Counted    string       // what the newest event was that counts
	By         string       // who acknowledged it, and when
	At         time.Time
}

// Mute is a mute that is in force.
type Mute struct {
	Scope

	Until time.Time
}

// IsForever tells whether a mute lasts until somebody ends it.
func (m *Mute) IsForever() bool { return isForever(m.Until) }

// Text is what is muted, in words.
func (m *Mute) Text() string {
	ev := Event{ID: m.id()}
	return printable.Text(ev.scope())
}

// Told tells whether somebody is told of the alert: it is neither muted nor is it
// a quiet hour.
func (a *Alert) Told(now time.Time) bool { return !a.Quiet && !a.MutedUntil.After(now) }

// RuleStatus is how things stand with one rule on all hosts.
type RuleStatus struct {
	Rule
	Firing, Acknowledged, Pending int
	Watched                       int // instances that are followed
	Hosts                         int // on which it is followed
	Worst                         State
	MutedUntil                    time.Time
	IsQuiet                       bool
	Edited                        bool   // by a user; Remove takes that back
	Problem                       string // why no host follows it
	Over                          bool   // it has Once, and had it
	Idle                          bool   // hosts answered, and none has an instance that it means
}

// Mark is the alert state of something on the screen; the zero Mark is that all
// is well. What fires and is muted counts as acknowledged.
type Mark struct {
	State    State
	Severity Severity
}

// IsWorse tells which of two marks to show.
func (m Mark) IsWorse(o Mark) bool {
	return cmp.Or(cmp.Compare(m.State, o.State), cmp.Compare(m.Severity, o.Severity)) > 0
}

// place is something on the screen: a host, a counterset, an instance, a value.
type place struct {
	host    string
	set     *session.Counterset // nil: the host
	counter int                 // -1: all
	key     session.InstanceKey // with all of them: of one instance
	one     bool
}

type valueKey struct {
	host    string
	set     *session.Counterset
	counter int
}

// Limit is a limit that a rule draws in a chart.
type Limit struct {
	Rule     string
	Op       paths.Op
	Value    float64
	Clear    *float64
	Severity Severity
}

// Board returns the newest states; the same pointer as long as nothing changed.
func (g *Engine) Board() *Board {
	e := g.lock()
	defer g.unlock()
	if e.board == nil || e.shown != e.version {
		e.board, e.shown = e.makeBoard(), e.version
	}
	return e.board
}

// isAt is the version of what Board shows.
func (g *Engine) isAt() uint64 {
	e := g.lock()
	defer g.unlock()
	return e.version
}

func (e *evaluator) makeBoard() *Board {
	b := &Board{
		History: slices.Clip(e.kept.History[max(0, len(e.kept.History)-historyLen):]),
		Muted:   e.kept.Mutes[Scope{}], Mutes: listMutes(e.kept.Mutes),
		index: map[place]Mark{}, byID: map[ID]*Alert{},
	}
	if e.limits == nil {
		e.limits = e.makeLimits()
	}
	b.limits = e.limits
	status := make(map[string]*RuleStatus, len(e.rules))
	b.Rules = make([]RuleStatus, len(e.rules))
	for i, r := range e.rules {
		_, edited := e.kept.Rules[r.Name]
		b.Rules[i] = RuleStatus{Rule: r.Rule, MutedUntil: e.kept.Mutes[Scope{Rule: r.Name}], IsQuiet: r.quiet, Edited: edited, Over: e.isOver(r)}
		status[r.Name] = &b.Rules[i]
	}
	for _, name := range e.order {
		e.hosts[name].addTo(e, b, status)
	}
	for i := range b.Rules {
		switch r := &b.Rules[i]; {
		case r.Disabled:
		case e.left[r.Name]:
			r.Problem = e.noRoom()
		case r.Hosts == 0:
			r.Problem = e.problem(e.rules[i])
		default:
			r.Problem = e.unmade(r)
		}
	}
	sortActive(b.Active)
	return b
}

// listMutes lists mutes: everything, hosts, rules, rules on hosts, single alerts.
func listMutes(mutes map[Scope]time.Time) []Mute {
	var out []Mute
	for scope, until := range mutes {
		out = append(out, Mute{scope, until})
	}
	width := func(m *Mute) int {
		switch {
		case m.One != (ID{}):
			return 4
		case m.Rule != "" && m.Host != "":
			return 3
		case m.Rule != "":
			return 2
		case m.Host != "":
			return 1
		}
		return 0
	}
	slices.SortFunc(out, func(a, b Mute) int {
		return cmp.Or(cmp.Compare(width(&a), width(&b)), cmp.Compare(a.Host, b.Host), cmp.Compare(a.Rule, b.Rule), a.One.compare(b.One))
	})
	return out
}

// addTo puts what is known of a host on the board.
func (h *host) addTo(e *evaluator, b *Board, status map[string]*RuleStatus) {
	for _, f := range h.targets {
		for _, k := range f.Targets {
			st := status[k.rule.Name]
			st.Idle = (st.Idle || st.Hosts == 0) && f.Known() && len(k.members) == 0
			st.Hosts++
		}
	}
	for _, s := range h.byID {
		st := status[s.id.Rule]
		if st == nil {
			continue
		}
		st.Watched++
		if s.set == nil && (s.rule.Kind.isAbsence() || s.tally != nil && h.events.known && s.tally.denied == "") {
			st.Hosts++
		}
		if s.state != OK {
			b.put(new(s.alert(e)), st, e.now.Wall)
		}
	}
}

// problem says why a rule is followed on no host; empty if it may be soon.
func (e *evaluator) problem(r *rule) (why string) {
	meant := false
	for _, name := range e.order {
		h := e.hosts[name]
		meant = meant || e.means(r, name)
		if p := h.problems[r.Name]; p != "" {
			why = name + ": " + p
		} else if h.unmet[r.Name] {
			why = name + ": no instance matches it"
		}
	}
	switch {
	case meant || len(e.order) == 0:
		return why
	case r.When.Path.Computer != "" && r.Kind != HostLost:
		return r.When.Path.Computer + " is not watched, or is none of its hosts"
	}
	if len(r.Hosts) == 0 {
		return "other rules alone name the hosts that are watched"
	}
	return "none of its hosts is watched: " + strings.Join(r.Hosts, ", ")
}

// unmade says why a rule has a value on none of the hosts that follow it; empty if it may.
func (e *evaluator) unmade(r *RuleStatus) (why string) {
	n := 0
	for _, name := range e.order {
		if text := e.hosts[name].unmade[r.Name]; text != "" {
			why = name + ": " + text
			n++
		}
	}
	if n < r.Hosts {
		return ""
	}
	return why
}

// makeLimits lists by value which rules have a limit for it.
func (e *evaluator) makeLimits() map[valueKey][]*binding {
	all := map[valueKey][]*binding{}
	for _, h := range e.hosts {
		for _, f := range h.targets {
			for _, k := range f.Targets {
				if k.rule.IsDerived() {
					continue // its limit is none of the counter
				}
				for _, c := range k.Counters {
					key := valueKey{h.name, f.Set, c}
					all[key] = append(all[key], &binding{rule: k.rule, Meaning: k.Meaning})
				}
			}
		}
	}
	return all
}

// put puts an alert on the board.
func (b *Board) put(a *Alert, st *RuleStatus, now time.Time) {
	severity := a.Rule.Severity
	b.Active = append(b.Active, a)
	b.byID[a.ID] = a
	switch a.State {
	case Firing:
		st.Firing++
		if !a.MutedUntil.After(now) {
			b.Count[severity]++
		}
	case Acknowledged:
		st.Acknowledged++
	case Pending:
		st.Pending++
	case OK:
	}
	st.Worst = max(st.Worst, a.State)
	m := Mark{a.State, severity}
	if a.State == Firing && a.MutedUntil.After(now) {
		m.State = Acknowledged // it is known
	}
	b.mark(place{host: a.ID.Host, counter: -1}, m)
	if a.Set != nil {
		b.mark(place{host: a.ID.Host, set: a.Set, counter: -1}, m)
		b.mark(place{host: a.ID.Host, set: a.Set, counter: -1, key: a.Key, one: true}, m)
		b.mark(place{host: a.ID.Host, set: a.Set, counter: a.Counter, key: a.Key, one: true}, m)
	}
}

func (b *Board) mark(p place, m Mark) {
	if m.IsWorse(b.index[p]) {
		b.index[p] = m
	}
}

// Row is the state of one value.
func (b *Board) Row(host string, set *session.Counterset, counter int, key session.InstanceKey) Mark {
	if b == nil || len(b.index) == 0 {
		return Mark{}
	}
	return b.index[place{host: host, set: set, counter: counter, key: key, one: true}]
}

// Instance is the worst state of the values of an instance.
func (b *Board) Instance(host string, set *session.Counterset, key session.InstanceKey) Mark {
	return b.Row(host, set, -1, key)
}

// Host is the worst state of a host and its values.
func (b *Board) Host(host string) Mark {
	if b == nil {
		return Mark{}
	}
	return b.index[place{host: host, counter: -1}]
}

// Limits are the limits of the rules in force for a value. in is nil for a
// counterset without instances.
func (b *Board) Limits(host string, set *session.Counterset, counter int, in *session.Instance) []Limit {
	if b == nil {
		return nil
	}
	if in == nil {
		in = new(session.Instance)
	}
	var out []Limit
	for _, k := range b.limits[valueKey{host, set, counter}] {
		if r := &k.rule.Rule; r.Kind == Threshold && k.means(in) {
			out = append(out, Limit{r.Name, r.When.Op, r.When.Limit, r.Clear, r.Severity})
		}
	}
	return out
}
