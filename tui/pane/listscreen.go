package pane

import (
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"perfdeck/session/text/english"
	"perfdeck/themes"
	"perfdeck/tui/keys"
	"perfdeck/tui/kit/list"
)

// ListScreen is a screen that is one list: keys and mouse do the same on all of them. Draw is for
// those that show below it what is known of the selected row.
type ListScreen[K comparable, R any] struct {
	Face
	Known
	List[K, R]

	Desk     *Desk
	Filter   Filter[R]
	All      func() []R    // what there is; the filter takes some of it
	OnSelect func(was int) // hears that the user selected a row, maybe the one that was; nil: nobody does
	Discard  func() bool   // takes back what hides or marks rows besides; false: there was nothing, the screen is left

	None      string // says that nothing fits the filter, as "No host"
	Worst     func(a, b R) int
	WorstText string // of rows sorted by Worst
	Counts    func(r R) (on, bad bool)
	Facts     func(f Frame, r R) (of string, facts []Fact)
	Lesson    func() *Lesson // what is taught in place of facts; nil: nothing

	details Details
	all     int  // that there are
	byWorst bool // rows are sorted by Worst, else as All has them
}

// Bind gives the screen its keys, of which those that move come last.
func (s *ListScreen[K, R]) Bind(name, about string, own []keys.Binding) {
	if s.Facts != nil {
		own = append(own, SideKeys("scroll the details", s.details.Scroll)...)
	}
	s.Face = Face{name, about, BindKeys(own, "select", func(m list.Motion) {
		s.choose(func() { s.Move(s.Lines(m)) })
	})}
}

// choose selects a row because the user wants it.
func (s *ListScreen[K, R]) choose(do func()) {
	was := s.Line()
	if do(); s.OnSelect != nil {
		s.OnSelect(was)
	}
}

// Refresh makes the rows anew.
func (s *ListScreen[K, R]) Refresh() {
	all := s.All()
	s.all = len(all)
	rows := slices.DeleteFunc(all, func(r R) bool { return !s.Filter.Matches(r) })
	if s.byWorst {
		slices.SortStableFunc(rows, s.Worst)
	}
	s.Put(rows)
}

// SortWorst sorts worst first, or again as rows come.
func (s *ListScreen[K, R]) SortWorst() { s.byWorst = !s.byWorst }

// Click selects a row; on the selected one it does what enter does.
func (s *ListScreen[K, R]) Click(hit Hit, button tea.MouseButton) {
	if hit.Kind != HitRow {
		return
	}
	opens := false
	if s.choose(func() { opens = Pressed(&s.List, hit.B, button) }); !opens {
		return
	}
	enter := keys.Match("enter", s.Keys)
	if ok, why := enter.Applies(); !ok {
		s.Desk.Say(why)
		return
	}
	enter.Do()
}

// Wheel scrolls the list, or what is known of the selected row.
func (s *ListScreen[K, R]) Wheel(hit Hit, lines int) {
	if hit.Kind == HitDetails {
		s.details.Scroll(lines)
		return
	}
	was := s.Line()
	if s.Scroll(lines); s.Line() != was && s.OnSelect != nil {
		s.OnSelect(was)
	}
}

// Escape takes back what hides or marks rows first, then goes back.
func (s *ListScreen[K, R]) Escape() {
	switch {
	case s.Filter.Clear():
	case s.Marks() > 0:
		s.Desk.Say(english.Count(s.Marks(), "mark", "marks") + " cleared")
		s.ClearMarks()
	case s.Discard == nil || !s.Discard():
		s.Desk.Back()
	}
}

// Draw draws the table and what is known of the selected row.
func (s *ListScreen[K, R]) Draw(f Frame) {
	s.Refresh()
	from, end := s.Show(min(len(s.Rows), DetailsShare(f.Height()-2)))
	DrawTitle(f, s.title())
	s.DrawRows(f.Below(1), from, end, s.all > 0, true)
	rest := f.Below(2 + end - from)
	switch lesson := s.Lesson(); {
	case lesson != nil:
		y := 1
		if rest.Height() >= 14 {
			y = 3
		}
		lesson.Draw(rest, y)
	case len(s.Rows) == 0:
		s.Filter.Unfit(s.None).Draw(rest, 1)
	default:
		of, facts := s.Facts(f, s.Row())
		s.details.Draw(rest, of, facts, Hit{Kind: HitDetails})
	}
}

func (s *ListScreen[K, R]) title() Title {
	name, parts, on, bad := strconv.Itoa(s.all), []string(nil), 0, 0
	for _, r := range s.Rows {
		isOn, isBad := s.Counts(r)
		if isOn {
			on++
		}
		if isBad {
			bad++
		}
	}
	if len(s.Rows) != s.all {
		name = strconv.Itoa(len(s.Rows)) + " of " + name
	}
	if s.Filter.Text() != "" {
		parts = append(parts, "filter "+s.Filter.Text())
	}
	if s.byWorst {
		parts = append(parts, s.WorstText)
	}
	if on > 0 {
		parts = append(parts, strconv.Itoa(on)+" running")
	}
	t := Title{Name: s.Name + " " + name, Subtitle: strings.Join(parts, ", "), Focused: true, Position: s.Position()}
	if bad > 0 {
		t.Problem, t.ProblemStyle = strconv.Itoa(bad)+" in trouble", themes.Critical
	}
	return t
}
