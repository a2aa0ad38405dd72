package fleet

import (
	"perfdeck/tui/canvas"
	"perfdeck/tui/kit/columns"
	"perfdeck/tui/layout"
)

// The terminal's rows under which the map and the details leave,
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
	lineW   int // cells of a line of the list
	line    columns.Layout
}

// mapMost is the share of the screen that the map takes at most.
const mapMost = 3

// place divides a screen of w x h cells for n hosts. The map wants mapRows
// below its title, the details detailRows below theirs.
func place(w, h, n, mapRows, detailRows, name int, counts bool) (p places) {
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
	p.lineW = (w - (p.columns-1)*columnGap) / p.columns
	p.line = lineCells(p.lineW, name, counts)
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

// The columns of a line of the list. Behind the strip stand the other measures.
const (
	nameColumn = iota
	valueColumn
	stripColumn
)

const lineColumns = stripColumn + measureCount

// measureOf is the measure that a column of numbers shows.
func measureOf(column int) int {
	if column == valueColumn {
		return cpu
	}
	return column - stripColumn + cpu
}

const (
	minName  = 13
	maxName  = 30
	fullHeat = 14 // cells of a strip
	minHeat  = 8
	maxHeat  = 60
)

// lineCells lays a line out in w cells. net, disk and mem leave in this order,
// then the strip gets shorter, then the name, then the strip leaves. A name that is
// cut is another host's: the longest comes before a long strip. counts: failed services
// have a column, too.
func lineCells(w, longest int, counts bool) columns.Layout {
	room := w - layout.SignW
	cols := make([]columns.Column, lineColumns)
	cols[nameColumn] = columns.Column{Min: minName, Rank: columns.Stays, Align: columns.Name}
	cols[valueColumn] = columns.Column{Min: measures[cpu].cells, Rank: columns.Stays, Align: columns.Number}
	cols[stripColumn] = columns.Column{Min: fullHeat, Rank: columns.Stays - 1}
	for m := mem; m < services; m++ {
		cols[stripColumn+m-cpu] = columns.Column{Min: measures[m].cells, Rank: columns.Stays - 2 - m, Align: columns.Number}
	}
	if counts {
		cols[stripColumn+services-cpu] = columns.Column{Min: measures[services].cells, Rank: columns.Stays - 2, Align: columns.Number}
	}
	full := columns.Fit(layout.SignW, room, 1, cols)
	for i := stripColumn + 1; i < len(cols); i++ {
		if !full.Has(i) {
			cols[i].Rank = 0
		}
	}
	name, strip := &cols[nameColumn], &cols[stripColumn]
	name.Min, name.Want = minHeat, max(minName, min(longest, maxName))
	strip.Min, strip.Want = minHeat, maxHeat
	return columns.Fit(layout.SignW, room, 1, cols)
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
	c.label = layout.SignW
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
