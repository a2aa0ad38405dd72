// Package journal is the Log screen: what happened to hosts, recordings and
// alerts, the newest at the end.
package journal

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"perfdeck/tui/keys"
	"perfdeck/tui/kit/filter"
	"perfdeck/tui/pane"
)

// Screen is the screen.
type Screen struct {
	pane.ListScreen[row, row]

	search pane.Filter[*pane.Entry]
	only   bool       // only what the search finds is shown
	level  pane.Level // and nothing below it

	first  uint64   // absolute number of the oldest entry that is kept
	upTo   uint64   // entries that rows were made of
	stale  bool     // search, level or view changed since
	hits   []uint64 // absolute numbers of the entries that the search finds
	follow bool     // the selection is the newest, whichever it is
}

// row is one line: an entry, or the day that begins with the next one.
type row struct {
	entry uint64 // absolute number
	day   bool
}

// New returns the screen of the desk's journal.
func New(desk *pane.Desk) *Screen {
	s := &Screen{follow: true, only: true, stale: true}
	s.Desk, s.OnSelect, s.Discard = desk, s.settle, s.showAll
	s.List = pane.List[row, row]{Columns: s.columns(), KeyOf: func(r row) row { return r }, Sign: s.sign, Heading: s.drawDay}
	s.search = pane.Filter[*pane.Entry]{Desk: desk, Title: "Search the log", Fields: fields, Changed: func() { s.stale = true }}
	s.bind()
	return s
}

// Selected is the host of the selected entry.
func (s *Screen) Selected() []pane.Target {
	e, ok := s.current()
	if !ok || e.Host == "" {
		return nil
	}
	h := s.Desk.Find(e.Host)
	if h == nil {
		return nil
	}
	return []pane.Target{{Host: h}}
}

// current is the selected entry, if there is one.
func (s *Screen) current() (pane.Entry, bool) {
	if len(s.Rows) == 0 {
		return pane.Entry{}, false
	}
	return s.entry(s.Row().entry)
}

// entry is the entry of an absolute number, if it is kept still.
func (s *Screen) entry(n uint64) (pane.Entry, bool) {
	kept, added := s.Desk.Journal.Entries()
	oldest := added - uint64(len(kept))
	if n < oldest || n >= added {
		return pane.Entry{}, false
	}
	return kept[n-oldest], true
}

// refresh makes the rows anew when something was added or chosen.
func (s *Screen) refresh() {
	kept, added := s.Desk.Journal.Entries()
	oldest := added - uint64(len(kept))
	if !s.stale && s.upTo == added && s.first == oldest {
		return
	}
	s.stale, s.upTo, s.first = false, added, oldest
	rows, selected := s.Rows[:0], s.Row().entry
	s.hits = s.hits[:0]
	var day time.Time
	for i := range kept {
		e := &kept[i]
		if e.Level < s.level {
			continue
		}
		found := s.search.Matches(e)
		if found && s.search.Text() != "" {
			s.hits = append(s.hits, oldest+uint64(i))
		}
		if s.only && !found {
			continue
		}
		if d := dayOf(e.Time); !d.Equal(day) {
			day = d
			rows = append(rows, row{oldest + uint64(i), true})
		}
		rows = append(rows, row{oldest + uint64(i), false})
	}
	if s.Put(rows); s.follow {
		s.Place(len(rows))
	} else {
		s.Place(s.at(selected))
	}
}

// dayOf is the day of a moment in the local zone.
func dayOf(t time.Time) time.Time {
	y, m, d := t.Local().Date()
	return time.Date(y, m, d, 0, 0, 0, 0, time.Local)
}

// at is the row of an entry, or of the first one after it.
func (s *Screen) at(entry uint64) int {
	i, _ := slices.BinarySearchFunc(s.Rows, entry, func(r row, n uint64) int {
		if r.entry == n && r.day {
			return -1
		}
		return cmp.Compare(r.entry, n)
	})
	if i = min(i, len(s.Rows)-1); i >= 0 && s.Rows[i].day {
		i++
	}
	return i
}

// settle lets the selection leave the line of a day. At the newest entry it follows.
func (s *Screen) settle(was int) {
	at := s.Line()
	if at < len(s.Rows) && s.Rows[at].day {
		if at++; at <= was && at > 1 {
			at -= 2
		}
		s.Place(at)
	}
	s.follow = at >= len(s.Rows)-1
}

// next goes to the next entry that the search finds, or with -1 to the one
// before.
func (s *Screen) next(n int) {
	s.refresh()
	i, exact := slices.BinarySearch(s.hits, s.Row().entry)
	if n < 0 || exact {
		i += n
	}
	count := len(s.hits)
	if count == 0 {
		s.Desk.Say("nothing is found")
		return
	}
	if i < 0 || i >= count {
		s.Desk.Say("the search went around the end")
	}
	s.follow = false
	s.Place(s.at(s.hits[(i+count)%count]))
}

// goThere shows the moment of the selected entry on all screens.
func (s *Screen) goThere() {
	e, ok := s.current()
	if !ok {
		return
	}
	s.Desk.MoveTo(e.Time)
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
	s.Desk.Send(pane.Copy{Text: strings.Join(append(parts, e.Text), "  ")})
}

var levelWords = [...]string{pane.Info: "all", pane.Careful: "careful", pane.Warning: "warning", pane.Critical: "critical"}

func (s *Screen) nextLevel() {
	s.level = (s.level + 1) % (pane.Critical + 1)
	s.stale = true
}

func (s *Screen) toggleOnly() {
	s.only, s.stale = !s.only, true
}

func (s *Screen) toggleFollow() {
	s.follow, s.stale = !s.follow, true
}

// showAll clears the search, else the level. It tells whether there was one.
func (s *Screen) showAll() bool {
	if s.search.Clear() {
		return true
	}
	is := s.level > pane.Info
	s.level, s.stale = pane.Info, true
	return is
}

func (s *Screen) whyNoEntry() string {
	if len(s.Rows) == 0 {
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

// bind gives the screen its keys.
func (s *Screen) bind() {
	s.Bind("Log", "log", []keys.Binding{
		{Keys: "enter", Text: "show that moment on all screens", Hint: "open at that time", Why: s.whyNoEntry, Do: s.goThere},
		s.search.Key("search"),
		{Keys: "n", Show: "n N", Text: "next, previous that is found", Hint: "next", Why: s.whyNoSearch,
			Do: func() { s.next(1) }},
		{Keys: "N", Show: "n N", Text: "next, previous that is found", Why: s.whyNoSearch,
			Do: func() { s.next(-1) }},
		{Keys: "v", Text: "least level: all, careful, warning, critical", Hint: "level", Do: s.nextLevel},
		{Keys: "z", Text: "what is found alone, or among the rest", Why: s.whyNoSearch, Do: s.toggleOnly},
		{Keys: "f", Text: "follow the end", Hint: "follow", Section: keys.View, Do: s.toggleFollow},
		{Keys: "y", Text: "copy the entry", Hint: "copy", Why: s.whyNoEntry, Do: s.copyLine},
		{Keys: "esc", Text: "clear the search, then the level; back", Do: s.Escape},
	})
}

var _ interface {
	pane.Screen
	pane.Selector
} = (*Screen)(nil)

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
