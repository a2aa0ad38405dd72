package report

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"

	"perfdeck/session/text/printable"
)

// markdown is a document as Markdown while it is written: a blank line between its blocks.
type markdown struct {
	b    bytes.Buffer
	list int // where the newest list ends
}

// quoteMarkdown keeps a foreign text from being markup.
var quoteMarkdown = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", `*`, `\*`, `_`, `\_`, `[`, `\[`, `]`, `\]`, `<`, `&lt;`, `>`, `&gt;`, `&`, `&amp;`, `|`, `\|`, `#`, `\#`, `!`, `\!`, `~`, `\~`,
)

func plainMarkdown(s string) string { return quoteMarkdown.Replace(printable.Text(s)) }

// codeMarkdown is a text as code: longer fences than it holds.
func codeMarkdown(s string) string {
	s = strings.ReplaceAll(printable.Text(s), "|", `\|`)
	fence := "`"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	return fence + s + fence
}

func (t Text) markdown() string {
	var b strings.Builder
	for _, r := range t {
		text := r.plain()
		switch r.look {
		case bold:
			text = "**" + plainMarkdown(text) + "**"
		case codeLook:
			text = codeMarkdown(text)
		default:
			text = plainMarkdown(text)
		}
		b.WriteString(text)
	}
	return b.String()
}

// p writes a line; texts are quoted.
func (m *markdown) p(format string, args ...any) {
	for i, a := range args {
		switch a := a.(type) {
		case string:
			args[i] = plainMarkdown(a)
		case Text:
			args[i] = a.markdown()
		}
	}
	fmt.Fprintf(&m.b, format+"\n", args...)
}

func (d *document) markdown() []byte {
	var m markdown
	m.p("# %s\n\n%s: %s.\n", d.headline, words(code(d.of)), d.span)
	for _, t := range d.opening {
		m.p("%s", t)
	}
	m.p("")
	m.write(d.blocks...)
	m.p("%s", d.foot)
	return m.b.Bytes()
}

func (m *markdown) write(blocks ...block) {
	for _, b := range blocks {
		switch b := b.(type) {
		case heading:
			m.p(strings.Repeat("#", b.level)+" %s\n", b.text)
		case paragraph:
			m.p("%s\n", b.text)
		case warning:
			m.p("▲ %s\n", string(b))
		case list:
			m.items(b)
		case facts:
			m.facts(b)
		case *table:
			m.table(b)
		case disclosure:
			if len(b.lines) > 0 {
				m.p("%s:\n", b.summary)
				for _, line := range b.lines {
					m.p("- %s", line)
				}
				m.p("")
			}
		case section:
			if b.title != "" {
				m.p("%s\n", b.title)
			}
			m.write(b.block)
		case group:
			m.write(b.blocks...)
		case index:
			m.index(b)
		case article:
			m.p("### %s %d %v, %s: %s\n", sign(b.severity), b.number, b.severity, b.host, b.text)
			m.write(b.blocks...)
		}
	}
}

// items goes on with the list before it.
func (m *markdown) items(l list) {
	if len(l.items) == 0 {
		return
	}
	if m.b.Len() == m.list {
		m.b.Truncate(m.list - 1)
	}
	for i, t := range l.items {
		if l.isOrdered {
			m.p("%d. %s", i+1, t)
		} else {
			m.p("- %s", t)
		}
	}
	m.p("")
	m.list = m.b.Len()
}

func (m *markdown) facts(f facts) {
	for _, one := range f.facts {
		m.p("- %s: %s", one.Name, one.Text)
	}
	if f.path != "" {
		m.p("- Counter: %s", words(code(f.path)))
	}
	if m.p(""); f.why != "" {
		m.p("> %s\n", f.why)
	}
}

func (m *markdown) table(t *table) {
	if len(t.rows) == 0 {
		return
	}
	for y, row := range t.plain() {
		for _, c := range row {
			m.b.WriteString("| " + cmp.Or(plainMarkdown(c), " ") + " ")
		}
		if m.p("|"); y == 0 {
			m.p("|---%s|", markup(strings.Repeat("|---:", len(row)-1)))
		}
	}
	if m.p(""); t.note != "" {
		m.p("%s\n", t.note)
	}
}

func (m *markdown) index(x index) {
	t := table{columns: columns("", "Host", "What", "When", "How long", "Worst")}
	for _, one := range x.items {
		t.row(fmt.Sprintf("%s %d", sign(one.severity), one.number), one.host, one.text, one.begin+" to "+one.end, one.length, one.worst)
	}
	m.table(&t)
}
