package canvas

import "perfdeck/themes"

// run is a piece of a row to be written with one pen.
type run struct {
	x, y, n int
	pen     themes.Pen
	rank    int  // the lower, the sooner it is written
	isTail  bool // blanks to the end of the row, to be had by erasing
	inOrder bool // wide runes are about: rows go from left to right
}

// changeRow collects what has to be written so that the row shows next, and
// records it as shown unless it may have no room. Only shifts are written at once.
func (p *Painter) changeRow(y int, shown, next []cell) {
	if p.caps.ShiftChars && p.room == Unbounded {
		p.shiftRow(y, shown, next)
	}
	end, first := p.lastChange(shown, next)+1, 0
	for first < end && p.looksSame(shown[first], next[first]) {
		first++
	}
	// Left to right, a wide rune is gone before one of its halves is written.
	inOrder := hasWide(shown[first:end]) || hasWide(next[first:end])
	tail := p.blankTail(next)
	for x := first; x < end; {
		if p.looksSame(shown[x], next[x]) {
			x++
			continue
		}
		if next[x].rune() == continuation && x > 0 {
			x-- // a wide rune is written by its first half
		}
		r := run{x: x, y: y, n: end - x, pen: p.penOf(next[x]), isTail: x >= tail, inOrder: inOrder}
		limit := tail
		if p.room < Unbounded && !inOrder {
			r.rank, limit = p.worth.span(y*p.w, x, tail)
		}
		if !r.isTail {
			r.n, r.pen = p.runLen(x, min(end, limit), shown, next)
		}
		p.runs = append(p.runs, r)
		x += r.n
	}
	if p.room == Unbounded {
		copy(shown, next)
	}
}

// runLen counts the cells from x on, up to end, that have to be written and can
// be with one pen, which it returns. Blanks go with any pen of their background.
func (p *Painter) runLen(x, end int, shown, next []cell) (int, themes.Pen) {
	pen, isBlank := p.penOf(next[x]), next[x].rune() == ' '
	n := 1
	for ; x+n < end; n++ {
		at := next[x+n]
		if at.rune() != continuation && p.looksSame(shown[x+n], at) {
			break
		}
		switch own := p.penOf(at); {
		case own == pen:
			isBlank = isBlank && at.rune() == ' '
		case at.rune() == ' ' && themes.SameBlank(own, pen):
		case isBlank && themes.SameBlank(own, pen):
			pen, isBlank = own, false
		default:
			return n, pen
		}
	}
	return n, pen
}

// lastChange returns the last column to write, -1 when there is none.
func (p *Painter) lastChange(shown, next []cell) int {
	x := len(next) - 1
	for x >= 0 && p.looksSame(shown[x], next[x]) {
		x--
	}
	return x
}

// blankTail returns where the blanks begin that reach the end of the row and
// can be had by erasing.
func (p *Painter) blankTail(next []cell) int {
	end := len(next)
	if next[end-1].rune() != ' ' {
		return end
	}
	pen := p.penOf(next[end-1])
	if !pen.ErasesTo(p.caps.BCE) {
		return end
	}
	for end > 0 && next[end-1].rune() == ' ' && themes.SameBlank(p.penOf(next[end-1]), pen) {
		end--
	}
	return end
}

func (p *Painter) penOf(at cell) themes.Pen { return p.sheet.Pen(at.style()) }

// looksSame reports whether two cells show the same.
func (p *Painter) looksSame(a, b cell) bool {
	if a == b {
		return true
	}
	if a == invalid || b == invalid || a.rune() != b.rune() {
		return false
	}
	penA, penB := p.penOf(a), p.penOf(b)
	return penA == penB || a.rune() == ' ' && themes.SameBlank(penA, penB)
}
