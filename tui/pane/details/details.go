// Package details shows one instance of a counterset: all its counters, with the recent
// past of each, and what else the host tells of it, as the command line of a process.
package details

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"

	"perfdeck/session"
	"perfdeck/tui/keys"
	"perfdeck/tui/kit/list"
	"perfdeck/tui/pane"
)

// Screen shows the instance of a target.
type Screen struct {
	pane.Face

	desk     *pane.Desk
	of       pane.Target // its counter is the selected one at first
	counters []int       // that are shown, in their order
	units    pane.Units
	list     pane.PlainList
	texts    list.View // of the facts
	isWhole  bool      // all that they are is shown, in place of the counters

	facts   []string // by index of Set.Facts, as they were told last
	parent  string
	runs    string   // services that the process is of
	told    []string // by the host of the instance of late
	started time.Time
	ended   bool
}

// New returns the details of the instance of a target.
func New(desk *pane.Desk, of pane.Target) *Screen {
	s := &Screen{desk: desk, of: of, units: pane.NewUnits(desk.NumbersOf(of.Host))}
	for i := range of.Set.Counters {
		if c := &of.Set.Counters[i]; !c.Hidden() && c.Absent == "" {
			s.counters = append(s.counters, i)
		}
	}
	s.facts = make([]string, len(of.Set.Facts))
	s.list.Resize(len(s.counters))
	s.list.Select(max(0, slices.Index(s.counters, of.Counter)))
	s.Face = pane.Face{Name: "Details", About: of.Host.Name, Keys: pane.BindKeys([]keys.Binding{
		{Keys: "enter", Text: "open: how the number came about", Hint: "explain", Do: s.open},
		{Keys: "right l", Text: "whole texts, as long command lines, and back", Hint: "whole texts", Section: keys.View, Do: s.unfold},
		{Keys: "esc left h", Text: "back", Hint: "back", Do: s.back},
	}, "select", s.move)}
	return s
}

// Selected is the counter that is selected.
func (s *Screen) Selected() []pane.Target {
	if !slices.Contains(s.desk.Hosts, s.of.Host) || len(s.counters) == 0 {
		return nil
	}
	t := s.of
	t.Counter = s.counters[s.list.Line()]
	return []pane.Target{t}
}

// Processes is the process that is shown, as long as it lives.
func (s *Screen) Processes() (list []pane.Process, left int) {
	view, row := s.place()
	if row < 0 || s.of.Set != s.of.Host.Sampler.Catalogue().Processes() || !pane.IsProcess(&view.Rows[row]) {
		return nil, 0
	}
	return []pane.Process{pane.ProcessAt(view, row)}, 0
}

// Asks are all counters of the instance with their history, and all facts of it.
func (s *Screen) Asks(h *pane.Host) []session.Ask {
	if h != s.of.Host || len(s.counters) == 0 {
		return nil
	}
	ask := s.of.Ask()
	ask.Counters = s.counters
	ask.Keep[0].Counters = s.counters
	ask.Facts = session.FactWant{Keys: s.of.Set.Facts, Rows: []session.InstanceKey{s.of.Key}}
	return append(s.of.AskServices(), ask)
}

// ShowsEvents tells whether events of a host are seen here.
func (s *Screen) ShowsEvents(h *pane.Host) bool { return h == s.of.Host }

// Shows tells whether a host's values are on the screen.
func (s *Screen) Shows(h *pane.Host) bool { return h == s.of.Host }

// Snapshot notes what is told of the instance: that stays when it ends.
func (s *Screen) Snapshot(h *pane.Host) {
	if h != s.of.Host {
		return
	}
	s.renew()
	view, row := s.place()
	if s.ended = view != nil && (row < 0 || view.Rows[row].Gone); row < 0 {
		return
	}
	for i, key := range s.of.Set.Facts {
		s.facts[i] = cmp.Or(view.Fact(row, key), s.facts[i])
	}
	s.noteParent(view, row)
	s.runs = cmp.Or(s.of.Services(&view.Rows[row].Instance), s.runs)
	s.told = s.desk.EventFacts(s.of, &view.Rows[row].Instance)
	if in := &view.Rows[row]; !s.ended {
		s.noteStart(view, row)
	} else if s.started.IsZero() && in.Lived > 0 {
		s.started = in.Since.Add(-in.Lived)
	}
}

// renew looks the counterset up by name when the host has another catalogue than before.
func (s *Screen) renew() {
	if set := s.of.Host.Renewed(s.of.Set); set != nil {
		of := s.of
		of.Set = set
		if selected := s.Selected(); len(selected) > 0 {
			of.Counter, _ = set.Counter(s.of.Set.Counters[selected[0].Counter].Name)
		}
		*s = *New(s.desk, of)
		s.desk.Reask()
	}
}

// elapsed is the counter that tells how long an instance has been there, in seconds.
const elapsed = "Elapsed Time"

// noteStart notes since when the instance has been there. Clocks of hosts differ and values
// are rounded: what was found first stays.
func (s *Screen) noteStart(view *session.SetView, row int) {
	i, ok := s.of.Set.Counter(elapsed)
	if !ok || !s.started.IsZero() {
		return
	}
	if col := view.Column(i); col >= 0 {
		if seconds, ok := view.Value(row, col).Float(); ok {
			s.started = view.Time.Add(-time.Duration(seconds * float64(time.Second)))
		}
	}
}

// noteParent notes which instance is the parent.
func (s *Screen) noteParent(view *session.SetView, row int) {
	owner := view.Rows[row].Owner
	if owner == 0 {
		return
	}
	at := slices.IndexFunc(view.Rows, func(r session.Row) bool { return !r.Gone && r.Number == owner })
	if at < 0 {
		return
	}
	s.parent = view.Rows[at].Key.Name + " (pid " + strconv.FormatUint(owner, 10) + ")"
}

// place is where the instance stands in the newest snapshot; row is -1 if it does not.
func (s *Screen) place() (view *session.SetView, row int) {
	view = s.of.Host.Snap.Set(s.of.Set)
	return view, view.Find(s.of.Key, -1)
}

// unfold shows the whole texts of the facts, or the counters again.
func (s *Screen) unfold() {
	s.isWhole, s.texts = !s.isWhole, list.View{}
	b := &s.Keys[slices.IndexFunc(s.Keys, func(b keys.Binding) bool { return b.Keys.Has("right") })]
	if b.Hint = "whole texts"; s.isWhole {
		b.Hint = "counters"
	}
}

func (s *Screen) back() {
	if s.isWhole {
		s.unfold()
		return
	}
	s.desk.Back()
}

func (s *Screen) move(m list.Motion) {
	if s.isWhole {
		s.texts.Scroll(s.texts.Lines(m))
		return
	}
	s.list.Move(s.list.Lines(m))
}

// open explains the selected counter.
func (s *Screen) open() {
	if selected := s.Selected(); len(selected) > 0 {
		s.desk.Send(pane.OpenExplain{Target: selected[0]})
	}
}

// Click selects a counter; on the selected one it opens it.
func (s *Screen) Click(hit pane.Hit, button tea.MouseButton) {
	if s.list.Opens(hit, button) {
		s.open()
	}
}

// Wheel scrolls.
func (s *Screen) Wheel(_ pane.Hit, lines int) {
	if s.isWhole {
		s.texts.Scroll(lines)
		return
	}
	s.list.Wheel(lines)
}
