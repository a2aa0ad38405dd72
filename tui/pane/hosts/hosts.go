// Package hosts is the screen of the hosts that are watched: how things stand
// with each, since when, and what to do about it.
package hosts

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"perfdeck/cooker"
	"perfdeck/session"
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

	rows    []row // that the filter takes, in the order of the list
	list    list.Keyed[*pane.Host]
	filter  pane.Filter[*row]
	trouble bool // sorted worst first, else as the desk has them
	details pane.Details
}

// row is a host with its state at the time of drawing.
type row struct {
	host     *pane.Host
	state    session.HostState
	standing pane.Standing
}

// New returns the screen of the desk's hosts.
func New(desk *pane.Desk) *Screen {
	s := &Screen{desk: desk}
	s.filter = pane.Filter[*row]{Desk: desk, Title: "Filter hosts", Fields: fields()}
	s.Face = pane.Face{Name: "Hosts", About: "hosts", Keys: s.bindings()}
	return s
}

// host is the selected host, nil without one.
func (s *Screen) host() *pane.Host {
	h, _ := s.list.Selected()
	return h
}

// Selected is the selected host.
func (s *Screen) Selected() []pane.Target {
	h := s.host()
	if h == nil || !slices.Contains(s.desk.Hosts, h) {
		return nil
	}
	return []pane.Target{{Host: h}}
}

// refresh makes the rows anew.
func (s *Screen) refresh(now time.Time) {
	s.rows = s.rows[:0]
	for _, h := range s.desk.Hosts {
		r := row{host: h, state: h.Sampler.State()}
		r.standing = pane.StandingOf(&r.state, now)
		if s.filter.Matches(&r) {
			s.rows = append(s.rows, r)
		}
	}
	if s.trouble {
		slices.SortStableFunc(s.rows, func(a, b row) int {
			return int(b.standing.Condition) - int(a.standing.Condition)
		})
	}
	hosts := make([]*pane.Host, len(s.rows))
	for i := range s.rows {
		hosts[i] = s.rows[i].host
	}
	s.list.Set(hosts)
}

// fields are what hosts can be asked for.
func fields() *filter.Fields[*row] {
	name := func(r *row) string { return r.host.Name }
	state := func(r *row) string { return r.standing.String() }
	why := func(r *row) string {
		if r.state.Err == nil {
			return ""
		}
		return r.state.Err.Error()
	}
	group := func(r *row, fits func(string) bool) bool { return slices.ContainsFunc(r.host.Groups, fits) }
	return &filter.Fields[*row]{
		List: []filter.Field[*row]{
			{Name: "host", Also: []string{"name"}, Texts: filter.One(name)},
			{Name: "group", Also: []string{"site"}, Texts: group, Example: "group:fra"},
			{Name: "state", Texts: filter.One(state), Example: "state:denied"},
			{Name: "source", Texts: filter.One(func(r *row) string { return r.host.Source() })},
			{Name: "error", Texts: filter.One(why)},
			{Name: "latency", Quantity: cooker.Quantity{Kind: cooker.Seconds}, Unit: 1e-3, Number: func(r *row) filter.Number {
				return pane.LatencyNumber(r.state.Latency)
			}, Example: "latency>20ms"},
			{Name: "missed", Number: func(r *row) filter.Number { return filter.Number{Value: float64(r.state.Missed)} }},
		},
		Plain: func(r *row, fits func(string) bool) bool {
			return fits(name(r)) || fits(state(r)) || fits(r.host.Source()) || group(r, fits) || fits(why(r))
		},
	}
}

// What can be hit.
const (
	hitRow pane.HitKind = iota + 1 // A: its place
	hitDetail
)

// Click selects a host; on the selected one it opens its deck.
func (s *Screen) Click(hit pane.Hit, button tea.MouseButton) {
	if hit.Kind == hitRow && pane.Pressed(&s.list, hit.A, button) {
		s.open()
	}
}

// Wheel scrolls the table, or the details.
func (s *Screen) Wheel(hit pane.Hit, lines int) {
	if hit.Kind == hitDetail {
		s.details.Scroll(lines)
		return
	}
	s.list.Scroll(lines)
}

func (s *Screen) bindings() []keys.Binding {
	return slices.Concat([]keys.Binding{
		{Keys: []string{"a"}, Text: "add hosts", Hint: "add host", Section: keys.Change, Do: s.desk.AskHosts},
		{Keys: []string{"enter"}, Text: "open the deck of the host", Hint: "open", Section: keys.Go, Why: s.whyNoHost, Do: s.open},
		{Keys: []string{"e"}, Text: "log on to the host by another account", Hint: "account", Section: keys.Change, Why: s.whyNoLogOn, Do: s.askAccount},
		{Keys: []string{"d", "delete"}, Text: "remove the host", Hint: "remove", Section: keys.Change, Why: s.whyNoHost, Do: s.remove},
		{Keys: []string{"s"}, Text: "sort worst first, or as they were named", Hint: "sort", Section: keys.View, Do: s.toggleSort},
		s.filter.Key("filter"),
		{Keys: []string{"y"}, Text: "copy what is known of the host", Section: keys.Selected, Why: s.whyNoHost, Do: s.copyFacts},
		{Keys: []string{"esc"}, Text: "clear the filter; back", Section: keys.Go, Do: s.escape},
	}, pane.SideKeys("scroll the details", s.details.Scroll), pane.ListKeys("select", func(m list.Motion) { s.list.Move(s.list.Lines(m)) }))
}

func (s *Screen) whyNoHost() string {
	if s.host() == nil {
		return "no host is selected"
	}
	return ""
}

func (s *Screen) whyNoLogOn() string {
	if s.host() != nil && s.host().LogOns == nil {
		return "this host takes no account"
	}
	return s.whyNoHost()
}

// askAccount asks by which account the host is logged on to.
func (s *Screen) askAccount() {
	if s.host() == nil {
		return
	}
	s.desk.Send(pane.AskAccount{Host: s.host()})
}

func (s *Screen) open() {
	if s.host() == nil {
		return
	}
	s.desk.Send(pane.OpenHost{Host: s.host()})
}

func (s *Screen) remove() {
	if s.host() == nil {
		return
	}
	s.desk.Send(pane.RemoveHost{Host: s.host()})
}

func (s *Screen) toggleSort() {
	s.trouble = !s.trouble
}

// copyFacts copies the name and the facts, in one line.
func (s *Screen) copyFacts() {
	if s.host() == nil {
		return
	}
	parts := []string{s.host().Name}
	for _, f := range s.host().Facts(s.desk.Now()) {
		parts = append(parts, strings.TrimSpace(f.Label+" "+f.Text))
	}
	s.desk.Send(pane.Copy{Text: strings.Join(parts, "; ")})
}

// escape clears the filter first, then goes back.
func (s *Screen) escape() {
	if !s.filter.Clear() {
		s.desk.Send(pane.Back{})
	}
}

var (
	_ pane.Screen   = (*Screen)(nil)
	_ pane.Selector = (*Screen)(nil)
)
