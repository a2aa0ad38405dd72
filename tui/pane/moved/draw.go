package moved

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"perfdeck/cooker"
	"perfdeck/cooker/compare"
	"perfdeck/session"
	"perfdeck/session/text/english"
	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/kit/columns"
	"perfdeck/tui/kit/graph"
	"perfdeck/tui/kit/names"
	"perfdeck/tui/layout"
	"perfdeck/tui/pane"
)

// Draw draws the screen.
func (s *Screen) Draw(f pane.Frame) {
	pane.DrawTitle(f, s.title(f.Now.Location()))
	head := 1 + s.drawWhy(f.Below(1))
	body := f.Below(head)
	switch {
	case s.err != nil:
		drawWords(body, s.err.Error(), "another span: drag across a chart, or B at both ends")
	case s.window == nil:
		s.drawProgress(body)
	case len(s.Rows) == 0:
		s.drawNothing(body)
	default:
		s.drawRows(body)
	}
}

// drawWhy draws what was wrong in the span, a third of the screen at most, and tells how many lines
// that takes.
func (s *Screen) drawWhy(f pane.Frame) int {
	const mostLines, labelW = 12, 11
	most := min(mostLines, f.Height()/3)
	if s.asked == nil || most < 1 {
		return 0
	}
	if s.asked.isRunning() {
		f.Rest(layout.SignW, 0, "looking for what was wrong", themes.Muted)
		return 1
	}
	var facts []pane.Fact
	for _, one := range slices.Concat(s.why.Wrong, s.why.Rest) {
		for _, line := range one.Lines {
			fact := pane.Fact{Label: line[0], Text: line[1], Style: themes.Text}
			switch {
			case fact.Label == "along": // the list below has it
				continue
			case fact.Label == "":
				sign, st := pane.SignOf(one.Level, f.Glyphs())
				fact.Text, fact.Style = string(sign)+" "+fact.Text, st
			case len(fact.Label) >= labelW:
				fact.Label, fact.Text = "", fact.Label+": "+fact.Text
			}
			facts = append(facts, fact)
		}
	}
	lines := f.FoldFacts(facts, labelW, math.MaxInt)
	n := min(len(lines), most)
	if lines[:n].Draw(f); len(lines) > n {
		text := " and " + english.Count(len(lines)-n, "line", "lines") + " more"
		f.Right(0, most-1, f.Width()-1, text, themes.Muted)
	}
	return n
}

func (s *Screen) title(zone *time.Location) pane.Title {
	t := pane.Title{Name: s.Title(), Focused: true, Position: s.Position()}
	parts := []string{s.spanText(zone)}
	switch {
	case s.with >= 0:
		t.Name = "What went along with " + s.nameOf(s.with)
	case s.grew:
		t.Name = "What grew"
	case s.before > 0 && s.err == nil:
		parts = append(parts, "against "+english.Span(s.before)+" before")
	}
	if s.Filter.Text() != "" {
		parts = append(parts, "filter "+s.Filter.Text())
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
	text := from.Format(time.TimeOnly) + " to " + to.Format(time.TimeOnly) + ", " + english.Span(to.Sub(from))
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
	if len(s.Desk.Hosts) > 1 {
		text += ", " + r.names[hostPart]
	}
	return text
}

// drawWords says why nothing is listed, and what to do about it.
func drawWords(f pane.Frame, text, hint string) {
	why := pane.Lesson{Text: text, Ways: []string{hint}}
	why.Draw(f, min(1, max(0, f.Height()-2)))
}

// drawProgress tells how much was read.
func (s *Screen) drawProgress(f pane.Frame) {
	share := s.job.share()
	drawWords(f, fmt.Sprintf("Reading %d counters: %d %%", len(s.series), int(100*share)), "esc leaves it")
	const widest = 60
	x := pane.Indent(f)
	w := min(widest, f.Width()-2*x)
	if y := 4; w > 0 && y < f.Height() {
		f.Repeat(x, y, w, f.Glyphs().Rule, themes.Rule)
		f.Repeat(x, y, int(share*float64(w)), f.Glyphs().FocusRule, themes.Focus)
	}
}

// drawNothing says that nothing is listed, and why.
func (s *Screen) drawNothing(f pane.Frame) {
	switch {
	case s.Filter.Text() != "":
		drawWords(f, "No counter fits the filter.", "esc clears it")
	case s.with >= 0:
		drawWords(f, "Nothing went along with it: none of "+english.Count(len(s.series)-1, "other counter", "other counters")+" rose and fell with it more than by chance.", "v lists what moved")
	case s.grew:
		drawWords(f, "Nothing that is there grew in the span.", "s lists what moved")
	case s.judged == 0:
		drawWords(f, "Nothing can be told: "+english.Count(s.few, "counter", "counters")+" with too few samples, in the span or before it.", "a longer span, or one that begins later")
	default:
		text := "Nothing moved: " + english.Count(s.judged, "counter", "counters") + " went on as before"
		if s.few > 0 {
			text += ", " + strconv.Itoa(s.few) + " with too few samples"
		}
		drawWords(f, text+".", "v lists what went along with the selected value")
	}
}

// drawRows draws the summary, the head and the rows.
func (s *Screen) drawRows(f pane.Frame) {
	summary := english.Count(len(s.moved), "counter", "counters") + " of " + strconv.Itoa(s.judged) + " moved"
	switch {
	case s.with >= 0:
		summary = english.Count(len(s.along), "counter", "counters") + " rose and fell with it, or against it"
	case s.grew:
		summary = english.Count(len(s.grown), "counter", "counters") + " grew"
	case s.few > 0:
		summary += ", " + strconv.Itoa(s.few) + " with too few samples"
	}
	if s.Desk.Archive == nil {
		summary += "; of what the screens keep"
	}
	f.Rest(layout.SignW, 0, summary, themes.Muted)
	s.Columns = s.columns(f.Width())
	from, end := s.Show(max(0, f.Height()-2))
	cols := s.DrawRows(f.Below(1), from, end, true, true)
	if p := cols.Places[len(s.Columns)-1]; p.W > 0 { // where the span is
		first, last := s.spanCells(p.W)
		st := themes.Focus.Bold().On(themes.Surface)
		f.Put(p.X+first, 1, '[', st)
		f.Put(p.X+last, 1, ']', st)
		f.SetBackground(p.X+first, 2, last-first+1, end-from, themes.Surface)
	}
}

// columns are those of what is listed.
func (s *Screen) columns(w int) []pane.ListColumn[*row] {
	const stays = columns.Stays
	strong, muted := themes.Strong.Bold(), themes.Muted
	column := func(head string, least, most, rank int, st themes.Style, text func(r *row) string) pane.ListColumn[*row] {
		return pane.ListColumn[*row]{
			Rank: rank, Align: columns.Name, Head: head, Most: most, Whole: true, Tight: func(int) int { return least },
			Cell: func(_ pane.Frame, r *row) (string, themes.Style) { return text(r), st },
		}
	}
	part := func(head string, at, least, most, rank int) pane.ListColumn[*row] {
		return column(head, least, most, rank, muted, func(r *row) string { return r.names[at] })
	}
	number := func(head string, rank int, st themes.Style, of func(r *row) float64) pane.ListColumn[*row] {
		return pane.ListColumn[*row]{
			Min: cooker.FieldWidthCells, Rank: rank, Align: columns.Number, Head: head,
			Cell: func(_ pane.Frame, r *row) (string, themes.Style) { return r.number(of(r)), st },
		}
	}
	change, before, during := "change", "before", "in span"
	switch {
	case s.with >= 0:
		change = "alike"
	case s.grew:
		change, before, during = "+ in "+english.Span(s.of.To.Sub(s.of.From)), "then", "at the end"
	}
	const leastName, mostName, leastInstance, mostInstance = 12, 40, 6, 32
	name := part("counter", counterPart, leastName, mostName, stays)
	name.Cell = func(_ pane.Frame, r *row) (string, themes.Style) { return r.names[counterPart], themes.Text }
	name.Cut = func(_ pane.Frame, r *row, w int) string {
		return names.Counter(r.names[counterPart], r.names[objectPart], w)
	}
	unit := column("", 4, 6, 10, muted, func(r *row) string { return r.unit.Label })
	unit.Gap, unit.Align = -1, columns.Left
	const spark, mostSpark = 8, 40
	from, to := s.shownTime()
	out := []pane.ListColumn[*row]{
		column(change, 11, 14, stays, strong, (*row).words),
		column("lag", 8, 12, 7, muted, func(r *row) string { return r.lag }),
		name,
		part("instance", instancePart, leastInstance, mostInstance, 12),
		part("object", objectPart, 10, mostInstance, 4),
		part("host", hostPart, leastInstance, mostInstance, 11),
		number(before, 8, muted, func(r *row) float64 { return r.from }),
		number(during, 10, strong, func(r *row) float64 { return r.to }),
		unit,
		{Min: spark, Want: min(max(spark, w/4), mostSpark), Enough: spark, Rank: 9, Head: english.Short(to.Sub(from)), Draw: s.drawSpark},
	}
	if len(s.Desk.Hosts) == 1 {
		out[5].Rank = 0
	}
	return out
}

// spanCells are the first and the last cell of a sparkline in which the span is.
func (s *Screen) spanCells(w int) (first, last int) {
	from, to := s.shownTime()
	first = int(float64(s.of.From.Sub(from)) / float64(max(to.Sub(from), 1)) * float64(w))
	return min(first, w-1), w - 1
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

// sign is the direction in which a row went.
func sign(f pane.Frame, r *row) (rune, themes.Style) {
	up, down := '↑', '↓'
	if !f.Glyphs().HasBraille {
		up, down = '^', 'v'
	}
	sign := down
	switch {
	case r.grew, r.change != nil && r.change.Kind != compare.New && r.change.Kind != compare.Gone && r.change.IsUp():
		sign = up
	case r.change == nil && r.companion.R < 0, r.change != nil && r.change.Kind == compare.Gone:
		sign = '-'
	case r.change == nil, r.change.Kind == compare.New:
		sign = '+'
	}
	return sign, themes.Strong.Bold()
}

// lagText tells how far something was behind.
func lagText(lag time.Duration) string {
	switch {
	case lag > 0:
		return english.Short(lag) + " behind"
	case lag < 0:
		return english.Short(-lag) + " ahead"
	}
	return "at once"
}

// number writes a median.
func (r *row) number(v float64) string {
	if v != v {
		return ""
	}
	return r.look.Field(cooker.FloatValue(v), r.unit)
}

// drawSpark draws the course of a counter. Its heights are between the lowest and the
// highest: a memory that grew by a tenth is seen.
func (s *Screen) drawSpark(f pane.Frame, y int, p columns.Place, r *row) {
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
}
