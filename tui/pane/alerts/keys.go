package alerts

import (
	"cmp"
	"slices"

	"perfdeck/session/alert"
	"perfdeck/tui/keys"
	"perfdeck/tui/kit/list"
	"perfdeck/tui/pane"
)

func (s *Screen) bindings() []keys.Binding {
	all := pane.BindKeys(append([]keys.Binding{
		{Keys: "enter", Text: "chart the value at that time; show or fold a group", Hint: "open at that time", Why: s.whyNoRow, Do: s.open},
		{Keys: "A", Text: "acknowledge: the alert, the marked ones, all of a rule", Hint: "acknowledge",
			Why: s.whyNoFiring, Do: s.acknowledge},
		{Keys: "M", Text: "mute for a while, unmute: the alert, the marked ones, a rule", Hint: "mute", Why: s.whyOff, Do: s.askMute},
		{Keys: "e", Text: "edit the rule", Hint: "edit", Why: s.whyNoRule, Do: s.edit},
		{Keys: "a", Text: "add a rule", Hint: "add rule", Why: s.whyOff, Do: func() { s.ask(alert.Rule{}) }},
		{Keys: "P", Text: "starter packs of rules: add, take away", Hint: "packs", Why: s.whyNoPacks, Do: s.askPack},
		{Keys: "O", Text: "switch the rule off, on", Hint: "off/on", Why: s.whyNoRule, Do: s.change(switchRules)},
		{Keys: "space", Text: "mark several", Hint: "mark", Why: s.whyNoRow, Do: func() { s.rows().MarkNext() }},
		{Keys: "d delete", Text: "remove the rule, or what was changed of it", Hint: "remove", Why: s.whyNotOwn, Do: s.change(removeRules)},
		s.filter.Key("filter"),
		{Keys: "n", Back: "N", Text: "next, previous that the filter finds, on any pane; in a recording without a filter: next, previous alert", Why: s.whyNoFilter, Step: s.next},
		{Keys: "z", Text: "this pane alone, or all", Why: s.whyNoPanes, Do: func() { s.zoomed = !s.zoomed }},
		{Keys: "tab", Text: "next pane", Why: s.whyNoPanes, Do: func() { s.turn(1) }},
		{Keys: "shift+tab", Text: "previous pane", Why: s.whyNoPanes, Do: func() { s.turn(-1) }},
		{Keys: "esc", Text: "clear the filter, then the marks, then the zoom; back", Do: s.escape},
	}, pane.SideKeys("fold, show a group of events", func(n int) { s.fold(n > 0) })...),
		"select", func(m list.Motion) { s.rows().Move(s.rows().Lines(m)) })
	keys.First(all, func() { // no key lets the rows change places under it
		s.renew()
		s.touched = s.desk.Now()
	})
	return all
}

func (s *Screen) whyNoPanes() string {
	return keys.When(s.nothing() != nil, "there are no panes without rules")
}

func (s *Screen) whyOff() string {
	if s.desk.Alerts == nil {
		return errOff.Error()
	}
	return WhyFixed(s.desk)
}

func (s *Screen) whyNoRow() string { return keys.When(s.rows().Count() == 0, "nothing is selected") }

func (s *Screen) whyNoFiring() string {
	return cmp.Or(s.whyOff(), keys.When(len(s.firing()) == 0, "none of it fires"))
}

func (s *Screen) whyNoRule() string {
	return cmp.Or(s.whyOff(), keys.When(len(s.chosenRules()) == 0, "no rule is selected"))
}

// whyNotOwn says why the chosen rules cannot be removed.
func (s *Screen) whyNotOwn() string {
	if why := s.whyOff(); why != "" {
		return why
	}
	if s.focus != rulesPart {
		return "select the rule: tab"
	}
	list := s.chosenRules()
	switch {
	case len(list) == 0:
		return "no rule is selected"
	case slices.ContainsFunc(list, func(name string) bool { st := statusOf(s.desk, name); return st != nil && st.Edited }):
		return ""
	}
	return "it stands in a file, which is only read: O switches it off"
}

func (s *Screen) whyNoFilter() string {
	switch {
	case s.filter.Text() != "":
		return ""
	case recordedOf(s.desk) == nil:
		return "nothing is looked for: / asks"
	case len(s.board.History) == 0:
		return "nothing fired in this recording"
	}
	return ""
}

// turn goes to the next pane.
func (s *Screen) turn(n int) { s.focus = (s.focus + part(n) + partCount) % partCount }

// next selects the next row that the filter left, on this pane or another.
func (s *Screen) next(n int) {
	if s.filter.Text() == "" {
		s.jump(n)
		return
	}
	for range partCount {
		rows := s.rows()
		if to := rows.Line() + n; to >= 0 && to < rows.Count() {
			rows.Move(n)
			return
		}
		s.turn(n)
		if rows = s.rows(); rows.Count() > 0 {
			rows.Select(-n * rows.Count()) // the nearest end
			return
		}
	}
	s.desk.Say("nothing fits the filter")
}

// escape takes back what hides or marks rows first, then goes back.
func (s *Screen) escape() {
	switch {
	case s.filter.Clear():
	case s.rows().Marks() > 0:
		s.rows().ClearMarks()
	case s.zoomed:
		s.zoomed = false
	default:
		s.desk.Back()
	}
}
