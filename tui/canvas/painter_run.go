package canvas

import (
	"slices"
	"unicode/utf8"

	"perfdeck/themes"
)

// cheapChange is the length of a change of pen up to which a run is written
// where it comes; a longer one costs more than coming back later by a move.
const cheapChange = len("\x1b[10;10H")

// paintRuns writes the collected runs in the order of their rank, and reports whether all had room.
func (p *Painter) paintRuns() (all bool) {
	if p.room < Unbounded {
		slices.SortStableFunc(p.runs, func(a, b run) int { return a.rank - b.rank })
	}
	for runs := p.runs; len(runs) > 0; {
		n := 1
		for n < len(runs) && runs[n].rank == runs[0].rank {
			n++
		}
		if !p.paintTogether(runs[:n]) {
			return false
		}
		runs = runs[n:]
	}
	return true
}

// paintTogether writes runs, those of one pen together: with true colour a change of pen is
// two or three times as long as a move.
func (p *Painter) paintTogether(runs []run) (all bool) {
	begun := -1 // the row that is to be ended, as wide runes are about
	for pass := 0; len(runs) > 0; pass++ {
		later := runs[:0]
		for i, r := range runs {
			isNext := pass > 0 && i == 0
			if !isNext && !r.inOrder && r.pen != p.pen && p.sheet.ChangeLen(p.pen, r.pen) > cheapChange {
				later = append(later, r)
				continue
			}
			if len(p.buf) >= p.room && r.y != begun {
				return false
			}
			p.paintRun(r)
			if begun = -1; r.inOrder {
				begun = r.y
			}
			p.note(r.x, r.x+r.n, r.y)
		}
		runs = later
	}
	return true
}

// note records what was written as shown, where the rest of its row may have no room.
func (p *Painter) note(from, to, y int) {
	if p.room < Unbounded {
		shown, next := p.row(y)
		copy(shown[from:to], next[from:to])
	}
}

// Lengths of sequences that pay off only when longer output is saved.
const (
	eraseLineLen  = len("\x1b[K")
	eraseCharsLen = len("\x1b[10X") + len("\x1b[10C")
	repeatLen     = len("\x1b[10b")
)

func (p *Painter) paintRun(r run) {
	_, next := p.row(r.y)
	if p.pen == r.pen {
		p.bridge(r.x, r.y, next)
	}
	p.moveTo(r.x, r.y)
	if !r.isBlankIn(p.pen, next) {
		p.buf = p.sheet.AppendChange(p.buf, p.pen, r.pen)
		p.pen = r.pen
	}
	if r.isTail && r.n > eraseLineLen {
		p.buf = append(p.buf, "\x1b[K"...)
		return
	}
	for x, end := r.x, r.x+r.n; x < end; {
		p.moveTo(x, r.y)
		x += p.paintEqual(x, end, next)
	}
}

// isBlankIn holds for blanks that look right with the pen as it is.
func (r run) isBlankIn(pen themes.Pen, next []cell) bool {
	if !themes.SameBlank(pen, r.pen) {
		return false
	}
	for _, at := range next[r.x : r.x+r.n] {
		if at.rune() != ' ' {
			return false
		}
	}
	return true
}

// paintEqual writes from the cursor, at x, one cell or as many equal ones as
// one sequence gives, and returns the cells it took.
func (p *Painter) paintEqual(x, end int, next []cell) int {
	char, n := next[x].rune(), 1
	for x+n < end && next[x+n].rune() == char {
		n++
	}
	switch {
	case x+1 < len(next) && next[x+1].rune() == continuation:
		p.putRune(char)
		p.after(x+2, char)
		return 2
	case char == ' ' && n > eraseCharsLen && p.pen.ErasesTo(p.caps.BCE):
		p.buf = appendCSI(p.buf, n, 'X')
	case p.caps.Rep && char < utf8.RuneSelf && n-1 > repeatLen: // some repeat only ASCII
		p.putRune(char)
		p.buf = appendCSI(p.buf, n-1, 'b')
		p.after(x+n, char)
	default:
		p.putRune(char)
		p.after(x+1, char)
		return 1
	}
	return n
}

// bridge writes the cells between the cursor and x again when that is no longer
// than moving over them.
func (p *Painter) bridge(x, y int, next []cell) {
	if p.cy != y || p.cx < 0 || p.cx >= x {
		return
	}
	size := 0
	for _, at := range next[p.cx:x] {
		if !isPlain(at.rune()) || at.rune() == continuation || !p.hasPen(at) {
			return
		}
		if size += utf8.RuneLen(at.rune()); size > csiLen(x-p.cx) {
			return
		}
	}
	for _, at := range next[p.cx:x] {
		p.putRune(at.rune())
	}
	p.note(p.cx, x, y)
	p.cx = x
}

// after notes the cursor behind a rune that ends before column x. In the last
// column the terminal waits with the wrap and its cursor is taken as unknown;
// behind runes on whose width terminals differ the column is.
func (p *Painter) after(x int, char rune) {
	switch {
	case x >= p.w:
		p.cx, p.cy = -1, -1
	case isPlain(char):
		p.cx = x
	default:
		p.cx = -1
	}
}

func (p *Painter) putRune(char rune) { p.buf = utf8.AppendRune(p.buf, char) }

// hasPen reports whether the cell can be written without a change of pen.
func (p *Painter) hasPen(at cell) bool {
	pen := p.penOf(at)
	return pen == p.pen || at.rune() == ' ' && themes.SameBlank(pen, p.pen)
}
