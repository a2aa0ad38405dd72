package ruleset

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"perfdeck/paths"
	"perfdeck/session/alert"
	"perfdeck/session/text"
	"perfdeck/session/text/printable"
	"perfdeck/themes"
)

// RuleState is a rule with how it stands: what of it fires, whoever gave it.
type RuleState struct {
	Rule         alert.Rule `json:"rule"`
	Firing       int        `json:"firing"` // alerts that nobody acknowledged
	Acknowledged int        `json:"acknowledged"`
	MutedUntil   *time.Time `json:"mutedUntil,omitempty"` // on all hosts; nil: it is not

	mute *alert.Mute
}

// State is how things stand at a moment.
type State struct {
	Rules []RuleState
	Mutes []alert.Mute
}

// StateOf tells how things stand with rules, and with those of what fires besides.
func StateOf(rules []alert.Rule, memory *alert.Memory, now time.Time) *State {
	s := &State{Mutes: memory.MutesAt(now)}
	for _, r := range slices.Concat(rules, rulesElsewhere(rules, memory)) {
		one := RuleState{Rule: r, mute: muteOf(s.Mutes, r.Name)}
		if one.mute != nil {
			one.MutedUntil = &one.mute.Until
		}
		s.Rules = append(s.Rules, one)
	}
	named := map[string]*RuleState{}
	for i := range s.Rules {
		named[s.Rules[i].Rule.Name] = &s.Rules[i]
	}
	for id, state := range memory.Alerts {
		r := named[id.Rule]
		switch {
		case r == nil:
		case state.State == alert.Firing:
			r.Firing++
		case state.State == alert.Acknowledged:
			r.Acknowledged++
		}
	}
	return s
}

// HasTimes tells that a time ends or begins at which something is told: of a mute, of quiet hours.
func (s *State) HasTimes() bool {
	return len(s.Mutes) > 0 || slices.ContainsFunc(s.Rules, func(r RuleState) bool { return !r.Rule.Disabled && len(r.Rule.Quiet) > 0 })
}

// WriteJSON writes an object a line: the rules, and then what is muted.
func (s *State) WriteJSON(w io.Writer) error {
	for i := range s.Rules {
		if err := printable.WriteJSON(w, &s.Rules[i]); err != nil {
			return err
		}
	}
	for i := range s.Mutes {
		if err := printable.WriteJSON(w, map[string]any{"muted": s.Mutes[i].Scope, "until": s.Mutes[i].Until}); err != nil {
			return err
		}
	}
	return nil
}

// Write writes a table of the rules, and then what is muted.
func (s *State) Write(to *text.Printer) error {
	w := text.Table{Columns: text.Heads("RULE", "WHEN", "FOR", "CLEAR", "SEVERITY", "HOSTS", "THEN", "STATE", "FROM"), Tone: func(row, column int) themes.Token {
		r := &s.Rules[row]
		switch {
		case r.Rule.Disabled:
			return themes.Muted
		case column == 4 || r.Firing > 0 && (column == 0 || column == 7):
			return text.Severity(r.Rule.Severity.String())
		}
		return themes.Text
	}}
	for i := range s.Rules {
		r := &s.Rules[i].Rule
		hosts := cmp.Or(strings.Join(r.Hosts, ","), "all")
		w.Row(r.Name, r.Condition(), cmp.Or(r.ForText(), "-"), cmp.Or(r.ClearText(), "-"), r.Severity.String(), hosts, cmp.Or(r.ThenText(), "-"), s.Rules[i].state(), r.Origin)
	}
	if err := w.Print(to); err != nil {
		return err
	}
	for i := range s.Mutes {
		if _, err := fmt.Fprintf(to, "muted %s: %s\n", untilWord(&s.Mutes[i]), s.Mutes[i].Text()); err != nil {
			return err
		}
	}
	return nil
}

// state is how a rule stands, in words.
func (r *RuleState) state() string {
	var words []string
	tell := func(n int, word string) {
		if n > 0 {
			words = append(words, fmt.Sprintf("%d %s", n, word))
		}
	}
	tell(r.Firing, "firing")
	tell(r.Acknowledged, "acknowledged")
	if r.Rule.Disabled {
		words = append(words, "off")
	}
	if r.mute != nil {
		words = append(words, "muted "+untilWord(r.mute))
	}
	return cmp.Or(strings.Join(words, ", "), "-")
}

// elsewhere is where rules stand that fire and are none of this command's: they
// were given to another one, as by --alert of perfdeck watch.
const elsewhere = "of another perfdeck"

// rulesElsewhere are the rules of what fires that are not among those in force, as
// far as the events tell of them.
func rulesElsewhere(known []alert.Rule, memory *alert.Memory) (out []alert.Rule) {
	has := map[string]bool{}
	for i := range known {
		has[known[i].Name] = true
	}
	for _, ev := range slices.Backward(memory.History) {
		if ev.Kind != alert.Fired && ev.Kind != alert.Released || has[ev.ID.Rule] || memory.Alerts[ev.ID].State < alert.Acknowledged {
			continue
		}
		has[ev.ID.Rule] = true
		r := alert.Rule{Name: ev.ID.Rule, Severity: ev.Severity, Origin: elsewhere}
		switch path, err := paths.Parse(ev.Path); {
		case ev.ID.Set == "" && ev.Op != 0:
			count, err := alert.ParseRule(ev.ID.Rule)
			if err != nil { // which events it counts was said elsewhere
				count.Kind, count.Events = alert.EventCount, alert.Count{Source: "*", MoreThan: int(ev.Limit)}
			}
			r.Kind, r.Events = count.Kind, count.Events
		case ev.ID.Set == "":
			r.Kind = alert.HostLost
		case err != nil:
			continue
		case ev.Op == 0:
			r.Kind, r.When.Path = alert.NoValue, path
		default:
			r.When = paths.Alert{Path: path, Op: ev.Op, Limit: ev.Limit}
		}
		out = append(out, r)
	}
	slices.SortFunc(out, func(a, b alert.Rule) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

// muteOf is the mute of a rule on all hosts, or of everything, that lasts longest;
// nil if there is none.
func muteOf(mutes []alert.Mute, rule string) (found *alert.Mute) {
	for i := range mutes {
		m := &mutes[i]
		if wide := m.Scope == (alert.Scope{}) || m.Scope == (alert.Scope{Rule: rule}); wide && (found == nil || m.Until.After(found.Until)) {
			found = m
		}
	}
	return found
}

// untilWord says when a mute ends.
func untilWord(m *alert.Mute) string {
	if m.IsForever() {
		return "until unmuted"
	}
	return "until " + m.Until.Local().Format("2006-01-02 15:04")
}
