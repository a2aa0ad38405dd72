// Package journal is the Log screen: what happened to hosts, recordings and
// alerts, and what hosts wrote down of themselves, the newest at the end.
package journal

import (
	"iter"
	"slices"
	"strings"
	"time"

	"perfdeck/session"
	"perfdeck/tui/keys"
	"perfdeck/tui/kit/filter"
	"perfdeck/tui/pane"
)

// Screen is the screen.
type Screen struct {
	pane.ListScreen[key, line]

	search pane.Filter[*line]
	only   bool       // only what the search finds is shown
	level  pane.Level // and nothing below it

	of     []round // what the rows were made of
	stale  bool    // search, level or view changed since
	all    int     // lines that there are
	hits   []int   // rows that the search finds
	days   []int   // rows that are days
	one    line    // scratch
	follow bool    // the selection is the newest, whichever it is
}

// line is an entry of the journal, or an event of a host, or the day that begins with the next one.
type line struct {
	pane.Entry
	key

	event *session.HostEvent // nil: it is of the journal
}

// key is what tells lines apart.
type key struct {
	entry uint64 // absolute number of the journal's
	event eventKey
	day   bool
}

// eventKey is what stays of an event that is folded while others come.
type eventKey struct {
	at                      int64
	host, source, id, known string
	level                   session.EventLevel
}

// round tells of the journal, or of the events of a host, whether anything changed.
type round struct {
	of      *pane.Host
	changed uint64
	kept    int
}

// New returns the screen of the desk's journal and of the events of its hosts.
func New(desk *pane.Desk) *Screen {
	s := &Screen{follow: true, only: true, stale: true}
	s.Desk, s.OnSelect, s.Discard = desk, s.settle, s.showAll
	s.List = pane.List[key, line]{Columns: s.columns(), KeyOf: func(l line) key { return l.key }, Sign: s.sign, Heading: s.drawDay}
	s.search = pane.Filter[*line]{Desk: desk, Title: "Search the log", Fields: fields, Changed: func() { s.stale = true }}
	s.bind()
	return s
}

// ShowsEvents tells that events of all hosts are seen here.
func (s *Screen) ShowsEvents(*pane.Host) bool { return true }

// Selected is the host of the selected line.
func (s *Screen) Selected() []pane.Target {
	h := s.Desk.Find(s.Row().Host)
	if h == nil {
		return nil
	}
	return []pane.Target{{Host: h}}
}

// refresh makes the rows anew when something was added or chosen.
func (s *Screen) refresh() {
	kept, added := s.Desk.Journal.Entries()
	of, states := []round{{nil, added, len(kept)}}, make([]session.EventState, len(s.Desk.Hosts))
	for i, h := range s.Desk.Hosts {
		states[i] = h.EventState()
		of = append(of, round{h, states[i].Round, len(states[i].Events)})
	}
	if !s.stale && slices.Equal(of, s.of) {
		return
	}
	s.stale, s.of = false, of
	selected, was := s.Row(), len(s.Rows)
	rows := s.Rows[:0]
	s.hits, s.days, s.all = s.hits[:0], s.days[:0], 0
	var day time.Time
	for l := range lines(kept, added, s.Desk.Hosts, states) {
		s.all++
		if l.Level < s.level {
			continue
		}
		s.one = l
		found := s.search.Matches(&s.one)
		if s.only && !found {
			continue
		}
		if d := dayOf(l.Time); !d.Equal(day) {
			day = d
			head := l
			head.day = true
			s.days = append(s.days, len(rows))
			rows = append(rows, head)
		}
		if found && s.search.Text() != "" {
			s.hits = append(s.hits, len(rows))
		}
		rows = append(rows, l)
	}
	if s.Put(rows); s.follow {
		s.Place(len(rows))
	} else if was > 0 {
		s.Place(s.at(selected))
	}
}

// lines are the entries of the journal and the events of hosts by their times: those of each in their order.
func lines(kept []pane.Entry, added uint64, hosts []*pane.Host, states []session.EventState) iter.Seq[line] {
	return func(yield func(line) bool) {
		events := make([][]session.HostEvent, len(states))
		for i := range states {
			events[i] = states[i].Events
		}
		for i := 0; ; {
			first := -1 // of which host
			for h := range events {
				if len(events[h]) > 0 && (first < 0 || events[h][0].Time.Before(events[first][0].Time)) {
					first = h
				}
			}
			var next line
			switch {
			case i < len(kept) && (first < 0 || !kept[i].Time.After(events[first][0].Time)):
				next = line{Entry: kept[i], key: key{entry: added - uint64(len(kept)-i)}}
				i++
			case first >= 0:
				next = lineOf(hosts[first].Name, &events[first][0])
				events[first] = events[first][1:]
			default:
				return
			}
			if !yield(next) {
				return
			}
		}
	}
}

// lineOf is the line of an event.
func lineOf(host string, e *session.HostEvent) line {
	text := e.Line()
	if e.Unit != "" && !strings.Contains(text, e.Unit) {
		text += " (" + e.Unit + ")"
	}
	return line{
		Entry: pane.Entry{Time: e.Time, Level: pane.LevelOfEvent(e.Level), Host: host, Text: text}, event: e,
		key: key{event: eventKey{e.Time.UnixNano(), host, e.Source, e.ID, e.Known, e.Level}},
	}
}

// dayOf is the day of a moment in the local zone.
func dayOf(t time.Time) time.Time {
	y, m, d := t.Local().Date()
	return time.Date(y, m, d, 0, 0, 0, 0, time.Local)
}

// at is the row of a line, or of the first one after it.
func (s *Screen) at(of line) int {
	i := s.At(of.key)
	if i < 0 {
		i = slices.IndexFunc(s.Rows, func(l line) bool {
			return !l.day && (l.event == nil && of.event == nil && l.entry > of.entry || l.Time.After(of.Time))
		})
	}
	if i < 0 {
		i = len(s.Rows) - 1
	}
	if i >= 0 && s.Rows[i].day {
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
	i, exact := slices.BinarySearch(s.hits, s.Line())
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
	s.Place(s.hits[(i+count)%count])
}

// copyLine copies the entry in full.
func (s *Screen) copyLine() {
	e := s.Row()
	parts := []string{e.Time.Local().Format(time.RFC3339)}
	if e.Level > pane.Info {
		parts = append(parts, e.Level.String())
	}
	if e.Host != "" {
		parts = append(parts, e.Host)
	}
	s.Desk.Send(pane.Copy{Text: strings.Join(append(parts, e.Text), "  ")})
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

func (s *Screen) whyNoEntry() string { return keys.When(len(s.Rows) == 0, "no entry is selected") }

func (s *Screen) whyNoSearch() string {
	return keys.When(s.search.Text() == "", "nothing is searched for: / asks")
}

// bind gives the screen its keys.
func (s *Screen) bind() {
	s.Bind("Log", "log", []keys.Binding{
		{Keys: "enter", Text: "show that moment on all screens", Hint: "open at that time", Why: s.whyNoEntry, Do: func() { s.Desk.MoveTo(s.Row().Time) }},
		s.search.Key("search"),
		{Keys: "n", Back: "N", Text: "next, previous that is found", Hint: "next", Why: s.whyNoSearch, Step: s.next},
		{Keys: "v", Text: "least level: all, careful, warning, critical", Hint: "level", Do: func() { s.level, s.stale = (s.level+1)%(pane.Critical+1), true }},
		{Keys: "z", Text: "what is found alone, or among the rest", Why: s.whyNoSearch, Do: func() { s.only, s.stale = !s.only, true }},
		{Keys: "f", Text: "follow the end", Hint: "follow", Section: keys.View, Do: func() { s.follow, s.stale = !s.follow, true }},
		{Keys: "y", Text: "copy the entry", Hint: "copy", Why: s.whyNoEntry, Do: s.copyLine},
		{Keys: "esc", Text: "clear the search, then the level; back", Do: s.Escape},
	})
}

// fields are what lines can be asked for.
func fields() *filter.Fields[*line] {
	of := func(text func(e *session.HostEvent) string) filter.Texts[*line] {
		return func(l *line, fits func(string) bool) bool { return l.event != nil && fits(text(l.event)) }
	}
	return &filter.Fields[*line]{
		List: []filter.Field[*line]{
			{Name: "host", Texts: filter.One(func(l *line) string { return l.Host }), Example: "host:srv1"},
			{Name: "level", Texts: func(l *line, fits func(string) bool) bool {
				return l.Level > pane.Info && fits(l.Level.String())
			}, Example: "level:warning"},
			{Name: "text", Texts: filter.One(func(l *line) string { return l.Text })},
			{Name: "log", Texts: of(func(e *session.HostEvent) string { return e.Log }), Example: "log:kernel"},
			{Name: "source", Texts: of(func(e *session.HostEvent) string { return e.Source })},
			{Name: "id", Texts: of(func(e *session.HostEvent) string { return e.ID })},
			{Name: "unit", Texts: of(func(e *session.HostEvent) string { return e.Unit })},
		},
		Plain: func(l *line, fits func(string) bool) bool {
			return fits(l.Text) || fits(l.Host) || l.event != nil && fits(l.event.Text)
		},
	}
}
