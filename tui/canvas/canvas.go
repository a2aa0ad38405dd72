// Package canvas is the drawing surface of the screens: panes draw cells into
// clipped regions, and a Painter brings the result to the terminal with as few
// bytes as possible.
package canvas

import (
	"slices"
	"strings"

	"perfdeck/themes"
)

// maxSide bounds a canvas: no terminal is larger, and a wrong size report must
// not take the memory.
const maxSide = 2048

// Canvas is a rectangle of cells with zones for the mouse. It belongs to one
// goroutine.
type Canvas struct {
	w, h    int
	cells   []cell
	glyphs  GlyphSet
	zones   []zone
	hasWide bool // since the last Clear
}

// ZoneID names what lies under a place of the screen; 0 is nothing.
type ZoneID int32

type zone struct {
	clip rect
	id   ZoneID
}

// New returns a blank canvas of w x h cells that draws with the glyph set.
func New(w, h int, glyphs GlyphSet) *Canvas {
	c := &Canvas{glyphs: glyphs}
	c.Resize(w, h)
	return c
}

// Resize makes the canvas w x h cells (negative counts as 0) and blank.
func (c *Canvas) Resize(w, h int) {
	c.w, c.h = max(0, min(w, maxSide)), max(0, min(h, maxSide))
	c.cells = slices.Grow(c.cells[:0], c.w*c.h)[:c.w*c.h]
	c.Clear(0)
}

// Clear blanks every cell in the style and forgets the zones.
func (c *Canvas) Clear(st themes.Style) {
	fill(c.cells, pack(' ', st))
	c.zones = c.zones[:0]
	c.hasWide = false
}

// Size returns the width and height in cells.
func (c *Canvas) Size() (w, h int) { return c.w, c.h }

// Glyphs returns the glyph set.
func (c *Canvas) Glyphs() GlyphSet { return c.glyphs }

// SetGlyphs changes the glyph set for what is drawn from now on.
func (c *Canvas) SetGlyphs(set GlyphSet) { c.glyphs = set }

// Copy makes the canvas show what another shows, without its zones.
func (c *Canvas) Copy(from *Canvas) {
	c.glyphs = from.glyphs
	c.Resize(from.w, from.h)
	copy(c.cells, from.cells)
	c.hasWide = from.hasWide
}

// Root is the region of the whole canvas.
func (c *Canvas) Root() Region {
	return Region{c: c, w: c.w, h: c.h, clip: rect{0, 0, c.w, c.h}}
}

// At returns a cell; outside the canvas it is blank.
func (c *Canvas) At(x, y int) Cell {
	if x < 0 || y < 0 || x >= c.w || y >= c.h {
		return Cell{Rune: ' '}
	}
	at := c.cells[y*c.w+x]
	return Cell{at.rune(), at.style()}
}

// Hit returns the zone drawn last over the place, 0 where there is none.
func (c *Canvas) Hit(x, y int) ZoneID {
	for _, z := range slices.Backward(c.zones) {
		if z.clip.contains(x, y) {
			return z.id
		}
	}
	return 0
}

// Rows returns the canvas as plain text, one string a row.
func (c *Canvas) Rows() []string {
	rows := make([]string, c.h)
	var b strings.Builder
	for y := range rows {
		b.Reset()
		for _, at := range c.row(y) {
			if r := at.rune(); r != continuation {
				b.WriteRune(r)
			}
		}
		rows[y] = b.String()
	}
	return rows
}

// String returns the rows as plain text joined by newlines.
func (c *Canvas) String() string { return strings.Join(c.Rows(), "\n") }

func (c *Canvas) row(y int) []cell { return c.cells[y*c.w : (y+1)*c.w] }

// put writes a printable rune of one or two cells that lie on the canvas. A
// wide rune of which this takes one half leaves a blank.
func (c *Canvas) put(x, y int, r rune, width int, st themes.Style) {
	row := c.row(y)
	if c.hasWide {
		breakWide(row, x, x+width)
	}
	row[x] = pack(r, st)
	if width == 2 {
		row[x+1] = pack(continuation, st)
		c.hasWide = true
	}
}

// breakWide blanks the outer halves of wide runes that lie across the borders
// of [x0, x1).
func breakWide(row []cell, x0, x1 int) {
	if x0 > 0 && x0 < len(row) && row[x0].rune() == continuation {
		row[x0-1] = pack(' ', row[x0-1].style())
	}
	if x1 < len(row) && row[x1].rune() == continuation {
		row[x1] = pack(' ', row[x1].style())
	}
}
