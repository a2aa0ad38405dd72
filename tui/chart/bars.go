package chart

import (
	"github.com/NimbleMarkets/ntcharts/v2/barchart"
	ntcanvas "github.com/NimbleMarkets/ntcharts/v2/canvas"

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
	// One column for each bar: all columns of a bar are alike.
	m := barchart.New(len(bars)*2, h, barchart.WithNoAxis(), barchart.WithNoAutoMaxValue(), barchart.WithNoAutoBarWidth(),
		barchart.WithBarWidth(1), barchart.WithBarGap(1), barchart.WithMaxValue(1))
	for _, bar := range bars {
		share := 0.0
		if bar.Value-bar.Value == 0 {
			share = max(Share(bar.Value, b.Lo, b.Hi), 1/float64(8*h)) // an eighth of a cell: zero is a value
		}
		m.Push(barchart.BarData{Values: []barchart.BarValue{{Value: share}}})
	}
	m.Draw()
	for i := range bars {
		for y := range h {
			if char := m.Canvas.Cell(ntcanvas.Point{X: 2 * i, Y: y}).Rune; char >= lowestBlock && char <= fullBlock {
				r.Repeat(i*(b.Width+b.Gap), y, b.Width, block(r.Glyphs(), char), bars[i].Style)
			}
		}
	}
}

// The lower blocks of Unicode, from an eighth to the whole cell.
const lowestBlock, halfBlock, fullBlock = '\u2581', '\u2584', '\u2588'

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
