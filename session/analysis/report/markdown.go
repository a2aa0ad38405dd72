package report

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"

	"perfdeck/session"
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

func plainMarkdown(s string) string { return quoteMarkdown.Replace(session.Printable(s)) }

// codeMarkdown is a text as code: longer fences than it holds.
func codeMarkdown(s string) string {
	s = strings.ReplaceAll(session.Printable(s), "|", `\|`)
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
	for i := range t {
		text := t[i].plain()
		switch t[i].look {
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

func (m *markdown) write(blocks []block) {
	for _, b := range blocks {
		b.asMarkdown(m)
	}
}

func (d *document) markdown() []byte {
	var m markdown
	m.p("# %s\n\n%s: %s.\n", d.headline, words(code(d.of)), d.span)
	for _, t := range d.opening {
		m.p("%s", t)
	}
	m.p("")
	m.write(d.blocks)
	m.p("%s", d.foot)
	return m.b.Bytes()
}

func (h heading) asMarkdown(m *markdown) { m.p(strings.Repeat("#", h.level)+" %s\n", h.text) }

func (g paragraph) asMarkdown(m *markdown) { m.p("%s\n", g.text) }

func (w warning) asMarkdown(m *markdown) { m.p("▲ %s\n", string(w)) }

// asMarkdown goes on with the list before it.
func (l list) asMarkdown(m *markdown) {
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

func (f facts) asMarkdown(m *markdown) {
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

func (t *table) asMarkdown(m *markdown) {
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

func (d disclosure) asMarkdown(m *markdown) {
	if d.lines != nil {
		m.p("%s:\n", d.summary)
		for _, line := range d.lines {
			m.p("- %s", line)
		}
		m.p("")
	}
}

func (s section) asMarkdown(m *markdown) {
	if s.title != "" {
		m.p("%s\n", s.title)
	}
	s.block.asMarkdown(m)
}

func (g group) asMarkdown(m *markdown) { m.write(g.blocks) }

func (x index) asMarkdown(m *markdown) {
	t := table{columns: columns("", "Host", "What", "When", "How long", "Worst")}
	for i := range x.items {
		one := &x.items[i]
		t.row(fmt.Sprintf("%s %d", sign(one.severity), one.number), one.host, one.text, one.begin+" to "+one.end, one.length, one.worst)
	}
	t.asMarkdown(m)
}

func (a article) asMarkdown(m *markdown) {
	if !a.isBrief {
		m.p("### %s %d %v, %s: %s\n", sign(a.severity), a.number, a.severity, a.host, a.text)
		m.write(a.blocks)
	}
}

func (contents) asMarkdown(*markdown) {}
func (graph) asMarkdown(*markdown)    {}
