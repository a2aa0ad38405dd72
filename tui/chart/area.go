package chart

import (
	"math"

	"perfdeck/cooker"
	"perfdeck/themes"
	"perfdeck/tui/canvas"
)

// Area is a surface below a line.
type Area struct {
	Values []float64 // one for each column of dots; NaN and the infinities are gaps
	// Low, if it is not nil, is to where the surface is solid. From there to the
	// value it is hatched: the samples of the column lie between the two.
	Low    []float64
	Style  themes.Style
	Letter rune // fills it where there is nothing but ASCII
}

// Areas are surfaces over one range of values. Of those that cover a place the
// lowest one is seen: nothing hides behind a higher one, and values that were
// added up lie above each other.
type Areas struct {
	Areas  []Area
	Lo, Hi float64
}

// DrawAreas draws the areas into the region. It draws nothing where the region
// is too small or the range is empty.
func DrawAreas(r canvas.Region, a Areas) {
	w, h := r.Width(), r.Height()
	if !Fits(w, h) || !usable(a.Lo, a.Hi) || len(a.Areas) == 0 {
		return
	}
	columns := make([]areaColumn, len(a.Areas)*DotsAcross)
	seen := make([]areaDots, len(a.Areas))
	for x := range w {
		for i := range a.Areas {
			for side := range DotsAcross {
				columns[i*DotsAcross+side] = a.Areas[i].column(x*DotsAcross+side, a.Lo, a.Hi, h)
			}
		}
		for y := range h {
			a.cell(r, x, y, columns, seen)
		}
	}
}

// areaColumn is how many dots of a column an area fills, and how many of them
// are solid.
type areaColumn struct{ top, solid int }

// areaDots are the dots of a cell that an area shows.
type areaDots struct{ all, solid int }

// column is a column of dots, of h cells: at least one dot for a value, so that
// nothing and zero differ.
func (a *Area) column(column int, lo, hi float64, h int) areaColumn {
	if column >= len(a.Values) {
		return areaColumn{}
	}
	v := a.Values[column]
	if !cooker.IsFinite(v) {
		return areaColumn{}
	}
	height := func(v float64) int { return max(1, int(math.Round(Share(v, lo, hi)*float64(h*DotsDown)))) }
	top := height(v)
	if column < len(a.Low) && a.Low[column] < v {
		return areaColumn{top, height(a.Low[column])}
	}
	return areaColumn{top, top}
}

// isHatched tells whether a dot of a hatched part is seen: every other one, and
// the highest.
func isHatched(row, side int) bool { return (row+side)%2 == 0 }

// cell draws one cell in the style of the area that most of its dots show.
func (a *Areas) cell(r canvas.Region, x, y int, columns []areaColumn, seen []areaDots) {
	var mask uint8
	clear(seen)
	filled, most := 0, 0
	for row := range DotsDown {
		ground := (r.Height()-1-y)*DotsDown + DotsDown - row // dots from below, this one included
		for side := range DotsAcross {
			front := a.front(columns, ground, side)
			if front < 0 {
				continue
			}
			filled++
			dots, column := &seen[front], columns[front*DotsAcross+side]
			solid := ground <= column.solid
			if solid {
				dots.solid++
			}
			if solid || ground == column.top || isHatched(row, side) {
				mask |= rowDots[row][side]
			}
			if dots.all++; dots.all > seen[most].all {
				most = front
			}
		}
	}
	if filled == 0 {
		return
	}
	glyphs := r.Glyphs()
	char := blankBraille | rune(mask)
	switch {
	case glyphs.HasBraille:
	case filled == DotsAcross*DotsDown && seen[most].solid == 0:
		char = upright
	case r.Glyphs() == canvas.ASCII.Glyphs() && a.Areas[most].Letter != 0:
		char = a.Areas[most].Letter
	case filled > DotsAcross*DotsDown/2:
		char = glyphs.GraphFull
	default:
		char = glyphs.GraphHalf
	}
	r.Put(x, y, char, a.Areas[most].Style)
}

// front is the lowest of the areas that cover a dot, -1 for none.
func (a *Areas) front(columns []areaColumn, ground, side int) int {
	front := -1
	for i := range a.Areas {
		top := columns[i*DotsAcross+side].top
		if top >= ground && (front < 0 || top < columns[front*DotsAcross+side].top) {
			front = i
		}
	}
	return front
}
