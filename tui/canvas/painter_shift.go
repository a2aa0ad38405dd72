package canvas

import "unicode/utf8"

const (
	// maxShift bounds the cells a segment is looked for to have moved; a
	// sparkline moves by one a tick, by more after missed frames.
	maxShift = 4
	// shiftCost is about the bytes of a shift: two moves, DCH and ICH.
	shiftCost = 2*len("\x1b[10;100H") - 3 + 2*len("\x1b[P")
)

// shiftRow finds segments of the row that moved left by a few cells, as
// sparklines do, and lets the terminal move them: DCH where a segment begins
// and ICH where it ends, so that nothing to the right of it changes. The cells
// that become free are written at once or left to the other runs.
func (p *Painter) shiftRow(y int, shown, next []cell) {
	last := p.lastChange(shown, next)
	for x := 0; x <= last; {
		if p.looksSame(shown[x], next[x]) {
			x++
			continue
		}
		end, by := p.bestShift(x, shown, next)
		if by == 0 || hasWide(shown[x:]) || hasWide(next[x:]) {
			x++
			continue
		}
		p.shift(x, end, by, y, shown, next)
		x = end
	}
}

// bestShift returns the segment from x to end that moved left by some cells and
// saves most; by is 0 when none saves anything.
func (p *Painter) bestShift(x int, shown, next []cell) (end, by int) {
	best := 0
	for k := 1; k <= maxShift && x+k < len(next); k++ {
		if next[x] != shown[x+k] {
			continue
		}
		saved, segment := -shiftCost, x
		for i := x; i+k < len(next) && next[i] == shown[i+k]; i++ {
			if next[i] != shown[i] {
				saved += utf8.RuneLen(next[i].rune())
				segment = i + 1
			}
		}
		for i := segment; i < segment+k; i++ {
			if i < len(next) && next[i] == shown[i] {
				saved -= utf8.RuneLen(next[i].rune())
			}
		}
		if saved > best {
			best, end, by = saved, segment, k
		}
	}
	return end, by
}

func (p *Painter) shift(x, end, by, y int, shown, next []cell) {
	p.moveTo(x, y)
	p.buf = appendCSI(p.buf, by, 'P')
	copy(shown[x:end], shown[x+by:])
	if end+by < len(shown) {
		p.moveTo(end, y)
		p.buf = appendCSI(p.buf, by, '@')
	}
	for i := end; i < min(end+by, len(shown)); i++ {
		shown[i] = invalid
	}
	p.paintFreed(run{x: end, y: y, n: min(by, len(shown)-end), pen: p.penOf(next[end])}, shown, next)
}

// paintFreed writes the newest cells of a shifted segment at once, because the
// cursor stands there; mixed ones are left to the other runs.
func (p *Painter) paintFreed(r run, shown, next []cell) {
	for _, at := range next[r.x : r.x+r.n] {
		if p.penOf(at) != r.pen {
			return
		}
	}
	p.paintRun(r)
	copy(shown[r.x:r.x+r.n], next[r.x:r.x+r.n])
}

func hasWide(row []cell) bool {
	for _, at := range row {
		if at.rune() == continuation {
			return true
		}
	}
	return false
}
