package moved

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/analysis/compare"
	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/kit/columns"
	"perfdeck/tui/kit/graph"
	"perfdeck/tui/kit/names"
	"perfdeck/tui/layout"
	"perfdeck/tui/pane"
)

// The columns of the list.
const (
	changeColumn = iota // how much it changed, or how alike it is
	lagColumn
	counterColumn
	instanceColumn
	objectColumn
	hostColumn
	fromColumn
	toColumn
	unitColumn
	sparkColumn
	columnCount
)

// leadCells are the cells of selection, mark and direction.
const leadCells = 4

// Draw draws the screen.
func (s *Screen) Draw(f pane.Frame) {
	pane.DrawTitle(f, layout.Row{}, s.title(f.Now.Location()))
	head := 1 + s.drawWhy(f.At(layout.Rect{Y: 1, W: f.Width(), H: max(0, f.Height()-1)}))
	body := f.At(layout.Rect{Y: head, W: f.Width(), H: max(0, f.Height()-head)})
	switch {
	case s.err != nil:
		s.drawWords(body, session.Printable(s.err.Error()), "another span: drag across a chart, or B at both ends")
	case s.window == nil:
		s.drawProgress(body)
	case len(s.shown) == 0:
		s.drawNothing(body)
	default:
		s.drawRows(body)
	}
}

// drawWhy draws what was wrong in the span, a third of the screen at most, and tells how many lines
// that takes.
func (s *Screen) drawWhy(f pane.Frame) (n int) {
	const mostLines, labelW = 12, 11
	most := min(mostLines, f.Height()/3)
	if s.asked == nil || most < 1 {
		return 0
	}
	if s.asked.isRunning() {
		f.Left(leadCells, 0, max(0, f.Width()-leadCells), "looking for what was wrong", themes.Muted.Style())
		return 1
	}
	for _, one := range slices.Concat(s.why.Wrong, s.why.Rest) {
		for _, line := range one.Lines {
			if line[0] == "along" { // the list below has it
				continue
			}
			x, st := leadCells+labelW, themes.Text.Style()
			switch {
			case line[0] == "":
				sign, style := pane.SignOf(one.Level, f.Glyphs())
				x, st, line[1] = leadCells, style, string(sign)+" "+line[1]
			case len(line[0]) >= labelW:
				x, line = leadCells, [2]string{"", line[0] + ": " + line[1]}
			}
			for i, text := range canvas.Fold(session.Printable(line[1]), max(8, f.Width()-x-1)) {
				if n++; n > most {
					continue
				}
				if i == 0 {
					f.Left(leadCells, n-1, x-leadCells, line[0], themes.Muted.Style())
				}
				f.Left(x, n-1, f.Width()-x, text, st)
			}
		}
	}
	if n > most {
		text := " and " + session.Count(n-most, "line", "lines") + " more"
		f.Right(0, most-1, f.Width()-1, text, themes.Muted.Style())
	}
	return min(n, most)
}

func (s *Screen) title(zone *time.Location) pane.Title {
	t := pane.Title{Name: s.Title(), Focused: true, Position: s.list.Position()}
	parts := []string{s.spanText(zone)}
	switch {
	case s.with >= 0:
		t.Name = "What went along with " + s.nameOf(s.with)
	case s.grew:
		t.Name = "What grew"
	case s.before > 0 && s.err == nil:
		parts = append(parts, "against "+graph.SpanText(s.before)+" before")
	}
	if s.filter.Text() != "" {
		parts = append(parts, "filter "+s.filter.Text())
	}
	if s.window != nil && s.job.isRunning() {
		parts = append(parts, "looking for what went along")
	}
	t.Subtitle = strings.Join(parts, ", ")
	return t
}

// spanText tells when the span is.
func (s *Screen) spanText(zone *time.Location) string {
	from, to := s.of.From.In(zone), s.of.To.In(zone)
	text := from.Format(time.TimeOnly) + " to " + to.Format(time.TimeOnly) + ", " + graph.SpanText(to.Sub(from))
	if s.of.What != "" {
		text = s.of.What + ", " + text
	}
	return text
}

// nameOf is a counter in words.
func (s *Screen) nameOf(at int) string {
	r := s.rowOf(at)
	text := r.names[counterPart]
	if r.names[instancePart] != "" {
		text += " " + r.names[instancePart]
	}
	if len(s.desk.Hosts) > 1 {
		text += ", " + r.names[hostPart]
	}
	return text
}

func (s *Screen) drawWords(f pane.Frame, text, hint string) {
	y := min(1, max(0, f.Height()-2))
	room := max(0, f.Width()-layout.SignW-1)
	for _, line := range canvas.Fold(text, max(8, room)) {
		f.Left(layout.SignW, y, room, line, themes.Text.Style())
		y++
	}
	if hint != "" {
		f.Left(layout.SignW, y+1, room, hint, themes.Muted.Style())
	}
}

// drawProgress tells how much was read.
func (s *Screen) drawProgress(f pane.Frame) {
	share := s.job.share()
	s.drawWords(f, fmt.Sprintf("Reading %d counters: %d %%", len(s.series), int(100*share)), "esc leaves it")
	const widest = 60
	w := min(widest, f.Width()-2*layout.SignW)
	if y := 4; w > 0 && y < f.Height() {
		f.Repeat(layout.SignW, y, w, f.Glyphs().Rule, themes.Rule.Style())
		f.Repeat(layout.SignW, y, int(share*float64(w)), f.Glyphs().FocusRule, themes.Focus.Style())
	}
}

// drawNothing says that nothing is listed, and why.
func (s *Screen) drawNothing(f pane.Frame) {
	switch {
	case s.filter.Text() != "":
		s.drawWords(f, "No counter fits the filter.", "esc clears it")
	case s.with >= 0:
		s.drawWords(f, "Nothing went along with it: none of "+session.Count(len(s.series)-1, "other counter", "other counters")+" rose and fell with it more than by chance.", "v lists what moved")
	case s.grew:
		s.drawWords(f, "Nothing that is there grew in the span.", "s lists what moved")
	case s.judged == 0:
		s.drawWords(f, "Nothing can be told: "+session.Count(s.few, "counter", "counters")+" with too few samples, in the span or before it.", "a longer span, or one that begins later")
	default:
		text := "Nothing moved: " + session.Count(s.judged, "counter", "counters") + " went on as before"
		if s.few > 0 {
			text += ", " + strconv.Itoa(s.few) + " with too few samples"
		}
		s.drawWords(f, text+".", "v lists what went along with the selected value")
	}
}

// drawRows draws the summary, the head and the rows.
func (s *Screen) drawRows(f pane.Frame) {
	summary := session.Count(len(s.moved), "counter", "counters") + " of " + strconv.Itoa(s.judged) + " moved"
	switch {
	case s.with >= 0:
		summary = session.Count(len(s.along), "counter", "counters") + " rose and fell with it, or against it"
	case s.grew:
		summary = session.Count(len(s.grown), "counter", "counters") + " grew"
	case s.few > 0:
		summary += ", " + strconv.Itoa(s.few) + " with too few samples"
	}
	if s.desk.Archive == nil {
		summary += "; of what the screens keep"
	}
	f.Left(leadCells, 0, max(0, f.Width()-leadCells), summary, themes.Muted.Style())
	cols := s.columns(f.Width(), f.GlyphSet())
	s.drawHead(f, 1, &cols)
	rows := f.At(layout.Rect{Y: 2, W: f.Width(), H: max(0, f.Height()-2)})
	from, end := s.list.Show(rows.Height())
	for i := from; i < end; i++ {
		s.drawRow(rows, i-from, i, &cols)
	}
}

// columns lays the list out.
func (s *Screen) columns(w int, set canvas.GlyphSet) columns.Layout {
	list := make([]columns.Column, columnCount)
	heads := s.heads()
	want := func(i, least, most, rank int, text func(r *row) string) {
		c := columns.Column{Rank: rank, Align: columns.Name}
		for _, r := range s.shown {
			c.Want = max(c.Want, set.TextWidth(text(r)))
		}
		if c.Want > 0 {
			c.Want = min(max(c.Want, len(heads[i])), most)
			c.Min = min(least, c.Want)
		}
		list[i] = c
	}
	const leastName, mostName, leastInstance, leastObject, mostInstance = 12, 40, 6, 10, 32
	want(changeColumn, 11, 14, columns.Stays, func(r *row) string { return r.words() })
	want(lagColumn, 8, 12, 7, s.lagText)
	want(counterColumn, leastName, mostName, columns.Stays, func(r *row) string { return r.names[counterPart] })
	want(instanceColumn, leastInstance, mostInstance, 12, func(r *row) string { return r.names[instancePart] })
	want(objectColumn, leastObject, mostInstance, 4, func(r *row) string { return r.names[objectPart] })
	if len(s.desk.Hosts) > 1 {
		want(hostColumn, leastInstance, mostInstance, 11, func(r *row) string { return r.names[hostPart] })
	}
	for _, i := range [...]int{fromColumn, toColumn} {
		list[i] = columns.Column{Min: cooker.FieldWidthCells, Rank: 8, Align: columns.Number}
	}
	list[toColumn].Rank = 10
	want(unitColumn, 4, 6, 10, func(r *row) string { return r.unit.Label })
	list[unitColumn].Align = columns.Left
	for i := range list {
		list[i].Gap = 2
	}
	list[changeColumn].Gap, list[unitColumn].Gap = 0, 1
	const spark, mostSpark = 8, 40
	list[sparkColumn] = columns.Column{Min: spark, Want: min(max(spark, w/4), mostSpark), Enough: spark, Rank: 9, Gap: 2}
	return columns.Fit(leadCells, w-leadCells-1, 0, list)
}

// heads are those of the columns.
func (s *Screen) heads() [columnCount]string {
	heads := [columnCount]string{
		changeColumn: "change", counterColumn: "counter", instanceColumn: "instance", objectColumn: "object",
		hostColumn: "host", fromColumn: "before", toColumn: "in span",
	}
	switch {
	case s.with >= 0:
		heads[changeColumn], heads[lagColumn] = "alike", "lag"
	case s.grew:
		heads[changeColumn], heads[fromColumn], heads[toColumn] = "+ in "+pane.Roughly(s.of.To.Sub(s.of.From)), "then", "at the end"
	}
	return heads
}

func (s *Screen) drawHead(f pane.Frame, y int, cols *columns.Layout) {
	muted := themes.Muted.Style().On(themes.Surface)
	f.Fill(0, y, f.Width(), 1, ' ', muted)
	for i, text := range s.heads() {
		cols.DrawHead(f.Region, y, i, columns.Head{Text: text, Style: muted})
	}
	if p := cols.Places[sparkColumn]; p.W > 0 {
		from, to := s.shownTime()
		f.Left(p.X, y, p.W, graph.SpanText(to.Sub(from)), muted)
		first, last := s.spanCells(p.W)
		st := themes.Focus.Style().Bold().On(themes.Surface)
		f.Put(p.X+first, y, '[', st)
		f.Put(p.X+last, y, ']', st)
	}
}

// spanCells are the first and the last cell of a sparkline in which the span is.
func (s *Screen) spanCells(w int) (first, last int) {
	from, to := s.shownTime()
	first = int(float64(s.of.From.Sub(from)) / float64(max(to.Sub(from), 1)) * float64(w))
	return min(first, w-1), w - 1
}

func (s *Screen) drawRow(f pane.Frame, y, i int, cols *columns.Layout) {
	r := s.shown[i]
	selected := s.list.Is(i)
	if selected {
		f.Put(0, y, f.Glyphs().Selected, themes.Focus.Style())
	}
	if s.list.IsMarked(r.series) {
		f.Put(1, y, f.Glyphs().Mark, themes.Accent.Style().Bold())
	}
	text, muted := themes.Text.Style(), themes.Muted.Style()
	f.Put(2, y, r.sign(f.Glyphs()), themes.Strong.Style().Bold())
	cols.Draw(f.Region, y, changeColumn, r.words(), themes.Strong.Style().Bold())
	cols.Draw(f.Region, y, lagColumn, s.lagText(r), muted)
	if p := cols.Places[counterColumn]; p.W > 0 {
		cols.Draw(f.Region, y, counterColumn, names.Counter(r.names[counterPart], r.names[objectPart], p.W), text)
	}
	for part, column := range map[int]int{instancePart: instanceColumn, objectPart: objectColumn, hostPart: hostColumn} {
		cols.Draw(f.Region, y, column, r.names[part], muted)
	}
	cols.Draw(f.Region, y, fromColumn, r.number(r.from), muted)
	cols.Draw(f.Region, y, toColumn, r.number(r.to), themes.Strong.Style().Bold())
	cols.Draw(f.Region, y, unitColumn, r.unit.Label, muted)
	f.Highlight(y, selected)
	if p := cols.Places[sparkColumn]; p.W > 0 {
		s.drawSpark(f, y, p, r, selected)
	}
	f.Zone(0, y, f.Width(), 1, pane.Hit{Kind: hitRow, A: i})
}

// words are how much it changed, or how alike it is.
func (r *row) words() string {
	switch {
	case r.change != nil:
		return r.change.Words()
	case r.grew:
		return "+" + r.number(r.to-r.from) + " " + r.unit.Label
	}
	word := "with "
	if r.companion.R < 0 {
		word = "against "
	}
	return word + strconv.FormatFloat(math.Abs(r.companion.R), 'f', 2, 64)
}

// sign is the direction in which it went.
func (r *row) sign(g *canvas.Glyphs) rune {
	up, down := '↑', '↓'
	if !g.HasBraille {
		up, down = '^', 'v'
	}
	switch {
	case r.grew:
		return up
	case r.change == nil && r.companion.R < 0:
		return '-'
	case r.change == nil, r.change.Kind == compare.New:
		return '+'
	case r.change.Kind == compare.Gone:
		return '-'
	case r.change.IsUp():
		return up
	}
	return down
}

// lagText tells how far it was behind.
func (s *Screen) lagText(r *row) string {
	lag := time.Duration(r.companion.Lag) * s.window.Bucket()
	switch {
	case r.change != nil, r.grew:
		return ""
	case lag > 0:
		return graph.SpanText(lag) + " behind"
	case lag < 0:
		return graph.SpanText(-lag) + " ahead"
	}
	return "at once"
}

// number writes a median.
func (r *row) number(v float64) string {
	if v != v {
		return ""
	}
	return strings.TrimSpace(string(r.look.AppendField(nil, cooker.FloatValue(v), r.unit)))
}

// drawSpark draws the course of a counter, with the span shaded. Its heights are between
// the lowest and the highest: a memory that grew by a tenth is seen.
func (s *Screen) drawSpark(f pane.Frame, y int, p columns.Place, r *row, selected bool) {
	x, w := p.X, p.W
	from, to := s.shownTime()
	means := s.window.Means(r.series)
	at := func(cell int) int { // the mean with which a cell begins
		moment := from.Add(time.Duration(float64(to.Sub(from)) * float64(cell) / float64(w)))
		return max(0, min(int(math.Round(s.window.Share(moment)*float64(len(means)))), len(means)))
	}
	s.spark = s.spark[:0]
	low, high := float32(math.Inf(1)), float32(math.Inf(-1))
	for cell := range w {
		v := float32(math.NaN())
		first := at(cell)
		for _, m := range means[min(first, len(means)):max(min(first+1, len(means)), at(cell+1))] {
			if !(v >= m) && m == m {
				v = m
			}
		}
		if v == v {
			low, high = min(low, v), max(high, v)
		}
		s.spark = append(s.spark, v)
	}
	ground := float32(0)
	if far := high - low; low > 0 && far < high/2 || low < 0 {
		ground = low - far/canvas.Levels
	}
	for i := range s.spark {
		s.spark[i] -= ground
	}
	line := graph.Spark{Series: session.Series{Values: s.spark}, End: uint64(w), Hi: high - ground}
	line.Draw(f.Region, x, y, w)
	first, last := s.spanCells(w)
	if selected {
		f.SetBackground(x, y, first, 1, themes.Selection)
	}
	f.SetBackground(x+first, y, last-first+1, 1, themes.Surface)
}
