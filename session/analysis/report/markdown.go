package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"perfdeck/session"
)

// markdown is a report as Markdown while it is written.
type markdown struct{ b bytes.Buffer }

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
	for _, r := range t {
		switch r.Kind {
		case Strong:
			b.WriteString("**" + plainMarkdown(r.Text) + "**")
		case Code:
			b.WriteString(codeMarkdown(r.Text))
		case Plain, Ref:
			b.WriteString(plainMarkdown(r.Text))
		}
	}
	return b.String()
}

func (m *markdown) p(format string, args ...any) { fmt.Fprintf(&m.b, format+"\n", args...) }

// table writes one; its cells are plain.
func (m *markdown) table(head []string, rows [][]string) {
	if len(rows) == 0 {
		return
	}
	line := func(cells []string) {
		m.b.WriteByte('|')
		for _, c := range cells {
			if c = plainMarkdown(c); c == "" {
				c = " "
			}
			m.b.WriteString(" " + strings.ReplaceAll(c, "\n", " ") + " |")
		}
		m.b.WriteByte('\n')
	}
	m.b.WriteByte('\n')
	line(head)
	for i := range head {
		m.b.WriteString(map[bool]string{true: "|---", false: "|---:"}[i == 0])
	}
	m.b.WriteString("|\n")
	for _, row := range rows {
		line(row)
	}
	m.b.WriteByte('\n')
}

// WriteMarkdown writes it as Markdown.
func (r *Report) WriteMarkdown(w io.Writer) error {
	var m markdown
	m.p("# %s\n", plainMarkdown(r.Headline()))
	m.p("%s: %s to %s, %s.\n", codeMarkdown(r.Title), r.clock.whole(r.Begin), r.clock.whole(r.End), plainMarkdown(zoneText(r.Begin)))
	if len(r.Lead) == 0 {
		m.p("%s\n", r.quietWords().markdown())
	}
	for i, t := range r.Lead {
		end := ""
		if i == len(r.Lead)-1 {
			end = "\n"
		}
		m.p("%s%s", t.markdown(), end)
	}
	for _, s := range r.Missing {
		m.p("▲ %s.\n", plainMarkdown(capital(s)))
	}
	m.verdicts(r)
	m.measures(r)
	c := &r.Changes
	m.p("## What changed\n\n%s", plainMarkdown(c.intro(r)))
	t := c.table(r)
	t.Head[0] = "Counter"
	m.table(t.Head, t.Rows)
	for _, line := range c.lines() {
		m.p("%s\n", plainMarkdown(line))
	}
	m.counters(r)
	m.recorded(r)
	m.p("\n## Method\n\n%s\n", plainMarkdown(r.Rules.words()))
	if len(r.Rules.Quiet) > 0 {
		m.p("- Quiet: %s.", plainMarkdown(listed(r.Rules.Quiet, mostQuiet)))
	}
	for _, why := range r.Rules.lacking() {
		m.p("- Not judged, %s.", plainMarkdown(why))
	}
	for _, line := range method {
		m.p("- %s", plainMarkdown(line))
	}
	m.p("\nperfdeck %s, %s", plainMarkdown(r.Version), codeMarkdown(r.Command))
	_, err := w.Write(m.b.Bytes())
	return err
}

func (m *markdown) verdicts(r *Report) {
	if len(r.Verdicts) == 0 {
		return
	}
	m.p("## Verdicts")
	var rows [][]string
	for i := range r.Verdicts {
		v := &r.Verdicts[i]
		rows = append(rows, []string{fmt.Sprintf("%s %d", sign(v.Severity), v.Number), v.Host, v.Sentence, r.clock.minute(v.Begin) + " to " + r.until(v), span(v.End.Sub(v.Begin)), v.Worst})
	}
	m.table([]string{"", "Host", "What", "When", "How long", "Worst"}, rows)
	for i := range r.Verdicts[:min(len(r.Verdicts), mostWhole)] {
		m.verdict(&r.Verdicts[i])
	}
}

func (m *markdown) verdict(v *Verdict) {
	m.p("### %s %d %s, %s: %s\n", sign(v.Severity), v.Number, v.Severity, plainMarkdown(v.Host), plainMarkdown(v.Sentence))
	for _, f := range v.Facts {
		m.p("- %s: %s", plainMarkdown(f.Name), f.Text.markdown())
	}
	if v.Chart != nil {
		m.p("- Counter: %s", codeMarkdown(v.Chart.Path))
	}
	if v.Why != "" {
		m.p("\n> %s", plainMarkdown(v.Why))
	}
	if t := v.Instances; t != nil {
		m.p("\n%s", plainMarkdown(t.Title))
		m.table(t.Head, t.Rows)
		if t.Note != "" {
			m.p("%s\n", plainMarkdown(t.Note))
		}
	}
	switch {
	case v.Moved.Why != "":
		m.p("\n%s\n", plainMarkdown(v.Moved.Why))
	case len(v.Moved.Rows) == 0:
		m.p("\nNothing else moved.\n")
	default:
		t := v.Moved.table(v)
		m.p("\n%s", plainMarkdown(t.Title))
		t.Head[0] = "Counter"
		m.table(t.Head, t.Rows)
		m.p("%s\n", plainMarkdown(t.Note))
	}
	m.p("What to check next:\n")
	for i, t := range v.Next {
		m.p("%d. %s", i+1, t.markdown())
	}
	m.p("\nHow the number was made:\n")
	for _, line := range v.Fold.lines() {
		m.p("- %s", plainMarkdown(line))
	}
	m.p("")
}

func (m *markdown) measures(r *Report) {
	if len(r.Measures) == 0 {
		return
	}
	head := []string{"Average, maximum"}
	hosts := r.firstHosts(mostSide)
	for _, h := range hosts {
		head = append(head, r.Hosts[h].Name)
	}
	var rows [][]string
	for i := range r.Measures {
		one := &r.Measures[i]
		row := []string{one.Title + ", " + one.Scale.Unit.Label}
		for _, h := range hosts {
			if of := &one.Hosts[h]; of.Has {
				row = append(row, one.Scale.Number(of.Average)+", "+one.Scale.Number(of.Max))
			} else {
				row = append(row, "none")
			}
		}
		rows = append(rows, row)
	}
	m.p("## %s", r.sideTitle())
	m.table(head, rows)
}

func (m *markdown) counters(r *Report) {
	m.p("## %s", plainMarkdown(r.countersTitle()))
	left := mostRowsHTML
	for i := range r.Hosts {
		h := &r.Hosts[i]
		m.p("\n### %s", plainMarkdown(strings.TrimSuffix(h.Name+", "+h.Facts, ", ")))
		var rows [][]string
		for k := range h.Counters[:min(len(h.Counters), left)] {
			c := &h.Counters[k]
			name := c.String()
			if c.Word != "" {
				rows = append(rows, []string{name, "", c.Word, "", "", "", "", "0"})
				continue
			}
			p95 := c.Scale.Number(c.P95)
			if c.isFew() {
				p95 = ""
			}
			rows = append(rows, []string{name, c.unit(), c.Scale.Number(c.Min), c.Scale.Number(c.Average), p95, c.Scale.Number(c.Max), r.clock.second(c.MaxAt), grouped(c.Count)})
		}
		m.table([]string{"Counter", "Unit", "min", h.averageHead(), "p95", "max", "max at", "samples"}, rows)
		if n := len(h.Counters) - len(rows); n > 0 {
			m.p("%s more are not listed.\n", grouped(int64(n)))
		}
		left -= len(rows)
	}
}

func (m *markdown) recorded(r *Report) {
	m.p("## What was recorded, and what is missing")
	var rows [][]string
	for i := range r.Hosts {
		h := &r.Hosts[i]
		rows = append(rows, []string{h.Name, h.Facts, h.every(), grouped(int64(len(h.Counters))), grouped(h.Values), h.complete()})
	}
	m.table([]string{"Host", "What it is", "every", "counters", "values", "complete"}, rows)
	for i, gap := range r.Gaps {
		if i == mostGapsTold {
			break
		}
		m.p("- No data of %s, %s, %s: %s", plainMarkdown(gap.hostWord()), gap.when(r.clock), span(gap.To.Sub(gap.From)), plainMarkdown(gap.words()))
	}
	for i, n := range r.Notes {
		if i == mostNotesTold {
			break
		}
		m.p("- Note, %s: %s", r.clock.second(n.Time), plainMarkdown(noteWords(&n)))
	}
	for _, t := range r.Clocks {
		m.p("- %s", t.markdown())
	}
}
