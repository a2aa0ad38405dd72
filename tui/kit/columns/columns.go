// Package columns lays the columns of a table out: which of them have room, where
// they stand, and how their heads and cells are drawn. Head and body are drawn
// with the same Layout, so they cannot stand apart.
package columns

// Column is what a column of a table needs, in cells.
type Column struct {
	Min int // at least; of 0 it is left out
	// Want is what it takes where there is room, after Enough: all columns get as
	// much as is enough for them, the ones of a high rank first, before any gets
	// more. Enough of 0 is Want.
	Want, Enough int
	// Ample is what it has before a column of a lower rank has any room. 0 is Min.
	Ample int
	// Rank says who leaves first where there is little room: the lowest, of equals
	// the last. Those of Stays never leave: they are cut. Below 1 it is left out.
	Rank  int
	Gap   int // blanks before it, besides those of the table
	Align Align
}

// Align is at which end of its column a text stands, and where it is cut.
type Align uint8

// The ways to align.
const (
	Left   Align = iota // cut at its end
	Name                // at the left, cut in its middle: names differ at their ends
	Right               // cut at its end
	Number              // at the right, and never cut: half a number is another one
)

const (
	// Stays is the rank of columns that never leave.
	Stays = 16
	// All wants all the room that is left.
	All = 1 << 12
)

// Place is where a column stands. One without a width has no room.
type Place struct{ X, W int }

// Layout is the places of the columns of a table, in their order.
type Layout struct {
	Places []Place
	aligns []Align
}

// Fit lays columns out in w cells from x on, with gap blanks between them.
func Fit(x, w, gap int, columns []Column) Layout {
	l := Layout{Places: make([]Place, len(columns)), aligns: make([]Align, len(columns))}
	left := l.admit(w, gap, columns)
	for _, most := range []func(c *Column) int{
		func(c *Column) int {
			if c.Enough > 0 {
				return min(c.Enough, c.Want)
			}
			return c.Want
		},
		func(c *Column) int { return c.Want },
	} {
		for rank := Stays; rank > 0; rank-- {
			left = l.grow(left, rank, columns, most)
		}
	}
	at, first := x, true
	for i := range columns {
		l.aligns[i] = columns[i].Align
		l.Places[i].X = at
		if l.Places[i].W == 0 {
			continue
		}
		if !first {
			at += gap
		}
		at += columns[i].Gap
		l.Places[i].X = at
		at += l.Places[i].W
		first = false
	}
	return l
}

// admit gives columns their least widths, by rank, and returns how many cells are
// left. Where one has no room, those behind it leave too, though they might fit: so a
// wider table never lacks what a narrow one has.
func (l *Layout) admit(w, gap int, columns []Column) (left int) {
	left = w + gap // behind the last one there is no gap
	full := false
	for rank := Stays; rank > 0 && !full; rank-- {
		for _, i := range ranked(columns, rank) {
			c := &columns[i]
			room := left - c.Gap - gap
			if full = full || room < c.Min; full && rank < Stays || room < 1 {
				return left
			}
			l.Places[i].W = min(c.Min, room)
			left -= l.Places[i].W + c.Gap + gap
		}
		left = l.grow(left, rank, columns, func(c *Column) int { return c.Ample })
	}
	return left
}

// ranked are the columns of a rank that are not left out, in their order. Of those
// that stay numbers come first: names can be cut.
func ranked(columns []Column, rank int) []int {
	var numbers, others []int
	for i := range columns {
		c := &columns[i]
		switch {
		case c.Rank != rank || c.Min < 1:
		case rank == Stays && c.Align == Number:
			numbers = append(numbers, i)
		default:
			others = append(others, i)
		}
	}
	return append(numbers, others...)
}

// grow shares cells out to columns of a rank that take more.
func (l *Layout) grow(left, rank int, columns []Column, most func(*Column) int) int {
	for i := range columns {
		if p := &l.Places[i]; columns[i].Rank == rank && p.W > 0 {
			more := max(0, min(most(&columns[i])-p.W, left))
			p.W += more
			left -= more
		}
	}
	return left
}

// Has tells whether a column has room.
func (l *Layout) Has(i int) bool { return i >= 0 && i < len(l.Places) && l.Places[i].W > 0 }

// End is the cell behind the last column that has room, x of the first without.
func (l *Layout) End() (x int) {
	for i, p := range l.Places {
		if p.W > 0 || i == 0 {
			x = p.X + p.W
		}
	}
	return x
}
