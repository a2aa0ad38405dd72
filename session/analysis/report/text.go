package report

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"perfdeck/session/text"
	"perfdeck/session/text/printable"
	"perfdeck/themes"
)

// lines is a report as plain text while it is written.
type lines struct {
	b     bytes.Buffer
	cells int
	out   *text.Printer
}

// The widths of plain text.
const (
	usualCells = 100
	leastCells = 40
	factCells  = 9
)

// line writes one line, cut to the width where it cannot be wrapped.
func (l *lines) line(text string) {
	l.b.WriteString(strings.TrimRight(ansi.Truncate(printable.Text(text), l.cells, "…"), " ") + "\n")
}

// wrapped writes a text whose lines behind the first are indented.
func (l *lines) wrapped(first, rest, text string) {
	width := max(l.cells-ansi.StringWidth(first), leastCells/2)
	head := first
	for part := range strings.SplitSeq(ansi.Wrap(printable.Text(text), width, " "), "\n") {
		l.b.WriteString(strings.TrimRight(head+strings.TrimSpace(part), " ") + "\n")
		head = rest
	}
}

// title writes a heading with a rule.
func (l *lines) title(token themes.Token, text string) {
	text = printable.Text(text)
	rule := strings.Repeat("─", max(l.cells-ansi.StringWidth(text)-1, 0))
	l.b.WriteString("\n" + l.out.Mark(token, text) + " " + l.out.Mark(themes.Rule, rule) + "\n")
}

// TextOptions say where plain text goes to.
type TextOptions struct {
	Printer *text.Printer // whose width and colours it has
	ASCII   bool          // no other signs, names aside
}

// inASCII are the signs of plain text in ASCII, one for one.
var inASCII = strings.NewReplacer("■", "X", "▲", "!", "○", "o", "─", "-", "▀", "^", "↑", "+", "↓", "-", "…", "~", "“", "\"", "”", "\"", "\u202f", " ",
	"▁", "_", "▂", ".", "▃", "-", "▄", "=", "▅", "+", "▆", "*", "▇", "#")

// lines are those of a text that is begun.
func (o *TextOptions) lines() *lines {
	l := &lines{cells: usualCells, out: o.Printer}
	if cells := o.Printer.Cells(); cells != 0 {
		l.cells = max(cells, leastCells)
	}
	return l
}

// written is what was gathered.
func (o *TextOptions) written(l *lines) []byte {
	if o.ASCII {
		return []byte(inASCII.Replace(l.b.String()))
	}
	return l.b.Bytes()
}

// text is what a terminal shows.
func (d *document) text(o TextOptions) []byte {
	l := o.lines()
	l.wrapped("", "", d.of+": "+d.span)
	l.b.WriteByte('\n')
	l.wrapped("", "", d.headline)
	for _, t := range d.opening {
		l.wrapped("", "", t.String())
	}
	l.write(d.blocks...)
	return o.written(l)
}

func (l *lines) write(blocks ...block) {
	for _, b := range blocks {
		switch b := b.(type) {
		case heading:
			l.title(themes.Strong, b.text.String())
		case paragraph:
			indent := ""
			if b.look == aside {
				indent = "  "
			}
			l.wrapped(indent, indent, b.text.String())
		case warning:
			l.wrapped("▲ ", "  ", string(b))
		case list:
			l.items(b)
		case facts:
			l.facts(b)
		case *table:
			l.table(b)
		case disclosure:
			l.disclosure(b)
		case section:
			l.b.WriteByte('\n')
			if b.title != "" {
				l.line(b.title)
			}
			l.write(b.block)
		case group:
			l.write(b.blocks...)
		case index:
			l.index(b)
		case article:
			l.title(text.Severity(b.severity.String()), fmt.Sprintf("%s %d %v %s", sign(b.severity), b.number, b.severity, b.host))
			l.wrapped("", "", b.text)
			l.write(b.blocks...)
		case strokes:
			b(l)
		}
	}
}

func (l *lines) items(i list) {
	items := each(i.items, Text.String)
	if i.isOrdered {
		l.b.WriteString(l.out.List(items, l.cells))
		return
	}
	for _, item := range items {
		l.wrapped(i.mark, "  ", item)
	}
}

func (l *lines) facts(f facts) {
	for _, one := range append(slices.Clip(f.facts), Fact{"Why", words(f.why)}) {
		if text := one.Text.String(); text != "" {
			l.wrapped(fmt.Sprintf("%-*s", factCells, one.Name), strings.Repeat(" ", factCells), text)
		}
	}
}

// table has names at the left, numbers at the right.
func (l *lines) table(t *table) {
	rows := t.plain()
	out := text.Table{Indent: 2, Trim: true, Measure: ansi.StringWidth, Most: l.cells}
	for i, head := range rows[0] {
		out.Columns = append(out.Columns, text.Column{Head: head, IsRight: i > 0})
	}
	out.Columns[0].Most = l.cells / 2
	for _, row := range rows[1:] {
		out.Row(row...)
	}
	_ = out.Print(l.out.To(&l.b)) // a buffer takes all
	if t.note != "" {
		l.wrapped("  ", "  ", t.note)
	}
}

// disclosure writes more than one line: one alone says little of what is behind it.
func (l *lines) disclosure(d disclosure) {
	if len(d.lines) < 2 {
		return
	}
	l.b.WriteString("\n" + d.summary + "\n")
	for _, line := range d.lines {
		l.wrapped("  ", "    ", line)
	}
}

func (l *lines) index(x index) {
	if len(x.items) > 0 {
		l.b.WriteByte('\n')
	}
	for _, one := range x.items {
		right := fmt.Sprintf("%s to %s  %*s", one.begin, one.end, 10, one.worst)
		left := fmt.Sprintf("%s %2d %s: %s", sign(one.severity), one.number, one.host, one.text)
		room := l.cells - ansi.StringWidth(right) - 2
		left = ansi.Truncate(printable.Text(left), max(room, 20), "…")
		l.line(left + strings.Repeat(" ", max(room-ansi.StringWidth(left), 0)) + "  " + right)
	}
}
