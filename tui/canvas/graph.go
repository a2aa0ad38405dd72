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
	lastPair := lastIndex >> 1
	for col := range r.w {
		first := 2 * (lastPair - int64(r.w-1-col)) // absolute number of the left sample
		left := sampleAt(values, lastIndex, first)
		right := sampleAt(values, lastIndex, first+1)
		larger := left
		if !(left >= right) && right == right {
			larger = right
		}
		r.graphColumn(col, r.dots(left, scale), r.dots(right, scale), style(larger))
	}
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

func (r Region) graphColumn(col, left, right int, st themes.Style) {
	glyphs := r.Glyphs()
	for row := range r.h {
		ground := (r.h - 1 - row) * dotsPerCell
		l := max(0, min(dotsPerCell, left-ground))
		h := max(0, min(dotsPerCell, right-ground))
		char := ' '
		switch {
		case l == 0 && h == 0:
		case glyphs.HasBraille:
			char = 0x2800 | brailleLeft[l] | brailleRight[h]
		case max(l, h) > dotsPerCell/2:
			char = glyphs.GraphFull
		default:
			char = glyphs.GraphHalf
		}
		r.put(col, row, char, 1, st)
	}
}
