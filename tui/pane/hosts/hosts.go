// Package hosts is the screen of the hosts that are watched: how things stand
// with each, since when, and what to do about it.
package hosts

import (
	"slices"
	"strings"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/tui/keys"
	"perfdeck/tui/kit/filter"
	"perfdeck/tui/pane"
)

// Screen is the screen.
type Screen struct {
	pane.ListScreen[*pane.Host, *row]
}

// row is a host with its state at the time of drawing.
type row struct {
	host     *pane.Host
	state    session.HostState
	standing pane.HostStatus
	running  []string // data collector sets
}

// New returns the screen of the desk's hosts.
func New(desk *pane.Desk) *Screen {
	s := &Screen{pane.ListScreen[*pane.Host, *row]{
		Desk: desk, Filter: pane.Filter[*row]{Desk: desk, Title: "Filter hosts", Fields: fields}, None: "No host",
		List:  pane.List[*pane.Host, *row]{Columns: table, KeyOf: func(r *row) *pane.Host { return r.host }, Sign: sign},
		Worst: func(a, b *row) int { return int(b.standing.Condition) - int(a.standing.Condition) }, WorstText: "worst first",
		Counts: func(r *row) (on, bad bool) { return false, r.standing.Condition > pane.Expected },
		Facts:  facts,
	}}
	s.All, s.Lesson = s.hosts, s.lesson
	s.Bind("Hosts", "hosts", []keys.Binding{
		{Keys: "a", Text: "add hosts", Hint: "add host", Do: desk.AskHosts},
		{Keys: "enter", Text: "open the deck of the host", Hint: "open", Why: s.whyNoHost, Do: func() { s.Desk.Send(pane.OpenHost{Host: s.host()}) }},
		{Keys: "e", Text: "log on to the host by another account", Hint: "account", Why: s.whyNoLogOn, Do: func() { s.Desk.Send(pane.AskAccount{Host: s.host()}) }},
		{Keys: "d delete", Text: "remove the host", Hint: "remove", Why: s.whyNoHost, Do: func() { s.Desk.Send(pane.RemoveHost{Host: s.host()}) }},
		{Keys: "O", Text: "show its data collector sets on Records, or no more", Why: s.whyNoSets, Do: s.askSets},
		{Keys: "s", Text: "sort worst first, or as they were named", Hint: "sort", Do: s.SortWorst},
		s.Filter.Key("filter"),
		{Keys: "y", Text: "copy what is known of the host", Why: s.whyNoHost, Do: s.copyFacts},
		{Keys: "esc", Text: "clear the filter; back", Do: s.Escape},
	})
	return s
}

// host is the selected host, nil without one.
func (s *Screen) host() *pane.Host {
	if r := s.Row(); r != nil {
		return r.host
	}
	return nil
}

// Selected is the selected host.
func (s *Screen) Selected() []pane.Target {
	h := s.host()
	if h == nil || !slices.Contains(s.Desk.Hosts, h) {
		return nil
	}
	return []pane.Target{{Host: h}}
}

// hosts are the hosts there are, as things stand with them.
func (s *Screen) hosts() []*row {
	now, out := s.Desk.Now(), make([]*row, len(s.Desk.Hosts))
	for i, h := range s.Desk.Hosts {
		r := &row{host: h, state: h.Sampler.State(), running: s.Desk.RunningSets(h)}
		r.standing = pane.StandingOf(&r.state, now)
		out[i] = r
	}
	return out
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

func (s *Screen) whyNoHost() string { return keys.When(s.host() == nil, "no host is selected") }

func (s *Screen) whyNoLogOn() string {
	if s.host() != nil && s.host().LogOns == nil {
		return "this host takes no account"
	}
	return s.whyNoHost()
}

func (s *Screen) whyNoSets() string {
	switch h := s.host(); {
	case s.Desk.HostSets == nil:
		return "this is a recording that is played"
	case h != nil && h.Local:
		return "9 shows the sets of this computer anyway"
	}
	return s.whyNoHost()
}

// askSets has the sets of the host shown, or no more.
func (s *Screen) askSets() {
	if name := s.host().Name; s.Desk.HostSets.Ask(s.host()) {
		s.Desk.Say(name + ": 9 shows its data collector sets")
	} else {
		s.Desk.Say(name + ": its data collector sets are not shown any more")
	}
}

// copyFacts copies the name and the facts, in one line.
func (s *Screen) copyFacts() {
	parts := []string{s.host().Name}
	for _, f := range s.host().Facts(s.Desk.Now()) {
		parts = append(parts, strings.TrimSpace(f.Label+" "+f.Text))
	}
	s.Desk.Send(pane.Copy{Text: strings.Join(parts, "; ")})
}
