package canvas

import (
	"unicode"

	"github.com/clipperhouse/displaywidth"

	"perfdeck/session/text/printable"
	"perfdeck/themes"
)

// Cell is one place of the screen. A wide rune takes two cells; the second, its
// continuation, has Rune 0.
type Cell struct {
	Rune  rune
	Style themes.Style
}

// cell is a Cell as one number, so that rows compare quickly: the rune in the
// low half, the style in the high half.
type cell uint64

const (
	// continuation is the rune of the second half of a wide rune.
	continuation rune = 0
	// invalid is a cell of unknown content: it equals no cell of a canvas.
	invalid = ^cell(0)
)

func pack(r rune, st themes.Style) cell { return cell(uint32(r)) | cell(st)<<32 }

// fill makes all cells the same.
func fill(cells []cell, with cell) {
	if len(cells) > 0 {
		cells[0] = with
	}
	for n := 1; n < len(cells); n *= 2 { // copying is quicker than storing one by one
		copy(cells[n:], cells[:n])
	}
}

func (c cell) rune() rune          { return rune(uint32(c)) }
func (c cell) style() themes.Style { return themes.Style(c >> 32) }

// safeRune makes a rune safe for a cell and gives its width in cells: 0 means
// that it is left out (combining marks), and what may not be shown becomes "?", so
// that foreign text can be drawn as it is. With asciiOnly everything beyond ASCII is "?".
func safeRune(r rune, asciiOnly bool) (rune, int) {
	switch {
	case isASCII(r):
		return r, 1
	case (isDrawing(r) || r == '…') && !asciiOnly: // what most is drawn with
		return r, 1
	case asciiOnly && (r == 'µ' || r == 'μ'): // of microseconds
		return 'u', 1
	case !printable.Rune(r):
		return '?', 1
	case unicode.In(r, unicode.Mn, unicode.Me):
		return r, 0
	}
	width := min(displaywidth.Rune(r), 2)
	if asciiOnly && width > 0 {
		return '?', 1
	}
	return r, width
}

// isASCII holds for the printable ones.
func isASCII(r rune) bool { return r >= 0x20 && r < 0x7f }

// isDrawing holds for box drawing, blocks and braille: always one cell.
func isDrawing(r rune) bool {
	return r >= 0x2500 && r < 0x25a0 || r >= 0x2800 && r < 0x2900
}

// isPlain reports whether every terminal moves its cursor by exactly one cell
// for this rune, whatever stands beside it: scripts that combine, join or have
// emoji forms are not plain.
func isPlain(r rune) bool {
	switch {
	case r < 0x300:
		return true
	case r < 0x370:
		return false
	case r < 0x530: // Greek and Cyrillic
		return true
	case r >= 0x2010 && r < 0x2060, r >= 0x20a0 && r < 0x20c0:
		return true
	case isDrawing(r):
		return true
	case r >= 0x25a0 && r < 0x25d0: // signs; emoji forms default to text here
		return displaywidth.Rune(r) == 1
	}
	return false
}
