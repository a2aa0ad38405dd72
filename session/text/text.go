// Package text prints for people: tables, lists and lines of foreign text, which is made
// printable before it is measured and coloured. On a terminal it has the colours of a theme
// and the terminal's width; what goes elsewhere has neither.
package text

import (
	"io"
	"os"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
	"charm.land/lipgloss/v2/list"
	"github.com/charmbracelet/x/ansi"

	"perfdeck/session/text/printable"
	"perfdeck/themes"
)

// Printer prints for people.
type Printer struct {
	io.Writer
	style func(themes.Token) lipgloss.Style // nil: no terminal
	cells int
}

// Options say what a terminal shows.
type Options struct {
	Theme   *themes.Theme // nil: no colours
	Profile themes.Profile
	IsDark  bool
	IsOwn   bool // plain text has the terminal's own colour: its background is not known
	Cells   int  // its width; 0: unknown, nothing is folded
}

// Plain prints to what is no terminal.
func Plain(out io.Writer) *Printer { return &Printer{Writer: out} }

// Styled prints to a terminal.
func Styled(out io.Writer, o Options) *Printer {
	if file, ok := out.(*os.File); ok {
		lipgloss.EnableLegacyWindowsANSI(file)
	}
	return &Printer{Writer: out, cells: o.Cells, style: func(t themes.Token) lipgloss.Style {
		if o.Theme == nil {
			return lipgloss.NewStyle()
		}
		style := o.Theme.Print(t, o.Profile, o.IsDark)
		if o.IsOwn && (t == themes.Text || t == themes.Strong) {
			return style.UnsetForeground().Bold(t == themes.Strong)
		}
		return style
	}}
}

// To is the same look on another writer, as a buffer before the terminal.
func (p *Printer) To(out io.Writer) *Printer {
	q := *p
	q.Writer = out
	return &q
}

// Cells is the width of the terminal, 0 where it is none or is not known.
func (p *Printer) Cells() int { return p.cells }

// Mark is a text as it is printed with the meaning of a token.
func (p *Printer) Mark(token themes.Token, text string) string {
	text = printable.Text(text)
	if p.style == nil || text == "" {
		return text
	}
	return p.style(token).Render(text)
}

// List is a text of items, each behind a dash and folded at a width in cells.
func (p *Printer) List(items []string, cells int) string {
	shown := make([]any, len(items))
	for i, item := range items {
		parts := strings.Split(ansi.Wrap(printable.Text(item), max(cells-len("  - "), leastFold), " "), "\n")
		for k := range parts {
			parts[k] = strings.TrimSpace(parts[k])
		}
		shown[i] = strings.Join(parts, "\n")
	}
	l := list.New(shown...).Enumerator(func(list.Items, int) string { return "  - " })
	l.EnumeratorStyle(lipgloss.NewStyle()).ItemStyle(lipgloss.NewStyle())
	if p.style != nil {
		l.EnumeratorStyle(p.style(themes.Accent))
	}
	return trimmed(l.String()) + "\n"
}

// Prose is a text of ours whose paragraphs are folded anew between words where a line is wider
// than the terminal. Lines that are indented stay.
func (p *Printer) Prose(s string) string {
	if p.cells == 0 || ansi.StringWidth(widestLine(s)) <= p.cells {
		return s
	}
	var out []string
	isOpen := false
	for line := range strings.SplitSeq(s, "\n") {
		if line == "" || line[0] == ' ' {
			out, isOpen = append(out, line), false
			continue
		}
		for word := range strings.FieldsSeq(line) {
			last := len(out) - 1
			if isOpen && ansi.StringWidth(out[last])+1+ansi.StringWidth(word) <= p.cells {
				out[last] += " " + word
				continue
			}
			out, isOpen = append(out, word), true
		}
	}
	return strings.Join(out, "\n")
}

func widestLine(s string) string {
	return slices.MaxFunc(strings.Split(s, "\n"), func(a, b string) int { return ansi.StringWidth(a) - ansi.StringWidth(b) })
}

// leastFold is the narrowest column that text is folded in.
const leastFold = 20

// trimmed drops the blanks at the ends of lines.
func trimmed(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " ")
	}
	return strings.Join(lines, "\n")
}

// Severity is the token of a severity's word.
func Severity(word string) themes.Token {
	switch word {
	case "critical":
		return themes.Critical
	case "warning":
		return themes.Warning
	case "careful":
		return themes.Careful
	}
	return themes.Text
}
