package alerts

import (
	"slices"

	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/tui/pane"
)

// targetOf is the value that an alert is about, as screens name it. A target
// without a set is the host: the alert is about it, or it does not have the
// value. Without a host nothing of it is watched here.
func targetOf(desk *pane.Desk, id alert.ID, kind alert.Kind) pane.Target {
	t := pane.Target{Host: desk.Find(id.Host)}
	if t.Host == nil || id.Set == "" {
		return t
	}
	set := t.Host.Sampler.Catalogue().Set(id.Set)
	if set == nil {
		return t
	}
	counter, ok := set.Counter(id.Counter)
	if !ok {
		return t
	}
	t.Set, t.Counter, t.Key = set, counter, session.InstanceKey{Parent: id.Parent, Name: id.Name, ID: id.Number}
	if kind != alert.NoValue {
		return t
	}
	t.Key.ID = 0 // a rule about absence knows instances by their names
	if view := t.Host.Snap.Set(set); view != nil {
		for i := range view.Rows {
			if in := &view.Rows[i]; in.Key.Name == id.Name && in.Key.Parent == id.Parent && uint64(in.Index) == id.Number {
				t.Key = in.Key
			}
		}
	}
	return t
}

// meaning is what a rule means on a host.
type meaning struct {
	alert.Meaning

	host *pane.Host
}

// meaningsOf looks a rule up on a host, as the engine does.
func meaningsOf(h *pane.Host, r *alert.Rule) (out []meaning, err error) {
	cat := h.Sampler.Catalogue()
	if cat == nil || r.Kind == alert.HostLost || !r.AppliesTo(h.Name) {
		return nil, nil
	}
	found, err := r.Meanings(cat)
	for _, m := range found {
		out = append(out, meaning{m, h})
	}
	return out, err
}

// mostBusy is of how many instances of a wildcard the history is asked for.
const mostBusy = 8

// ask is what has to be asked to see what a rule follows: of a wildcard the
// busiest, of an aggregate all.
func (m *meaning) ask() session.Ask {
	a := m.Ask()
	if m.Wild && m.Rule.Aggregate == nil {
		for _, c := range m.Counters {
			a.Keep = append(a.Keep, session.Keep{Counters: []int{c}, Busiest: mostBusy, By: c})
		}
		return a
	}
	made := m.Combination()
	a.Keep = []session.Keep{{Counters: m.Counters, Match: func(in *session.Instance) bool {
		return m.Includes(in) || made != nil && made.Includes(in)
	}}}
	return a
}

// values are the targets that a rule means among what its host's snapshot
// shows. A path that names one instance gives it unseen.
func (m *meaning) values() (out []pane.Target) {
	view := m.host.Snap.Set(m.Set)
	for _, c := range m.Counters {
		t := pane.Target{Host: m.host, Set: m.Set, Counter: c}
		switch {
		case view != nil:
			for i := range view.Rows {
				if in := &view.Rows[i].Instance; m.Includes(in) && !view.Rows[i].Gone {
					t.Key = in.Key
					out = append(out, t)
				}
			}
		case !m.Wild:
			t.Key = session.InstanceKey{Parent: m.Path.Parent, Name: m.Path.Instance}
			if m.Combine != nil {
				t.Key = m.Combine.Instance().Key
			}
			out = append(out, t)
		}
	}
	return out
}

// mostValues is how many values of a rule are charted at once: as many as there
// are colours.
const mostValues = 8

// valuesOf are values that a rule follows on hosts, those that alert first.
func valuesOf(desk *pane.Desk, r *alert.Rule, on func(*pane.Host) bool) (out []pane.Target) {
	board := desk.Board()
	add := func(t pane.Target) {
		if t.IsValue() && on(t.Host) && len(out) < mostValues && !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	if r.Aggregate == nil {
		for _, a := range board.Active {
			if a.ID.Rule == r.Name {
				add(targetOf(desk, a.ID, r.Kind))
			}
		}
	}
	for _, h := range desk.Hosts {
		if len(out) >= mostValues || !on(h) {
			continue
		}
		found, _ := meaningsOf(h, r)
		for i := range found {
			for _, t := range found[i].values() {
				add(t)
			}
		}
	}
	return out
}

func anyHost(*pane.Host) bool { return true }

// targetsOf are the values behind an alert: its own or, of an aggregate, those
// that it is made of.
func targetsOf(desk *pane.Desk, id alert.ID, r *alert.Rule) []pane.Target {
	kind := alert.Threshold
	if r != nil {
		kind = r.Kind
		if r.Aggregate != nil {
			if list := valuesOf(desk, r, func(h *pane.Host) bool { return h.Name == id.Host }); len(list) > 0 {
				return list
			}
		}
	}
	t := targetOf(desk, id, kind)
	if t.Host == nil {
		return nil
	}
	return []pane.Target{t}
}

// counterOf finds the counter that a rule is about, on whichever host has it;
// nil if none has, and of a formula.
func counterOf(desk *pane.Desk, r *alert.Rule) (w watched) {
	w = watchedOf(nil, nil, 0)
	for _, h := range desk.Hosts {
		if w.Counter != nil || r.Kind == alert.HostLost || r.Value != nil {
			break
		}
		if set := h.Sampler.Catalogue().Set(r.When.Path.Object); set != nil {
			if c, ok := set.Counter(r.When.Path.Counter); ok {
				w = watchedOf(desk.NumbersOf(h), set, c)
			}
		}
	}
	w.per = r.UnitSuffix()
	return w
}
