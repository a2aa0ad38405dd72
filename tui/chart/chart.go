// Package chart draws lines, with ntcharts, areas and bars, behind a guard:
// nothing that ntcharts cannot take reaches it. No value is a gap, never a
// number; no size is too small; nothing runs far outside.
//
// Lines go through ntcharts' grid of braille dots. Its time series model draws
// the same dots, but takes one data set, with a grid of its own, for each run
// between two gaps, and counters that are idle now and then have hundreds.
package chart

import (
	"math"

	"perfdeck/themes"
	"perfdeck/tui/canvas"
)

// The smallest region that is drawn into.
const (
	minWidthCells  = 12
	minHeightCells = 4
)

// A cell is a block of braille dots.
const (
	DotsAcross = 2
	DotsDown   = 4
)

// maxSide bounds what is drawn, in cells: no terminal is larger.
const maxSide = 2048

// Point is one value of a line and the column of dots in which it stands,
// counted from the left edge. What lies outside is cut off at the edge.
type Point struct {
	Dot   int
	Value float64 // NaN and the infinities are gaps
}

// Line is one line: points from left to right.
type Line struct {
	Points []Point
	Factor float64 // of the points; 0 means 1
	Style  themes.Style
}

// Chart is lines over one range of values.
type Chart struct {
	Lines  []Line
	Lo, Hi float64
}

// Fits tells whether a region of this size can show a chart.
func Fits(w, h int) bool {
	return w >= minWidthCells && h >= minHeightCells && w <= maxSide && h <= maxSide
}

// usable tells whether values can be placed between lo and hi.
func usable(lo, hi float64) bool { return hi > lo && !math.IsInf(hi-lo, 0) }

// Share is how high a value stands between lo and hi, 0 to 1: what lies beyond
// stands at the edge.
func Share(v, lo, hi float64) float64 { return max(0, min(1, (v-lo)/(hi-lo))) }

// Row is the row of cells, of h, in which a value stands.
func Row(v, lo, hi float64, h int) int {
	return h - 1 - level(v, lo, hi, h)/DotsDown
}

// level is the row of dots from below in which a value stands, of h cells.
func level(v, lo, hi float64, h int) int {
	return int(math.Round(Share(v, lo, hi) * float64(h*DotsDown-1)))
}

// Draw draws the lines into the region, later ones above earlier ones. It
// draws nothing where the region is too small or the range is empty.
func Draw(r canvas.Region, c Chart) {
	w, h := r.Width(), r.Height()
	if !Fits(w, h) || !usable(c.Lo, c.Hi) {
		return
	}
	p := plot{w: w, h: h, lo: c.Lo, hi: c.Hi, cells: make([]dots, w*h)}
	for i := range c.Lines {
		l := &c.Lines[i]
		p.factor = l.Factor
		if p.factor == 0 {
			p.factor = 1
		}
		p.line(l.Points, l.Style)
	}
	p.paint(r)
}
