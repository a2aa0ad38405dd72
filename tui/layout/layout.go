// Package layout is the geometry of the screens: sizes in, rectangles and
// columns out. It is pure, so that every size can be swept in a test.
package layout

// The smallest terminal that shows more than a line saying that it is too small.
const (
	MinWidth  = 40
	MinHeight = 12
)

// Rect is a rectangle of cells.
type Rect struct{ X, Y, W, H int }

// Frame is how a terminal is divided: one header row, the body, one hint row.
type Frame struct {
	Header, Body, Hints Rect
	TooSmall            bool
}

// NewFrame divides a terminal of w x h cells.
func NewFrame(w, h int) Frame {
	if w < MinWidth || h < MinHeight {
		return Frame{TooSmall: true, Body: Rect{0, 0, max(w, 0), max(h, 0)}}
	}
	return Frame{
		Header: Rect{0, 0, w, 1},
		Body:   Rect{0, 1, w, h - 2},
		Hints:  Rect{0, h - 1, w, 1},
	}
}

// A column of panes is there for each that fits.
const (
	columnPitch = 58 // the narrowest useful pane with its gap
	ColumnGap   = 2
)

// Row is the columns of a row with one value, in cells from the left edge of the pane; of width 0: left out.
type Row struct {
	NameX, NameW   int
	ValueX         int // ValueW cells
	UnitX, UnitW   int
	SparkX, SparkW int
	// Right-aligned statistics, 7 cells each; Min and Avg leave before Max.
	MinX, AvgX, MaxX int // 0: left out
	// Full tells that statistics have the field of values, and that a number which never changed has none: it is them.
	Full bool
}

// The widths of a row's fixed parts.
const (
	SignW  = 3 // selection mark, sign, blank
	ValueW = 7 // 4 digits, point, 2 decimals
	UnitW  = 4
	StatW  = 7
	sparkM = 6 // a sparkline under this width is left out
)

// mostRow is as far as rows reach: in a wider pane a number would be too far from its name for the eye to find it.
const mostRow = 120

// Edge is the cells behind the last number of a row of a pane: there the rule closes behind its head.
const Edge = 2

// NewRow lays a row out in w cells.
func NewRow(w int) Row {
	spark, stats := columnsIn(w)
	return build(min(w, mostRow), spark, stats, UnitW)
}

// HostRow lays a row of a pane of the deck of one host out in w cells. One without a title
// has no statistics, which nothing would name.
func HostRow(w int, bare bool) Row {
	spark, stats := columnsIn(w)
	if bare && stats > 0 {
		spark, stats = 15, 0
	}
	return build(min(w-Edge, mostRow), spark, stats, UnitW)
}

// InstanceRow lays a row of an instance out in w cells, with a unit of so many: the name has what is left.
func InstanceRow(w, unit int) Row {
	spark, _ := columnsIn(w)
	return build(w, spark, 0, unit)
}

// columnsIn is how wide a sparkline has room in w cells, and how many statistics have.
func columnsIn(w int) (spark, stats int) {
	switch {
	case w >= 96:
		return 20, 3
	case w >= 79:
		return 15, 3
	case w >= 56:
		return 10, 1
	case w >= 43, w == 39: // half of 80
		return 10, 0
	case w >= 37:
		return sparkM, 0
	}
	return 0, 0
}

// build lays a row out from its end: names have what is left.
func build(end, spark, stats, unit int) Row {
	r := Row{NameX: SignW, UnitW: unit, SparkW: spark}
	place := func(width, gap int) int {
		end -= width + gap
		return end + gap
	}
	if stats > 0 {
		r.MaxX = place(StatW, 0)
	}
	if stats > 1 {
		r.AvgX = place(StatW, 0)
		r.MinX = place(StatW, 0)
	}
	if spark > 0 {
		r.SparkX = place(spark, 1)
	}
	r.UnitX = place(unit, 1)
	r.ValueX = place(ValueW, 1)
	r.NameW = max(0, end-SignW)
	return r
}

// ValueColumn is how wide the column of values at the right of a graph is.
func ValueColumn(w int) int {
	if w >= 114 {
		return 43
	}
	return 27
}

// ValueRow is the columns of the values beside a graph, w cells wide.
func ValueRow(w int) Row {
	r := Row{NameX: 4, NameW: 11, ValueX: 15, UnitX: 23, UnitW: 4}
	if w >= 43 {
		r.MaxX, r.AvgX, r.Full = 27, 35, true
	}
	return r
}

// Widen is the row, of w cells in all, where value and unit take need cells: those of the sparkline's
// beginning, or it moves over the statistics; where neither has room, those of the name.
func (r Row) Widen(need, w int) Row {
	extra := need - (r.UnitX + r.UnitW - r.ValueX)
	switch {
	case extra <= 0:
		return r
	case r.SparkW >= sparkM+extra:
		r.SparkX, r.SparkW = r.SparkX+extra, r.SparkW-extra
		return r
	case r.SparkW > 0 && r.MaxX > 0 && extra <= StatW:
		r.SparkX += extra
		r.MinX, r.AvgX, r.MaxX = 0, 0, 0
		return r
	}
	r.SparkX, r.SparkW = 0, 0
	end := r.ValueX + need
	for _, x := range []*int{&r.MinX, &r.AvgX, &r.MaxX} {
		if *x < end {
			*x = 0
		}
	}
	if over := min(end-w, r.NameW); over > 0 {
		r.ValueX, r.NameW = r.ValueX-over, r.NameW-over
	}
	return r
}
