package canvas

import (
	"math"

	"perfdeck/themes"
)

// dotsPerCell is the height of a braille cell.
const dotsPerCell = 4

// Braille dots from the bottom up, Unicode 9.1 "Braille Patterns".
var (
	brailleLeft  = [dotsPerCell + 1]rune{0, 0x40, 0x44, 0x46, 0x47}
	brailleRight = [dotsPerCell + 1]rune{0, 0x80, 0xa0, 0xb0, 0xb8}
)

// Graph fills the region with an area graph, two samples a column, the newest
// at the right end. lastIndex is the absolute number of the last value (0 for
// the first sample ever): columns hold samples 2k and 2k+1 for good, so that
// the picture moves by whole cells and never trembles. Where there is no
// braille a column shows the larger of its two samples. NaN is a gap; style
// gives the style of a column from its larger sample, NaN when both are gaps.
func (r Region) Graph(values []float32, lastIndex int64, scale Scale, style func(v float32) themes.Style) {
	first := 2 * (lastIndex>>1 - int64(r.w-1)) // absolute number of the first left sample
	glyphs := r.Glyphs()
	var columns [64]graphColumn // several rows of cells are drawn of each
	for x := 0; x < r.w; x += len(columns) {
		n := min(len(columns), r.w-x)
		for i := range n {
			at := first + 2*int64(x+i)
			left, right := sampleAt(values, lastIndex, at), sampleAt(values, lastIndex, at+1)
			larger := left
			if !(left >= right) && right == right {
				larger = right
			}
			columns[i] = graphColumn{r.dots(left, scale), r.dots(right, scale), style(larger)}
		}
		for row := range r.h {
			ground := (r.h - 1 - row) * dotsPerCell
			cells, skip := r.span(x, row, n)
			for i := range cells {
				c := &columns[i+skip]
				cells[i] = pack(glyphs.column(c.left-ground, c.right-ground), c.style)
			}
		}
	}
}

// graphColumn is a column of a graph: the heights of its samples in dots.
type graphColumn struct {
	left, right int
	style       themes.Style
}

// sampleAt returns the sample of an absolute number, NaN outside the window.
func sampleAt(values []float32, lastIndex, index int64) float32 {
	at := int64(len(values)) - 1 - (lastIndex - index)
	if at < 0 || at >= int64(len(values)) {
		return float32(math.NaN())
	}
	return values[at]
}

// dots returns the height of a value in dots: 0 for a gap, at least 1 for a
// value, so that nothing and zero differ.
func (r Region) dots(v float32, scale Scale) int {
	if v != v {
		return 0
	}
	top := r.h * dotsPerCell
	return max(1, int(math.Round(float64(scale.share(v))*float64(top))))
}

// column is a cell of a graph whose samples reach so many dots above its ground.
func (g *Glyphs) column(left, right int) rune {
	left, right = max(0, min(dotsPerCell, left)), max(0, min(dotsPerCell, right))
	switch {
	case left == 0 && right == 0:
		return ' '
	case g.HasBraille:
		return 0x2800 | brailleLeft[left] | brailleRight[right]
	case max(left, right) > dotsPerCell/2:
		return g.GraphFull
	}
	return g.GraphHalf
}
