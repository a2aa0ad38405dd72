package canvas

import "strconv"

// moveTo brings the cursor to a cell by the shortest sequence. LF is used only
// behind CR and never in the last row, so nothing scrolls.
func (p *Painter) moveTo(x, y int) {
	if p.cx == x && p.cy == y {
		return
	}
	switch dy := y - p.cy; {
	case p.cy < 0:
		p.moveAbsolute(x, y)
	case dy == 0:
		p.moveInRow(x)
	case p.cx == x && x > 0:
		p.moveInColumn(y)
	case dy > 0 && dy <= 3 && 1+dy+moveRightLen(x) < absoluteLen(x, y):
		p.buf = append(p.buf, "\r\n\n\n"[:1+dy]...)
		p.moveRight(x)
	default:
		p.moveAbsolute(x, y)
	}
	p.cx, p.cy = x, y
}

func (p *Painter) moveInRow(x int) {
	dx := x - p.cx
	switch {
	case x == 0:
		p.buf = append(p.buf, '\r')
	case p.cx < 0:
		p.buf = appendCSI(p.buf, x+1, 'G')
	case dx < 0 && -dx <= csiLen(-dx):
		p.buf = append(p.buf, "\b\b\b\b"[:-dx]...)
	case dx < 0 && csiLen(-dx) <= csiLen(x+1):
		p.buf = appendCSI(p.buf, -dx, 'D')
	case dx > 0 && csiLen(dx) <= csiLen(x+1):
		p.buf = appendCSI(p.buf, dx, 'C')
	default:
		p.buf = appendCSI(p.buf, x+1, 'G')
	}
}

func (p *Painter) moveInColumn(y int) {
	dy := y - p.cy
	switch {
	case dy > 0 && csiLen(dy) < csiLen(y+1):
		p.buf = appendCSI(p.buf, dy, 'B')
	case dy < 0 && csiLen(-dy) < csiLen(y+1):
		p.buf = appendCSI(p.buf, -dy, 'A')
	default:
		p.buf = appendCSI(p.buf, y+1, 'd')
	}
}

func (p *Painter) moveRight(n int) {
	if n > 0 {
		p.buf = appendCSI(p.buf, n, 'C')
	}
}

func moveRightLen(n int) int {
	if n == 0 {
		return 0
	}
	return csiLen(n)
}

func (p *Painter) moveAbsolute(x, y int) {
	if x == 0 {
		p.buf = appendCSI(p.buf, y+1, 'H')
		return
	}
	p.buf = append(p.buf, "\x1b["...)
	if y > 0 {
		p.buf = strconv.AppendInt(p.buf, int64(y+1), 10)
	}
	p.buf = append(p.buf, ';')
	p.buf = strconv.AppendInt(p.buf, int64(x+1), 10)
	p.buf = append(p.buf, 'H')
}

func absoluteLen(x, y int) int {
	if x == 0 {
		return csiLen(y + 1)
	}
	return csiLen(y+1) + 1 + Digits(x+1)
}

// appendCSI appends a sequence of one number, left out where it is 1.
func appendCSI(dst []byte, n int, final byte) []byte {
	dst = append(dst, "\x1b["...)
	if n != 1 {
		dst = strconv.AppendInt(dst, int64(n), 10)
	}
	return append(dst, final)
}

// csiLen returns the length of what appendCSI appends.
func csiLen(n int) int {
	if n == 1 {
		return 3
	}
	return 3 + Digits(n)
}

// Digits is how many digits a count has.
func Digits(n int) int {
	count := 1
	for ; n >= 10; n /= 10 {
		count++
	}
	return count
}
