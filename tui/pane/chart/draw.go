package chart

import (
	"slices"
	"time"

	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/chart"
	"perfdeck/tui/layout"
	"perfdeck/tui/pane"
)

// The smallest plot; below it the values are shown as a report.
const (
	minPlotW = 20
	minPlotH = 5
)

// places is how the screen is divided, in cells.
type places struct {
	plot    layout.Rect // without the column of the axis and those of the letters
	legend  layout.Rect
	marks   int  // row, 0: none
	oneLine bool // the legend is
	report  bool // there is no plot
}

// hitPlot is column A of the plot.
const hitPlot pane.HitKind = 1

// arrange divides w x h cells for n series; gutter is how wide the labels of
// the axis are.
func (c *Chart) arrange(w, h, n, gutter int) places {
	const (
		oneLineUnder = 16 // rows: a terminal under 18
		marksFrom    = 24
		axisRows     = 2
	)
	head := 1
	if c.proposal.shown && h >= oneLineUnder {
		head = 2
	}
	p := places{oneLine: h < oneLineUnder}
	legend := min(1+n, h/3)
	switch {
	case c.bare:
		legend = 0
	case p.oneLine:
		legend = 1
	}
	bottom := h - legend
	if h >= marksFrom {
		bottom--
		p.marks = h - 1
	}
	p.plot = layout.Rect{X: gutter + 1, Y: head, W: w - gutter - 1 - endCells, H: bottom - head - axisRows}
	p.legend = layout.Rect{X: 0, Y: bottom, W: w, H: legend}
	if c.view == lanesView { // which name themselves
		p.oneLine = false
		p.plot = layout.Rect{X: 1, Y: head, W: w - 2, H: bottom + legend - head - axisRows}
		p.legend = layout.Rect{}
	}
	if c.view == reportView || p.plot.W < minPlotW || p.plot.H < minPlotH {
		p.report = true
		p.plot, p.legend = layout.Rect{}, layout.Rect{X: 0, Y: min(head, h-1), W: w, H: max(1, h-head)}
	}
	return p
}

// Draw draws the screen.
func (c *Chart) Draw(f pane.Frame) {
	c.forget()
	w, h := f.Width(), f.Height()
	if w < 1 || h < 1 {
		return
	}
	if len(c.series) == 0 {
		c.drawEmpty(f)
		return
	}
	const settles = 2 // the labels of the axis may take other cells than before
	for range settles {
		gutter := c.picture.axis.width(max(1, c.place.plot.H))
		c.place = c.arrange(w, h, len(c.series), gutter)
		plot, how := c.place.plot, c.view
		if c.place.report { // statistics are those of the window here too
			plot.W, plot.H, how = max(w, minPlotW), minPlotH, reportView
		}
		c.draw(how, c.window(plot.W, f.Now), plot.H, f.GlyphSet(), f.Now)
		if c.place.report || c.picture.axis.width(plot.H) == gutter {
			break
		}
	}
	c.askPast(c.picture.key.win, f.Now)
	if c.proposal.shown {
		c.drawProposed(f)
	} else {
		c.drawHeader(f)
	}
	if c.place.report {
		c.drawReport(f.At(c.place.legend))
		return
	}
	if c.view == lanesView {
		c.drawLanes(f)
		return
	}
	c.drawPlot(f)
	c.drawLegend(f)
}

// drawEmpty teaches the keys that bring something here, and lists what could be.
func (c *Chart) drawEmpty(f pane.Frame) {
	c.lookUp()
	pane.DrawTitle(f, pane.Title{Name: "Chart", Subtitle: "nothing is charted yet", Focused: true})
	rows := []keyText{{"c", "on a value, on any screen, charts it", 1}, {"a", "adds a counter here", 2}}
	if len(c.offer.values) > 0 {
		rows = slices.Insert(rows, 0, keyText{"enter", "charts one of these", 0})
	}
	y := 1
	drawKeys(f, y, rows)
	y += 2
	if text := c.problem.at(f.Now); text != "" {
		f.Rest(layout.SignW, y-1, text, themes.Warning)
	} else if len(c.wanted) > 0 {
		f.Rest(layout.SignW, y-1, "first sample"+f.Glyphs().Ellipsis, themes.Muted)
	}
	if y < f.Height() {
		c.drawOffer(f.Below(y))
	}
}

// drawPlot shows the picture with its axes and what changes on it: cursor,
// limits, gaps, the range that is dragged.
func (c *Chart) drawPlot(f pane.Frame) {
	r := c.place.plot
	p := &c.picture
	body := f.Region.Sub(r.X, r.Y, r.W+endCells, r.H)
	body.Paste(p.cells)
	c.drawThresholds(body)
	for i := range p.gaps {
		c.drawGap(body, &p.gaps[i], f.Now.Location())
	}
	c.drawYAxis(f)
	if c.view == barView {
		c.drawBarAxis(f)
	} else {
		c.drawTimeAxis(f)
		c.drawNotes(body.Sub(0, 0, c.picture.key.win.w, c.picture.key.h), c.picture.isFree, c.picture.isFreeForNotes)
		c.drawCursor(body)
		c.drawPeak(body)
		c.drawSpan(body)
		c.drawDrag(body)
		c.drawSpanEnds(f)
	}
	for x := range r.W {
		f.Zone(r.X+x, r.Y, 1, r.H+1, hitPlot, x)
	}
}

// isFree tells whether nothing but the grid is drawn in a cell of the plot.
func (p *picture) isFree(x, y int) bool {
	cell := p.cells.At(x, y)
	return cell.Rune == ' ' || cell.Style == themes.Rule
}

// isFreeRun tells whether n cells from x on, and those around them, are free.
func (p *picture) isFreeRun(x, y, n int) bool {
	if x < 0 || x+n > p.key.win.w || y < 0 || y >= p.key.h {
		return false
	}
	for i := range n {
		if !p.isFree(x+i, y) {
			return false
		}
	}
	return true
}

// drawThresholds draws the limits of the shown series below all else.
func (c *Chart) drawThresholds(body canvas.Region) {
	if c.Notes == nil || c.view == stackedView || c.view == barView {
		return
	}
	line := '-'
	if body.Glyphs().HasBraille {
		line = '╌'
	}
	p := &c.picture
	for _, s := range c.shown() {
		for _, t := range c.Notes.Thresholds(s.target) {
			v := t.Value * pane.Power(s.scale)
			if !(v >= p.axis.lo && v <= p.axis.hi) {
				continue
			}
			y := chart.Row(v, p.axis.lo, p.axis.hi, p.key.h)
			text := string(s.letter()) + " " + t.Text
			n := body.GlyphSet().TextWidth(text) + 3
			for x := range p.key.win.w {
				if p.isFree(x, y) && !p.inGap(x) {
					body.Put(x, y, line, t.Level.Style())
				}
			}
			if p.isFreeRun(1, y, n) {
				body.Text(1, y, " "+text+" ", t.Level.Style())
			}
		}
	}
}

func (p *picture) inGap(x int) bool {
	return slices.ContainsFunc(p.gaps, func(g gap) bool { return x >= g.x && x < g.x+g.w })
}

// drawGap says why there is nothing.
func (c *Chart) drawGap(body canvas.Region, g *gap, zone *time.Location) {
	const form = "15:04:05"
	lines := []string{"no data"}
	if g.open {
		h := c.lostHost()
		if h == "" {
			return // the next sample may still come
		}
		last := c.sampleBefore(time.Unix(0, c.picture.key.win.to()))
		lines = append(lines, h+" lost", "since "+last.In(zone).Format(form))
	} else {
		if g.host != "" {
			lines = append(lines, g.host+" lost")
		}
		lines = append(lines, g.from.In(zone).Format(form), "to "+g.to.In(zone).Format(form))
	}
	top := (body.Height() - len(lines)) / 2
	for i, text := range lines {
		w := min(g.w, body.GlyphSet().TextWidth(text))
		body.Middle(g.x+(g.w-w)/2, top+i, w, text, themes.Muted)
	}
}

// lostHost names the charted hosts that do not answer, "" if one does.
func (c *Chart) lostHost() string {
	hosts := c.hosts()
	if slices.ContainsFunc(hosts, func(h *pane.Host) bool { return !isLost(h) }) {
		return ""
	}
	return called(hosts)
}

// drawPeak writes the highest value of the selected series beside it, where it
// hides nothing.
func (c *Chart) drawPeak(body canvas.Region) {
	p := &c.picture
	s := c.selected()
	if !p.peak.ok || s == nil {
		return
	}
	sign := "^"
	if body.Glyphs().HasBraille {
		sign = "↑"
	}
	text := sign + s.brief(s.stats.Max)
	n := body.GlyphSet().TextWidth(text)
	x, y := p.peak.x, p.peak.y
	for _, at := range [][2]int{{x, y - 1}, {x - n + 1, y - 1}, {x + 1, y + 1}, {x - n, y + 1}, {x + 2, y}, {x - n - 1, y}} {
		if p.isFreeRun(at[0], at[1], n) {
			body.Text(at[0], at[1], text, themes.Muted)
			return
		}
	}
}

func (c *Chart) drawYAxis(f pane.Frame) {
	r := c.place.plot
	rule, muted, g := themes.Rule, themes.Muted, f.Glyphs()
	for y := range r.H {
		f.Put(r.X-1, r.Y+y, g.Vertical, rule)
	}
	for _, l := range c.picture.axis.labels(r.H) {
		f.Right(0, r.Y+l.row, r.X-1, l.text, muted)
	}
	f.Put(r.X-1, r.Y+r.H, g.BottomLeft, rule)
	f.Repeat(r.X, r.Y+r.H, r.W+endCells, g.Rule, rule)
}

// drawTimeAxis draws ticks, times and marks below the plot.
func (c *Chart) drawTimeAxis(f pane.Frame) {
	r, win := c.place.plot, c.picture.key.win
	y, free := r.Y+r.H, r.X-1
	foot := '+'
	if f.Glyphs() != canvas.ASCII.Glyphs() {
		foot = '┴'
	}
	for _, t := range c.picture.ticks {
		f.Put(r.X+t.x, y, foot, themes.Rule)
		if r.X+t.x >= free && r.X+t.x+len(t.text) <= min(r.X+r.W+endCells, f.Width()) {
			f.Text(r.X+t.x, y+1, t.text, themes.Muted)
			free = r.X + t.x + len(t.text) + 2
		}
	}
	marks := c.marksIn(win)
	for sign := range signCount {
		char, st := sign.draw(f.Glyphs())
		for i := range marks {
			if marks[i].Sign == sign {
				f.Put(r.X+win.column(marks[i].Time.UnixNano()), y, char, st)
			}
		}
	}
	if c.place.marks > 0 {
		drawMarks(f, c.place.marks, marks)
	}
}

// drawMarks explains the newest marks, as many as there is room for.
func drawMarks(f pane.Frame, y int, marks []Mark) {
	text := func(m *Mark) string {
		if m.Sign == Lost || m.Sign == Back {
			return m.Text
		}
		return m.Time.In(f.Now.Location()).Format("15:04:05 ") + m.Text
	}
	room, from := f.Width()-1, len(marks)
	for from > 0 {
		w := f.GlyphSet().TextWidth(text(&marks[from-1])) + 5
		if w > room {
			break
		}
		room -= w
		from--
	}
	x := 1
	for i := from; i < len(marks); i++ {
		char, st := marks[i].Sign.draw(f.Glyphs())
		f.Put(x, y, char, st)
		x += 2 + f.Text(x+2, y, text(&marks[i]), themes.Muted) + 3
	}
}

// drawCursor draws the upright line at the moment that is looked at, and on it
// the letters of the series at their values.
func (c *Chart) drawCursor(body canvas.Region) {
	p := &c.picture
	if !c.desk.Past() {
		return
	}
	x := p.key.win.column(c.desk.At.UnixNano())
	if x < 0 || x >= p.key.win.w {
		return
	}
	covers := c.view == areaView || c.view == stackedView // lines are not hidden, surfaces go on beside it
	for y := range p.key.h {
		if covers || p.isFree(x, y) {
			body.Put(x, y, body.Glyphs().Vertical, themes.Focus)
		}
	}
	order, sum := c.shown(), 0.0
	if c.view == stackedView {
		order = c.stacks()
	}
	for _, s := range order {
		v, ok := s.at(c.desk.At).Float()
		if !ok || s.hidden {
			continue
		}
		v *= pane.Power(s.scale)
		if c.view == stackedView { // on the sum of those below
			sum += max(0, v)
			v = sum
		}
		body.Put(x, chart.Row(v, p.axis.lo, p.axis.hi, p.key.h), s.letter(), c.styleOf(s).Bold())
	}
}

// drawDrag shows the range that is dragged.
func (c *Chart) drawDrag(body canvas.Region) {
	if from, to, ok := c.drag.Within(c.picture.key.win.w); ok {
		body.SetBackground(from, 0, to-from+1, body.Height(), themes.Selection)
	}
}
