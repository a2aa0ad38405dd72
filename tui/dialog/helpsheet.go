package dialog

import (
	"unicode/utf8"

	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/keys"
	"perfdeck/tui/pane"
)

// helpBlock is a head with lines below it.
type helpBlock struct {
	head   string
	column int // of three
	lines  []helpLine
	screen bool // made from bindings, which differ from screen to screen
}

// helpLine is a key and what it does.
type helpLine struct {
	keys, text string
	key        themes.Style
	sign       rune // in place of keys; 0: there is none
	off        bool // does not apply now
}

// columnOf is the column of a section when there is room for three.
func columnOf(s keys.Section) int {
	switch s {
	case keys.Selected, keys.Change, keys.View:
		return 1
	case keys.Time:
		return 2
	}
	return 0
}

var mouse = []helpLine{
	{text: "click selects, again opens"},
	{text: "right: menu, wheel: scroll"},
	{text: "shift+drag: terminal selects"},
}

// signLines explains the signs of rows, in the order of weight.
func signLines(g *canvas.Glyphs) []helpLine {
	sign := func(token themes.Token, text string, of rune) helpLine {
		return helpLine{keys: " ", text: text, key: token.Bold(), sign: of}
	}
	word := func(keys, text string) helpLine {
		return helpLine{keys: keys, text: text, key: themes.Muted.Bold()}
	}
	return []helpLine{
		sign(themes.Careful, "careful", g.Careful),
		sign(themes.Warning, "warning", g.Warning),
		sign(themes.Critical, "critical, down", g.Critical),
		sign(themes.Stale, "old value", g.Stale),
		sign(themes.Critical, "recording", g.Recording),
		sign(themes.Focus, "selected", g.Selected),
		word("…", "first sample"),
		word("gone", "ended; shown 10 s"),
		word("denied", "may not be read"),
		word("none", "this system lacks it"),
		word("idle", "nothing to divide by"),
		word("pending", "not there yet"),
	}
}

// helpSheet is the help laid out in columns.
type helpSheet struct {
	columns   []helpColumn
	elsewhere []string // below all
	width     int
}

// helpColumn is a column: where it stands, how wide its keys are, and its rows,
// heads and blanks among them.
type helpColumn struct {
	x, w, keyW int
	rows       []helpRow
}

type helpRow struct {
	head string
	line *helpLine
	text string // of this row: long texts take several
}

// lay lays the blocks that a search finds out in w cells, in three columns, two
// or one.
func (h *Help) lay(g *canvas.Glyphs, w int, search string) *helpSheet {
	const gap, leastText, leastKeys, mostKeys = 2, 16, 4, 17
	blocks, elsewhere := h.blocks(g, search)
	var columns []helpColumn
	for n := 3; n > 0; n-- {
		columns = make([]helpColumn, n)
		texts := make([]int, n) // the longest of each column
		room := w - gap*(n-1)
		for i := range blocks {
			k := min(blocks[i].column, n-1)
			for _, l := range blocks[i].lines {
				columns[k].keyW = min(mostKeys, max(leastKeys, columns[k].keyW, utf8.RuneCountInString(l.keys)+1))
				texts[k] = max(texts[k], utf8.RuneCountInString(l.text))
			}
		}
		for i := range columns {
			room -= columns[i].keyW
		}
		if n > 1 && room/n < leastText {
			continue
		}
		x := 0
		for i, textW := range share(room, texts) {
			c := &columns[i]
			c.x, c.w = x, c.keyW+textW
			x += c.w + gap
		}
		break
	}
	for i := range blocks {
		columns[min(blocks[i].column, len(columns)-1)].add(&blocks[i])
	}
	sheet := &helpSheet{columns: columns, width: w}
	if elsewhere != "" {
		sheet.elsewhere = canvas.Fold(elsewhere, max(1, w))
	}
	return sheet
}

// share divides cells among those who want some: who wants less than an equal
// share gets it and leaves the rest to the others; what nobody wants is divided.
func share(cells int, wants []int) []int {
	out := make([]int, len(wants))
	open := len(wants)
	for open > 0 {
		each, modest := cells/open, false
		for i, want := range wants {
			if out[i] == 0 && want <= each {
				out[i], modest = max(1, want), true
				cells -= out[i]
				open--
			}
		}
		if !modest {
			for i := range out {
				if out[i] == 0 {
					out[i] = max(1, cells/open)
				}
			}
			return out
		}
	}
	for i := range out {
		out[i] += max(0, cells/len(out))
	}
	return out
}

// add adds a block below the others.
func (c *helpColumn) add(b *helpBlock) {
	if len(c.rows) > 0 {
		c.rows = append(c.rows, helpRow{})
	}
	c.rows = append(c.rows, helpRow{head: b.head})
	for i := range b.lines {
		l := &b.lines[i]
		room := c.w - c.keyW
		if l.keys == "" {
			room = c.w
		}
		for k, text := range canvas.Fold(l.text, max(1, room)) {
			row := helpRow{line: l, text: text}
			if k > 0 { // goes on: without the key
				row.line = &helpLine{keys: " ", off: l.off, key: l.key}
			}
			c.rows = append(c.rows, row)
		}
	}
}

// height is the number of lines.
func (s *helpSheet) height() int {
	n := 0
	for i := range s.columns {
		n = max(n, len(s.columns[i].rows))
	}
	if len(s.elsewhere) > 0 {
		n += 1 + len(s.elsewhere)
	}
	return n
}

// draw draws the lines from top on.
func (s *helpSheet) draw(f pane.Frame, top int) {
	for i := range s.columns {
		c := &s.columns[i]
		for y, row := range c.rows {
			region := f.Sub(c.x, y-top, c.w, 1)
			switch {
			case row.head != "":
				region.Left(0, 0, c.w, row.head, themes.Strong.Bold())
			case row.line != nil:
				row.draw(region, c.keyW)
			}
		}
	}
	below := s.height() - len(s.elsewhere)
	for y, text := range s.elsewhere {
		f.Left(0, below+y-top, s.width, text, themes.Muted)
	}
	if s.height() == 0 {
		f.Left(0, 0, s.width, "no key does anything with these words", themes.Muted)
	}
}

func (r *helpRow) draw(region pane.Frame, keyW int) {
	l := r.line
	key, text := l.key, themes.Text
	if l.off {
		key, text = themes.Muted, themes.Muted
	}
	switch {
	case l.keys == "":
		keyW = 0
	case l.sign != 0 && r.text != "":
		region.Put(0, 0, l.sign, key)
	case l.keys == "…":
		region.Left(0, 0, keyW-1, region.Glyphs().Ellipsis, key)
	default:
		region.Left(0, 0, keyW-1, l.keys, key)
	}
	region.Rest(keyW, 0, r.text, text)
}
