// Package graph draws the recent past of a counter: as a filled graph, two counters
// that are a pair as one with two halves, or as a sparkline of one row. What a dot or
// a cell shows are samples of fixed numbers, so pictures move by whole cells and never
// tremble. Colour tells the height, except above a limit, where it tells the state.
package graph

import (
	"math"
	"slices"

	"perfdeck/session"
	"perfdeck/themes"
	"perfdeck/tui/canvas"
)

// Graph is one picture. It is as wide and high as the region it is drawn into.
type Graph struct {
	Upper Series
	// Lower hangs from the middle and makes the graph one of a pair; nil: Upper stands
	// on the ground. Both have one scale.
	Lower *Series
	// End is the absolute number of the sample behind the newest one, which is in the
	// last cell.
	End uint64
	// Cursor is the absolute number of the sample behind the one that is looked at, which an
	// upright line marks; 0: none.
	Cursor uint64
	Hi     float32 // the value at the top, and at the bottom of a pair
	// PerDot is how many samples share a dot, which shows the largest of them; less
	// than 1 counts as 1.
	PerDot int
	// Wipe lets the newest cell move from left to right over the oldest ones, a blank
	// before it, instead of shifting all.
	Wipe bool
	// Said, if set, is told where the text of a limit stands.
	Said func(limit, y, w int)
}

// Series is the history of one counter, with what it is measured against.
type Series struct {
	session.Series

	Limits []Limit // from low to high
	// Plain is the style of cells that are beyond no limit; Text: the ramp, by height.
	Plain themes.Style
}

// Limit is a value from which on a state begins. In a graph it is a line, and cells in
// its row and above have the colour of the state where their largest sample is over it.
type Limit struct {
	Value float32
	Below bool         // the state is below it: there is only the line of it
	State themes.Token // of the state
	Text  string       // stands at the left end of the line; "" for none
}

// A cell has two dots beside each other and four above each other.
const (
	dotsAcross = 2
	dotsDown   = 4
)

// Draw draws the graph over all of the region.
func (g *Graph) Draw(r canvas.Region) {
	t := timesOf(r.Width(), dotsAcross*max(1, g.PerDot), g.End, g.Wipe)
	if g.Lower == nil {
		p := seriesPart{rows: r.Height(), unit: r.Height() * dotsDown, ramp: themes.RampA}
		g.paper(&p, r.Height())
		g.draw(r, &t, &p, &g.Upper)
		g.drawCursor(r, &t)
		return
	}
	upper := seriesPart{rows: (r.Height() + 1) / 2, ramp: themes.RampA}
	lower := seriesPart{top: upper.rows, rows: r.Height() / 2, ramp: themes.RampB, hangs: true}
	upper.unit = g.pairUnit(&t, upper.rows, lower.rows)
	lower.unit = upper.unit
	g.pairPaper(&upper, &lower, r.Height())
	g.draw(r, &t, &upper, &g.Upper)
	g.draw(r, &t, &lower, g.Lower)
	g.drawCursor(r, &t)
}

// drawCursor draws the line of the sample that is looked at.
func (g *Graph) drawCursor(r canvas.Region, t *times) {
	if g.Cursor == 0 {
		return
	}
	if x, ok := t.column(int64(g.Cursor-1) / t.perCell); ok {
		DrawCursor(r, x)
	}
}

// DrawCursor marks column x of a picture over time as the moment that is looked at.
func DrawCursor(r canvas.Region, x int) {
	r.Fill(x, 0, 1, r.Height(), r.Glyphs().Vertical, themes.Focus)
}

// seriesPart is the rows that show one series.
type seriesPart struct {
	top, rows int // in rows of the region
	unit      int // dots that Graph.Hi is high
	hangs     bool
	ramp      themes.Ramp
	paper     [3]int // rows of the region with marks at shares of the scale
	papers    int
}

// pairUnit is how many dots the halves of a pair give to the whole scale. The upper
// half has a row more where the rows are odd: then the lower one shows as much of the
// scale as it has room for, as long as no value is beyond that.
func (g *Graph) pairUnit(t *times, upper, lower int) int {
	unit := upper * dotsDown
	if upper == lower {
		return unit
	}
	if g.dots(g.Lower.Cut(g.End, int(t.end-(t.last-(t.w-1))*t.perCell)).Highest(), unit) > lower*dotsDown {
		return lower * dotsDown
	}
	return unit
}

// dots is the height of a value in dots: 0 of a gap, at least 1 of a value, so that
// nothing and zero differ.
func (g *Graph) dots(v float32, unit int) int {
	switch {
	case v != v:
		return 0
	case !(g.Hi > 0) || !(v > 0):
		return 1
	case v >= g.Hi:
		return max(1, unit)
	}
	return max(1, int(math.Round(float64(v)/float64(g.Hi)*float64(unit))))
}

// Over is the number of the highest of some limits that a value is over, -1 of none.
func Over(limits []Limit, v float32) int {
	for i := len(limits) - 1; i >= 0; i-- {
		if l := &limits[i]; !l.Below && v > l.Value {
			return i
		}
	}
	return -1
}

// dotColumn is a column of cells: how high its two dots reach, which limit its larger
// sample is over, and whether marks of the paper stand in it.
type dotColumn struct {
	left, right, top int16 // top: of both
	over             int8  // -1: none
	marked           bool
}

// chunk is how many columns are known at once: each is drawn in many rows.
const chunk = 64

func (g *Graph) draw(r canvas.Region, t *times, p *seriesPart, s *Series) {
	if p.rows < 1 {
		return
	}
	limits := make([]int, 0, 8) // the row of each, counted from the ground
	for i := range s.Limits {
		limits = append(limits, g.limitRow(s.Limits[i].Value, p))
	}
	var columns [chunk]dotColumn
	for x := 0; x < r.Width(); x += chunk {
		n := min(chunk, r.Width()-x)
		for i := range n {
			columns[i] = g.column(t, p, s, x+i)
		}
		for ground := range p.rows {
			g.drawRow(r, x, ground, columns[:n], p, s, limits)
		}
	}
	for i := range s.Limits {
		if l := &s.Limits[i]; l.Text != "" {
			y := p.row(limits[i])
			if w := r.Rest(0, y, l.Text, l.State); g.Said != nil {
				g.Said(i, y, w)
			}
		}
	}
}

// row is the row of the region of a row counted from the ground.
func (p *seriesPart) row(ground int) int {
	if p.hangs {
		return p.top + ground
	}
	return p.top + p.rows - 1 - ground
}

// limitRow is the row, counted from the ground, in which a value lies.
func (g *Graph) limitRow(v float32, p *seriesPart) int {
	if !(g.Hi > 0) || !(v > 0) {
		return 0
	}
	return min(p.rows-1, int(min(1, float64(v)/float64(g.Hi))*float64(p.unit))/dotsDown)
}

func (g *Graph) column(t *times, p *seriesPart, s *Series, x int) dotColumn {
	cell, ok := t.cell(x)
	if !ok {
		return dotColumn{over: -1}
	}
	if (cell+1)*t.perCell <= int64(s.First) { // of before the first sample
		return dotColumn{over: -1, marked: g.isMarked(cell)}
	}
	first, perDot := cell*t.perCell, t.perCell/dotsAcross
	left, right := t.largest(&s.Series, first, perDot), t.largest(&s.Series, first+perDot, perDot)
	c := dotColumn{left: int16(g.dots(left, p.unit)), right: int16(g.dots(right, p.unit)), over: -1, marked: g.isMarked(cell)}
	c.top = max(c.left, c.right)
	if len(s.Limits) > 0 {
		larger := left
		if !(left >= right) && right == right {
			larger = right
		}
		c.over = int8(Over(s.Limits, larger))
	}
	return c
}

// drawRow draws a piece of one row.
func (g *Graph) drawRow(r canvas.Region, x, ground int, columns []dotColumn, p *seriesPart, s *Series, limits []int) {
	y := p.row(ground)
	span := r.Span(x, y, len(columns))
	from, to := span.Bounds()
	columns = columns[:to]
	base := int16(ground * dotsDown)
	fill := p.ramp.Step(ground, p.rows)
	if s.Plain != 0 {
		fill = s.Plain
	}
	signs := signsOf(r.GlyphSet(), p.hangs)
	blank, blankStyle := ' ', themes.Style(0)
	if line := lineIn(limits, ground); line >= 0 {
		blank, blankStyle = r.Glyphs().Middot, s.Limits[line].State
	}
	mark := ' '
	if blank == ' ' && p.hasPaper(y) {
		mark = r.Glyphs().Middot
	}
	span.Fill(blank, blankStyle)
	for i := from; i < to; i++ {
		c := &columns[i]
		if c.top <= base { // of most rows the curve is below
			if mark != ' ' && c.marked {
				span.Put(i, mark, themes.Rule)
			}
			continue
		}
		st := fill
		if c.over >= 0 {
			st = s.stateAbove(int(c.over), ground, limits, fill)
		}
		at := max(0, min(dotsDown, c.left-base))*(dotsDown+1) + max(0, min(dotsDown, c.right-base))
		span.Put(i, signs[at], st)
	}
}

// stateAbove is the style of a cell the larger sample of which is over some limits:
// of the highest one of those in the row of which, or above which, it is.
func (s *Series) stateAbove(over, ground int, limits []int, fill themes.Style) themes.Style {
	for i := over; i >= 0; i-- {
		if ground >= limits[i] && !s.Limits[i].Below {
			return s.Limits[i].State
		}
	}
	return fill
}

// lineIn is the highest limit that lies in a row, -1 if none does.
func lineIn(limits []int, ground int) int {
	for i, row := range slices.Backward(limits) {
		if row == ground {
			return i
		}
	}
	return -1
}

// signs are the signs of cells by how many dots of their left and right column are
// filled, from 0 to 4: that of l and r is at 5l + r.
type signs [(dotsDown + 1) * (dotsDown + 1)]rune

// signTable is by glyph set, of what stands and of what hangs.
var signTable = [...][2]signs{
	canvas.Full: {
		braille([5]rune{0, 0x40, 0x44, 0x46, 0x47}, [5]rune{0, 0x80, 0xa0, 0xb0, 0xb8}),
		braille([5]rune{0, 0x01, 0x03, 0x07, 0x47}, [5]rune{0, 0x08, 0x18, 0x38, 0xb8}),
	},
	canvas.Console: {larger([5]rune{' ', '▄', '▄', '█', '█'}), larger([5]rune{' ', '▀', '▀', '█', '█'})},
	canvas.ASCII:   {larger([5]rune{' ', '.', ':', '#', '#'}), larger([5]rune{' ', '\'', '|', '#', '#'})},
}

func signsOf(set canvas.GlyphSet, hangs bool) *signs {
	row := &signTable[min(int(set), len(signTable)-1)]
	if hangs {
		return &row[1]
	}
	return &row[0]
}

// braille joins the dots of both columns (Unicode 9.1, "Braille Patterns").
func braille(left, right [dotsDown + 1]rune) (out signs) {
	for l := range left {
		for r := range right {
			out[l*(dotsDown+1)+r] = 0x2800 | left[l] | right[r]
		}
	}
	out[0] = ' '
	return out
}

// larger shows the larger of both columns.
func larger(by [dotsDown + 1]rune) (out signs) {
	for l := range by {
		for r := range by {
			out[l*(dotsDown+1)+r] = by[max(l, r)]
		}
	}
	return out
}
