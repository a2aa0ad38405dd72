package canvas

import (
	"unicode/utf8"

	"perfdeck/themes"
)

// Region is a rectangle of a canvas with coordinates of its own. Whatever is
// drawn through it stays inside it and inside the regions it was cut from. The
// zero value draws nothing.
type Region struct { //nolint:recvcheck // what draws one rune within copies none of it
	c      *Canvas
	ox, oy int // origin on the canvas
	w, h   int
	clip   rect // on the canvas
	ground themes.Style
}

// rect is half open: x0 <= x < x1.
type rect struct{ x0, y0, x1, y1 int }

func (r rect) contains(x, y int) bool { return x >= r.x0 && x < r.x1 && y >= r.y0 && y < r.y1 }

func (r rect) intersect(o rect) rect {
	return rect{max(r.x0, o.x0), max(r.y0, o.y0), min(r.x1, o.x1), min(r.y1, o.y1)}
}

// Width returns the width that was asked for, in cells.
func (r Region) Width() int { return r.w }

// Height returns the height that was asked for, in cells.
func (r Region) Height() int { return r.h }

// Glyphs returns the glyphs to draw with.
func (r Region) Glyphs() *Glyphs {
	if r.c == nil {
		return Full.Glyphs()
	}
	return r.c.glyphs.Glyphs()
}

// Sub returns the region at x, y of w x h cells. It may reach beyond its
// parent: then it keeps its size and coordinates, and is clipped.
func (r Region) Sub(x, y, w, h int) Region {
	r.ox, r.oy, r.w, r.h = r.ox+x, r.oy+y, max(0, w), max(0, h)
	r.clip = r.clip.intersect(rect{r.ox, r.oy, r.ox + r.w, r.oy + r.h})
	return r
}

// On returns the region with another background: what is put, written or filled stands on it,
// but for styles that have one of their own.
func (r Region) On(bg themes.Token) Region {
	r.ground = themes.Text.On(bg)
	return r
}

// Zone tags the visible part of the region for the mouse.
func (r Region) Zone(id ZoneID) {
	if r.c != nil && r.clip.x0 < r.clip.x1 && r.clip.y0 < r.clip.y1 {
		r.c.zones = append(r.c.zones, zone{r.clip, id})
	}
}

// Put draws one rune and returns the cells it takes, drawn or clipped: 0 for a
// combining mark, which is left out, 2 for a wide rune.
func (r Region) Put(x, y int, char rune, st themes.Style) int {
	if r.c == nil {
		return 0
	}
	char, width := safeRune(char, r.c.glyphs == ASCII)
	r.put(x, y, char, width, st)
	return width
}

// put draws a printable rune, clipped. A wide rune that is cut shows blanks.
func (r *Region) put(x, y int, char rune, width int, st themes.Style) {
	x, y, st = x+r.ox, y+r.oy, st.Over(r.ground)
	switch {
	case width == 0:
	case r.clip.contains(x, y) && (width == 1 || r.clip.contains(x+1, y)):
		r.c.put(x, y, char, width, st)
	case r.clip.contains(x, y):
		r.c.put(x, y, ' ', 1, st)
	case width == 2 && r.clip.contains(x+1, y):
		r.c.put(x+1, y, ' ', 1, st)
	}
}

// visible is the cells of a row that the region shows, and the column of the
// first of them; none, where the row is clipped.
func (r *Region) visible(y int) (row []cell, left int) {
	y += r.oy
	if r.c == nil || y < r.clip.y0 || y >= r.clip.y1 || r.clip.x0 >= r.clip.x1 {
		return nil, 0
	}
	return r.c.row(y)[r.clip.x0:r.clip.x1], r.clip.x0 - r.ox
}

// span is the visible ones of the w cells from x on in row y, skip of which are
// clipped at the left. The caller overwrites them all: a wide rune across a border
// becomes a blank.
func (r *Region) span(x, y, w int) (cells []cell, skip int) {
	area := r.Sub(x, y, w, 1).clip
	if r.c == nil || area.x0 >= area.x1 || area.y0 >= area.y1 {
		return nil, 0
	}
	row := r.c.row(area.y0)
	if r.c.hasWide {
		breakWide(row, area.x0, area.x1)
	}
	return row[area.x0:area.x1], area.x0 - r.ox - x
}

// Repeat draws the rune, of one cell, n times to the right.
func (r Region) Repeat(x, y, n int, char rune, st themes.Style) { r.Fill(x, y, n, 1, char, st) }

// Fill draws the rune, of one cell, over the rectangle.
func (r Region) Fill(x, y, w, h int, char rune, st themes.Style) {
	area := r.Sub(x, y, w, h).clip
	if r.c == nil || area.x0 >= area.x1 {
		return
	}
	char, width := safeRune(char, r.c.glyphs == ASCII)
	st = st.Over(r.ground)
	if width != 1 {
		char = '?'
	}
	for y := area.y0; y < area.y1; y++ {
		row := r.c.row(y)
		if r.c.hasWide {
			breakWide(row, area.x0, area.x1)
		}
		fill(row[area.x0:area.x1], pack(char, st))
	}
}

// Clear blanks the region in the style.
func (r Region) Clear(st themes.Style) { r.Fill(0, 0, r.w, r.h, ' ', st) }

// Restyle gives the rectangle one style and keeps its text: what lies below a
// dialog fades.
func (r Region) Restyle(x, y, w, h int, st themes.Style) {
	r.restyle(x, y, w, h, func(themes.Style) themes.Style { return st })
}

// SetBackground puts the rectangle on another background: a selected row.
func (r Region) SetBackground(x, y, w, h int, bg themes.Token) {
	r.restyle(x, y, w, h, func(st themes.Style) themes.Style { return st.On(bg) })
}

func (r Region) restyle(x, y, w, h int, change func(themes.Style) themes.Style) {
	area := r.Sub(x, y, w, h).clip
	if r.c == nil || area.x0 >= area.x1 {
		return
	}
	for y := area.y0; y < area.y1; y++ {
		row := r.c.row(y)
		for i := area.x0; i < area.x1; i++ {
			row[i] = pack(row[i].rune(), change(row[i].style()))
		}
		if r.c.hasWide {
			unifyWide(row, area.x0)
			unifyWide(row, area.x1)
		}
	}
}

// unifyWide gives both halves of a wide rune across the border before x the
// style of the first.
func unifyWide(row []cell, x int) {
	if x > 0 && x < len(row) && row[x].rune() == continuation {
		row[x] = pack(continuation, row[x-1].style())
	}
}

// Styled returns the canvas as text with SGR sequences, rows joined by newlines
// and each row starting and ending in the terminal's own style: what a string
// renderer takes.
func (c *Canvas) Styled(sheet *themes.Sheet) string {
	buf := make([]byte, 0, 4*len(c.cells))
	for y := range c.h {
		if y > 0 {
			buf = append(buf, '\n')
		}
		var pen themes.Pen
		for _, at := range c.row(y) {
			if at.rune() == continuation {
				continue
			}
			next := sheet.Pen(at.style())
			if at.rune() != ' ' || !themes.SameBlank(pen, next) {
				buf = sheet.AppendChange(buf, pen, next)
				pen = next
			}
			buf = utf8.AppendRune(buf, at.rune())
		}
		buf = sheet.AppendChange(buf, pen, themes.Pen{})
	}
	return string(buf)
}

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

// Fill draws the same in all of its cells, as Put does.
func (s Span) Fill(char rune, st themes.Style) { fill(s.cells, pack(char, st)) }

// Put draws a drawing sign (a block, braille, box drawing) or printable ASCII, in
// cell i of the span, which lies in its bounds.
func (s Span) Put(i int, char rune, st themes.Style) { s.cells[i-s.skip] = pack(char, st) }

// Zones tags the region as another canvas of its size was, with identities that are by so much higher.
func (r Region) Zones(from *Canvas, by ZoneID) {
	for _, z := range from.zones {
		r.Sub(z.clip.x0, z.clip.y0, z.clip.x1-z.clip.x0, z.clip.y1-z.clip.y0).Zone(z.id + by)
	}
}

// Paste draws all cells of another canvas, blank ones too, from the corner on: a
// picture that was drawn once and is kept.
func (r Region) Paste(from *Canvas) {
	area := r.Sub(0, 0, from.w, from.h).clip
	if r.c == nil || area.x0 >= area.x1 {
		return
	}
	for at := area.y0; at < area.y1; at++ {
		row, source := r.c.row(at), from.row(at-r.oy)
		left, right := area.x0-r.ox, area.x1-r.ox
		if r.c.hasWide {
			breakWide(row, area.x0, area.x1)
		}
		copy(row[area.x0:area.x1], source[left:right])
		if !from.hasWide {
			continue
		}
		r.c.hasWide = true
		if source[left].rune() == continuation { // halves of wide runes that are cut off
			row[area.x0] = pack(' ', source[left].style())
		}
		if right < len(source) && source[right].rune() == continuation {
			row[area.x1-1] = pack(' ', source[right].style())
		}
	}
}

// Picture is what a pane wants to be seen in a region: a graph, a chart. Draw draws it
// of cells.
type Picture interface{ Draw(r Region) }

// Picture draws a picture over all of the region. It is the one place where pictures
// become cells: a terminal that has pixels would be given those here.
func (r Region) Picture(p Picture) { p.Draw(r) }
