// Package chart is the screen that draws counters over time: as lines, areas,
// bars or a report, with perfmon's legend below. series.go is what it knows of
// a counter, window.go which time is shown, picture.go what is drawn once and
// kept, draw.go and the files of its parts what goes to the screen.
package chart

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"perfdeck/session"
	"perfdeck/tui/keys"
	"perfdeck/tui/kit/list"
	"perfdeck/tui/pane"
)

// view is how the counters are drawn.
type view int

const (
	lineView view = iota
	areaView
	stackedView
	lanesView
	barView
	reportView
	viewCount
)

var viewNames = [viewCount]string{"line", "area", "stacked", "lanes", "bar", "report"}

// statistic is what bars and the report show of a counter.
type statistic int

const (
	current statistic = iota // under the cursor, else the newest
	average
	minimum
	maximum
	statisticCount
)

var statisticNames = [statisticCount]string{"last", "average", "minimum", "maximum"}

// Chart is the screen.
type Chart struct {
	Notes Notes // what it marks: alerts, bookmarks, limits; nil: nothing
	// Proposed is what is shown while nothing is charted, and Offered what is listed where that is
	// nothing; nil: nothing is.
	Proposed, Offered func() []pane.Target

	desk     *pane.Desk
	series   []*series
	wanted   []wanted
	asked    bool // the hosts were asked for what is shown
	problem  problem
	proposal proposal
	offer    offer

	view      view
	statistic statistic
	rule      rule
	bare      bool // without the legend

	zoom    zoom
	version uint64 // of what the user changed
	height  height
	picture picture
	tracks  []track
	// Of historians.
	questions map[*pane.Host]*question

	place    places
	common   string                      // what the names of the instances begin with
	list     pane.List[*series, *series] // the legend
	reported list.List                   // lines of the report
	drag     drag
	keys     []keys.Binding
}

// problem is why something could not be charted. It is shown for a while.
type problem struct {
	text  string
	since time.Time // zero: it was not shown yet
}

// at is what is said of a problem now, "" for nothing.
func (p *problem) at(now time.Time) string {
	const shown = 10 * time.Second
	if p.text != "" && p.since.IsZero() {
		p.since = now
	}
	if now.Sub(p.since) > shown {
		*p = problem{}
	}
	return p.text
}

// New returns a chart without counters.
func New(desk *pane.Desk) *Chart {
	c := &Chart{desk: desk, asked: true}
	c.list = pane.List[*series, *series]{Columns: c.legend(), KeyOf: func(s *series) *series { return s }, Lead: c.drawLead, LeadW: letterCells}
	c.keys = c.bindings()
	c.proposal.keys, c.offer.units = c.proposalKeys(), pane.NewUnits(desk.Numbers)
	return c
}

// Recall takes over what the user chose for a counter elsewhere.
func (c *Chart) Recall() {
	for _, s := range c.series {
		s.recall(c.desk)
	}
	c.version++
}

// ShowsEvents tells whether events of a host are marked here.
func (c *Chart) ShowsEvents(h *pane.Host) bool { return slices.Contains(c.hosts(), h) }

// Title is the name of the tab.
func (c *Chart) Title() string { return "Chart" }

// Scope names the host, or tells how many there are.
func (c *Chart) Scope() string { return cmp.Or(called(c.hosts()), "chart") }

// called names a host, or says how many there are.
func called(hosts []*pane.Host) string {
	switch len(hosts) {
	case 0:
		return ""
	case 1:
		return hosts[0].Name
	}
	return strconv.Itoa(len(hosts)) + " hosts"
}

// hosts are those of which something is charted, in the order of the desk.
func (c *Chart) hosts() (out []*pane.Host) {
	for _, h := range c.desk.Hosts {
		if slices.ContainsFunc(c.series, func(s *series) bool { return s.target.Host == h }) {
			out = append(out, h)
		}
	}
	return out
}

// Bindings are the screen's keys.
func (c *Chart) Bindings() []keys.Binding {
	if c.proposal.shown {
		return c.proposal.keys
	}
	return c.keys
}

// Opened takes over what happened while another screen was shown.
func (c *Chart) Opened() {
	c.forget()
	c.offer.values = nil
	c.propose()
}

// Show charts values. What is charted already is selected, not added again;
// with replace nothing else stays. Targets that are hosts or whole instances
// are passed over.
func (c *Chart) Show(targets []pane.Target, replace bool) {
	c.forget()
	if slices.ContainsFunc(targets, pane.Target.IsValue) {
		c.endProposal()
		if c.proposal.declined = false; replace {
			c.series = slices.DeleteFunc(c.series, func(s *series) bool { return !slices.ContainsFunc(targets, s.is) })
			c.wanted = nil
			c.list.Restart()
			c.changed()
		}
	}
	var first *series
	for _, t := range targets {
		if s := c.add(t); s != nil && first == nil {
			first = s
		}
	}
	c.sel(first)
}

// add charts one value and returns its series, nil if it cannot be charted.
func (c *Chart) add(t pane.Target) *series {
	if !t.IsValue() || t.Counter >= len(t.Set.Counters) {
		return nil
	}
	if i := slices.IndexFunc(c.series, func(s *series) bool { return s.is(t) }); i >= 0 {
		return c.series[i]
	}
	if t.IsText() {
		c.problem.text = t.PathOf() + " is a text, which has no curve"
		return nil
	}
	slot, free := c.freeSlot()
	if !free {
		c.problem.text = "no more than " + strconv.Itoa(mostSeries) + " counters can be charted"
		return nil
	}
	s := newSeries(t, slot, c.desk)
	c.series = append(c.series, s)
	s.refresh()
	c.changed()
	return s
}

// freeSlot is the first letter that no counter has.
func (c *Chart) freeSlot() (slot int, free bool) {
	for slot = range mostSeries {
		if !slices.ContainsFunc(c.series, func(s *series) bool { return s.slot == slot }) {
			return slot, true
		}
	}
	return 0, false
}

// sel selects a series; nil leaves the selection where it is.
func (c *Chart) sel(s *series) {
	if i := slices.Index(c.series, s); i >= 0 {
		c.list.Place(i)
	}
}

// selected is the selected series, nil without one.
func (c *Chart) selected() *series { return c.list.Row() }

// changed notes that other counters are charted.
func (c *Chart) changed() {
	c.asked, c.problem = false, problem{}
	c.version++
	c.list.Put(c.series)
}

// forget drops the counters of hosts that left the desk.
func (c *Chart) forget() {
	left := func(h *pane.Host) bool { return !slices.Contains(c.desk.Hosts, h) }
	n := len(c.series)
	c.series = slices.DeleteFunc(c.series, func(s *series) bool { return left(s.target.Host) })
	c.wanted = slices.DeleteFunc(c.wanted, func(w wanted) bool { return left(w.host) })
	if len(c.series) != n {
		c.changed()
	}
}

// Asks are the charted values and their history, and the instances that are
// looked for.
func (c *Chart) Asks(h *pane.Host) (asks []session.Ask) {
	for _, s := range c.series {
		if s.target.Host == h {
			asks = append(asks, s.target.Asks()...)
		}
	}
	for _, w := range c.wanted {
		if w.host == h {
			asks = append(asks, session.Ask{Set: w.sel.Set, Counters: w.sel.Counters})
		}
	}
	return asks
}

// AskStale tells, once, that other values are charted than were asked for.
func (c *Chart) AskStale() bool {
	stale := !c.asked
	c.asked = true
	return stale
}

// Shows tells whether something of a host is charted.
func (c *Chart) Shows(h *pane.Host) bool {
	return slices.ContainsFunc(c.series, func(s *series) bool { return s.target.Host == h }) ||
		slices.ContainsFunc(c.wanted, func(w wanted) bool { return w.host == h })
}

// Snapshot brings new values.
func (c *Chart) Snapshot(h *pane.Host) {
	c.forget()
	if len(c.series) == 0 {
		c.propose()
	}
	for _, s := range c.series {
		if s.target.Host == h && s.refresh() {
			c.asked = false // it is another counter of another catalogue now
		}
	}
	c.find(h)
}

// Selected are the selected value and those that are marked.
func (c *Chart) Selected() (out []pane.Target) {
	if t, ok := c.offer.selected(); ok && len(c.series) == 0 {
		return []pane.Target{t}
	}
	for _, s := range c.list.SelectedFirst() {
		out = append(out, s.target)
	}
	return out
}

// shown are the series that are drawn, the selected one last: above the others.
func (c *Chart) shown() []*series {
	out, selected := make([]*series, 0, len(c.series)), c.selected()
	for _, s := range c.series {
		if !s.hidden && s != selected {
			out = append(out, s)
		}
	}
	if selected != nil && !selected.hidden {
		out = append(out, selected)
	}
	return out
}

// span is how much time is shown when nothing is zoomed: of a recording no more than that has.
func (c *Chart) span() time.Duration {
	const standard = 5 * time.Minute
	span := cmp.Or(max(c.desk.Span, 0), standard)
	if c.desk.Archive != nil {
		if first, last := c.desk.Archive.Bounds(); last.After(first) {
			span = min(span, last.Sub(first))
		}
	}
	if c.proposal.fits {
		return c.fitted(span)
	}
	return span
}
