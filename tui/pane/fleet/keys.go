package fleet

import (
	"strings"
	"time"

	"perfdeck/tui/keys"
	"perfdeck/tui/pane"
)

// bind gives the screen its keys.
func (s *Screen) bind() {
	own := append([]keys.Binding{
		{Keys: "enter", Text: "open the deck of the host, or of the marked ones side by side", Hint: "open deck",
			Section: keys.Go, Why: s.whyNoHost, Do: s.open},
		{Keys: "space", Text: "mark several", Hint: "mark", Section: keys.Selected, Why: s.whyNoHost, Do: s.MarkNext},
		{Keys: "s", Text: "sort by the next: worst first, name, cpu, mem, disk, net", Hint: "sort",
			Do: func() { s.sortBy((s.sorting + 1) % (sortings + services - measureCount)) }},
		{Keys: "o", Text: "choose what to sort by; again: reverse", Do: s.chooseSorting},
		s.Filter.Key("filter"),
		{Keys: "v", Text: "next measure in map and strips: cpu, mem, disk, net", Hint: "view", Do: s.nextMeasure},
		{Keys: "a", Text: "add hosts", Hint: "add host", Do: s.Desk.AskHosts},
		{Keys: "d delete", Text: "remove the host", Why: s.whyNoHost, Do: func() { s.Desk.Send(pane.RemoveHost{Host: s.host()}) }},
		{Keys: "esc", Text: "clear the filter, then the marks; back", Do: s.Escape},
	}, pane.SideKeys("column beside", s.turn)...)
	s.Bind("Fleet", "fleet", own)
	keys.First(s.Keys, func() { s.touched = s.Desk.Now() }) // no key lets the lines change places under it
}

func (s *Screen) whyNoHost() string { return keys.When(s.host() == nil, "no host is selected") }

// turn goes to the column of the list beside, in the same row.
func (s *Screen) turn(n int) {
	line, rows := s.Line(), max(1, s.places.rows)
	to := line + n*s.places.rows
	if s.places.columns > 1 && to >= 0 && (to < len(s.Rows) || n > 0 && line/rows < (len(s.Rows)-1)/rows) {
		s.Select(to)
	}
}

func (s *Screen) open() {
	marked := s.marked()
	if len(marked) > 1 {
		s.Desk.Send(pane.OpenHosts{Hosts: marked})
		return
	}
	host := s.host()
	if len(marked) == 1 {
		host = marked[0]
	}
	s.Desk.Send(pane.OpenHost{Host: host})
}

// sortBy sorts by something else, or the other way round by the same.
func (s *Screen) sortBy(by sorting) {
	if by < 0 || by >= sortings {
		return
	}
	s.reverse = by == s.sorting && !s.reverse
	s.sorting = by
	s.sorted = time.Time{}
	text := "sorted " + by.String()
	if s.reverse {
		text += ", the other way round"
	}
	s.Desk.Say(text)
}

// chooseSorting lists what the lines can be sorted by.
func (s *Screen) chooseSorting() {
	var items []pane.MenuItem
	for by := range sortings {
		text := by.String()
		if by == s.sorting {
			text += ": the other way round"
		}
		items = append(items, pane.MenuItem{Text: text, Do: func() { s.sortBy(by) }})
	}
	s.Desk.Send(pane.OpenMenu{Title: "Sort hosts", Items: items})
}

func (s *Screen) nextMeasure() {
	s.measure = (s.measure + 1) % services
	s.sorted = time.Time{}
	s.Desk.Say("map and strips show " + measures[s.measure].title)
}

// toggleSite filters by a group, or no more.
func (s *Screen) toggleSite(name string) {
	name = strings.TrimSpace(strings.ToLower(name))
	if strings.ContainsAny(name, " ()") {
		name = `"` + name + `"`
	}
	text := "site:" + name
	if s.Filter.Text() == text {
		text = ""
	}
	_ = s.Filter.Set(text)
}
