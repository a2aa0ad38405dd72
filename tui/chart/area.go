package chart

import (
	"math"

	"perfdeck/themes"
	"perfdeck/tui/canvas"
)

// Area is a surface below a line.
type Area struct {
	Values []float64 // one for each column of dots; NaN and the infinities are gaps
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
	heights := make([]int, len(a.Areas)*DotsAcross)
	seen := make([]int, len(a.Areas))
	for x := range w {
		for i := range a.Areas {
			for side := range DotsAcross {
				heights[i*DotsAcross+side] = a.Areas[i].height(x*DotsAcross+side, a.Lo, a.Hi, h)
			}
		}
		for y := range h {
			a.cell(r, x, y, heights, seen)
		}
	}
}

// height is how many dots of a column the area fills, of h cells: at least one
// for a value, so that nothing and zero differ.
func (a *Area) height(column int, lo, hi float64, h int) int {
	if column >= len(a.Values) {
		return 0
	}
	v := a.Values[column]
	if v-v != 0 {
		return 0
	}
	return max(1, int(math.Round(Share(v, lo, hi)*float64(h*DotsDown))))
}

// cell draws one cell in the style of the area that most of its dots show.
func (a *Areas) cell(r canvas.Region, x, y int, heights, seen []int) {
	var mask uint8
	clear(seen)
	filled, most := 0, 0
	for row := range DotsDown {
		ground := (r.Height()-1-y)*DotsDown + DotsDown - row // dots from below, this one included
		for side := range DotsAcross {
			front := -1
			for i := range a.Areas {
				top := heights[i*DotsAcross+side]
				if top >= ground && (front < 0 || top < heights[front*DotsAcross+side]) {
					front = i
				}
			}
			if front < 0 {
				continue
			}
			mask |= rowDots[row][side]
			filled++
			if seen[front]++; seen[front] > seen[most] {
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
	case r.Glyphs() == canvas.ASCII.Glyphs() && a.Areas[most].Letter != 0:
		char = a.Areas[most].Letter
	case filled > DotsAcross*DotsDown/2:
		char = glyphs.GraphFull
	default:
		char = glyphs.GraphHalf
	}
	r.Put(x, y, char, a.Areas[most].Style)
}
