package chart

import (
	"slices"

	"perfdeck/tui/keys"
	"perfdeck/tui/kit/list"
	"perfdeck/tui/pane"
)

func (c *Chart) bindings() []keys.Binding {
	cursor := func(back bool) func() { return func() { c.moveCursor(back) } }
	return pane.BindKeys([]keys.Binding{
		{Keys: "left h", Show: "h l", Text: "cursor to the sample beside", Hint: "cursor", Section: keys.Time,
			Why: c.whyNothing, Do: cursor(true)},
		{Keys: "right l", Show: "h l", Text: "cursor to the sample beside", Section: keys.Time,
			Why: c.whyNotOn, Do: cursor(false)},
		{Keys: "+", Back: "-", Text: "scale times 10, by 10", Hint: "scale", Section: keys.Change, Why: c.whyNothing, Step: c.rescale},
		{Keys: "=", Text: "scale to fit; again: follow the values", Hint: "fit", Section: keys.Change, Why: c.whyNothing, Do: c.fitChosen},
		{Keys: "v", Text: "line, area, stacked, lanes, bar, report", Hint: "view", Why: c.whyNothing, Do: func() { c.turnTo((c.view + 1) % viewCount) }},
		{Keys: "a", Text: "add a counter", Hint: "add", Why: c.whyNoHost, Do: c.askCounter},
		{Keys: "H", Text: "hide or show the series", Hint: "hide", Section: keys.Change, Why: c.whyNothing, Do: c.hide},
		{Keys: "d delete", Text: "take it off the chart", Why: c.whyNothing, Do: c.remove},
		{Keys: "Y", Text: "y axis: from 0, close, 0 to 100, or as you type", Why: c.whyNothing, Do: c.nextRule},
		{Keys: "V", Text: "bars and report show last, average, minimum, maximum",
			Why: c.whyNoStatistic, Do: func() { c.statistic = (c.statistic + 1) % statisticCount }},
		{Keys: "z", Text: "the plot alone, with the legend", Why: c.whyNothing, Do: func() { c.bare = !c.bare }},
		{Keys: "space", Text: "mark several", Why: c.whyNothing, Do: c.list.Mark},
		{Keys: "enter", Text: "zoom into the selected span; explain the number; keep what is proposed", Section: keys.Selected, Why: c.whyNoneToOpen, Do: c.open},
		{Keys: "esc", Text: "leave the zoom, the selected span, the marks, the cursor, the chart", Do: c.escape},
	}, "select a series", c.moveBy)
}

func (c *Chart) whyNothing() string { return keys.When(c.selected() == nil, "nothing is charted") }

func (c *Chart) whyNoneToOpen() string {
	if _, ok := c.offer.selected(); ok && len(c.series) == 0 {
		return ""
	}
	return c.whyNothing()
}

func (c *Chart) whyNotOn() string {
	if !c.desk.Past() && c.selected() != nil {
		return "this is now"
	}
	return c.whyNothing()
}

func (c *Chart) whyNoHost() string { return keys.When(len(c.desk.Hosts) == 0, "there is no host") }

func (c *Chart) whyNoStatistic() string {
	if c.view != barView && c.view != reportView && !c.place.report {
		return "in the bar and the report view only"
	}
	return c.whyNothing()
}

func (c *Chart) moveBy(m list.Motion) {
	if len(c.series) == 0 {
		c.offer.list.Move(c.offer.list.Lines(m))
		return
	}
	page := c.list.Page()
	if c.place.report {
		page = c.reported.Page()
	}
	c.move(m.Lines(len(c.series), page))
}

// move moves the selection.
func (c *Chart) move(n int) {
	list := c.listed()
	if len(list) == 0 {
		c.offer.list.Move(n)
		return
	}
	at := slices.Index(list, c.selected())
	c.sel(list[max(0, min(at+n, len(list)-1))])
}

func (c *Chart) moveCursor(back bool) {
	at, ok := c.beside(back)
	if !ok {
		c.desk.Say("nothing is kept before this")
		return
	}
	c.desk.MoveTo(at)
}

// turnTo shows another view, which begins at the first series.
func (c *Chart) turnTo(v view) {
	c.view = v
	s := c.selected()
	c.list.Restart()
	c.sel(s)
}

// hide hides the chosen series, or shows them when all are hidden.
func (c *Chart) hide() {
	list := c.list.Chosen()
	hidden := slices.ContainsFunc(list, func(s *series) bool { return !s.hidden })
	for _, s := range list {
		s.hidden = hidden
	}
	c.version++
}

// open explains the selected number.
func (c *Chart) open() {
	if len(c.series) == 0 {
		c.offer.chartSelected(c)
		return
	}
	if c.proposal.shown {
		c.keepProposal()
		return
	}
	if s := c.selected(); s != nil && !c.zoomIntoSpan() {
		c.desk.Send(pane.OpenExplain{Target: s.target})
	}
}

// askCounter adds a counter of the selected one's host.
func (c *Chart) askCounter() {
	h := c.desk.Hosts[0]
	if s := c.selected(); s != nil {
		h = s.target.Host
	}
	c.desk.Send(pane.AskCounter{Host: h})
}

// escape leaves the zoom into the selected span first, then the span, then the zoom, then
// the plot alone, then the marks, then the cursor, then the screen.
func (c *Chart) escape() {
	switch {
	case !c.desk.Selected.IsNone() && !c.isZoomedIntoSpan():
		c.desk.Send(pane.SelectSpan{})
	case c.zoom.span > 0:
		c.zoom.span = 0
	case c.bare:
		c.bare = false
	case c.list.Marks() > 0:
		c.list.ClearMarks()
	case !c.desk.EndCursor():
		c.desk.Back()
	}
}
