package canvas

import "perfdeck/themes"

// Span is cells of one row of a region, for those who draw many of them: what is
// put into it is not checked again. The zero value takes nothing.
type Span struct {
	cells []cell
	skip  int // cells that are clipped before the first
}

// Span returns the w cells from x on in row y. Whoever asks for it overwrites every
// cell of it, from Bounds' from to its to.
func (r Region) Span(x, y, w int) Span {
	cells, skip := r.span(x, y, w)
	return Span{cells, skip}
}

// Bounds are the visible ones of the cells: from <= i < to.
func (s Span) Bounds() (from, to int) { return s.skip, s.skip + len(s.cells) }

// Put draws a drawing sign (a block, braille, box drawing) or printable ASCII, in
// cell i of the span, which lies in its bounds.
func (s Span) Put(i int, char rune, st themes.Style) { s.cells[i-s.skip] = pack(char, st) }
