package chart

import (
	ntcanvas "github.com/NimbleMarkets/ntcharts/v2/canvas"
	"github.com/NimbleMarkets/ntcharts/v2/canvas/graph"

	"perfdeck/cooker"
	"perfdeck/themes"
	"perfdeck/tui/canvas"
)

// plot is a chart on its way to the screen.
type plot struct {
	w, h   int
	lo, hi float64
	factor float64 // of the line that is drawn
	cells  []dots
}

// dots are the dots of one cell as Unicode 9.1 numbers braille patterns: all of
// them, and those of the line that was drawn last.
type dots struct {
	all, own uint8
	style    themes.Style
}

// blankBraille is the braille pattern without a dot.
const blankBraille = '\u2800'

// line draws one line. Points that share a column of dots become an upright
// stroke between the lowest and the highest, so that what is drawn depends on
// the width and not on the number of samples.
func (p *plot) line(points []Point, st themes.Style) {
	grid := graph.NewBrailleGrid(p.w, p.h, 0, float64(p.w*DotsAcross-1), 0, float64(p.h*DotsDown-1))
	var before stroke
	for i := 0; i < len(points); {
		s, next := p.stroke(points, i)
		i = next
		if !s.open {
			before = s
			continue
		}
		if before.open {
			p.draw(grid, before.dot, before.last, s.dot, s.first)
		}
		p.draw(grid, s.dot, s.low, s.dot, s.high)
		before = s
	}
	for y, row := range grid.BraillePatterns() {
		for x, char := range row {
			if mask := uint8(char - blankBraille); mask != 0 {
				cell := &p.cells[y*p.w+x]
				cell.all, cell.own, cell.style = cell.all|mask, mask, st
			}
		}
	}
}

// stroke is what the points of one column of dots come to, in levels.
type stroke struct {
	open                   bool // there is a value, and the line goes on from it
	dot                    int
	first, last, low, high int
}

// stroke joins the points from i on that share a column and have no gap between
// them. Next is the first one that does not belong to it.
func (p *plot) stroke(points []Point, i int) (s stroke, next int) {
	for ; i < len(points); i++ {
		v := p.factor * points[i].Value
		if !cooker.IsFinite(v) { // NaN and the infinities
			if s.open {
				return s, i
			}
			return s, i + 1
		}
		y := level(v, p.lo, p.hi, p.h)
		switch {
		case !s.open:
			s = stroke{true, points[i].Dot, y, y, y, y}
		case points[i].Dot != s.dot:
			return s, i
		default:
			s.last, s.low, s.high = y, min(s.low, y), max(s.high, y)
		}
	}
	return s, i
}

// draw draws a straight line of dots, cut off at the left and right edges.
func (p *plot) draw(grid *graph.BrailleGrid, x0, y0, x1, y1 int) {
	most := p.w*DotsAcross - 1
	if x1 < x0 || x1 < 0 || x0 > most {
		return
	}
	at := func(x int) int { // the height at which the line crosses a column
		part := (float64(x) - float64(x0)) / (float64(x1) - float64(x0))
		return y0 + int(part*float64(y1-y0))
	}
	top := p.h*DotsDown - 1 // the grid counts its rows from the top
	from, to := ntcanvas.Point{X: x0, Y: top - y0}, ntcanvas.Point{X: x1, Y: top - y1}
	if x0 < 0 {
		from = ntcanvas.Point{X: 0, Y: top - at(0)}
	}
	if x1 > most {
		to = ntcanvas.Point{X: most, Y: top - at(most)}
	}
	if from.X == to.X {
		for y := min(from.Y, to.Y); y <= max(from.Y, to.Y); y++ {
			grid.Set(ntcanvas.Point{X: from.X, Y: y})
		}
		return
	}
	for _, point := range graph.GetLinePoints(from, to) {
		grid.Set(point)
	}
}

// paint brings the cells to the region. Where there is no braille a cell shows
// how its line runs through it.
func (p *plot) paint(r canvas.Region) {
	braille := r.Glyphs().HasBraille
	for y := range p.h {
		for x := range p.w {
			cell := &p.cells[y*p.w+x]
			switch {
			case cell.all == 0:
			case braille:
				r.Put(x, y, blankBraille|rune(cell.all), cell.style)
			default:
				r.Put(x, y, stub(cell.own), cell.style)
			}
		}
	}
}

// The dots of each row of a braille cell, from the top: left and right column.
var rowDots = [DotsDown][DotsAcross]uint8{{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}}

// flat are the signs of a line that stays in one row of a cell, from the top.
var flat = [DotsDown]rune{'\'', '-', '.', '_'}

// upright is the ASCII sign of what has no one height in its cell.
const upright = '|'

// stub is the ASCII sign nearest to the dots of a line in one cell.
func stub(mask uint8) rune {
	var sum, count [DotsAcross]int
	top, bottom := DotsDown, 0
	for row, pair := range rowDots {
		for side, dot := range pair {
			if mask&dot != 0 {
				sum[side] += row
				count[side]++
				top, bottom = min(top, row), max(bottom, row)
			}
		}
	}
	if bottom-top < 2 {
		n := count[0] + count[1]
		return flat[(sum[0]+sum[1]+n/2)/n]
	}
	if count[0] == 0 || count[1] == 0 {
		return upright
	}
	switch fall := float64(sum[1])/float64(count[1]) - float64(sum[0])/float64(count[0]); {
	case fall <= -1:
		return '/'
	case fall >= 1:
		return '\\'
	}
	return upright
}
