package canvas

import (
	"unicode/utf8"

	"perfdeck/themes"
)

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
