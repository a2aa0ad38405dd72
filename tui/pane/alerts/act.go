package alerts

import (
	"slices"
	"strconv"
	"time"

	"perfdeck/session/alert"
	"perfdeck/tui/pane"
)

// open charts the value of the selected row at its time, or shows the events of
// a group.
func (s *Screen) open() {
	switch a, r, ev := s.alert(), s.rule(), s.event(); {
	case a != nil:
		s.chartAt(targetsOf(s.desk, a.ID, a.Rule), a.Since)
	case r != nil:
		list := valuesOf(s.desk, &r.Rule, anyHost)
		if len(list) == 0 {
			why := r.Problem
			if why == "" {
				why = "nothing is followed that could be charted"
			}
			s.desk.Say(why)
			return
		}
		s.desk.Send(pane.OpenChart{Targets: list})
	case ev != nil:
		s.openEvent(ev)
	}
}

func (s *Screen) openEvent(ev *alert.Event) {
	if s.row().group != nil {
		s.fold(!s.opened[ev.Group])
		return
	}
	if ev.ID.Host == "" { // an act on a rule
		if st := statusOf(s.desk, ev.ID.Rule); st != nil {
			s.showRule(ev.ID.Rule)
			return
		}
		s.desk.MoveTo(ev.Time)
		return
	}
	s.chartAt(targetsOf(s.desk, ev.ID, s.ruleNamed(ev.ID.Rule)), ev.Time)
}

// chartAt shows a moment on all screens, and the values in the chart. What is
// about a host opens its deck.
func (s *Screen) chartAt(list []pane.Target, at time.Time) {
	if r := recordedOf(s.desk); r != nil {
		r.Seek(at)
		at = time.Time{}
	}
	s.desk.MoveTo(at)
	switch {
	case len(list) == 0:
		s.desk.Say("the host is not watched any more")
		return
	case !list[0].IsValue():
		s.desk.Send(pane.OpenHost{Host: list[0].Host})
		return
	}
	s.desk.Send(pane.OpenChart{Targets: list})
}

// showRule selects a rule in its pane.
func (s *Screen) showRule(name string) {
	s.focus = rulesPart
	if i := slices.Index(s.rules.Keys(), name); i >= 0 {
		s.rules.Select(i)
	}
}

// fold shows the events of the selected group, or folds them; on an event of a
// group it folds that group.
func (s *Screen) fold(open bool) {
	row := s.row()
	if row == nil || row.group == nil && (open || !row.member) {
		return
	}
	group := row.event.Group
	s.opened[group], s.dirty = open, true
	if row.member {
		if i := s.history.At(eventKey{group, true}); i >= 0 {
			s.history.Select(i)
		}
	}
	s.renew()
}

// chosen are the alerts that the chosen rows are about.
func (s *Screen) chosen() []alert.ID {
	s.renew()
	return s.idsOf(s.active.Chosen(), s.rules.Chosen(), s.history.Chosen())
}

// idsOf are the alerts that rows of the focused pane are about. Those of rules are named by their rule
// alone, as the acts on rules are.
func (s *Screen) idsOf(active []alert.ID, rules []string, events []eventKey) (out []alert.ID) {
	switch s.focus {
	case activePart:
		return active
	case rulesPart:
		for _, name := range rules {
			out = append(out, alert.ID{Rule: name})
		}
	case historyPart:
		for _, key := range events {
			for _, ev := range s.eventsOf(key) {
				out = append(out, ev.ID)
			}
		}
	}
	return out
}

// firing are the alerts that an acknowledgement means: the marked ones, or the
// selected one, or all of a rule.
func (s *Screen) firing() (out []alert.ID) {
	chosen := map[alert.ID]bool{}
	for _, id := range s.chosen() {
		chosen[id] = true
	}
	for _, a := range s.board.Active {
		id := a.ID
		if s.focus == rulesPart {
			id = alert.ID{Rule: id.Rule}
		}
		if a.State == alert.Firing && chosen[id] {
			out = append(out, a.ID)
		}
	}
	return out
}

func (s *Screen) acknowledge() {
	if s.desk.Alerts == nil {
		return
	}
	n := s.desk.Alerts.Acknowledge(s.desk.User, s.firing()...)
	s.rows().ClearMarks()
	s.dirty = true
	s.desk.Say("acknowledged " + strconv.Itoa(n))
}

// chosenRules are the rules that a change means: the marked ones, or that of the
// selected row.
func (s *Screen) chosenRules() (out []string) {
	for _, id := range s.chosen() {
		if !slices.Contains(out, id.Rule) && statusOf(s.desk, id.Rule) != nil {
			out = append(out, id.Rule)
		}
	}
	return out
}

func (s *Screen) edit() {
	list := s.chosenRules()
	if len(list) == 0 {
		return
	}
	if len(list) > 1 {
		if st := s.rule(); st != nil { // of several the selected one
			list = []string{st.Name}
		}
	}
	s.ask(*s.ruleNamed(list[0]))
}

// ask opens the form of a rule; the rule that it keeps is selected then.
func (s *Screen) ask(r alert.Rule) {
	form := newRuleForm(s.desk, r)
	ask := form.ask()
	then := ask.Then
	ask.Then = func() {
		s.dirty = true
		s.renew()
		s.showRule(form.name)
		then()
	}
	s.desk.Send(ask)
}

// change does something with the chosen rules and tells how it is undone.
func (s *Screen) change(do func(*pane.Desk, []string) (pane.Did, error)) func() {
	return func() {
		if s.did(do(s.desk, s.chosenRules())) {
			s.rows().ClearMarks()
		}
	}
}

// did tells what was done with rules, or why it was not.
func (s *Screen) did(did pane.Did, err error) bool {
	s.dirty = true
	if err != nil {
		s.desk.Say(err.Error())
		return false
	}
	s.desk.Send(did)
	return true
}

// Happened is when the selected alert, or that of the selected event, was: from the first
// of the samples that fired it until it was well again, or the newest sample. What names
// it, "" where none is selected.
func (s *Screen) Happened() (from, to time.Time, what string) {
	var id alert.ID
	var at time.Time
	switch a, ev := s.alert(), s.event(); {
	case a != nil && a.State >= alert.Acknowledged:
		id, at = a.ID, s.desk.Moment()
	case ev != nil && ev.ID.Host != "" && !ev.Kind.IsAct():
		id, at = ev.ID, ev.Time
	default:
		return from, to, ""
	}
	history := s.board.History
	for i := range history {
		switch ev := &history[i]; {
		case ev.ID != id:
		case ev.Kind == alert.Fired && !ev.Time.After(at):
			from, to = ev.Time, time.Time{}
		case ev.Kind == alert.Cleared && to.IsZero():
			to = ev.Time
		}
	}
	if from.IsZero() {
		return from, to, ""
	}
	if to.IsZero() {
		to = s.desk.Moment()
		if s.desk.Archive != nil {
			_, to = s.desk.Archive.Bounds()
		}
	}
	if r := s.ruleNamed(id.Rule); r != nil {
		from = from.Add(-r.Delay())
	}
	const least = 30 * time.Second
	if to.Sub(from) < least {
		to = from.Add(least)
	}
	return from, to, "alert " + id.Rule
}
