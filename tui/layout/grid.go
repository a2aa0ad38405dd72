package layout

// minHostPane is the fewest rows of a host's pane: its title and five, on narrow screens,
// where all stand one below the other, its title and two.
const (
	minHostPane       = 6
	minNarrowHostPane = 3
	narrowUnder       = 60
)

// Grid is how the panes of several hosts are placed: as many as fit from First
// on, in bands of Columns.
type Grid struct {
	Columns int
	Panes   []Rect // of the hosts First, First+1 ...
	First   int
}

// NewGrid places n panes of equal kind in body (screens.md 5): the number of
// columns follows the width, with three or more one less if that leaves fewer
// empty places; the panes of the last band share its width; a pane never has
// fewer than six rows, or three under 60 cells; what does not fit is paged so that the pane focus is
// shown.
func NewGrid(body Rect, n, focus int) Grid {
	if n < 1 || body.H < 1 || body.W < 1 {
		return Grid{Columns: 1}
	}
	c := gridColumns(body.W, n)
	bands := (n + c - 1) / c
	least := minHostPane
	if body.W < narrowUnder {
		least = minNarrowHostPane
	}
	shown := max(1, min(bands, body.H/least))
	g := Grid{Columns: c}
	if shown < bands {
		g.First = min(focus/c/shown*shown, bands-1) * c
	}
	y := body.Y
	for band := range shown {
		h := body.H / shown
		if band == 0 {
			h += body.H % shown
		}
		from := g.First + band*c
		members := min(c, n-from)
		if members < 1 {
			break
		}
		g.Panes = appendBand(g.Panes, Rect{body.X, y, body.W, h}, members)
		y += h
	}
	return g
}

func gridColumns(w, n int) int {
	most := min(n, Columns(w))
	if most < 3 {
		return most
	}
	empty := func(c int) int { return (c - n%c) % c }
	if empty(most-1) < empty(most) {
		return most - 1
	}
	return most
}

// appendBand shares the width of a band among its panes.
func appendBand(out []Rect, band Rect, members int) []Rect {
	w := (band.W - (members-1)*columnGap) / members
	for i := range members {
		x := band.X + i*(w+columnGap)
		width := w
		if i == members-1 {
			width = band.X + band.W - x
		}
		out = append(out, Rect{x, band.Y, width, band.H})
	}
	return out
}

// The cells of a pane, one for each instance (deck.md 3).
const (
	cellSign  = 3  // before a meter: selection mark, sign, blank
	EachSign  = 2  // before the meter of a processor, the label of which is right-aligned
	leastCell = 17 // label, meter of 8, value of 6
	mostCell  = 20
	wideCell  = 49 // with a sparkline of 20
	leastBars = 8  // a strip of bars narrower than this says nothing
)

// Cells is how instances share a pane: as meters in columns, filled from top to
// bottom, or as vertical bars in strips.
type Cells struct {
	Columns, Rows int // of meters; 0: bars
	Width         int // of a column of meters, its sign with it

	Strips int // of bars, one below the other
	Strip  int // rows of one of them
	PerRow int // bars side by side
	Merged int // neighbours that one bar stands for: it shows the highest
}

// NewCells shares w x h cells among n instances: meters in the fewest columns, at
// least wide cells each, that hold all; else bars, in strips of at least
// thick rows.
func NewCells(w, h, n, wide, thick int) Cells {
	n, w, h = max(n, 1), max(w, 1), max(h, 1)
	if columns := (n + h - 1) / h; columns == 1 || columns*wide <= w {
		if wide <= w {
			return Cells{Columns: columns, Rows: (n + columns - 1) / columns, Width: w / columns, Merged: 1}
		}
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
	most := min(w*42/100, w-leastGraph-columnGap)
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
