package moved

import (
	"slices"

	"perfdeck/tui/keys"
	"perfdeck/tui/pane"
)

// bind gives the screen its keys.
func (s *Screen) bind() {
	s.Bind("What moved", "what moved", []keys.Binding{
		{Keys: "enter", Text: "chart the marked ones, or this one, in lanes", Hint: "chart in lanes", Why: s.whyNothing, Do: s.chart},
		{Keys: "space", Text: "mark several", Hint: "mark", Why: s.whyNothing, Do: s.MarkNext},
		{Keys: "v", Text: "what went along with the selected value; what moved", Hint: "what went along", Why: s.whyNoOther, Do: s.turn},
		{Keys: "s", Text: "sort by how much it grew in the span; by how much it moved", Hint: "what grew", Why: s.whyNoGrowth, Do: s.turnGrowth},
		s.Filter.Key("filter"),
		{Keys: "C", Text: "what moved in the span", Why: func() string { return "this is it" }, Do: func() {}},
		{Keys: "esc", Text: "clear the filter, then the marks; back, which gives up what is read", Hint: "back", Do: s.Escape},
	})
}

func (s *Screen) whyNothing() string { return keys.When(len(s.Rows) == 0, "nothing is listed") }

func (s *Screen) whyNoOther() string {
	switch {
	case s.window == nil:
		return "nothing was read yet"
	case s.with < 0 && s.reference() < 0:
		return "no value is selected to go along with"
	}
	return ""
}

// reference is the series with which others may have gone along: the value that was
// selected on the screen before, then what is selected here; -1: none.
func (s *Screen) reference() int {
	if s.of.With.IsValue() {
		if i := slices.IndexFunc(s.series, func(r pane.Recorded) bool { return r.Is(s.of.With) }); i >= 0 && s.with != i {
			return i
		}
	}
	if at, ok := s.ListScreen.Selected(); ok && s.with < 0 {
		return at
	}
	return -1
}

func (s *Screen) whyNoGrowth() string {
	if s.with >= 0 {
		return "v leads back to what moved"
	}
	return s.whyNoOther()
}

// turnGrowth lists what grew, or what moved again.
func (s *Screen) turnGrowth() {
	s.grew = !s.grew
	s.relist()
}

// turn lists what went along, or what moved again.
func (s *Screen) turn() {
	if s.with < 0 {
		s.seek(s.reference())
		return
	}
	s.with, s.along = -1, nil
	s.relist()
}

// relist lists something else.
func (s *Screen) relist() {
	s.ClearMarks()
	s.Restart()
	s.Refresh()
}

// giveUp ends what is read for a screen that is left.
func (s *Screen) giveUp() bool {
	s.job.cancel()
	if s.asked != nil {
		s.asked.cancel()
	}
	return false
}
