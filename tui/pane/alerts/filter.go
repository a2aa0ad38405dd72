package alerts

import (
	"slices"
	"time"

	"perfdeck/session/alert"
	"perfdeck/tui/kit/filter"
)

// facts are what a row of one of the three lists tells for the filter.
type facts struct {
	hosts       []string
	rule, level string
	states      []string
	texts       []string
}

// fields are what alerts, rules and events can be asked for.
func fields() *filter.Fields[*facts] {
	return &filter.Fields[*facts]{
		List: []filter.Field[*facts]{
			{Name: "host", Texts: func(t *facts, fits func(string) bool) bool { return slices.ContainsFunc(t.hosts, fits) }, Example: "host:sql01"},
			{Name: "rule", Texts: filter.One(func(t *facts) string { return t.rule })},
			{Name: "state", Texts: func(t *facts, fits func(string) bool) bool { return slices.ContainsFunc(t.states, fits) }, Example: "state:firing"},
			{Name: "level", Texts: filter.One(func(t *facts) string { return t.level }), Example: "level:warning"},
		},
		Plain: func(t *facts, fits func(string) bool) bool {
			return fits(t.rule) || fits(t.level) || slices.ContainsFunc(t.hosts, fits) ||
				slices.ContainsFunc(t.states, fits) || slices.ContainsFunc(t.texts, fits)
		},
	}
}

// passes tells whether the filter lets a row through.
func (s *Screen) passes(row func() *facts) bool {
	return s.filter.Text() == "" || s.filter.Matches(row())
}

func alertFacts(a *alert.Alert, now time.Time) *facts {
	t := &facts{hosts: []string{a.ID.Host}, rule: a.ID.Rule, level: a.Rule.Severity.String(), states: []string{a.State.String()},
		texts: []string{a.Path, a.Lacking, a.By}}
	if a.MutedUntil.After(now) {
		t.states = append(t.states, "muted")
	}
	if a.Quiet {
		t.states = append(t.states, "quiet")
	}
	return t
}

func ruleFacts(r *alert.RuleStatus) *facts {
	return &facts{hosts: r.Rule.Hosts, rule: r.Name, level: r.Severity.String(), states: ruleWords(r),
		texts: []string{r.Expression(), r.Problem, r.Why, r.Text, r.ThenText(), r.Origin}}
}

// ruleWords are what a filter calls the state of a rule.
func ruleWords(r *alert.RuleStatus) (out []string) {
	for _, w := range []struct {
		is   bool
		word string
	}{
		{r.Disabled, "off"}, {!r.Disabled, "on"}, {r.Firing > 0, "firing"}, {r.Acknowledged > 0, "acknowledged"}, {r.Pending > 0, "pending"},
		{!r.MutedUntil.IsZero(), "muted"}, {r.IsQuiet, "quiet"}, {r.Problem != "", "problem"}, {r.Edited, "edited"},
	} {
		if w.is {
			out = append(out, w.word)
		}
	}
	return out
}

func eventFacts(ev *alert.Event) *facts {
	return &facts{hosts: []string{ev.ID.Host}, rule: ev.ID.Rule, level: ev.Severity.String(), states: []string{ev.Kind.String(), ev.Held},
		texts: []string{ev.Path, ev.Instance, ev.Shown, ev.Why, ev.By}}
}
