package explain

import (
	"strings"

	"perfdeck/session"
	"perfdeck/session/text/english"
	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/kit/graph"
	"perfdeck/tui/layout"
	"perfdeck/tui/pane"
)

// labelW is the width of the labels.
const labelW = 11

// titleRoom is what the title needs beside the path.
const titleRoom = 14

// page is the lines of the explanation, folded to w cells behind the sign
// column, so that nothing is cut at any width.
type page struct {
	w     int
	lines []line
}

// line is one line: a muted label, then parts one after the other, or a
// sparkline.
type line struct {
	label   string
	indent  int  // cells before the parts, beside those of the label
	flush   bool // parts begin where labels do
	surface bool
	parts   []textPart

	spark  session.Series
	sparkW int
	top    float32 // what the highest level of the spark stands for
}

// textPart is a text in one style.
type textPart struct {
	text  string
	style themes.Style
}

func (p *page) blank() {
	if n := len(p.lines); n > 0 && (p.lines[n-1].label != "" || len(p.lines[n-1].parts) > 0) {
		p.lines = append(p.lines, line{})
	}
}

// add adds a labelled text; a muted remark follows it on the same line if there
// is room.
func (p *page) add(label, text string, remark ...string) {
	p.fold(label, text, themes.Text)
	for _, r := range remark {
		last := &p.lines[len(p.lines)-1]
		if n := last.cells() + 3 + canvas.Full.TextWidth(r); n <= p.w {
			last.parts = append(last.parts, textPart{"   " + r, themes.Muted})
			continue
		}
		p.fold("", r, themes.Muted)
	}
}

// cells is how wide a line is.
func (l *line) cells() int {
	n := l.indent
	if !l.flush {
		n += labelW
	}
	for _, part := range l.parts {
		n += canvas.Full.TextWidth(part.text)
	}
	return n
}

// fold adds a labelled text over as many lines as it takes.
func (p *page) fold(label, text string, style themes.Style) {
	for _, t := range canvas.Fold(text, p.w-labelW) {
		p.lines = append(p.lines, line{label: label, parts: []textPart{{t, style}}})
		label = ""
	}
}

// strong adds the headline: the first part stands out.
func (p *page) strong(parts ...string) {
	l := line{flush: true}
	for i, text := range parts {
		one := textPart{"   " + text, themes.Text}
		if i == 0 {
			one = textPart{text, themes.Strong.Bold()}
		}
		if l.cells()+canvas.Full.TextWidth(one.text) > p.w && len(l.parts) > 0 {
			p.lines = append(p.lines, l)
			l = line{flush: true}
			one.text = strings.TrimSpace(one.text)
		}
		l.parts = append(l.parts, one)
	}
	p.lines = append(p.lines, l)
}

// text adds a text without a label, muted.
func (p *page) text(text string) {
	if text == "" {
		return
	}
	for _, t := range canvas.Fold(text, p.w) {
		p.lines = append(p.lines, line{flush: true, parts: []textPart{{t, themes.Muted}}})
	}
}

// worked adds arithmetic: its numbers are grouped, and not broken inside.
func (p *page) worked(label, text string) {
	const joint = "_" // stands for the blank inside a number while lines are folded
	grouped := groupNumbers(text, joint)
	for _, t := range canvas.Fold(grouped, p.w-labelW) {
		p.lines = append(p.lines, line{label: label, parts: []textPart{{text: strings.ReplaceAll(t, joint, " ")}}})
		label = ""
	}
}

// groupNumbers groups the digits of whole numbers of more than four.
func groupNumbers(text, joint string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		n := 0
		for i+n < len(text) && text[i+n] >= '0' && text[i+n] <= '9' {
			n++
		}
		switch {
		case n == 0:
			b.WriteByte(text[i])
			i++
		case n < 5 || i > 0 && (text[i-1] == '.' || text[i-1] == '^' || isLetter(text[i-1])):
			b.WriteString(text[i : i+n])
			i += n
		default:
			b.WriteString(english.GroupDigits(text[i:i+n], joint))
			i += n
		}
	}
	return b.String()
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// table adds the table of the samples: head, then a row for each number. Where
// it is too wide each number gets lines of its own.
func (p *page) table(rows [][4]string) {
	var widths [4]int
	for _, r := range rows {
		for c, text := range r {
			widths[c] = max(widths[c], canvas.Full.TextWidth(text))
		}
	}
	total := widths[0]
	for _, w := range widths[1:] {
		total += w + tableGap
	}
	if total > p.w {
		p.stacked(rows)
		return
	}
	gap := min(tableMost, tableGap+(p.w-total)/3)
	for i, r := range rows {
		l := line{flush: true, surface: i == 0}
		text := r[0] + strings.Repeat(" ", widths[0]-canvas.Full.TextWidth(r[0]))
		if i == 0 {
			l.parts = append(l.parts, textPart{text, themes.Muted})
		} else {
			l.parts = append(l.parts, textPart{text[:1], themes.Accent.Bold()}, textPart{text: text[1:]})
		}
		for c := 1; c < 4; c++ {
			pad := strings.Repeat(" ", gap+widths[c]-canvas.Full.TextWidth(r[c]))
			style := themes.Text
			switch {
			case i == 0, c == 3 && (r[c] == "" || r[c][0] == 'c'): // "constant" is a remark
				style = themes.Muted
			case c == 3:
				style = themes.Strong.Bold()
			}
			l.parts = append(l.parts, textPart{pad + r[c], style})
		}
		p.lines = append(p.lines, l)
	}
}

const (
	tableGap  = 2 // cells between columns at least
	tableMost = 10
)

// stacked is the table as lines: each number with older, newer, difference.
func (p *page) stacked(rows [][4]string) {
	heads := [4]string{"", "older", "newer", "difference"}
	width := 0
	for _, r := range rows[1:] {
		for c := 1; c < 4; c++ {
			width = max(width, len(r[c]))
		}
	}
	width = min(width, max(1, p.w-labelW))
	for i, r := range rows {
		if i == 0 {
			p.lines = append(p.lines, line{flush: true, surface: true, parts: []textPart{{"samples", themes.Muted}}})
		} else {
			p.lines = append(p.lines, line{flush: true, parts: []textPart{{r[0][:1], themes.Accent.Bold()}, {text: r[0][1:]}}})
		}
		for c := 1; c < 4; c++ {
			if r[c] == "" || i == 0 && c == 3 {
				continue
			}
			one := textPart{text: r[c]}
			if i > 0 {
				one.text = strings.Repeat(" ", max(0, width-len(r[c]))) + r[c]
			}
			if c == 3 {
				one.style = themes.Strong.Bold()
			}
			p.lines = append(p.lines, line{label: heads[c], parts: []textPart{one}})
		}
	}
}

// Draw draws the lines that fit.
func (s *Screen) Draw(f pane.Frame) {
	t := pane.Title{Name: "Explain", Subtitle: s.path(), Focused: true}
	if !s.isThere() {
		pane.DrawTitle(f, t)
		f.Rest(layout.SignW, 2, "the host is not watched any more", themes.Text)
		return
	}
	made := version{s.target.Host.Snap, s.desk.At, f.Width(), s.target.Host.Sampler.State().Phase, s.told.version, s.why.version, s.target.Host.EventState().Round}
	s.askTracer(f.Now)
	s.askWhy(f.Now)
	if s.lines == nil || made != s.made {
		s.lines, s.made = s.explain(f.Now, max(labelW+8, f.Width()-layout.SignW-1)), made
	}
	from, end := s.view.Show(len(s.lines), f.Height()-1)
	if at := s.view.Position(); titleRoom+canvas.Full.TextWidth(s.path())+len(at) < f.Width() { // the path is whole
		t.Position = at
	}
	pane.DrawTitle(f, t)
	body := f.Below(1)
	for i := from; i < end; i++ {
		drawLine(body, i-from, &s.lines[i])
	}
}

func drawLine(f pane.Frame, y int, l *line) {
	if l.surface {
		f = f.On(themes.Surface)
		f.Fill(layout.SignW-1, y, f.Width()-layout.SignW, 1, ' ', themes.Muted)
	}
	x := layout.SignW
	if !l.flush {
		f.Left(x, y, labelW-1, l.label, themes.Muted)
		x += labelW
	}
	x += l.indent
	for i := range l.parts {
		x += f.Text(x, y, l.parts[i].text, l.parts[i].style)
	}
	if l.sparkW > 0 {
		spark := graph.Spark{Series: l.spark, End: l.spark.End(), Hi: l.top}
		spark.Draw(f.Region, x, y, l.sparkW)
	}
}
