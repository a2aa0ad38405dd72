// Package fleet is the screen of many hosts: a map with a cell for each, a line
// for each, worst first, and more about the selected one.
package fleet

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/tui/kit/list"
	"perfdeck/tui/pane"
)

// Screen is the screen.
type Screen struct {
	pane.ListScreen[*pane.Host, *line]

	// Trouble is what the alert rules say of a host: the worst level, and how many of its values
	// are careful, warning and critical; nil: there are none.
	Trouble func(h *pane.Host) (level pane.Level, counts [3]int)

	lines    []*line // of all hosts, in the desk's order
	lineBy   map[*pane.Host]*line
	groups   []group
	largest  [measureCount]float64 // of all hosts, in the counter's own unit
	measured int                   // hosts that these are of
	choice   [measureCount]cooker.UnitChooser
	shown    [measureCount]cooker.Unit // of measure.unit, what the column shows
	finer    [measureCount]bool        // the column has a decimal more
	tops     [measureCount]top         // of heat, but of percentages
	measure  int                       // what map and strips show

	changed         bool // hosts came or went since order was made
	place           map[*pane.Host]int
	sorting         sorting
	reverse         bool
	sorted, touched time.Time

	asked []*pane.Host // whose details were asked for
	units map[*pane.Host]pane.Units

	places places    // of the last drawing
	chart  list.View // rows of the map
	buf    []float32
}

// New returns the screen of the desk's hosts.
func New(desk *pane.Desk) *Screen {
	s := &Screen{place: map[*pane.Host]int{}}
	s.Desk, s.First, s.KeyOf = desk, true, func(l *line) *pane.Host { return l.host }
	s.Keeps = func(h *pane.Host) bool { return s.lineOf(h) != nil }
	for m := range measures {
		s.choice[m] = cooker.NewUnitChooser(measures[m].quantity(), cooker.UnitWindows)
	}
	s.Filter = pane.Filter[*line]{Desk: desk, Title: "Filter hosts", Fields: s.fields, Changed: func() { s.sorted = time.Time{} }}
	s.bind()
	return s
}

// Snapshot has nothing to do: values are read when they are drawn, so that many
// hosts that answer together are sorted once.
func (s *Screen) Snapshot(*pane.Host) {}

// Opened shows what happened meanwhile, sorted anew.
func (s *Screen) Opened() { s.sorted = time.Time{} }

// Asks are the measures of a host, and more of the selected one.
func (s *Screen) Asks(h *pane.Host) (asks []session.Ask) {
	if s.lineOf(h) == nil || len(s.lines) != len(s.Desk.Hosts) { // all hosts ask in turn
		s.sync()
	}
	l := s.lineOf(h)
	if l == nil || h.Sampler.Catalogue() == nil {
		return nil
	}
	l.look()
	l.asked = s.showsServices()
	for m := range l.sources {
		if src := &l.sources[m]; src.set != nil && (m != services || l.asked) {
			asks = append(asks, src.asks()...)
		}
	}
	s.asked = slices.DeleteFunc(s.asked, func(o *pane.Host) bool { return o == h || s.lineOf(o) == nil })
	if h == s.host() {
		s.asked = append(s.asked, h)
		asks = append(asks, l.detailAsks()...)
	}
	return asks
}

// askAfter is how long the selection has to rest until details are asked for:
// who passes by a host does not ask it.
const askAfter = 400 * time.Millisecond

// AskStale tells that the details of another host are wanted.
func (s *Screen) AskStale() bool {
	return s.needsDetails() || slices.ContainsFunc(s.lines, s.needsServices)
}

func (s *Screen) needsDetails() bool {
	return s.rests() && s.host() != nil && s.host().Sampler.Catalogue() != nil && !slices.Contains(s.asked, s.host())
}

// showsServices tells whether the column of failed services is there.
func (s *Screen) showsServices() bool { return s.sorting == byMeasure+services }

// needsServices tells that services of a host are wanted, or not any more.
func (s *Screen) needsServices(l *line) bool {
	return l.asked != s.showsServices() && l.host.Sampler.Catalogue() != nil
}

// rests tells that the selection stays for a while, where details are shown.
func (s *Screen) rests() bool {
	return s.places.detail.H > 0 && s.Desk.Now().Sub(s.touched) >= askAfter
}

// StaleHosts are the hosts whose questions changed: the one whose details are
// wanted and those whose details are not any more.
func (s *Screen) StaleHosts() (out []*pane.Host) {
	for _, l := range s.lines {
		if s.needsServices(l) {
			out = append(out, l.host)
		}
	}
	if s.needsDetails() {
		out = append(out, s.host())
	}
	for _, h := range s.asked {
		if h != s.host() && s.rests() && s.lineOf(h) != nil {
			out = append(out, h)
		}
	}
	return out
}

// host is the selected host, nil without one.
func (s *Screen) host() *pane.Host {
	h, _ := s.ListScreen.Selected()
	return h
}

// Selected are the hosts: the one under the selection mark, then the marked
// ones. Each names the value of the measure that is shown, where the host has
// it.
func (s *Screen) Selected() (out []pane.Target) {
	if l := s.lineOf(s.host()); l != nil {
		out = append(out, l.target(s.measure))
	}
	for _, h := range s.marked() {
		if h != s.host() {
			out = append(out, s.lineOf(h).target(s.measure))
		}
	}
	return out
}

// target is the value of a measure, or the host alone where there is none. Of a
// sum it is the largest part.
func (l *line) target(m int) pane.Target {
	src := &l.sources[m]
	view := l.host.Snap.Set(src.set)
	row, col := src.row(view), view.Column(src.counter)
	if src.rows == sumRow {
		row = largestRow(view, src.counter)
	}
	if row < 0 || col < 0 {
		return pane.Target{Host: l.host}
	}
	return pane.Target{Host: l.host, Set: src.set, Counter: src.counter, Key: view.Rows[row].Key, Used: src.drawn != nil}
}

// largestRow is the instance with the largest value of those that make a sum; -1
// without one.
func largestRow(view *session.SetView, counter int) int {
	col, best, at := view.Column(counter), 0.0, -1
	if col < 0 {
		return -1
	}
	for _, i := range sum.Members(view, nil) {
		if f, ok := view.Value(i, col).Float(); ok && (at < 0 || f > best) {
			best, at = f, i
		}
	}
	return at
}

// marked are the marked hosts, in the order of the desk.
func (s *Screen) marked() (out []*pane.Host) {
	for _, l := range s.lines {
		if s.IsMarked(l.host) {
			out = append(out, l.host)
		}
	}
	return out
}

// What can be hit besides lines.
const (
	hitCell   pane.HitKind = iota + 1 // A: place in the desk's order
	hitGroup                          // A: place in the groups
	hitHead                           // A: a sorting
	hitAlerts                         // how many alerts the selected host has
)

// Click selects a host in list or map and opens the selected one, sorts by a
// column, filters by a group, or opens the alerts where they are counted.
func (s *Screen) Click(hit pane.Hit, button tea.MouseButton) {
	s.touched = s.Desk.Now()
	switch {
	case button != tea.MouseLeft && button != tea.MouseRight:
	case hit.Kind == hitCell && hit.A < len(s.lines):
		s.chooseHost(s.lines[hit.A])
	case hit.Kind == hitGroup && hit.A < len(s.groups):
		s.toggleSite(s.groups[hit.A].name)
	case hit.Kind == hitHead:
		s.sortBy(sorting(hit.A))
	case hit.Kind == hitAlerts:
		s.Desk.Send(pane.GoTo{Tab: pane.TabAlerts})
	default:
		s.ListScreen.Click(hit, button)
	}
}

// chooseHost selects the host of a cell of the map.
func (s *Screen) chooseHost(l *line) {
	i := slices.Index(s.Rows, l)
	if i < 0 {
		s.Desk.Say(l.name + " is not in the list: the filter hides it")
		return
	}
	s.Select(i)
}

// Wheel scrolls the list.
func (s *Screen) Wheel(hit pane.Hit, lines int) {
	s.touched = s.Desk.Now()
	s.ListScreen.Wheel(hit, lines)
}
