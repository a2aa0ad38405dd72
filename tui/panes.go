package tui

import (
	"time"

	"perfdeck/session"
	"perfdeck/tui/pane"
	"perfdeck/tui/pane/deck"
	"perfdeck/tui/pane/explain"
	"perfdeck/tui/pane/top"
)

// screens are the screens of one host.
type screens struct {
	host    *pane.Host
	deck    *deck.Deck
	top     *top.Top
	tabs    []tab
	current int
	sub     pane.Screen // opened from a tab's screen; nil
}

// tab is a screen that has a key.
type tab struct {
	key    string
	screen pane.Screen
}

// newScreens makes the screens of a host. A new screen is a row here.
func newScreens(host *pane.Host, now func() time.Time) *screens {
	s := &screens{host: host, deck: deck.New(host), top: top.New(host, now)}
	s.tabs = []tab{
		{"1", s.deck},
		{"3", s.top},
	}
	return s
}

// screen is the one that is shown.
func (s *screens) screen() pane.Screen {
	if s.sub != nil {
		return s.sub
	}
	return s.tabs[s.current].screen
}

func (s *screens) show(tab int) {
	s.sub = nil
	if tab < 0 || tab >= len(s.tabs) {
		return
	}
	if s.tabs[tab].screen == pane.Screen(s.top) && s.top.Set() == nil {
		cat := s.host.Sampler.Catalogue()
		if cat == nil || cat.Set("Process") == nil {
			return
		}
		s.top.Show(s.host, cat.Set("Process"), session.InstanceKey{}, -1)
	}
	s.current = tab
}

func (s *screens) openTop(m pane.OpenTop) {
	s.sub = nil
	s.top.Show(m.Host, m.Set, m.Key, m.Sort)
	s.current = 1
}

func (s *screens) openExplain(t pane.Target) {
	s.sub = explain.New(t)
	s.sub.Snapshot(s.host)
}

// snapshot tells all screens that show something of it.
func (s *screens) snapshot(h *pane.Host) {
	s.deck.Snapshot(h)
	if s.screen() != pane.Screen(s.deck) {
		s.screen().Snapshot(h)
	}
}

// load fills the deck with the given paths, or the default one.
func (s *screens) load(paths []string) []error {
	cat := s.host.Sampler.Catalogue()
	if s.deck.Loaded() {
		return s.deck.Reload(cat)
	}
	if len(paths) == 0 {
		return s.deck.Load(session.DefaultDeck(s.host.Name, cat).Panes, cat)
	}
	s.deck.Load(nil, cat)
	var errs []error
	for _, p := range paths {
		if err := s.deck.Add(p); err != nil {
			errs = append(errs, err)
		}
	}
	s.deck.Load(s.deck.Spec(), cat)
	return errs
}

// asks are what the deck, and the screen in front of it, want to know.
func (s *screens) asks(h *pane.Host) []session.Ask {
	asks := s.deck.Asks(h)
	if s.screen() != pane.Screen(s.deck) {
		asks = append(asks, s.screen().Asks(h)...)
	}
	return asks
}
