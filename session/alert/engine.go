package alert

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"perfdeck/cooker"

	"perfdeck/session"
)

// Engine follows rules over hosts. Any goroutine may call its methods; none of them
// waits for anything but another. What it knows is an evaluator's, which one goroutine
// has at a time: who locks the engine.
type Engine struct {
	mu  sync.Mutex
	own evaluator
}

// lock gives the evaluator to a goroutine until that unlocks.
func (g *Engine) lock() *evaluator {
	g.mu.Lock()
	return &g.own
}

// at locks, and tells the evaluator what time it is.
func (g *Engine) at(now session.Instant) *evaluator {
	e := g.lock()
	e.now = now
	return e
}

func (g *Engine) unlock() { g.mu.Unlock() }

// evaluator judges. One goroutine uses it at a time.
type evaluator struct {
	zone  *time.Location
	every time.Duration            // interval of rules without one
	looks session.Looks            // of values in events
	paces map[string]time.Duration // by host: between the samples of its recording
	now   session.Instant
	trace *trace // nil: nobody follows what is judged

	ruleset
	hosts map[string]*host
	order []string          // of hosts
	opens map[string]string // by host: how a command line names it
	kept  *Memory           // of its alerts those of before, whose series did not come yet

	room     int             // for what is followed
	followed int             // rules on hosts, and series
	left     map[string]bool // rules for which there was no room, here or there

	lackers []*series // rules about absence, without a value
	held    []*series // that nobody was told of yet
	matches uint64    // how many views were judged

	eventLog
	boards
}

// ruleset is which rules there are.
type ruleset struct {
	base   []Rule  // of the config, packs, the command line
	rules  []*rule // in force, in order
	byName map[string]*rule
	quiet  []*rule  // those with quiet hours
	round  uint64   // grows when they change
	aside  []string // hosts that rules without one do not mean
}

// eventLog is what happened.
type eventLog struct {
	queue  []Event // not taken yet
	seq    uint64
	groups map[groupKey]group1
}

// boards is what was shown last, and whether it still holds.
type boards struct {
	version uint64 // grows with whatever Board shows
	board   *Board
	shown   uint64                  // version of board
	limits  map[valueKey][]*binding // of boards; nil: to be made anew
}

// rule is a rule in force.
type rule struct {
	Rule
	quiet bool             // it is among its quiet hours
	twins map[string]*rule // as it is judged on hosts that have other counters, by expression
}

// host is a host as the engine knows it.
type host struct {
	name     string
	cat      *session.Catalogue
	round    uint64 // of the rules it was bound to
	targets  session.Targets[*binding]
	byID     map[ID]*series
	lost     []*series // of rules about the host itself
	events   eventsOf
	loose    bool              // some series are: see series
	bound    int               // rules that were looked up here
	problems map[string]string // by rule: why it is not followed here
	done     map[string]bool   // rules that have Once and had it
	unmade   map[string]string // by rule: why what it follows here has no value
	unmet    map[string]bool   // of them, those that found no instance
	size     Size
}

// Scope is what is muted. The zero Scope is everything.
type Scope struct {
	Rule string `json:"rule,omitempty"`
	Host string `json:"host,omitempty"`
	One  ID     `json:"one,omitzero"` // this alert alone
}

// historyLen bounds the events that are kept.
const historyLen = 1000

// NewEngine makes an engine. every is the interval of rules without one, 0 for
// DefaultInterval; zone is that of quiet hours, nil for the local one. memory is
// what was kept of an earlier run, nil for nothing.
func NewEngine(rules []Rule, every time.Duration, zone *time.Location, memory *Memory) *Engine {
	if zone == nil {
		zone = time.Local
	}
	g := &Engine{own: evaluator{
		zone: zone, every: max(cmp.Or(every, DefaultInterval), MinInterval),
		ruleset: ruleset{base: rules}, room: mostFollowed, left: map[string]bool{},
		hosts: map[string]*host{}, opens: map[string]string{}, kept: NewMemory(), eventLog: eventLog{groups: map[groupKey]group1{}},
	}}
	e := &g.own
	if memory != nil {
		e.kept = memory.clone()
	}
	for i := range e.kept.History {
		e.seq = max(e.seq, e.kept.History[i].Seq)
	}
	e.settle()
	return g
}

// SetLooks says how values are written in events from now on.
func (g *Engine) SetLooks(l session.Looks) {
	e := g.lock()
	defer g.unlock()
	e.looks = l
}

// SetRules replaces the rules that users did not make, as after a reload.
func (g *Engine) SetRules(rules []Rule, now session.Instant) {
	e := g.at(now)
	defer g.unlock()
	e.base = rules
	e.settle()
}

// SetAside names the hosts that are followed for rules which name them, and for no others but those about
// hosts that do not answer.
func (g *Engine) SetAside(hosts []string, now session.Instant) {
	e := g.at(now)
	defer g.unlock()
	if !slices.Equal(e.aside, hosts) {
		e.aside = hosts
		e.settle()
	}
}

// means tells whether a rule is meant for a host.
func (e *evaluator) means(r *rule, host string) bool {
	named := r.When.Path.Computer != "" || len(r.Hosts) > 0 || r.Kind == HostLost
	return r.AppliesTo(host) && (named || !slices.Contains(e.aside, host))
}

// settle finds the rules in force and lets go of what no rule follows any more.
func (e *evaluator) settle() {
	var next []*rule
	taken := map[string]bool{}
	add := func(r Rule) {
		if edit, ok := e.kept.Rules[r.Name]; ok {
			r = edit
		}
		if taken[r.Name] {
			return
		}
		taken[r.Name] = true
		if off, said := e.kept.Disabled[r.Name]; said {
			r.Disabled = off
		}
		next = append(next, &rule{Rule: r})
	}
	for _, r := range e.base {
		add(r)
	}
	for _, name := range slices.Sorted(maps.Keys(e.kept.Rules)) {
		add(e.kept.Rules[name])
	}
	e.rules, e.byName, e.quiet = next, make(map[string]*rule, len(next)), nil
	for _, r := range next {
		e.byName[r.Name] = r
		if len(r.Quiet) > 0 {
			e.quiet = append(e.quiet, r)
		}
	}
	e.round++
	e.version++
	e.limits = nil
	clear(e.left)
	for _, name := range e.order {
		h := e.hosts[name]
		for _, s := range h.those(func(*series) bool { return true }) {
			e.reattach(s)
		}
		h.reattach(e)
	}
}

// inForce is the rule of a name as it is judged on a host; nil: there is none.
func (e *evaluator) inForce(h *host, name string) *rule {
	if r := e.byName[name]; r != nil {
		return e.on(h, r)
	}
	return nil
}

// reattach gives a series the rule in force of the same name, or ends it.
func (e *evaluator) reattach(s *series) {
	switch next := e.inForce(e.hosts[s.id.Host], s.id.Rule); {
	case next == nil:
		e.drop(s, "the rule was removed")
	case next.Disabled:
		e.drop(s, "the rule was disabled")
	case !next.sameCondition(&s.rule.Rule):
		e.drop(s, "the rule was changed")
	default:
		s.follow(next)
	}
}

// reattach gives what is followed the rules in force. What is new is followed
// when the host is bound anew.
func (h *host) reattach(e *evaluator) {
	for _, f := range h.targets {
		f.Targets = slices.DeleteFunc(f.Targets, func(k *binding) bool {
			next := e.inForce(h, k.rule.Name)
			if next == nil || next.Disabled || !next.sameCondition(&k.rule.Rule) {
				return true
			}
			k.follow(next)
			return false
		})
	}
	ended := func(s *series) bool { return !e.isFollowed(s) }
	h.lost, h.events.counts = slices.DeleteFunc(h.lost, ended), slices.DeleteFunc(h.events.counts, ended)
}

// interval is how often a rule is judged. One that has Once is read at the usual
// interval until it had its sample.
func (e *evaluator) interval(r *rule) time.Duration {
	if r.Interval == Once {
		return e.every
	}
	return cmp.Or(r.Interval, e.every)
}

// pathOf is the path of a series with its host; empty for a host.
func (s *series) pathOf() string {
	switch {
	case s.rule.Kind == HostLost, s.rule.Kind == EventCount:
		return ""
	case s.set == nil: // the host does not have it
		p := s.rule.When.Path
		p.Computer = s.id.Host
		return p.String()
	}
	path := session.PathOf(s.id.Host, s.set, s.counter, &s.instance)
	if s.rule.Value != nil {
		path.Counter = s.rule.Value.String()
	}
	return path.String()
}

// lookOf is how the values of a rule are written, on a counter; set is nil for hosts. What a formula gives
// has no unit.
func (e *evaluator) lookOf(r *Rule, set *session.Counterset, counter int) session.Look {
	look := session.Look{Format: cooker.Format{Digits: cooker.DefaultDigits, Style: cooker.UnitWindows}}
	if set != nil && r.Value == nil {
		look = e.looks.Of(set, &set.Counters[counter])
		look.Scale = 0 // rules judge values as they are
	}
	if r.Kind == EventCount {
		look.Quantity.Kind = cooker.Count
	}
	return look
}

// Take hands out the events that came since the last call, oldest first.
func (g *Engine) Take() []Event {
	e := g.lock()
	defer g.unlock()
	q := e.queue
	e.queue = nil
	return q
}

// isOver tells that nothing of a rule is left to judge: it has Once, and had it on every
// host that it is meant for and that has what it asks for.
func (e *evaluator) isOver(r *rule) bool {
	if r.Interval != Once || r.Kind != Threshold {
		return false
	}
	for _, h := range e.hosts {
		if e.means(r, h.name) && !h.done[r.Name] && h.problems[r.Name] == "" {
			return false
		}
	}
	return len(e.hosts) > 0
}

// hasEvents tells whether Take would hand out any.
func (g *Engine) hasEvents() bool {
	e := g.lock()
	defer g.unlock()
	return len(e.queue) > 0
}

// isBusy tells whether time means anything: there are rules, or mutes.
func (g *Engine) isBusy() bool {
	e := g.lock()
	defer g.unlock()
	return len(e.rules) > 0 || len(e.kept.Mutes) > 0
}

// Rules are the rules in force.
func (g *Engine) Rules() []Rule {
	e := g.lock()
	defer g.unlock()
	out := make([]Rule, len(e.rules))
	for i, r := range e.rules {
		out[i] = r.Rule
	}
	return out
}

// The room for what is followed: each rule on each host, and on each instance there. Numbers
// of rules, hosts and instances that are fine by themselves may not be one with the other.
const (
	mostFollowed     = 2_000_000
	mostPastFollowed = 100_000 // over recordings, which anybody may have made
)

// hasRoom tells whether a rule can be followed once more. For one that cannot it is noted.
func (e *evaluator) hasRoom(r *rule) bool {
	if e.followed < e.room {
		return true
	}
	e.left[r.Name] = true
	return false
}

// weight is the room that a series takes.
func (r *rule) weight() int {
	switch {
	case r.Grows > 0:
		return 5
	case r.Trend > 0:
		return 3
	}
	return 1
}

// noRoom is why a rule is not followed.
func (e *evaluator) noRoom() string {
	return fmt.Sprintf("not judged, or not on all instances: more than %d are followed by all rules together; take fewer rules, or without wildcards", e.room)
}

// groupKey and group1 find the events that belong together: those of one rule
// and kind within groupSpan of the first.
type groupKey struct {
	rule string
	kind EventKind
}

type group1 struct {
	seq   uint64
	since time.Duration
}

const groupSpan = time.Minute

// emit notes an event.
func (e *evaluator) emit(ev Event) {
	e.seq++
	ev.Seq, ev.Group = e.seq, e.seq
	if !ev.Foreign {
		ev.Time = e.now.Wall
	}
	if !ev.Kind.IsAct() {
		key := groupKey{ev.ID.Rule, ev.Kind}
		g, ok := e.groups[key]
		if !ok || e.now.Mono-g.since >= groupSpan {
			g = group1{e.seq, e.now.Mono}
			e.groups[key] = g
		}
		ev.Group = g.seq
	}
	e.queue = append(e.queue, ev)
	e.kept.note(ev)
	e.version++
}

// event is an event about a series.
func (e *evaluator) event(s *series, kind EventKind) Event {
	r := &s.rule.Rule
	ev := Event{
		Kind: kind, ID: s.id, Severity: r.Severity, Path: s.pathOf(), Since: s.since.Wall,
		UserText: r.Text, RuleWhy: r.Why, Next: r.Next, Why: s.lacking, Open: e.opens[s.id.Host],
	}
	if s.set != nil && s.set.Instances.Multiple() {
		ev.Instance, ev.Index, ev.Number = s.instance.Text(), s.instance.Index, s.instance.Number
	}
	value, ok := s.value.Float()
	if ok {
		ev.Value = &value
	}
	if r.Kind.HasLimit() {
		ev.Op, ev.Limit = r.Limit()
		look := e.lookOf(r, s.set, s.counter)
		ev.Shown, ev.ShownLimit = shown(s.value, look), shownNumber(ev.Limit, look)+r.UnitSuffix()
		if ok {
			ev.Shown += r.UnitSuffix()
		}
	}
	if s.tally != nil {
		ev.Shown, ev.Why = s.tally.shown(), cmp.Or(ev.Why, s.tally.newest)
	}
	return ev
}
