// Package journal is the Log screen: what happened to hosts, recordings and
// alerts, the newest at the end.
package journal

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"perfdeck/tui/keys"
	"perfdeck/tui/kit/filter"
	"perfdeck/tui/kit/list"
	"perfdeck/tui/pane"
)

// Screen is the screen.
type Screen struct {
	pane.Face
	pane.Known

	desk *pane.Desk

	search pane.Filter[*pane.Entry]
	alone  bool       // only what the search finds is shown
	level  pane.Level // and nothing below it

	rows  []row    // days and entries, as they are shown
	first uint64   // absolute number of the oldest entry that is kept
	upTo  uint64   // entries that rows were made of
	stale bool     // search, level or view changed since
	hits  []uint64 // absolute numbers of the entries that the search finds

	list     list.List // of the rows
	selected uint64    // absolute number of an entry
	follow   bool      // the selection is the newest, whichever it is
}

// row is one line: an entry, or the day that begins with the next one.
type row struct {
	entry uint64 // absolute number
	day   bool
	index int // of the entry among those that are shown, from 1
}

// New returns the screen of the desk's journal.
func New(desk *pane.Desk) *Screen {
	s := &Screen{desk: desk, follow: true, alone: true, stale: true}
	s.search = pane.Filter[*pane.Entry]{Desk: desk, Title: "Search the log", Fields: fields(), Changed: func() { s.stale = true }}
	s.Face = pane.Face{Name: "Log", About: "log", Keys: s.bindings()}
	return s
}

// Selected is the host of the selected entry.
func (s *Screen) Selected() []pane.Target {
	e, ok := s.current()
	if !ok || e.Host == "" {
		return nil
	}
	h := s.desk.Find(e.Host)
	if h == nil {
		return nil
	}
	return []pane.Target{{Host: h}}
}

// current is the selected entry, if there is one.
func (s *Screen) current() (pane.Entry, bool) {
	if len(s.rows) == 0 {
		return pane.Entry{}, false
	}
	return s.entry(s.selected)
}

// entry is the entry of an absolute number, if it is kept still.
func (s *Screen) entry(n uint64) (pane.Entry, bool) {
	kept, added := s.desk.Journal.Entries()
	oldest := added - uint64(len(kept))
	if n < oldest || n >= added {
		return pane.Entry{}, false
	}
	return kept[n-oldest], true
}

// refresh makes the rows anew when something was added or chosen.
func (s *Screen) refresh() {
	kept, added := s.desk.Journal.Entries()
	oldest := added - uint64(len(kept))
	if !s.stale && s.upTo == added && s.first == oldest {
		return
	}
	s.stale, s.upTo, s.first = false, added, oldest
	s.rows, s.hits = s.rows[:0], s.hits[:0]
	var day time.Time
	index := 0
	for i := range kept {
		e := &kept[i]
		if e.Level < s.level {
			continue
		}
		found := s.search.Matches(e)
		if found && s.search.Text() != "" {
			s.hits = append(s.hits, oldest+uint64(i))
		}
		if s.alone && !found {
			continue
		}
		index++
		if d := dayOf(e.Time); !d.Equal(day) {
			day = d
			s.rows = append(s.rows, row{oldest + uint64(i), true, index})
		}
		s.rows = append(s.rows, row{oldest + uint64(i), false, index})
	}
	s.keepSelection()
}

// dayOf is the day of a moment in the local zone.
func dayOf(t time.Time) time.Time {
	y, m, d := t.Local().Date()
	return time.Date(y, m, d, 0, 0, 0, 0, time.Local)
}

// keepSelection selects the newest while it is followed, else the entry that
// was selected or the nearest one that is shown.
func (s *Screen) keepSelection() {
	s.list.Resize(len(s.rows))
	if s.follow {
		s.selectRow(len(s.rows))
		return
	}
	s.selectRow(s.at())
}

// at is the row of the selected entry, or of the first one after it.
func (s *Screen) at() int {
	i, _ := slices.BinarySearchFunc(s.rows, s.selected, func(r row, n uint64) int {
		switch {
		case r.entry < n || r.entry == n && r.day:
			return -1
		case r.entry > n:
			return 1
		}
		return 0
	})
	return min(i, len(s.rows)-1)
}

// selectRow selects the entry of a row, of a day its first.
func (s *Screen) selectRow(i int) {
	if len(s.rows) == 0 {
		return
	}
	s.list.Select(i)
	s.selected = s.rows[s.list.Line()].entry
	s.list.Select(s.at())
}

// move moves the selection by n entries. At the newest one it follows.
func (s *Screen) move(n int) {
	s.refresh()
	at := s.list.Line() + n
	if at >= 0 && at < len(s.rows) && s.rows[at].day && n < 0 {
		at-- // upwards over the line of a day
	}
	if at >= 0 && at < len(s.rows) && s.rows[at].day {
		at++
	}
	s.selectRow(at)
	s.follow = at >= len(s.rows)-1
}

// next goes to the next entry that the search finds, or with -1 to the one
// before.
func (s *Screen) next(n int) {
	s.refresh()
	i, exact := slices.BinarySearch(s.hits, s.selected)
	if n < 0 || exact {
		i += n
	}
	if len(s.hits) == 0 {
		s.desk.Send(pane.Say{Text: "nothing is found"})
		return
	}
	if i < 0 || i >= len(s.hits) {
		i = (i + len(s.hits)) % len(s.hits)
		s.jump(i)
		s.desk.Send(pane.Say{Text: "the search went around the end"})
		return
	}
	s.jump(i)
}

// jump selects what the search found.
func (s *Screen) jump(i int) {
	s.selected, s.follow = s.hits[i], false
	s.selectRow(s.at())
}

// What can be hit.
const hitRow pane.HitKind = 1 // A: row

// Click selects an entry; on the selected one it goes to its moment.
func (s *Screen) Click(hit pane.Hit, button tea.MouseButton) {
	if hit.Kind != hitRow || hit.A < 0 || hit.A >= len(s.rows) || button != tea.MouseLeft && button != tea.MouseRight {
		return
	}
	again := s.rows[hit.A].entry == s.selected && button == tea.MouseLeft
	s.selectRow(hit.A)
	s.follow = hit.A == len(s.rows)-1
	if again {
		s.goThere()
	}
}

// Wheel scrolls.
func (s *Screen) Wheel(_ pane.Hit, lines int) {
	s.refresh()
	was := s.list.Line()
	if s.list.Scroll(lines); s.list.Line() != was {
		s.selectRow(s.list.Line())
		s.follow = s.list.Line() == len(s.rows)-1
	}
}

// goThere shows the moment of the selected entry on all screens.
func (s *Screen) goThere() {
	e, ok := s.current()
	if !ok {
		return
	}
	s.desk.Send(pane.MoveTo{At: e.Time})
}

// copyLine copies the entry in full.
func (s *Screen) copyLine() {
	e, ok := s.current()
	if !ok {
		return
	}
	parts := []string{e.Time.Local().Format(time.RFC3339)}
	if e.Level > pane.Info {
		parts = append(parts, levelWords[min(e.Level, pane.Critical)])
	}
	if e.Host != "" {
		parts = append(parts, e.Host)
	}
	s.desk.Send(pane.Copy{Text: strings.Join(append(parts, e.Text), "  ")})
}

var levelWords = [...]string{pane.Info: "all", pane.Careful: "careful", pane.Warning: "warning", pane.Critical: "critical"}

func (s *Screen) nextLevel() {
	s.level = (s.level + 1) % (pane.Critical + 1)
	s.stale = true
}

func (s *Screen) toggleAlone() {
	s.alone, s.stale = !s.alone, true
}

func (s *Screen) toggleFollow() {
	s.follow, s.stale = !s.follow, true
}

// escape clears the search, then the level, then goes back.
func (s *Screen) escape() {
	switch {
	case s.search.Clear():
	case s.level > pane.Info:
		s.level, s.stale = pane.Info, true
	default:
		s.desk.Send(pane.Back{})
	}
}

func (s *Screen) whyNoEntry() string {
	if len(s.rows) == 0 {
		return "no entry is selected"
	}
	return ""
}

func (s *Screen) whyNoSearch() string {
	if s.search.Text() == "" {
		return "nothing is searched for: / asks"
	}
	return ""
}

func (s *Screen) bindings() []keys.Binding {
	return append([]keys.Binding{
		{Keys: []string{"enter"}, Text: "show that moment on all screens", Hint: "open at that time", Section: keys.Go, Why: s.whyNoEntry, Do: s.goThere},
		s.search.Key("search"),
		{Keys: []string{"n"}, Show: "n N", Text: "next, previous that is found", Hint: "next", Section: keys.Go, Why: s.whyNoSearch,
			Do: func() { s.next(1) }},
		{Keys: []string{"N"}, Show: "n N", Text: "next, previous that is found", Section: keys.Go, Why: s.whyNoSearch,
			Do: func() { s.next(-1) }},
		{Keys: []string{"v"}, Text: "least level: all, careful, warning, critical", Hint: "level", Section: keys.View, Do: s.nextLevel},
		{Keys: []string{"z"}, Text: "what is found alone, or among the rest", Section: keys.View, Why: s.whyNoSearch, Do: s.toggleAlone},
		{Keys: []string{"f"}, Text: "follow the end", Hint: "follow", Section: keys.View, Do: s.toggleFollow},
		{Keys: []string{"y"}, Text: "copy the entry", Hint: "copy", Section: keys.Selected, Why: s.whyNoEntry, Do: s.copyLine},
		{Keys: []string{"esc"}, Text: "clear the search, then the level; back", Section: keys.Go, Do: s.escape},
	}, pane.ListKeys("select", func(m list.Motion) {
		s.refresh()
		s.move(s.list.Lines(m))
	})...)
}

var (
	_ pane.Screen   = (*Screen)(nil)
	_ pane.Selector = (*Screen)(nil)
)

// fields are what entries can be asked for.
func fields() *filter.Fields[*pane.Entry] {
	return &filter.Fields[*pane.Entry]{
		List: []filter.Field[*pane.Entry]{
			{Name: "host", Texts: filter.One(func(e *pane.Entry) string { return e.Host }), Example: "host:srv1"},
			{Name: "level", Texts: func(e *pane.Entry, fits func(string) bool) bool {
				return e.Level > pane.Info && fits(levelWords[min(e.Level, pane.Critical)])
			}, Example: "level:warning"},
			{Name: "text", Texts: filter.One(func(e *pane.Entry) string { return e.Text })},
		},
		Plain: func(e *pane.Entry, fits func(string) bool) bool { return fits(e.Text) || fits(e.Host) },
	}
}
