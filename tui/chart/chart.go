// Package chart draws lines over time with ntcharts, behind a guard: nothing
// that ntcharts cannot take reaches it. No value is a gap, never a number; no
// size is too small.
package chart

import (
	"math"
	"strconv"
	"time"

	"charm.land/lipgloss/v2"
	ntcanvas "github.com/NimbleMarkets/ntcharts/v2/canvas"
	"github.com/NimbleMarkets/ntcharts/v2/linechart/timeserieslinechart"

	"perfdeck/themes"
	"perfdeck/tui/canvas"
)

// The smallest region in which ntcharts draws without panics at its edges.
const (
	minWidthCells  = 12
	minHeightCells = 4
)

// spareRows are rows that ntcharts leaves free above its highest value.
const spareRows = 1

// mostSamples bounds what is drawn: no terminal has more dots across.
const mostSamples = 4096

// mostLines is how many lines a mark can tell apart.
const mostLines = 256

// Line is one line: its last values, oldest first; NaN is a gap.
type Line struct {
	Values []float32
	Style  themes.Style
}

// Chart is lines over the same samples. The newest sample is at the right edge,
// Samples of them go across.
type Chart struct {
	Lines   []Line
	Lo, Hi  float64
	Samples int
}

// Fits tells whether a region of this size can show a chart.
func Fits(w, h int) bool { return w >= minWidthCells && h >= minHeightCells }

// Draw draws the chart into the region, later lines above earlier ones. It
// draws nothing where the region is too small or the range is empty.
func Draw(r canvas.Region, c Chart) {
	w, h := r.Width(), r.Height()
	if !Fits(w, h) || !drawable(c) {
		return
	}
	m := plot(w, h, c)
	glyphs := r.Glyphs()
	for y := range h {
		for x := range w {
			cell := m.Canvas.Cell(ntcanvas.Point{X: x, Y: y + spareRows})
			if cell.Rune <= blankBraille || cell.Rune > lastBraille {
				continue
			}
			char := cell.Rune
			if !glyphs.HasBraille {
				char = glyphs.GraphHalf
			}
			r.Put(x, y, char, c.styleOf(cell.Style))
		}
	}
}

// The braille patterns of Unicode.
const blankBraille, lastBraille = '\u2800', '\u28ff'

// mark is the lipgloss style by which a cell of line i is known again.
func mark(i int) lipgloss.Style { return lipgloss.NewStyle().Foreground(lipgloss.ANSIColor(i)) }

// styleOf is the style of the line that a cell belongs to.
func (c *Chart) styleOf(s lipgloss.Style) themes.Style {
	if i, ok := s.GetForeground().(lipgloss.ANSIColor); ok && int(i) < len(c.Lines) {
		return c.Lines[i].Style
	}
	return themes.Muted.Style()
}

func drawable(c Chart) bool {
	finite := !math.IsNaN(c.Lo) && !math.IsNaN(c.Hi) && !math.IsInf(c.Hi-c.Lo, 0)
	return finite && c.Hi > c.Lo && c.Samples > 1
}

// plot draws the lines. Each run without a gap is a data set of its own, so that
// no line crosses a gap.
func plot(w, h int, c Chart) *timeserieslinechart.Model {
	n := min(c.Samples, mostSamples)
	begin, end := time.Unix(0, 0), time.Unix(int64(n-1), 0)
	m := timeserieslinechart.New(w, h+spareRows,
		timeserieslinechart.WithXYSteps(0, 0),
		timeserieslinechart.WithTimeRange(begin, end),
		timeserieslinechart.WithYRange(c.Lo, c.Hi),
	)
	m.AutoMinX, m.AutoMaxX, m.AutoMinY, m.AutoMaxY = false, false, false, false
	m.SetViewTimeAndYRange(begin, end, c.Lo, c.Hi)
	var names []string
	for i, line := range c.Lines[:min(len(c.Lines), mostLines)] {
		names = push(&m, names, c, i, line.Values[max(0, len(line.Values)-n):], n)
	}
	if len(names) > 0 {
		m.DrawBrailleDataSets(names)
	}
	return &m
}

// push gives the runs of one line to the model and adds their names.
func push(m *timeserieslinechart.Model, names []string, c Chart, line int, values []float32, n int) []string {
	offset := n - len(values)
	open := false
	for i, v := range values {
		if v-v != 0 { // NaN and the infinities
			open = false
			continue
		}
		if !open {
			open = true
			names = append(names, strconv.Itoa(len(names)))
			m.SetDataSetStyle(names[len(names)-1], mark(line))
		}
		y := max(c.Lo, min(c.Hi, float64(v)))
		m.PushDataSet(names[len(names)-1], timeserieslinechart.TimePoint{Time: time.Unix(int64(offset+i), 0), Value: y})
	}
	return names
}
