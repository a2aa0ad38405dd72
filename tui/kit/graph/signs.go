package graph

import "perfdeck/tui/canvas"

// signs are the signs of cells by how many dots of their left and right column are
// filled, from 0 to 4: that of l and r is at 5l + r.
type signs [(dotsDown + 1) * (dotsDown + 1)]rune

// signTable is by glyph set, of what stands and of what hangs.
var signTable = [...][2]signs{
	canvas.Full: {
		braille([5]rune{0, 0x40, 0x44, 0x46, 0x47}, [5]rune{0, 0x80, 0xa0, 0xb0, 0xb8}),
		braille([5]rune{0, 0x01, 0x03, 0x07, 0x47}, [5]rune{0, 0x08, 0x18, 0x38, 0xb8}),
	},
	canvas.Console: {larger([5]rune{' ', '▄', '▄', '█', '█'}), larger([5]rune{' ', '▀', '▀', '█', '█'})},
	canvas.ASCII:   {larger([5]rune{' ', '.', ':', '#', '#'}), larger([5]rune{' ', '\'', '|', '#', '#'})},
}

func signsOf(set canvas.GlyphSet, hangs bool) *signs {
	row := &signTable[min(int(set), len(signTable)-1)]
	if hangs {
		return &row[1]
	}
	return &row[0]
}

// braille joins the dots of both columns (Unicode 9.1, "Braille Patterns").
func braille(left, right [dotsDown + 1]rune) (out signs) {
	for l := range left {
		for r := range right {
			out[l*(dotsDown+1)+r] = 0x2800 | left[l] | right[r]
		}
	}
	out[0] = ' '
	return out
}

// larger shows the larger of both columns.
func larger(by [dotsDown + 1]rune) (out signs) {
	for l := range by {
		for r := range by {
			out[l*(dotsDown+1)+r] = by[max(l, r)]
		}
	}
	return out
}
