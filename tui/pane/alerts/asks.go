package alerts

import (
	"maps"
	"slices"
	"time"

	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/tui/pane"
)

// mostAsked is of how many alerts of a host the history is asked for.
const mostAsked = 64

// askAfter is how long the selection has to rest until its values are asked for:
// who passes by a row does not ask for it.
const askAfter = 400 * time.Millisecond

// wanted is what the screen wants to know of the hosts, and what it asked.
type wanted struct {
	of    wantedOf
	hosts map[*pane.Host][]want
	asked map[*pane.Host][]want
}

// wantedOf is what the wants were made of.
type wantedOf struct {
	board *alert.Board
	focus part
	alert alert.ID
	rule  string
	event eventKey
}

// want is one value, or all that a rule means on the host.
type want struct {
	value pane.Target
	rule  string
}

// wantedOf is what the wants depend on.
func (s *Screen) wantedOf() wantedOf {
	of := wantedOf{board: s.board, focus: s.focus}
	switch s.focus {
	case activePart:
		of.alert, _ = s.active.Selected()
	case rulesPart:
		of.rule, _ = s.rules.Selected()
	case historyPart:
		of.event, _ = s.history.Selected()
	}
	return of
}

// wants are what is wanted of the hosts: the values that alert, and those of the
// selected row.
func (s *Screen) wants() map[*pane.Host][]want {
	s.renew()
	of := s.wantedOf()
	w := &s.wanted
	if w.hosts != nil && w.of == of {
		return w.hosts
	}
	w.of, w.hosts = of, map[*pane.Host][]want{}
	named := make(map[string]*pane.Host, len(s.desk.Hosts))
	for _, h := range s.desk.Hosts {
		named[h.Name] = h
	}
	for _, a := range s.board.Active {
		if h := named[a.ID.Host]; h != nil && len(w.hosts[h]) < mostAsked {
			w.addAlert(s.desk, h, a)
		}
	}
	switch ev := s.event(); {
	case of.rule != "":
		if r := s.ruleNamed(of.rule); r != nil {
			for _, h := range s.desk.Hosts {
				w.add(h, want{rule: r.Name}, 2*mostAsked)
			}
		}
	case ev != nil:
		for _, t := range targetsOf(s.desk, ev.ID, s.ruleNamed(ev.ID.Rule)) {
			if t.IsValue() {
				w.add(t.Host, want{value: t}, 2*mostAsked)
			}
		}
	}
	return w.hosts
}

func (w *wanted) addAlert(desk *pane.Desk, h *pane.Host, a *alert.Alert) {
	if a.Rule.Aggregate != nil {
		w.add(h, want{rule: a.Rule.Name}, mostAsked)
		return
	}
	t := pane.Target{Host: h, Set: a.Set, Counter: a.Counter, Key: a.Key}
	if cat := h.Sampler.Catalogue(); cat == nil || !slices.Contains(cat.Sets, a.Set) {
		t = targetOf(desk, a.ID, a.Rule.Kind)
	}
	if t.IsValue() {
		w.add(h, want{value: t}, mostAsked)
	}
}

func (w *wanted) add(h *pane.Host, one want, most int) {
	if list := w.hosts[h]; len(list) < most && !slices.Contains(list, one) {
		w.hosts[h] = append(list, one)
	}
}

// Asks are the values that alert on a host, with their history, and those of the
// selected row.
func (s *Screen) Asks(h *pane.Host) (asks []session.Ask) {
	list := s.wants()[h]
	if s.wanted.asked == nil {
		s.wanted.asked = map[*pane.Host][]want{}
	}
	s.wanted.asked[h] = list
	if len(s.wanted.asked) > len(s.desk.Hosts) { // some were removed
		maps.DeleteFunc(s.wanted.asked, func(o *pane.Host, _ []want) bool { return !slices.Contains(s.desk.Hosts, o) })
	}
	for _, one := range list {
		if one.rule == "" {
			asks = append(asks, one.value.Ask())
			continue
		}
		if r := s.ruleNamed(one.rule); r != nil {
			found, _ := meaningsOf(h, r)
			for i := range found {
				asks = append(asks, found[i].ask())
			}
		}
	}
	return asks
}

// AskStale tells that other values alert, or are selected, than were asked for.
func (s *Screen) AskStale() bool { return len(s.StaleHosts()) > 0 }

// StaleHosts are the hosts whose questions changed.
func (s *Screen) StaleHosts() (out []*pane.Host) {
	if s.desk.Now().Sub(s.touched) < askAfter {
		return nil
	}
	wants := s.wants()
	for _, h := range s.desk.Hosts {
		if !slices.Equal(wants[h], s.wanted.asked[h]) {
			out = append(out, h)
		}
	}
	return out
}
