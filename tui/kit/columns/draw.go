package columns

import (
	"strings"

	"perfdeck/themes"
	"perfdeck/tui/canvas"
)

// Draw draws the text of column i in line y, and returns the cells it takes; 0
// where the column has no room.
func (l *Layout) Draw(r canvas.Region, y, i int, text string, st themes.Style) int {
	if !l.Has(i) {
		return 0
	}
	p := l.Places[i]
	switch l.aligns[i] {
	case Left:
		return r.Left(p.X, y, p.W, text, st)
	case Name:
		return r.Middle(p.X, y, p.W, text, st)
	case Right:
		return r.Right(p.X, y, p.W, text, st)
	case Number:
		return DrawNumber(r, p.X, y, p.W, text, st)
	}
	return 0
}

// noRoom fills a field whose number has no room, as spreadsheets do: what is left
// of a number that is cut reads as another one.
const noRoom = "#"

// DrawNumber draws a number at the right end of a field of w cells. One that does
// not fit is not cut: the field is filled with a sign for that.
func DrawNumber(r canvas.Region, x, y, w int, text string, st themes.Style) int {
	if len(text) > w && r.GlyphSet().TextWidth(text) > w { // no rune has more cells than bytes
		text = strings.Repeat(noRoom, max(0, w))
	}
	return r.Right(x, y, w, text, st)
}

// Head is the head of a column.
type Head struct {
	Text   string
	Sorted Sort
	Style  themes.Style
}

// Sort tells whether a table is sorted by a column, and which way.
type Sort uint8

// The ways to sort. Descending is how a column is sorted at first.
const (
	Unsorted Sort = iota
	Descending
	Ascending
)

// SortOf is how a table is sorted by the column it is sorted by.
func SortOf(reverse bool) Sort {
	if reverse {
		return Ascending
	}
	return Descending
}

// Mark is the sign of a sorting, 0 of none.
func (s Sort) Mark(g *canvas.Glyphs) rune {
	switch s {
	case Descending:
		return g.Descending
	case Ascending:
		return g.Ascending
	case Unsorted:
	}
	return 0
}

// DrawHead draws the head of column i in line y. The sign of the sorting is never
// cut.
func (l *Layout) DrawHead(r canvas.Region, y, i int, h Head) {
	if !l.Has(i) {
		return
	}
	p := l.Places[i]
	text := h.Text
	if mark := h.Sorted.Mark(r.Glyphs()); mark != 0 {
		text = withMark(r, text, string(mark), p.W)
	}
	if a := l.aligns[i]; a == Right || a == Number {
		r.Right(p.X, y, p.W, text, h.Style)
		return
	}
	r.Left(p.X, y, p.W, text, h.Style)
}

// withMark is a head with the sign of its sorting in w cells.
func withMark(r canvas.Region, text, mark string, w int) string {
	set := r.GlyphSet()
	if n := set.TextWidth(mark); set.TextWidth(text)+1+n <= w {
		return text + " " + mark
	}
	for set.TextWidth(text)+set.TextWidth(mark) > w && text != "" {
		runes := []rune(text)
		text = string(runes[:len(runes)-1])
	}
	return text + mark
}
