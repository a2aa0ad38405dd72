package report

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"perfdeck/session"
	"perfdeck/session/text"
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
func (l *lines) line(format string, args ...any) {
	l.b.WriteString(strings.TrimRight(ansi.Truncate(session.Printable(fmt.Sprintf(format, args...)), l.cells, "…"), " ") + "\n")
}

// wrapped writes a text whose lines behind the first are indented.
func (l *lines) wrapped(first, rest, text string) {
	width := max(l.cells-ansi.StringWidth(first), leastCells/2)
	head := first
	for part := range strings.SplitSeq(ansi.Wrap(session.Printable(text), width, " "), "\n") {
		l.b.WriteString(strings.TrimRight(head+strings.TrimSpace(part), " ") + "\n")
		head = rest
	}
}

// title writes a heading with a rule.
func (l *lines) title(token themes.Token, text string) {
	text = session.Printable(text)
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

// write writes what was gathered.
func (o *TextOptions) write(w io.Writer, l *lines) error {
	all := l.b.String()
	if o.ASCII {
		all = inASCII.Replace(all)
	}
	_, err := io.WriteString(w, all)
	return err
}

// WriteText writes what a terminal shows.
func (r *Report) WriteText(w io.Writer, o TextOptions) error {
	l := o.lines()
	l.wrapped("", "", fmt.Sprintf("%s: %s to %s, %s", r.Title, r.clock.whole(r.Begin), r.clock.whole(r.End), zoneText(r.Begin)))
	l.b.WriteByte('\n')
	l.wrapped("", "", r.Headline())
	if len(r.Verdicts) == 0 {
		l.wrapped("", "", r.quietWords().String())
	}
	for _, m := range r.Missing {
		l.wrapped("▲ ", "  ", capital(m)+".")
	}
	if len(r.Verdicts) > 0 {
		l.b.WriteByte('\n')
		l.summary(r)
	}
	for i := range r.Verdicts[:min(len(r.Verdicts), mostWhole)] {
		l.verdict(r, &r.Verdicts[i])
	}
	l.glance(r)
	l.changed(r)
	l.recorded(r)
	return o.write(w, l)
}

func (l *lines) summary(r *Report) {
	for i := range r.Verdicts {
		v := &r.Verdicts[i]
		right := fmt.Sprintf("%s to %s  %*s", r.clock.minute(v.Begin), r.until(v), 10, v.Worst)
		left := fmt.Sprintf("%s %2d %s: %s", sign(v.Severity), v.Number, v.Host, v.Sentence)
		room := l.cells - ansi.StringWidth(right) - 2
		left = ansi.Truncate(session.Printable(left), max(room, 20), "…")
		l.line("%s%s  %s", left, strings.Repeat(" ", max(room-ansi.StringWidth(left), 0)), right)
	}
}

func (l *lines) verdict(r *Report, v *Verdict) {
	l.title(text.Severity(v.Severity.String()), fmt.Sprintf("%s %d %s %s", sign(v.Severity), v.Number, v.Severity, v.Host))
	l.wrapped("", "", v.Sentence)
	blank := strings.Repeat(" ", factCells)
	for _, f := range v.Facts {
		l.wrapped(fmt.Sprintf("%-*s", factCells, f.Name), blank, f.Text.String())
	}
	if v.Why != "" {
		l.wrapped(fmt.Sprintf("%-*s", factCells, "Why"), blank, v.Why)
	}
	if c := v.Chart; c != nil {
		l.course(r, c)
	}
	if t := v.Instances; t != nil {
		l.b.WriteByte('\n')
		l.table(t)
	}
	l.moved(v)
	if len(v.Next) > 0 {
		l.b.WriteString("\nLook at\n")
		items := make([]string, len(v.Next))
		for i, t := range v.Next {
			items[i] = t.String()
		}
		l.b.WriteString(l.out.List(items, l.cells))
	}
	if len(v.Fold.Worked) > 0 {
		l.b.WriteString("\nHow the number was made\n")
		for _, line := range v.Fold.lines() {
			l.wrapped("  ", "    ", line)
		}
	}
}

// blocks are the heights of a course.
var blocks = []rune("▁▂▃▄▅▆▇")

// course draws values as one line of blocks, and where the verdict is in it.
func (l *lines) course(r *Report, c *Chart) {
	n := min(l.cells-factCells, 80)
	parts := buckets(c.Points, c.From, c.To, max(min(n, len(c.Points)*4/5), 1))
	medians := make([]float64, len(parts))
	for i := range parts {
		medians[i] = parts[i].Value
	}
	a, b := int(place(c.Begin, c.From, c.To)*float64(n)), int(math.Ceil(place(c.End, c.From, c.To)*float64(n)))
	blank := strings.Repeat(" ", factCells)
	l.b.WriteByte('\n')
	l.line("%s%s", blank, blockLine(medians, n, c.Top))
	l.line("%s%s", blank, strings.Repeat(" ", min(a, n-1))+strings.Repeat("▀", max(min(b, n)-min(a, n-1), 1)))
	left, right := r.clock.second(c.From), r.clock.second(c.To)
	middle := "to " + c.Scale.limit(c.Top)
	if c.LimitText != "" {
		middle += ", " + c.LimitText
	}
	gap := n - ansi.StringWidth(left+right+middle)
	l.line("%s%s%s%s%s%s", blank, left, strings.Repeat(" ", max(gap/2, 1)), middle, strings.Repeat(" ", max(gap-gap/2, 1)), right)
}

// table writes one: names at the left, numbers at the right.
func (l *lines) table(t *Table) {
	l.line("%s", t.Title)
	table := text.Table{Indent: 2, Trim: true, Measure: ansi.StringWidth, Most: l.cells}
	for i, head := range t.Head {
		column := text.Column{Head: head, IsRight: i > 0}
		if i == 0 {
			column.Most = l.cells / 2
		}
		table.Columns = append(table.Columns, column)
	}
	for _, row := range t.Rows {
		table.Row(row...)
	}
	_ = table.Print(l.out.To(&l.b)) // a buffer takes all
	if t.Note != "" {
		l.wrapped("  ", "  ", t.Note)
	}
}

func (l *lines) moved(v *Verdict) {
	m := &v.Moved
	l.b.WriteByte('\n')
	switch {
	case m.Why != "":
		l.wrapped("What else moved: ", "  ", m.Why)
		return
	case len(m.Rows) == 0:
		l.wrapped("", "", "Nothing else moved.")
		return
	}
	t := m.table(v)
	l.table(&t)
}

func (m *Moved) title(v *Verdict) string {
	if m.IsOtherHosts {
		return "What moved on the other hosts"
	}
	return "What else moved on " + v.Host
}

// table is what moved as a table.
func (m *Moved) table(v *Verdict) Table {
	t := Table{Title: m.title(v), Head: []string{"", "before", "then", ""}, Note: m.words()}
	for i := range m.Rows {
		row := &m.Rows[i]
		before, arrow := row.went()
		t.Rows = append(t.Rows, []string{strings.TrimSpace(row.Host + " " + row.String()), before, row.Scale.With(row.Then), arrow})
	}
	return t
}

// glance is the measures of the hosts.
func (l *lines) glance(r *Report) {
	if len(r.Measures) == 0 {
		return
	}
	l.title(themes.Strong, r.sideTitle())
	name := 4
	for i := range r.Hosts {
		name = max(name, min(ansi.StringWidth(session.Printable(r.Hosts[i].Name)), 16))
	}
	const numbers = 22
	n := min(max(l.cells-name-numbers-4, 10), 60)
	for i := range r.Measures {
		m := &r.Measures[i]
		l.line("%s, %s", m.Title, m.scaleWords())
		for h := range m.Hosts {
			of := &m.Hosts[h]
			if h == mostAxisHosts {
				l.line("  %d more hosts", len(m.Hosts)-h)
				break
			}
			label := ansi.Truncate(session.Printable(r.Hosts[h].Name), name, "…")
			label += strings.Repeat(" ", name-ansi.StringWidth(label))
			if !of.Has {
				l.line("  %s none", label)
				continue
			}
			l.line("  %s %s avg %7s  max %s", label, blockLine(of.Mean, n, m.Top), m.Scale.Number(of.Average), m.Scale.With(of.Max))
		}
	}
}

// blockLine draws a course in n cells.
func blockLine(v []float64, n int, top float64) string {
	line := make([]rune, n)
	for i := range line {
		var p mean
		for k := i * len(v) / n; k < max((i+1)*len(v)/n, i*len(v)/n+1) && k < len(v); k++ {
			if v[k] == v[k] {
				p.add(v[k])
			}
		}
		line[i] = ' '
		if p.n > 0 && top > 0 {
			line[i] = blocks[min(max(int(p.value()/top*float64(len(blocks))), 0), len(blocks)-1)]
		}
	}
	return string(line)
}

func (l *lines) changed(r *Report) {
	c := &r.Changes
	l.title(themes.Strong, "What changed")
	l.wrapped("", "", c.intro(r))
	if len(c.Rows) > 0 {
		t := c.table(r)
		l.table(&t)
	}
	for _, line := range c.lines() {
		l.wrapped("  ", "  ", line)
	}
}

// table is what changed as a table.
func (c *Changes) table(r *Report) Table {
	t := Table{Title: "", Head: []string{"", "change", "before", "at the end"}}
	for i := range c.Rows {
		row := &c.Rows[i]
		name := row.String()
		if len(r.Hosts) > 1 {
			name = row.Host + " " + name
		}
		t.Rows = append(t.Rows, []string{name, row.Words, row.Scale.Number(row.Before), row.Scale.With(row.Now)})
	}
	return t
}

func (l *lines) recorded(r *Report) {
	l.title(themes.Strong, "Recorded")
	for i := range r.Hosts {
		h := &r.Hosts[i]
		text := fmt.Sprintf("%s: %s, every %s, %s complete", h.Name, plural(int64(len(h.Counters)), "counter", "counters"), h.every(), h.complete())
		if h.Facts != "" {
			text += "; " + h.Facts
		}
		l.wrapped("", "  ", text)
	}
	for i, gap := range r.Gaps {
		if i == mostGapsTold {
			l.line("%d more gaps", len(r.Gaps)-i)
			break
		}
		l.wrapped("~ ", "  ", fmt.Sprintf("%s %s, %s: %s", gap.hostWord(), gap.when(r.clock), span(gap.To.Sub(gap.From)), gap.words()))
	}
	for i, n := range r.Notes {
		if i == mostNotesTold {
			break
		}
		l.wrapped("note ", "  ", r.clock.second(n.Time)+" "+noteWords(&n))
	}
	for _, t := range r.Clocks {
		l.wrapped("", "  ", t.String())
	}
	l.wrapped("", "", r.Rules.words()+" -o night.html has all counters and pictures.")
}
