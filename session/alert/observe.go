package alert

import (
	"fmt"
	"slices"
	"time"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/text/field"
)

// Observe judges a snapshot of the feed that asks, at an interval, for what Bind
// said.
func (g *Engine) Observe(name string, every time.Duration, s *session.Snapshot, now session.Instant) {
	e := g.at(now)
	defer g.unlock()
	h := e.hosts[name]
	if h == nil {
		return
	}
	e.tellState(h, s.State)
	for _, f := range h.targets {
		if f.Every != every {
			continue
		}
		v := s.Set(f.Set)
		switch {
		case s.State.Err != nil:
			e.lackAll(f, "host lost: "+s.State.Err.Error())
		case v == nil || v.Err == nil && f.Known() && v.Time.Equal(f.At): // nothing came since
		case v.Err != nil:
			e.lackAll(f, v.Err.Error())
		default:
			e.judge(h, f, s)
		}
	}
}

// lackAll notes that a counterset gave no answer. Samples that lacked are counted
// when there is one again.
func (e *evaluator) lackAll(f *followed, why string) {
	for _, k := range f.Targets {
		for i := range k.members {
			e.lackOne(k.members[i].As, why)
		}
		if k.expected != nil {
			e.lackOne(k.expected, why)
		}
	}
}

func (e *evaluator) lackOne(s *series, why string) {
	if s.rule.Kind == NoValue || s.state != OK {
		e.lack(s, why)
	}
}

// judge judges all of a view.
func (e *evaluator) judge(h *host, f *followed, s *session.Snapshot) {
	first := !f.Known()
	e.matches++
	changed := f.Follow(s, func(k *binding, moved, added []int) { e.match(h, k, f.View, moved, added) })
	v := f.View
	if changed {
		h.countProcessors(v)
	}
	if first {
		e.version++ // of rules without an instance the board tells
		e.settleLoose(h, f)
	}
	again := v.Time.Equal(f.At) // after Bind: only what is new is judged
	f.At = v.Time
	missed := v.Rate.Missed
	if v.Rate.Gap {
		missed = max(missed, 1)
	}
	h.lookAtMemory(v)
	for _, k := range f.Targets {
		for i := range k.members {
			m := &k.members[i]
			if s := m.As; m.Column >= 0 && (!again || s.samples == 0) {
				value := k.value(v, m.Row, m.Column, s, e.now.Mono)
				if s.trend != nil {
					value = s.trend.observe(e.now.Mono, value, missed, v.Rate.Gap)
				}
				if s.growth != nil {
					s.isOf(&v.Rows[m.Row].Instance)
					value = s.growth.observe(e.now.Mono, value, &k.rule.Rule, s.set.Counters[s.counter].Quantity.Kind == cooker.Bytes, h.size.left)
				}
				e.evaluate(s, value, missed)
				e.trace.note(s, value, e.now.Wall)
			}
		}
		if k.once {
			e.countTurn(h, k, v.Rate.Interval > 0)
		}
	}
}

// value is what the rule judges of a row; where its condition does not hold there is nothing to judge.
func (k *binding) value(v *session.SetView, row, column int, s *series, now time.Duration) cooker.Value {
	value := v.Value(row, column)
	if formula := k.rule.Value; formula != nil {
		value = formula.of(v, row, k.terms, &s.rates, now)
	}
	if where := k.rule.Where; where != nil {
		if f, ok := where.of(v, row, k.where, &s.moved, now).Float(); ok && f == 0 {
			return cooker.Absent(cooker.ZeroBase)
		}
	}
	return value
}

// countTurn lets go of a rule that has Once when it had its sample: the first
// one, or the second where a value takes two. Without an instance it had it, too.
func (e *evaluator) countTurn(h *host, k *binding, cooked bool) {
	judged := len(k.members) == 0 // nothing to wait for
	for _, m := range k.members {
		judged = judged || m.As.value.Valid()
	}
	if k.turns++; (judged || cooked || k.turns > 1) && !h.done[k.rule.Name] {
		h.done[k.rule.Name], h.unmet[k.rule.Name] = true, len(k.members) == 0
		e.round++
	}
}

// match finds the instances of a rule in a view. Only rows that are new are matched by name.
func (e *evaluator) match(h *host, k *binding, v *session.SetView, moved, added []int) {
	isAlone := k.isAlone(v)
	means := func(in *session.Instance) bool {
		return (h.loose && h.byID[k.id(h, k.Counters[0], in)] != nil || e.hasRoom(k.rule)) && (k.means(in) || isAlone && paths.EqualFold(in.Key.Name, "_Total"))
	}
	left := k.members.Follow(v, &k.Target, moved, added, means, func(in *session.Instance, counter int) *series {
		return k.seriesOf(e, h, counter, in)
	})
	for i := range k.members {
		k.members[i].As.round = e.matches
	}
	for _, s := range left {
		switch {
		case s.round == e.matches:
		case s.rule.Kind == NoValue:
			e.lack(s, "gone")
		default:
			e.drop(s, "gone")
		}
	}
}

// seriesOf begins to follow an instance, or goes on.
func (k *binding) seriesOf(e *evaluator, h *host, counter int, in *session.Instance) *series {
	s := k.expected
	if s == nil {
		s = e.newSeries(h, k.rule, k.id(h, counter, in))
		s.casual = k.rule.Kind == NoValue
	}
	s.set, s.counter = k.Set, counter
	s.isOf(in)
	if k.isUnmade(in, counter) {
		h.unmade[k.rule.Name] = fmt.Sprintf(unmade, k.Set.Counters[counter].Name, session.PathOf("", k.Set, counter, &session.Instance{Key: session.InstanceKey{Name: session.TotalOfAll}}))
		e.version++
	}
	return s
}

// isOf tells which instance a series is of: another process of its name begins anew.
func (s *series) isOf(in *session.Instance) {
	if s.instance.Number != in.Number {
		if s.trend != nil {
			s.trend.reset()
		}
		if s.growth != nil {
			*s.growth = growth{}
		}
		s.rates, s.moved = rates{}, rates{}
	}
	s.instance = *in
}

// unmade is why a rule about all instances as one is never judged.
const unmade = "it cannot be judged: the counter '%s' does not say how its instances are combined; %s names how"

// isUnmade tells that an instance is to be made of others and nobody says how.
func (k *binding) isUnmade(in *session.Instance, counter int) bool {
	made, ok := session.CombineNamed(in.Key.Name)
	if k.Combine != nil {
		made = *k.Combine
	}
	return ok && in.Flags&session.FlagCombined != 0 && made.Aggregator(&k.Set.Counters[counter]).Func == cooker.AggregateNone
}

// settleLoose ends, with the first view, the alerts of before whose instances are
// not there any more. Absent is what some rules are about: theirs go on.
func (e *evaluator) settleLoose(h *host, f *followed) {
	bound := map[*rule]bool{}
	for _, k := range f.Targets {
		if bound[k.rule] = true; k.rule.Kind == Threshold {
			k.recall(e, h)
		}
	}
	if !h.loose {
		return // none was there before
	}
	left := func(s *series) bool {
		return s.loose && s.round != e.matches && s.rule.Kind == Threshold && s.id.Set == f.Set.Name && bound[s.rule]
	}
	for _, s := range h.those(left) {
		e.drop(s, "gone")
	}
}

// Tick lets time pass: what is absent long enough fires, what was held back by
// quiet hours or a mute is told when they end. It is to be called about once a
// second. states says how things stand with each host; it is asked while nobody
// observes, so that no answer is older than what Observe told.
func (g *Engine) Tick(now session.Instant, states func(host string) session.HostState) {
	e := g.at(now)
	defer g.unlock()
	for _, name := range e.order {
		e.tellState(e.hosts[name], states(name))
		e.count(e.hosts[name])
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
		switch lacked, after := e.now.Mono-s.lackedAt, s.rule.AfterTime(); {
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
	for scope, until := range e.kept.Mutes {
		if !until.After(e.now.Wall) {
			delete(e.kept.Mutes, scope)
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
		ev.Lasted = field.Seconds(max(0, e.now.Mono-s.since.Mono))
		ev.Why = "since " + s.since.Wall.In(e.zone).Format(time.DateTime)
		e.emit(ev)
		return true
	})
}
