package alerts

import (
	"slices"
	"strings"
	"time"

	"perfdeck/session/alert"
)

// filter is words that a row must hold:
//
//	disk
//	host:sql01 !cleared
//	state:firing level:critical
type filter struct {
	text  string
	terms []term
}

// term is one condition.
type term struct {
	field string // of fields; empty: any text
	text  string // lower case
	not   bool
}

var filterFields = []string{"host", "rule", "state", "level"}

// parseFilter reads a filter. Every text is one.
func parseFilter(text string) filter {
	f := filter{text: strings.TrimSpace(text)}
	for word := range strings.FieldsSeq(strings.ToLower(text)) {
		t := term{text: word}
		if bare, not := strings.CutPrefix(word, "!"); not && bare != "" {
			t.text, t.not = bare, true
		}
		for _, field := range filterFields {
			if value, ok := strings.CutPrefix(t.text, field+":"); ok && value != "" {
				t.field, t.text = field, value
				break
			}
		}
		f.terms = append(f.terms, t)
	}
	return f
}

// facts are what can be said of a row.
type facts struct {
	host, rule string
	level      string
	states     []string
	texts      []string
}

func (f *filter) takes(of func() facts) bool {
	if len(f.terms) == 0 {
		return true
	}
	row := of()
	return !slices.ContainsFunc(f.terms, func(t term) bool { return t.holds(&row) == t.not })
}

func (t *term) holds(f *facts) bool {
	begins := func(word string) bool { return strings.HasPrefix(strings.ToLower(word), t.text) }
	has := func(text string) bool { return strings.Contains(strings.ToLower(text), t.text) }
	switch t.field {
	case "host":
		return has(f.host)
	case "rule":
		return has(f.rule)
	case "level":
		return begins(f.level)
	case "state":
		return slices.ContainsFunc(f.states, begins)
	}
	return has(f.host) || has(f.rule) || begins(f.level) || slices.ContainsFunc(f.states, begins) || slices.ContainsFunc(f.texts, has)
}

func (f *filter) takesAlert(a *alert.Alert, now time.Time) bool {
	return f.takes(func() facts {
		row := facts{host: a.ID.Host, rule: a.ID.Rule, level: a.Rule.Severity.String(), states: []string{a.State.String()},
			texts: []string{a.Path, a.Lacking, a.By}}
		if a.MutedUntil.After(now) {
			row.states = append(row.states, "muted")
		}
		if a.Quiet {
			row.states = append(row.states, "quiet")
		}
		return row
	})
}

func (f *filter) takesRule(r *alert.RuleStatus) bool {
	return f.takes(func() facts {
		return facts{host: strings.Join(r.Rule.Hosts, " "), rule: r.Name, level: r.Severity.String(), states: ruleWords(r),
			texts: []string{r.Expression(), r.Problem, r.Why, r.Text, r.ThenText(), r.Origin}}
	})
}

// ruleWords are what a filter calls the state of a rule.
func ruleWords(r *alert.RuleStatus) []string {
	var out []string
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

func (f *filter) takesEvent(ev *alert.Event) bool {
	return f.takes(func() facts {
		return facts{host: ev.ID.Host, rule: ev.ID.Rule, level: ev.Severity.String(), states: []string{ev.Kind.String(), ev.Held},
			texts: []string{ev.Path, ev.Instance, ev.Shown, ev.Why, ev.By}}
	})
}
