package tui

import (
	"slices"

	"perfdeck/session"
	"perfdeck/tui/pane"
	"perfdeck/tui/pane/alerts"
	"perfdeck/tui/pane/browser"
	"perfdeck/tui/pane/chart"
	"perfdeck/tui/pane/deck"
	"perfdeck/tui/pane/fleet"
	"perfdeck/tui/pane/hosts"
	"perfdeck/tui/pane/journal"
	"perfdeck/tui/pane/moved"
	"perfdeck/tui/pane/records"
	"perfdeck/tui/pane/top"
)

// screens are the screens there are: one for each tab, and those that were
// opened above it.
type screens struct {
	desk    *pane.Desk
	book    *deck.Book
	top     *top.Top
	chart   *chart.Chart
	fleet   *fleet.Screen
	find    *browser.Browser
	records *records.Screen
	tabs    []tab
	at      pane.Tab
	above   []pane.Screen // opened from the tab's screen; the last one is shown
	moved   *moved.Screen // what moved in the span that was looked at last; nil: none was
	trail   []pane.Tab    // where Back leads
}

// tab is a screen that has a key.
type tab struct {
	tab    pane.Tab
	key    string
	screen pane.Screen
	keeps  bool // asks the hosts for its values when it is not shown too
}

// newScreens makes the screens. A new screen is a row here.
func newScreens(desk *pane.Desk) screens {
	s := screens{
		desk: desk, book: deck.NewBook(desk), top: top.New(desk), chart: chart.New(desk),
		fleet: fleet.New(desk), find: browser.New(desk), records: records.New(desk),
	}
	s.tabs = []tab{
		{pane.TabDeck, "1", s.book, true},
		{pane.TabFleet, "2", s.fleet, false},
		{pane.TabTop, "3", s.top, false},
		{pane.TabBrowser, "4", s.find, false},
		{pane.TabChart, "5", s.chart, true},
		{pane.TabAlerts, "6", alerts.New(desk), true},
		{pane.TabHosts, "7", hosts.New(desk), false},
		{pane.TabLog, "8", journal.New(desk), false},
		{pane.TabRecords, "9", s.records, false},
	}
	return s
}

// openMoved shows what moved in a span: the screen of it that there was, if it is the same.
func (s *screens) openMoved(of moved.Of) {
	if s.moved == nil || !s.moved.Is(of) {
		s.moved = moved.New(s.desk, of)
	}
	s.push(s.moved)
}

// tabOf is the row of a tab, nil if there is none.
func (s *screens) tabOf(t pane.Tab) *tab {
	i := slices.IndexFunc(s.tabs, func(row tab) bool { return row.tab == t })
	if i < 0 {
		return nil
	}
	return &s.tabs[i]
}

// screen is the one that is shown.
func (s *screens) screen() pane.Screen {
	if n := len(s.above); n > 0 {
		return s.above[n-1]
	}
	return s.tabOf(s.at).screen
}

// show shows the screen of a tab.
func (s *screens) show(t pane.Tab) {
	if s.tabOf(t) == nil {
		return
	}
	focused := s.focused()
	s.above = nil
	if t != s.at {
		s.trail = append(slices.DeleteFunc(s.trail, func(o pane.Tab) bool { return o == t || o == s.at }), s.at)
	}
	s.at = t
	if t == pane.TabTop && s.top.Set() == nil {
		s.top.ShowProcesses(focused)
	}
	s.came()
}

// push shows a screen above that of the tab.
func (s *screens) push(screen pane.Screen) {
	s.above = append(s.above, screen)
	s.came()
}

// back leaves a screen that was opened from another. It reports whether there was one.
func (s *screens) back() bool {
	n := len(s.trail)
	switch b, ok := s.screen().(pane.Nested); {
	case len(s.above) > 0:
		s.above = s.above[:len(s.above)-1]
	case ok && b.Back():
	case n > 0:
		s.at, s.trail = s.trail[n-1], s.trail[:n-1]
	default:
		return false
	}
	s.came()
	return true
}

// came tells the screen that comes to the front what it missed: only what is
// shown gets every snapshot.
func (s *screens) came() {
	screen := s.screen()
	if o, ok := screen.(pane.Opener); ok {
		o.Opened()
	}
	for _, h := range s.desk.Hosts {
		screen.Snapshot(h)
	}
}

// openHost shows the deck of one host.
func (s *screens) openHost(h *pane.Host) {
	away := s.at != pane.TabDeck || len(s.above) > 0
	s.show(pane.TabDeck)
	s.book.Open(h, away)
	s.came()
}

// openHosts shows the decks of several hosts side by side.
func (s *screens) openHosts(list []*pane.Host) {
	list = slices.DeleteFunc(slices.Clone(list), func(h *pane.Host) bool { return !slices.Contains(s.desk.Hosts, h) })
	switch len(list) {
	case 0:
		return
	case 1:
		s.openHost(list[0])
		return
	}
	s.show(pane.TabDeck)
	s.book.OpenHosts(list)
	s.came()
}

func (s *screens) openChart(m pane.OpenChart) {
	s.show(pane.TabChart)
	s.chart.Show(m.Targets, m.Replace)
	if m.Lanes {
		s.chart.ShowLanes()
	}
	s.came()
}

// focused is the host that keys mean, or some host.
func (s *screens) focused() *pane.Host {
	if h, _ := s.meant(); h != nil {
		return h
	}
	return s.desk.Hosts[0]
}

// meant is the host that keys mean, or why there is none.
func (s *screens) meant() (h *pane.Host, why string) {
	if sel, ok := s.screen().(pane.Selector); ok {
		if list := sel.Selected(); len(list) > 0 && list[0].Host != nil {
			return list[0].Host, ""
		}
	}
	if h = s.book.Host(); h == nil {
		return nil, "this host is not watched: 7 a adds it"
	}
	return h, ""
}

// snapshot tells the screen that is shown of a host's new snapshot. It reports
// whether that concerns it.
func (s *screens) snapshot(h *pane.Host) bool {
	screen := s.screen()
	screen.Snapshot(h)
	if shows, ok := screen.(pane.Watcher); ok {
		return shows.Shows(h)
	}
	return true
}

// asks are what the screens want to know of a host.
func (s *screens) asks(h *pane.Host) []session.Ask {
	var asks []session.Ask
	for i := range s.tabs {
		if t := &s.tabs[i]; t.keeps {
			first := len(asks)
			asks = append(asks, t.screen.Asks(h)...)
			hidden := t.tab != s.at && h.Historian != nil // it is asked for what nobody looked at
			for k := first; k < len(asks); k++ {
				asks[k].Seldom = asks[k].Seldom || hidden
			}
		}
	}
	if t := s.tabOf(s.at); !t.keeps {
		asks = append(asks, t.screen.Asks(h)...)
	}
	for _, screen := range s.above {
		asks = append(asks, screen.Asks(h)...)
	}
	return asks
}
