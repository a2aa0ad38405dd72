package alert

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/system/failure"
	"perfdeck/session/text/field"
	"perfdeck/session/text/printable"
)

// followed is one counterset of a host at one interval.
type followed = session.Followed[*binding]

// binding is a rule as it was looked up on a host.
type binding struct {
	rule     *rule
	members  session.Places[*series]
	once     bool    // the rule has Once: here, since every beat wants to know
	expected *series // of a NoValue rule about one instance, there or not
	turns    int     // samples seen, of a rule that has Once

	Meaning
}

// follow gives a binding its rule, which may be another version of the one that it had.
func (k *binding) follow(r *rule) { k.rule, k.once = r, r.Interval == Once }

// Bind looks the rules up on a host and says what to ask of it, by interval. cat
// is nil as long as the host did not tell what it offers. It is called again
// whenever IsBound says no.
func (g *Engine) Bind(name string, cat *session.Catalogue, now session.Instant) map[time.Duration][]session.Ask {
	e := g.at(now)
	defer g.unlock()
	h := e.hosts[name]
	if h == nil {
		h = &host{name: name, byID: map[ID]*series{}, done: map[string]bool{}, unmet: map[string]bool{}}
		e.hosts[name] = h
		e.order = append(e.order, name)
	}
	h.cat, h.round, h.problems = cat, e.round, map[string]string{}
	h.targets.Clear()
	h.unmade = map[string]string{}
	h.lost, h.events.counts, h.loose = nil, nil, len(h.byID) > 0
	e.followed, h.bound = e.followed-h.bound, 0
	for _, s := range h.byID {
		s.loose = true
	}
	asks := map[time.Duration][]session.Ask{}
	for _, r := range e.rules {
		if r.Disabled || h.done[r.Name] || !e.means(r, name) || !e.hasRoom(r) {
			continue
		}
		e.followed++
		h.bound++
		switch {
		case r.Kind == EventCount:
			s := e.newSeries(h, r, ID{Rule: r.Name, Host: name})
			h.events.counts = append(h.events.counts, s)
			h.tellEvents(s)
		case r.Kind == HostLost:
			h.lost = append(h.lost, e.newSeries(h, r, ID{Rule: r.Name, Host: name}))
		case cat != nil:
			e.bindRule(h, r, asks)
		case r.Kind == NoValue && r.When.Path.Wildcard() == 0:
			e.lack(e.newSeries(h, r, r.pathID(name)), "the host did not answer so far")
		}
	}
	if cat != nil {
		h.dropLoose(e)
	}
	e.version++
	e.limits = nil
	return asks
}

// IsBound tells whether Bind was called with this catalogue and the present
// rules.
func (g *Engine) IsBound(name string, cat *session.Catalogue) bool {
	e := g.lock()
	defer g.unlock()
	h := e.hosts[name]
	return h != nil && h.cat == cat && h.round == e.round
}

// Unbind forgets a host. Its alerts stay in the memory.
func (g *Engine) Unbind(name string, now session.Instant) {
	e := g.at(now)
	defer g.unlock()
	if h := e.hosts[name]; h != nil {
		e.unbind(h)
	}
}

// Leave ends the alerts of hosts that are not to be watched any more, those of an earlier run too, and
// forgets the hosts.
func (g *Engine) Leave(left func(host string) bool, now session.Instant) {
	e := g.at(now)
	defer g.unlock()
	for _, name := range slices.Clone(e.order) {
		if left(name) {
			h := e.hosts[name]
			for _, s := range h.those(func(*series) bool { return true }) {
				e.drop(s, hostLeft)
			}
			e.unbind(h)
		}
	}
	for _, id := range slices.SortedFunc(maps.Keys(e.kept.Alerts), ID.compare) {
		if left(id.Host) {
			e.endKept(id, hostLeft)
		}
	}
}

const hostLeft = "the host is no longer watched"

// endKept ends an alert whose host is not there: as it was when it fired, since nothing more is known.
func (e *evaluator) endKept(id ID, why string) {
	was := e.kept.Alerts[id]
	delete(e.kept.Alerts, id)
	if was.State < Acknowledged {
		return
	}
	ev := Event{ID: id, Path: id.Path()}
	for _, then := range slices.Backward(e.kept.History) {
		if then.Kind == Fired && then.ID == id {
			ev = then
			break
		}
	}
	ev.Kind, ev.Why, ev.Lasted = Cleared, why, field.Seconds(max(0, e.now.Wall.Sub(was.Since)))
	ev.Since = was.Since
	ev.Value, ev.Shown, ev.Hits, ev.Of, ev.Held, ev.Actions = nil, "", 0, 0, "", nil
	if r := e.byName[id.Rule]; r != nil {
		if ev.Held = e.holds(&series{id: id, rule: r}); ev.Held == "" && !was.Held {
			ev.Actions = r.endActions()
		}
	}
	e.emit(ev)
}

func (e *evaluator) unbind(h *host) {
	for id, s := range h.byID {
		if s.state >= Acknowledged {
			e.kept.Alerts[id] = s.saved()
		}
		s.held, s.lacks = false, false
		e.trace.leave(s)
		e.followed -= s.weight
	}
	e.followed -= h.bound
	delete(e.hosts, h.name)
	e.order = slices.DeleteFunc(e.order, func(o string) bool { return o == h.name })
	e.version++
	e.limits = nil
}

// bindRule looks one rule up.
func (e *evaluator) bindRule(h *host, r *rule, asks map[time.Duration][]session.Ask) {
	found, err := r.Meanings(h.cat)
	if err != nil {
		h.problems[r.Name] = printable.Text(failure.Told(err))
		if r.Kind == NoValue {
			e.lack(e.newSeries(h, r, r.pathID(h.name)), h.problems[r.Name])
		}
		return
	}
	every := e.interval(r)
	if r = e.on(h, r); r.isOnMemory() {
		asks[every] = append(asks[every], h.askSize(every)...)
	}
	for _, means := range found {
		k := &binding{Meaning: means}
		k.follow(r)
		if made := means.Combination(); made != nil {
			k.Combine = made
		}
		if r.Kind == NoValue {
			k.expect(e, h)
		}
		f := h.targets.In(k.Set, every)
		f.Targets = append(f.Targets, k)
		asks[every] = append(asks[every], k.Ask())
	}
}

// combinedName is the instance that an aggregate makes, as "average of w3wp*".
func (r *Rule) combinedName() string {
	name := r.Aggregate.String() + " of " + r.When.Path.InstanceText()
	if len(r.Except) > 0 {
		name += " but " + strings.Join(r.Except, ", ")
	}
	return name
}

// pathID names the series of what a rule about absence expects, there or not.
func (r *Rule) pathID(host string) ID {
	p := r.When.Path
	n, _ := p.Index.Number()
	return ID{Rule: r.Name, Host: host, Set: p.Object, Counter: p.Counter, Parent: p.Parent, Name: p.Instance, Number: uint64(n)}
}

// expect follows an instance that need not be there. A wildcard expects none:
// with the counterset back, what it lacked is over.
func (k *binding) expect(e *evaluator, h *host) {
	id := k.rule.pathID(h.name)
	if k.Wild || len(k.Counters) != 1 {
		if s := h.byID[id]; s != nil {
			e.drop(s, "back")
		}
		k.recall(e, h)
		return
	}
	s := e.newSeries(h, k.rule, id)
	in := id.instance(NoValue)
	if k.Combine != nil {
		in = session.Instance{Key: session.InstanceKey{Name: k.Combine.Name}}
	}
	if s.set == nil {
		s.set, s.counter, s.instance = k.Set, k.Counters[0], in
		e.lack(s, cooker.Gone.Word())
	}
	k.expected = s
}

// recall goes on with what fired before the program was started. It ends with the first sample
// if it is not there any more, unless the rule is about that.
func (k *binding) recall(e *evaluator, h *host) {
	absent := k.rule.Kind == NoValue
	for id, was := range e.kept.Alerts {
		counter := id.Counter
		if k.rule.Value != nil {
			counter = k.rule.When.Path.Counter
		}
		c, ok := k.Set.Counter(counter)
		if ok && was.State >= Acknowledged && id.Rule == k.rule.Name && id.Host == h.name && id.Set == k.Set.Name {
			s := e.newSeries(h, k.rule, id)
			s.set, s.counter, s.instance = k.Set, c, id.instance(k.rule.Kind)
			s.casual, s.loose, h.loose = absent, !absent, h.loose || !absent
		}
	}
}

// instance is the one that a series is about.
func (id ID) instance(of Kind) session.Instance {
	if of == NoValue {
		return session.Instance{Key: session.InstanceKey{Parent: id.Parent, Name: id.Name}, Index: uint32(id.Number)}
	}
	return session.Instance{Key: id.Key()}
}

// id names the series of an instance. A rule about absence knows instances by
// name: the one that comes back is the one that went.
func (k *binding) id(h *host, counter int, in *session.Instance) ID {
	id := ID{
		Rule: k.rule.Name, Host: h.name, Set: k.Set.Name, Counter: k.Set.Counters[counter].Name,
		Parent: in.Key.Parent, Name: in.Key.Name, Number: in.Key.ID,
	}
	if k.rule.Kind == NoValue {
		id.Number = uint64(in.Index)
	}
	if k.rule.Value != nil {
		id.Counter = k.rule.Value.String()
	}
	return id
}

// means tells whether the rule is about an instance.
func (k *binding) means(in *session.Instance) bool {
	if k.Combine != nil {
		return k.Matches(in)
	}
	return k.Includes(in)
}

// dropLoose ends the series of paths that the host does not have any more. Those
// that it has may come with the next sample.
func (h *host) dropLoose(e *evaluator) {
	bound := map[string]bool{}
	for _, f := range h.targets {
		for _, k := range f.Targets {
			bound[k.rule.Name] = true
		}
	}
	for _, s := range h.those(func(s *series) bool { return s.loose && !bound[s.id.Rule] && !h.done[s.id.Rule] }) {
		e.drop(s, cmp.Or(h.problems[s.id.Rule], "gone"))
	}
}

// those lists series of a host, always in the same order.
func (h *host) those(match func(*series) bool) (out []*series) {
	for _, s := range h.byID {
		if match(s) {
			out = append(out, s)
		}
	}
	slices.SortFunc(out, func(a, b *series) int { return a.id.compare(b.id) })
	return out
}

func (id ID) compare(o ID) int {
	return cmp.Or(cmp.Compare(id.Host, o.Host), cmp.Compare(id.Rule, o.Rule), cmp.Compare(id.Set, o.Set), cmp.Compare(id.Counter, o.Counter),
		cmp.Compare(id.Parent, o.Parent), cmp.Compare(id.Name, o.Name), cmp.Compare(id.Number, o.Number))
}

// Meaning is what a rule means on a host: counters of one counterset, and the
// instances that it follows. It stays that of the rule as it was looked up: samplers
// ask it on their own goroutine.
type Meaning struct {
	session.Target

	Rule *Rule
	// terms are the counters of the rule's formula, where those of its condition.
	terms, where []int
}

// Ask asks for what is judged, and for what that is worked out of.
func (m *Meaning) Ask() session.Ask {
	ask := m.Target.Ask()
	ask.Counters = slices.Concat(ask.Counters, m.terms, m.where)
	slices.Sort(ask.Counters)
	ask.Counters = slices.Compact(ask.Counters)
	return ask
}

// ErrText is why a limit on a counter is refused.
var ErrText = errors.New("the counter is a text: it has no number to hold against a limit")

// ErrExcepted says that a rule can match nothing.
var ErrExcepted = errors.New("its exceptions leave out all that the path means")

// Meanings looks the rule up in the catalogue of a host that it applies to. The error
// is a *paths.LookupError, or ErrText if a limit is set to texts alone; of a wildcard
// the texts are left out. It is ErrExcepted if no instance can be left. A rule that counts events means no counter.
func (r *Rule) Meanings(cat *session.Catalogue) (out []Meaning, err error) {
	if r.Kind == EventCount {
		return nil, nil
	}
	r = r.onTwin(cat)
	path := r.When.Path
	path.Computer = ""
	found, err := session.Question{Text: path.String()}.Resolve(cat, paths.Options{SkipTotals: !r.Totals})
	for _, t := range found {
		if t.Wild && r.exceptsAll() {
			return nil, fmt.Errorf("watch %s: %w", path, ErrExcepted)
		}
		if r.Kind == Threshold {
			t.Counters = slices.DeleteFunc(slices.Clone(t.Counters), func(c int) bool { return t.Set.Counters[c].Type.IsText() })
			if len(t.Counters) == 0 {
				continue
			}
		}
		m := Meaning{Target: t, Rule: r}
		if m.terms, err = r.Value.bind(t.Set); err != nil {
			return nil, err
		}
		if m.where, err = r.Where.bind(t.Set); err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	if len(out) == 0 && len(found) > 0 {
		err = fmt.Errorf("watch %s: %w", path, ErrText)
	}
	return out, err
}

// AppliesTo tells whether the rule is meant for a host.
func (r *Rule) AppliesTo(host string) bool {
	if c := r.When.Path.Computer; c != "" && r.Kind != HostLost && !paths.EqualFold(c, host) {
		return false
	}
	return len(r.Hosts) == 0 || paths.MatchesAny(r.Hosts, host)
}

// exceptsAll tells whether an exception takes in all that the path's wildcard does.
func (r *Rule) exceptsAll() bool {
	all := r.When.Path.InstanceText()
	return paths.MatchesAny(r.Except, all)
}

// Includes tells whether an instance is followed, or is one of those that an aggregate
// is made of.
func (m *Meaning) Includes(in *session.Instance) bool {
	switch {
	case !m.Matches(in):
		return false
	case !m.Wild:
		return true
	case in.Flags&(session.FlagIdle|session.FlagTotal) != 0 && !m.Rule.Totals && !paths.IsTotal(m.Path.Instance):
		return false
	}
	if len(m.Rule.Except) == 0 {
		return true
	}
	name := in.Text()
	return !paths.MatchesAny(m.Rule.Except, name)
}

// Combination makes the instance that is judged, whatever becomes of m; nil: the host gives it.
func (m *Meaning) Combination() *session.Combine {
	if m.Rule.Aggregate == nil {
		return m.sumOfAll()
	}
	of := *m
	return &session.Combine{Name: m.Rule.combinedName(), Match: of.Includes, Func: m.Rule.Aggregate, All: m.Path.Instance == "*"}
}
