package chart

import (
	"math"

	"perfdeck/cooker"
	"perfdeck/themes"
	"perfdeck/tui/canvas"
)

// Bar is one bar of a histogram.
type Bar struct {
	Value float64 // NaN and the infinities draw nothing
	Style themes.Style
}

// Bars are upright bars over one range of values, from left to right.
type Bars struct {
	Bars       []Bar
	Lo, Hi     float64
	Width, Gap int // of bars, in cells: see BarWidth
}

// The widest bar and the gap between two, in cells.
const (
	maxBarCells = 10
	barGapCells = 2
)

// BarWidth is how wide n bars are drawn in w cells, and the gap between them.
// Bars that do not fit then are left out at the right.
func BarWidth(w, n int) (width, gap int) {
	if n <= 0 {
		return 1, barGapCells
	}
	for gap = barGapCells; gap > 1; gap-- {
		if width = (w - gap*(n-1)) / n; width >= 2 {
			return min(width, maxBarCells), gap
		}
	}
	return max(1, min((w-(n-1))/n, maxBarCells)), 1
}

// DrawBars draws the bars into the region. It draws nothing where the region is
// too small or the range is empty.
func DrawBars(r canvas.Region, b Bars) {
	w, h := r.Width(), r.Height()
	if !Fits(w, h) || !usable(b.Lo, b.Hi) || b.Width < 1 || b.Gap < 1 {
		return
	}
	bars := b.Bars[:min(len(b.Bars), (w+b.Gap)/(b.Width+b.Gap))]
	if len(bars) == 0 {
		return
	}
	for i, bar := range bars {
		if !cooker.IsFinite(bar.Value) {
			continue
		}
		eighths := max(1, int(math.Round(Share(bar.Value, b.Lo, b.Hi)*float64(blocks*h)))) // zero is a value
		for y := h - 1; eighths > 0; y-- {
			char := fullBlock - blocks + rune(min(eighths, blocks))
			r.Repeat(i*(b.Width+b.Gap), y, b.Width, block(r.Glyphs(), char), bar.Style)
			eighths -= blocks
		}
	}
}

// The lower blocks of Unicode: eight, from an eighth to the whole cell.
const blocks, halfBlock, fullBlock = 8, '\u2584', '\u2588'

// block is a lower block as the glyph set has it.
func block(glyphs *canvas.Glyphs, char rune) rune {
	switch {
	case glyphs.HasBraille:
		return char
	case char > halfBlock:
		return glyphs.GraphFull
	}
	return glyphs.GraphHalf
}
