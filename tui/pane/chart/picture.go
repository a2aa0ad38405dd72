package chart

import (
	"slices"
	"time"

	"perfdeck/cooker"
	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/chart"
	"perfdeck/tui/pane"
)

// pictureKey is all that a picture depends on: with the same key it is the same.
type pictureKey struct {
	win       window
	h         int
	glyphs    canvas.GlyphSet
	view      view
	statistic statistic
	rule      rule
	version   uint64 // of what the user changed
	data      uint64 // which samples there are in the window
	moment    int64  // that the bars show; 0: the newest
	lane      int    // the first lane in view
	selected  *series
}

// picture is the plot as it was drawn last, and what its parts mean.
type picture struct {
	key   pictureKey
	axis  axis
	ticks []tick
	cells *canvas.Canvas
	stack stack // of the stacked view
	gaps  []gap
	marks []Mark // of hosts that were lost and came back
	peak  place  // of the highest value of the selected series
	bars  []int  // left edges
	bar   int    // width
	lanes []lane // in view
}

// place is a cell of the plot; ok is false for none.
type place struct {
	x, y int
	ok   bool
}

// endCells are the cells right of the plot that letters may take.
const endCells = 3

// draw draws the picture anew if anything that it shows is not what it was.
func (c *Chart) draw(how view, win window, h int, glyphs canvas.GlyphSet, now time.Time) {
	key := pictureKey{
		win: win, h: h, glyphs: glyphs, view: how, statistic: c.statistic, rule: c.rule,
		version: c.version, data: c.dataKey(win), selected: c.selected(),
	}
	if how == barView && c.statistic == current && c.desk.Past() {
		key.moment = c.desk.At.UnixNano()
	}
	if how == lanesView {
		key.lane, _ = c.list.Show(len(laneEdges(h, len(c.series))) - 1)
	}
	p := &c.picture
	if p.key == key {
		return
	}
	p.key = key
	c.collect(win)
	shown := c.shown()
	uniform := c.settleScales(shown)
	areas := c.areas(shown, win.w)
	p.axis = c.axis(shown, uniform, areas, h, now)
	p.peak, p.bars, p.gaps, p.marks = place{}, nil, p.gaps[:0], p.marks[:0]
	p.ticks = win.ticks(now.Location())
	if p.cells == nil {
		p.cells = canvas.New(0, 0, canvas.Full)
	}
	p.cells.SetGlyphs(glyphs)
	p.cells.Resize(win.w+endCells, h)
	body := p.cells.Root()
	if how == lanesView {
		c.paintLanes(body, key.lane, now)
		c.findGaps(shown, win)
		return
	}
	p.axis.grid(body, win.w, h)
	plot := body.Sub(0, 0, win.w, h)
	switch how {
	case areaView, stackedView:
		chart.DrawAreas(plot, chart.Areas{Areas: areas, Lo: p.axis.lo, Hi: p.axis.hi})
	case barView:
		c.drawBars(plot)
		return
	case reportView, lanesView, viewCount:
		return
	case lineView:
		chart.Draw(plot, chart.Chart{Lines: c.lines(shown), Lo: p.axis.lo, Hi: p.axis.hi})
		p.peak = c.peakPlace(h)
	}
	c.findGaps(shown, win)
	c.drawEnds(body, shown, areas)
}

// lines are the series as the chart takes them, in the order of drawing.
func (c *Chart) lines(shown []*series) []chart.Line {
	out := make([]chart.Line, 0, len(shown))
	for _, s := range shown {
		out = append(out, chart.Line{Points: s.points, Factor: pane.Power(s.scale), Style: c.styleOf(s)})
	}
	return out
}

// styleOf is how a series is drawn: the selected one stands out.
func (c *Chart) styleOf(s *series) themes.Style {
	if s == c.selected() {
		return s.style().Bold()
	}
	return s.style()
}

// areas are the surfaces below the lines, nil in views without.
func (c *Chart) areas(shown []*series, w int) []chart.Area {
	switch c.picture.key.view {
	case areaView:
	case stackedView:
		return c.settleStack(c.picture.key.win).areas(c)
	default:
		return nil
	}
	out := make([]chart.Area, 0, len(shown))
	for _, s := range shown {
		high, low := columns(s.points, w*chart.DotsAcross, pane.Power(s.scale))
		out = append(out, chart.Area{Values: high, Low: low, Style: c.styleOf(s), Letter: s.letter()})
	}
	return out
}

// columns are the highest and the lowest of the points in each column of dots,
// between points that belong together the straight line. NaN where nothing is
// known.
func columns(points []chart.Point, n int, factor float64) (high, low []float64) {
	high, low = blank(n), blank(n)
	before := -1
	for i, p := range points {
		if !cooker.IsFinite(p.Value) {
			before = -1
			continue
		}
		if before >= 0 {
			from := points[before]
			for d := max(0, from.Dot+1); d < min(n, p.Dot); d++ {
				part := float64(d-from.Dot) / float64(p.Dot-from.Dot)
				high[d] = factor * (from.Value + (p.Value-from.Value)*part)
				low[d] = high[d]
			}
		}
		if p.Dot >= 0 && p.Dot < n {
			v := factor * p.Value
			if !(high[p.Dot] >= v) {
				high[p.Dot] = v
			}
			if !(low[p.Dot] <= v) {
				low[p.Dot] = v
			}
		}
		before = i
	}
	return high, low
}

// peakPlace is the cell of the highest value of the selected series.
func (c *Chart) peakPlace(h int) place {
	s := c.selected()
	if s == nil || s.hidden || s.peak < 0 || s.stats.Count < 3 || s.high == s.low {
		return place{}
	}
	a := &c.picture.axis
	return place{s.peak / chart.DotsAcross, chart.Row(s.high*pane.Power(s.scale), a.lo, a.hi, h), true}
}

// drawEnds puts the letter of each series behind its last value. A letter whose
// place is taken moves on to the right, then up and down; the selected one
// stands where it should.
func (c *Chart) drawEnds(body canvas.Region, shown []*series, areas []chart.Area) {
	a := &c.picture.axis
	var taken []place
	for _, s := range slices.Backward(shown) {
		dot, v, ok := lastPoint(s, (body.Width()-endCells)*chart.DotsAcross)
		v *= pane.Power(s.scale)
		for i := range areas { // stacked: on the sum
			if areas[i].Letter == s.letter() {
				dot, v, ok = lastOf(areas[i].Values)
			}
		}
		if !ok {
			continue
		}
		x, y := min(dot/chart.DotsAcross+1, body.Width()-endCells), chart.Row(v, a.lo, a.hi, body.Height())
		at, free := freeCell(taken, x, y, body.Width(), body.Height())
		if !free {
			continue
		}
		taken = append(taken, at)
		body.Put(at.x, at.y, s.letter(), c.styleOf(s).Bold())
	}
}

// lastPoint is the last value of a series in the window, of n columns of dots.
func lastPoint(s *series, n int) (dot int, v float64, ok bool) {
	for _, p := range slices.Backward(s.points) {
		if cooker.IsFinite(p.Value) && p.Dot < n {
			return p.Dot, p.Value, p.Dot >= 0
		}
	}
	return 0, 0, false
}

// lastOf is the last column of dots in which an area stands.
func lastOf(values []float64) (dot int, v float64, ok bool) {
	for dot, v := range slices.Backward(values) {
		if cooker.IsFinite(v) {
			return dot, v, true
		}
	}
	return 0, 0, false
}

// freeCell is the free cell nearest to x, y: to the right of it, else a row
// above or below.
func freeCell(taken []place, x, y, w, h int) (place, bool) {
	const farthest = 3 // rows
	for away := range farthest + 1 {
		for _, row := range []int{y - away, y + away} {
			for right := range endCells {
				at := place{x + right, row, true}
				if row >= 0 && row < h && at.x < w && !slices.Contains(taken, at) {
					return at, true
				}
			}
		}
	}
	return place{}, false
}
