package picture

import (
	"fmt"
	"strings"
)

// shapes are what is drawn in a row in place of letters, by colour and kind: a path each.
type shapes struct {
	pens  *pens
	paths []*path
}

// path is one path, of what has one colour and is drawn in one way.
type path struct {
	class string
	share string // of the colour, of shades; empty: all of it
	d     strings.Builder
	x, y  float64  // where its pen stands
	along float64  // a line to the right that is not written: the next may go on with it
	dots  [4][]int // of braille, by their rows: columns of dots
}

// settle writes what goes to the right.
func (p *path) settle() {
	if p.along != 0 {
		p.d.WriteString("h" + number(p.along))
		p.along = 0
	}
}

// String is all paths.
func (s *shapes) String() string {
	var b strings.Builder
	for i := range s.paths {
		p := s.paths[i]
		p.settle()
		p.settleDots()
		share := ""
		if p.share != "" {
			share = ` opacity="` + p.share + `"`
		}
		fmt.Fprintf(&b, `<path class="%s"%s d="%s"/>`, p.class, share, p.d.String())
	}
	return b.String()
}

// path is the one of a colour and a kind: "" is filled, l a line, l h a heavy one, l d dots.
func (s *shapes) path(colour [3]uint8, kind, share string) *path {
	class := strings.TrimSpace(s.pens.class(pen{colour: colour}) + " " + kind)
	for i := range s.paths {
		if s.paths[i].class == class && s.paths[i].share == share {
			return s.paths[i]
		}
	}
	s.paths = append(s.paths, &path{class: class, share: share})
	return s.paths[len(s.paths)-1]
}

// move goes to a place.
func (p *path) move(x, y float64) {
	p.settle()
	if p.d.Len() == 0 {
		fmt.Fprintf(&p.d, "M%s %s", signed(x), signed(y))
	} else {
		p.d.WriteString("m" + signed(x-p.x))
		if y >= p.y {
			p.d.WriteByte(' ')
		}
		p.d.WriteString(signed(y - p.y))
	}
	p.x, p.y = x, y
}

func signed(v float64) string {
	if v < 0 {
		return "-" + number(-v)
	}
	return number(v)
}

// line draws to the right or down.
func (p *path) line(x0, y0, x1, y1 float64) {
	if x0 != p.x || y0 != p.y || p.d.Len() == 0 {
		p.move(x0, y0)
	}
	if x1 != x0 || y1 == y0 {
		p.along += x1 - x0
	} else {
		p.settle()
		p.d.WriteString("v" + signed(y1-y0))
	}
	p.x, p.y = x1, y1
}

// box fills a rectangle. Those side by side that are as high overlap, so that no line is
// seen between them.
func (p *path) box(x0, y0, x1, y1 float64) {
	p.move(x0, y0)
	fmt.Fprintf(&p.d, "h%sv%sh-%sz", number(x1-x0), number(y1-y0), number(x1-x0))
}

// draw draws a character that is no letter, in the cell x. It reports false for others.
func (s *shapes) draw(x int, char rune, colour [3]uint8) bool {
	left, top := float64(x*cellW), -float64(baseLine)
	const w, h = float64(cellW), float64(cellH)
	fill := func(x0, y0, x1, y1 float64) { // in eighths of the cell
		s.path(colour, "", "").box(left+x0*w/8, top+y0*h/8, left+x1*w/8, top+y1*h/8)
	}
	switch {
	case char >= 0x2800 && char < 0x2900:
		s.dots(left, char, colour)
	case char >= '▁' && char <= '█':
		fill(0, float64('█'-char), 8, 8)
	case char >= '▉' && char <= '▏':
		fill(0, 0, float64('▏'-char+1), 8)
	case char == '▀':
		fill(0, 0, 8, 4)
	case char == '▐':
		fill(4, 0, 8, 8)
	case char == '▔':
		fill(0, 0, 8, 1)
	case char == '▕':
		fill(7, 0, 8, 8)
	case char >= '░' && char <= '▓':
		s.path(colour, "", [...]string{".25", ".5", ".75"}[char-'░']).box(left, top, left+w, top+h)
	case char >= '▖' && char <= '▟':
		for i, at := range [...][2]float64{{0, 0}, {4, 0}, {0, 4}, {4, 4}} {
			if quadrants[char-'▖']&(1<<i) != 0 {
				fill(at[0], at[1], at[0]+4, at[1]+4)
			}
		}
	default:
		_, a, ok := strings.Cut(boxes, string(char))
		if ok = ok && char >= '─'; ok {
			s.arms(left, arms{a[0] - '0', a[1] - '0', a[2] - '0', a[3] - '0', a[4] - '0'}, colour)
		}
		return ok
	}
	return true
}

// quadrants are those of U+2596 to U+259F: upper left 1, upper right 2, lower left 4, lower
// right 8.
var quadrants = [...]uint8{4, 8, 1, 13, 9, 7, 11, 2, 6, 14}

// dots draws braille: bits 0 to 2 and 6 are the left column from above, 3 to 5 and 7 the
// right one (Unicode, chapter 21.1).
func (s *shapes) dots(left float64, char rune, colour [3]uint8) {
	p := s.path(colour, "l d", "")
	for _, dot := range [...]struct{ bit, x, y int }{{0, 0, 0}, {1, 0, 1}, {2, 0, 2}, {6, 0, 3}, {3, 1, 0}, {4, 1, 1}, {5, 1, 2}, {7, 1, 3}} {
		if char&(1<<dot.bit) != 0 {
			p.dots[dot.y] = append(p.dots[dot.y], int(left)/cellW*2+dot.x)
		}
	}
}

// settleDots writes dots: those side by side are a dashed line, see the class d.
func (p *path) settleDots() {
	for y, row := range p.dots {
		for len(row) > 0 {
			n := 1
			for n < len(row) && row[n] == row[0]+n {
				n++
			}
			p.move(float64(row[0]*dotW)+dotW/2, (float64(y)+0.5)*cellH/4-baseLine)
			p.line(p.x, p.y, p.x+float64(n*dotW)-dotW+1, p.y)
			row = row[n:]
		}
	}
	p.settle()
}

const dotW = cellW / 2

// arms are how a line leaves a cell: to the left, right, up and down. 0 is not at all, 1
// light, 2 heavy, 3 double. Of dashes there are several in a cell.
type arms struct {
	left, right, up, down uint8
	dashes                uint8
}

// boxes are the lines that screens and names may have, each before its arms.
const boxes = `
─11000 ━22000 ═33000 │00110 ┃00220 ║00330
┄11003 ┅22003 ┆00113 ┇00223 ┈11004 ┉22004
┊00114 ┋00224 ╌11002 ╍22002 ╎00112 ╏00222
┌01010 ┐10010 └01100 ┘10100
╭01010 ╮10010 ╰01100 ╯10100
┏02020 ┓20020 ┗02200 ┛20200
├01110 ┤10110 ┬11010 ┴11100 ┼11110
┣02220 ┫20220 ┳22020 ┻22200 ╋22220
┯22010 ┷22100 ┿22110 ┠01220 ┨10220
┰11020 ┸11200 ╂11220 ┝02110 ┥20110
╴10000 ╵00100 ╶01000 ╷00010
╸20000 ╹00200 ╺02000 ╻00020`

// arms draws lines from the edges of a cell to its middle, or through it.
func (s *shapes) arms(left float64, a arms, colour [3]uint8) {
	const midX, midY = cellW / 2.0, (cellH-1)/2.0 + 0.5
	draw := func(weight uint8, x0, y0, x1, y1 float64) {
		switch weight {
		case 1, 2:
			s.path(colour, [...]string{"", "l", "l h"}[weight], "").line(left+x0, y0-baseLine, left+x1, y1-baseLine)
		case 3:
			p := s.path(colour, "l", "")
			y0, y1 := y0-baseLine, y1-baseLine
			dx, dy := 0.0, 1.5
			if x0 == x1 {
				dx, dy = dy, dx
			}
			p.line(left+x0-dx, y0-dy, left+x1-dx, y1-dy)
			p.line(left+x0+dx, y0+dy, left+x1+dx, y1+dy)
		}
	}
	if n := float64(a.dashes); n > 0 {
		for i := range int(a.dashes) {
			if a.left > 0 {
				step := cellW / n
				draw(a.left, float64(i)*step+step/4, midY, float64(i)*step+3*step/4, midY)
			} else {
				step := cellH / n
				draw(a.up, midX, float64(i)*step+step/4, midX, float64(i)*step+3*step/4)
			}
		}
		return
	}
	if a.left == a.right {
		draw(a.left, 0, midY, cellW, midY)
	} else {
		draw(a.left, 0, midY, midX+0.5, midY)
		draw(a.right, midX-0.5, midY, cellW, midY)
	}
	if a.up == a.down {
		draw(a.up, midX, 0, midX, cellH)
	} else {
		draw(a.up, midX, 0, midX, midY+0.5)
		draw(a.down, midX, midY-0.5, midX, cellH)
	}
}
