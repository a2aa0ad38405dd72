// Package alerts is the Alerts screen: what alerts now, worst first, the rules,
// and what happened. It also holds what other screens need of alerts: the forms
// that make rules, marks and limits for charts, the next alert.
package alerts

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"perfdeck/session/alert"
	"perfdeck/tui/pane"
)

// part is one of the panes that can be focused.
type part int

const (
	activePart part = iota
	rulesPart
	historyPart
	partCount
)

var partNames = [partCount]string{"Active", "Rules", "History"}

// Screen is the screen.
type Screen struct {
	pane.Face

	desk *pane.Desk

	board  *alert.Board // of which the rows are
	dirty  bool         // filter or folds changed since
	filter pane.Filter[*facts]

	active  pane.List[alert.ID, *active]
	held    bool // they are not in order, because a key was just pressed
	rules   pane.List[string, *alert.RuleStatus]
	history pane.List[eventKey, *eventRow]
	lists   [partCount]pane.Rows // the three
	opened  map[uint64]bool      // groups of events whose members are shown
	acks    map[uint64]*alert.Event
	newest  uint64 // Seq of the newest event that rows were made of

	focus  part
	zoomed bool
	room   room // of the active alerts, so that panes keep their places

	touched   time.Time // when a key was pressed last
	moment    time.Time // of a recording, whose event was selected
	wanted    wanted
	selection selection
	units     pane.Units

	places places // of the last drawing
}

// New returns the screen of the desk's alerts.
func New(desk *pane.Desk) *Screen {
	s := &Screen{desk: desk, dirty: true, opened: map[uint64]bool{}, units: pane.NewUnits(desk.Numbers)}
	s.active = pane.List[alert.ID, *active]{Columns: s.activeColumns(), KeyOf: func(a *active) alert.ID { return a.ID }, Margin: gapW, Part: int(activePart),
		Sign: bold(signOf)}
	s.rules = pane.List[string, *alert.RuleStatus]{Columns: s.ruleColumns(), KeyOf: func(r *alert.RuleStatus) string { return r.Name }, Margin: gapW, Part: int(rulesPart)}
	s.history = pane.List[eventKey, *eventRow]{Columns: s.eventColumns(), KeyOf: (*eventRow).key, Part: int(historyPart), Sign: bold(signOfEvent)}
	s.lists = [partCount]pane.Rows{&s.active, &s.rules, &s.history}
	s.history.First = true
	s.filter = pane.Filter[*facts]{Desk: desk, Title: "Filter alerts, rules and history", Fields: fields, Changed: func() { s.dirty = true }}
	s.Face = pane.Face{Name: "Alerts", Keys: s.bindings()}
	return s
}

// Scope is what the left end of the header names.
func (s *Screen) Scope() string {
	if len(s.desk.Hosts) == 1 {
		return s.desk.Hosts[0].Name
	}
	return "all"
}

// Snapshot has nothing to do: values are read when they are drawn.
func (s *Screen) Snapshot(*pane.Host) {}

// Shows tells whether a snapshot of a host concerns what is drawn: the details
// of the selected row. What alerts comes by itself.
func (s *Screen) Shows(h *pane.Host) bool {
	if s.places.detail.H == 0 {
		return false
	}
	return slices.ContainsFunc(s.Selected(), func(t pane.Target) bool { return t.Host == h })
}

// Opened shows what happened meanwhile, in order.
func (s *Screen) Opened() {
	s.touched, s.dirty, s.room = time.Time{}, true, room{}
	s.renew()
	s.active.Reopen()
}

// rows is the list of the focused pane.
func (s *Screen) rows() pane.Rows { return s.lists[s.focus] }

// alert is the selected alert, nil without one or on another pane.
func (s *Screen) alert() *alert.Alert {
	if a := s.active.Row(); s.focus == activePart && a != nil {
		return a.Alert
	}
	return nil
}

// rule is the selected rule, nil without one or on another pane.
func (s *Screen) rule() *alert.RuleStatus {
	if s.focus == rulesPart {
		return s.rules.Row()
	}
	return nil
}

// row is the selected row of the history, nil without one or on another pane.
func (s *Screen) row() *eventRow {
	if s.focus == historyPart {
		return s.history.Row()
	}
	return nil
}

// event is the selected event, of a group the newest; nil without one or on
// another pane.
func (s *Screen) event() *alert.Event {
	if r := s.row(); r != nil {
		return r.event
	}
	return nil
}

// selection is what Selected found, for a short while: keys and hints ask for it
// many times.
type selection struct {
	of           wantedOf
	marks, hosts int
	at           time.Time
	list         []pane.Target
}

const selectionHolds = 500 * time.Millisecond

// Selected are the values of the selected row, then those of the marked ones: of
// a rule those that it follows. What is no value is its host.
func (s *Screen) Selected() []pane.Target {
	now := s.desk.Now()
	s.refresh(now)
	is := selection{of: s.wantedOf(), marks: s.rows().Marks(), hosts: len(s.desk.Hosts), at: now}
	if was := &s.selection; was.of == is.of && was.marks == is.marks && was.hosts == is.hosts && now.Sub(was.at).Abs() < selectionHolds {
		return was.list
	}
	is.list = s.findSelected()
	s.selection = is
	return is.list
}

func (s *Screen) findSelected() (out []pane.Target) {
	for _, id := range s.idsOf(s.active.SelectedFirst(), s.rules.SelectedFirst(), s.history.SelectedFirst()) {
		r := s.ruleNamed(id.Rule)
		list := targetsOf(s.desk, id, r)
		if s.focus == rulesPart && r != nil {
			list = valuesOf(s.desk, r, anyHost)
		}
		for _, t := range list {
			if !slices.Contains(out, t) {
				out = append(out, t)
			}
		}
	}
	return out[:min(len(out), mostSelected)]
}

// Focus selects the alert on a value; it reports whether there is one.
func (s *Screen) Focus(t pane.Target) bool {
	s.renew()
	for i, a := range s.active.Rows {
		if a.State >= alert.Acknowledged && slices.ContainsFunc(targetsOf(s.desk, a.ID, a.Rule), t.Is) {
			s.focus = activePart
			s.active.Select(i)
			return true
		}
	}
	return false
}

// mostSelected bounds what one key does with all that is marked.
const mostSelected = 64

// ruleNamed is a rule by its name, nil if there is none.
func (s *Screen) ruleNamed(name string) *alert.Rule {
	if st := statusOf(s.desk, name); st != nil {
		return &st.Rule
	}
	return nil
}

// What can be hit besides rows.
const hitTitle pane.HitKind = 1 // A: part

// Click selects a row and opens the selected one; on a title it goes to its
// pane.
func (s *Screen) Click(hit pane.Hit, button tea.MouseButton) {
	if button != tea.MouseLeft && button != tea.MouseRight || hit.A < 0 || hit.A >= int(partCount) {
		return
	}
	s.touched = s.desk.Now()
	p := part(hit.A)
	switch hit.Kind {
	case hitTitle:
		s.focus = p
	case pane.HitRow:
		was := s.focus
		s.focus = p
		if pane.Pressed(s.rows(), hit.B, button) && p == was {
			s.open()
		}
	}
}

// Wheel scrolls the pane below the mouse.
func (s *Screen) Wheel(hit pane.Hit, lines int) {
	s.touched = s.desk.Now()
	if (hit.Kind == pane.HitRow || hit.Kind == hitTitle) && hit.A >= 0 && hit.A < int(partCount) {
		s.focus = part(hit.A)
	}
	s.rows().Scroll(lines)
}
