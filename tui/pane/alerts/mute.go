package alerts

import (
	"fmt"
	"slices"
	"time"

	"perfdeck/session/alert"
	"perfdeck/tui/pane"
)

// muting is what can be muted together: a line of the menu.
type muting struct {
	text   string
	scopes []alert.Scope
}

// scopes are what the chosen rows offer to mute, the narrowest first.
func (s *Screen) scopes() (out []muting) {
	add := func(before string, scope alert.Scope, behind string) {
		out = append(out, muting{before + muteText(scope) + behind, []alert.Scope{scope}})
	}
	switch list := s.mutable(); len(list) {
	case 0:
	case 1:
		id := list[0]
		if id.Set != "" || id.Name != "" {
			add("this alert: ", alert.Scope{One: id}, "")
		}
		if id.Host != "" && id.Rule != "" {
			add("", alert.Scope{Rule: id.Rule, Host: id.Host}, "")
		}
		if id.Rule != "" {
			add("", alert.Scope{Rule: id.Rule}, " on all hosts")
		}
		if id.Host != "" {
			add("", alert.Scope{Host: id.Host}, "")
		}
	default:
		what := "alerts"
		switch {
		case s.focus == rulesPart:
			what = "rules"
		case slices.ContainsFunc(list, func(id alert.ID) bool { return id.Rule == "" || id.Host == "" }): // of acts in the history
			what = "alerts, rules and hosts"
		}
		all := muting{text: fmt.Sprintf("the %d marked %s", len(list), what)}
		for _, id := range list {
			all.scopes = append(all.scopes, alert.ScopeOf(id))
		}
		out = append(out, all)
	}
	add("", alert.Scope{}, "")
	return out
}

// mutable are the alerts, or the rules, that the chosen rows are about, each once: of a group of
// events that is not marked its newest.
func (s *Screen) mutable() (out []alert.ID) {
	list := s.chosen()
	if ev := s.event(); ev != nil && s.history.Marks() == 0 {
		list = []alert.ID{ev.ID}
	}
	for _, id := range list {
		if id != (alert.ID{}) && !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out
}

// askMute asks what is to be muted, and offers to end the mutes there are.
func (s *Screen) askMute() {
	now := s.desk.Now()
	var items []pane.MenuItem
	for _, m := range s.scopes() {
		items = append(items, pane.MenuItem{Text: "mute " + m.text, Do: func() { s.askUntil(m) }})
	}
	for _, m := range mutesOf(s.desk.Board(), now) {
		items = append(items, pane.MenuItem{
			Text: "unmute " + m.text + ", muted " + untilText(m.until, now),
			Do:   func() { s.mute(m.muting, time.Time{}) },
		})
	}
	s.desk.Send(pane.OpenMenu{Title: "Mute alerts: they go on, and nobody is told", Items: items})
}

// askUntil asks for the end of a mute.
func (s *Screen) askUntil(m muting) {
	now := s.desk.Now()
	local := now.Local()
	morning := time.Date(local.Year(), local.Month(), local.Day()+1, 8, 0, 0, 0, local.Location())
	var items []pane.MenuItem
	for _, end := range []struct {
		text  string
		until time.Time
	}{
		{"for 15 min", now.Add(15 * time.Minute)}, {"for 1 h", now.Add(time.Hour)}, {"for 8 h", now.Add(8 * time.Hour)},
		{"until tomorrow 08:00", morning}, {"until unmuted", forever},
	} {
		items = append(items, pane.MenuItem{Text: end.text, Do: func() { s.mute(m, end.until) }})
	}
	s.desk.Send(pane.OpenMenu{Title: "Mute " + m.text, Items: items})
}

// mute mutes, or unmutes with a zero time.
func (s *Screen) mute(m muting, until time.Time) {
	now := s.desk.Now()
	before := mutesOf(s.desk.Board(), now)
	for _, scope := range m.scopes {
		s.desk.Alerts.Mute(s.desk.User, scope, until)
	}
	s.rows().ClearMarks()
	s.dirty = true
	text := "unmuted " + m.text
	if until.After(now) {
		text = "muted " + m.text + " " + untilText(until, now)
	}
	s.desk.Did(text, undo(s.desk, func() error {
		for _, scope := range m.scopes {
			var was time.Time
			if i := slices.IndexFunc(before, func(b mute) bool { return b.scopes[0] == scope }); i >= 0 {
				was = before[i].until
			}
			s.desk.Alerts.Mute(s.desk.User, scope, was)
		}
		return nil
	}))
}

// mute is a mute that is in force.
type mute struct {
	muting

	until time.Time
}

// mutesOf are the mutes in force.
func mutesOf(b *alert.Board, now time.Time) (out []mute) {
	for i := range b.Mutes {
		if m := &b.Mutes[i]; m.Until.After(now) {
			out = append(out, mute{muting{muteText(m.Scope), []alert.Scope{m.Scope}}, m.Until})
		}
	}
	return out
}

func muteText(scope alert.Scope) string {
	switch {
	case scope.One != alert.ID{}:
		return scope.One.Rule + ", " + whereOf(scope.One, "", true).String()
	case scope == alert.Scope{}:
		return "everything"
	case scope.Rule == "":
		return "all rules on " + scope.Host
	case scope.Host == "":
		return "rule " + quoted(scope.Rule)
	}
	return fmt.Sprintf("rule %s on %s", quoted(scope.Rule), scope.Host)
}

// quoted sets off the name of a rule, which may be a condition with backslashes.
func quoted(name string) string { return `"` + name + `"` }
