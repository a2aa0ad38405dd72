package fleet

import (
	"unicode/utf8"

	"perfdeck/tui/canvas"
	"perfdeck/tui/layout"
)

// The terminal's rows under which the map and the details leave (screens.md 5),
// without the two of the frame.
const (
	mapFrom    = 20 - 2
	detailFrom = 30 - 2
)

// places is where the parts of the screen are.
type places struct {
	chart, list, detail layout.Rect // chart is the map; H 0: left out

	columns int // of the list
	rows    int // of a column of the list
	line    cells
}

// mapMost is the share of the screen that the map takes at most.
const mapMost = 3

// place divides a screen of w x h cells for n hosts. The map wants mapRows
// below its title, the details detailRows below theirs.
func place(w, h, n, mapRows, detailRows, name int) places {
	var p places
	left := h
	if h >= mapFrom && mapRows > 0 {
		p.chart = layout.Rect{W: w, H: min(1+mapRows, h/mapMost)}
		left -= p.chart.H
	}
	detail := 0
	if h >= detailFrom && detailRows > 0 {
		detail = min(1+detailRows, max(6, h/6))
		left -= detail
	}
	p.columns, p.rows = listColumns(w, n, left-2), max(0, left-2)
	if spare := p.rows - (n+p.columns-1)/p.columns; detail > 0 && spare > 0 {
		more := min(spare, 1+detailRows-detail)
		detail, left = detail+more, left-more
		p.rows = left - 2
	}
	p.list = layout.Rect{Y: p.chart.H, W: w, H: left}
	if detail > 0 {
		p.detail = layout.Rect{Y: p.chart.H + left, W: w, H: detail}
	}
	p.line = lineCells((w-(p.columns-1)*columnGap)/p.columns, name)
	return p
}

// The list has two columns from 118 cells on, and another for each 60 more, as
// far as the hosts need them.
const (
	columnPitch = 60
	columnGap   = 2
)

func listColumns(w, n, rows int) int {
	most := max(1, (w+columnGap)/columnPitch)
	return max(1, min(most, (n+max(1, rows)-1)/max(1, rows)))
}

// cells are the columns of a line of the list: offsets and widths; a width of 0
// leaves the column out.
type cells struct {
	w            int
	name, nameW  int
	value, strip int // the number of cpu, and the strip behind it
	stripW       int
	at           [measureCount]int // offsets of the numbers; 0: left out
	end          int               // behind the last one
}

const (
	signW    = 3
	minName  = 13
	maxName  = 30
	fullHeat = 14 // cells of a strip
	minHeat  = 8
	maxHeat  = 60
)

// lineCells lays a line out in w cells. net, disk and mem leave in this order,
// then the strip gets shorter, then the name, then the strip leaves.
func lineCells(w, longest int) cells {
	c := cells{w: w, name: signW, nameW: minName, stripW: fullHeat}
	shown := measureCount
	used := func() int {
		n := signW + c.nameW + 1 + measures[cpu].cells
		for m := mem; m < shown; m++ {
			n += 1 + measures[m].cells
		}
		if c.stripW > 0 {
			n += 1 + c.stripW
		}
		return n
	}
	for shown > mem && used() > w {
		shown--
	}
	c.stripW -= max(0, min(fullHeat-minHeat, used()-w))
	c.nameW -= max(0, min(minName-minHeat, used()-w))
	if used() > w {
		c.stripW = 0
	}
	c.nameW = max(0, c.nameW-max(0, used()-w))
	lacks := min(longest, maxName) - c.nameW // a name that is cut is another host's
	if c.stripW > minHeat {
		c.stripW -= max(0, min(c.stripW-minHeat, lacks-(w-used())))
	}
	c.nameW += max(0, min(lacks, w-used()))
	if c.stripW > 0 {
		c.stripW += max(0, min(maxHeat-c.stripW, w-used()))
	}
	x := signW + c.nameW + 1
	c.value = x
	x += measures[cpu].cells + 1
	if c.stripW > 0 {
		c.strip = x
		x += c.stripW + 1
	}
	for m := mem; m < shown; m++ {
		c.at[m] = x
		x += measures[m].cells + 1
	}
	c.end = x - 1
	return c
}

// mapCells is how the map is laid out: a row for each group, or several where
// its hosts do not fit.
type mapCells struct {
	label, labelW int
	at            int // where the cells begin
	perRow        int // hosts
	step          int // cells from host to host: 2, or 1 where they are many
	text          int // where the counts begin; 0: left out
}

const (
	mapLabelMost = 16
	mapText      = 30 // cells of the counts
)

// layoutMap lays the map out in w cells.
func layoutMap(w int, groups []group) (c mapCells, rows int) {
	largest := 0
	for i := range groups {
		c.labelW = max(c.labelW, canvas.Full.TextWidth(groups[i].name))
		largest = max(largest, len(groups[i].lines))
	}
	c.label = signW
	c.labelW = min(c.labelW, mapLabelMost, max(0, w/4))
	c.at = c.label + c.labelW + 2
	room := w - c.at
	if room >= mapText+minHeat {
		room -= mapText
		c.text = 1
	}
	c.step = 1
	if 2*largest <= room {
		c.step = 2
	}
	c.perRow = max(1, min(largest, room/c.step))
	if c.text > 0 {
		c.text = c.at + c.perRow*c.step + 2
	}
	for i := range groups {
		rows += c.rowsOf(&groups[i])
	}
	return c, rows
}

func (c *mapCells) rowsOf(g *group) int { return (len(g.lines) + c.perRow - 1) / c.perRow }

// longestName is how many cells the longest name takes.
func longestName(lines []*line) int {
	n := 0
	for _, l := range lines {
		n = max(n, utf8.RuneCountInString(l.name))
	}
	return n
}
