package layout

// The cells of a pane, one for each instance.
const (
	cellSign  = 3  // before a meter: selection mark, sign, blank
	EachSign  = 2  // before the meter of a processor, the label of which is right-aligned
	leastCell = 17 // label, meter of 8, value of 6
	mostCell  = 20
	wideCell  = 49 // with a sparkline of 20
	leastBars = 8  // a strip of bars narrower than this says nothing
)

// Cells is how instances share a pane: as meters in columns, filled from top to bottom, or as vertical bars in strips.
type Cells struct {
	Columns, Rows int // of meters; 0: bars

	Strips int // of bars, one below the other
	Strip  int // rows of one of them
	PerRow int // bars side by side
	Merged int // neighbours that one bar stands for: it shows the highest
}

// NewCells shares w x h cells among n instances: meters in the fewest columns, at least wide cells
// each, that hold all; else bars, in strips of at least thick rows.
func NewCells(w, h, n, wide, thick int) Cells {
	n, w, h = max(n, 1), max(w, 1), max(h, 1)
	if columns := (n + h - 1) / h; columns*wide <= w {
		return Cells{Columns: columns, Rows: (n + columns - 1) / columns, Merged: 1}
	}
	thick = max(1, min(thick, h))
	strips := min((n+w-1)/w, max(1, h/thick))
	merged := (n + strips*w - 1) / (strips * w)
	bars := (n + merged - 1) / merged
	per := (bars + strips - 1) / strips
	strips = (bars + per - 1) / per
	return Cells{Strips: strips, Strip: h / strips, PerRow: per, Merged: merged}
}

// EachCells is as NewCells for processors: meters leave the edge of the pane free.
func EachCells(w, h, n, thick int) Cells {
	if c := NewCells(w-Edge, h, n, EachSign+leastCell, thick); c.Columns > 0 {
		return c
	}
	return NewCells(w, h, n, w+1, thick)
}

// eachWidth is how wide the cells of n instances are that stand at the right of a
// graph, h rows high: 0, if there is no room for bars either.
func eachWidth(w, h, n, thick, leastGraph int) int {
	most := min(w*42/100, w-leastGraph-ColumnGap)
	columns := (n + h - 1) / h
	if columns == 1 {
		for _, spark := range []int{20, 15, 12, 10} { // with a blank behind it
			if wide := cellSign + wideCell - 20 + spark; wide <= most {
				return wide
			}
		}
	}
	for _, cell := range []int{min(mostCell, max(leastCell, w/7)), leastCell} {
		if all := columns*(EachSign+cell) + Edge; all <= most {
			return all
		}
	}
	if most < leastBars+2 {
		return 0
	}
	return min(most, 2+NewCells(most-2, h, n, w, thick).PerRow)
}
