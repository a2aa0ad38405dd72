package alert

import (
	"errors"
	"fmt"
	"slices"

	"perfdeck/paths"
	"perfdeck/session"
)

// Meaning is what a rule means on a host: counters of one counterset, and the
// instances that it follows. It stays that of the rule as it was looked up: samplers
// ask it on their own goroutine.
type Meaning struct {
	session.Target

	Rule *Rule
	// terms are the counters of the rule's formula.
	terms []int
}

// Ask asks for what is judged, and for what that is worked out of.
func (m *Meaning) Ask() session.Ask {
	ask := m.Target.Ask()
	if len(m.terms) == 0 {
		return ask
	}
	ask.Counters = slices.Clone(ask.Counters)
	for _, c := range m.terms {
		if !slices.Contains(ask.Counters, c) {
			ask.Counters = append(ask.Counters, c)
		}
	}
	slices.Sort(ask.Counters)
	return ask
}

// ErrText is why a limit on a counter is refused.
var ErrText = errors.New("the counter is a text: it has no number to hold against a limit")

// ErrExcepted says that a rule can match nothing.
var ErrExcepted = errors.New("its exceptions leave out all that the path means")

// Meanings looks the rule up in the catalogue of a host that it applies to. The error
// is a *paths.LookupError, or ErrText if a limit is set to texts alone; of a wildcard
// the texts are left out. It is ErrExcepted if no instance can be left.
func (r *Rule) Meanings(cat *session.Catalogue) (out []Meaning, err error) {
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
		if r.Value != nil {
			if m.terms, err = r.Value.bind(t.Set); err != nil {
				return nil, err
			}
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
	return len(r.Hosts) == 0 || slices.ContainsFunc(r.Hosts, func(p string) bool { return paths.Match(p, host) })
}

// exceptsAll tells whether an exception takes in all that the path's wildcard does.
func (r *Rule) exceptsAll() bool {
	all := r.When.Path.InstanceText()
	return slices.ContainsFunc(r.Except, func(p string) bool { return paths.Match(p, all) })
}

// TakesIn tells whether an instance is followed, or is one of those that an aggregate
// is made of.
func (m *Meaning) TakesIn(in *session.Instance) bool {
	switch {
	case !m.Matches(in):
		return false
	case !m.Wild:
		return true
	case in.Flags&(session.FlagIdle|session.FlagTotal) != 0 && !m.Rule.Totals && !paths.IsTotal(m.Path.Instance):
		return false
	}
	return len(m.Rule.Except) == 0 || !m.excepts(in)
}

func (m *Meaning) excepts(in *session.Instance) bool {
	name := instanceText(in)
	return slices.ContainsFunc(m.Rule.Except, func(p string) bool { return paths.Match(p, name) })
}
