package top

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/layout"
	"perfdeck/tui/pane"
)

// Draw draws the table into the frame.
func (t *Top) Draw(f pane.Frame) {
	view := t.view()
	if t.set == nil {
		t.drawNone(f)
		return
	}
	pane.DrawTitle(f, layout.Row{}, t.title())
	if view == nil {
		f.Text(layout.SignW, 2, "first sample"+f.Glyphs().Ellipsis, themes.Muted.Style())
		return
	}
	t.letGo(f.Now)
	t.chooseUnits(view, f.Now)
	t.fit(f.Width() - layout.SignW)
	t.drawHeads(f)
	t.page = max(0, f.Height()-3)
	t.top = max(0, min(t.top, t.selected, len(t.rows)-t.page))
	if t.page > 0 && t.selected >= t.top+t.page {
		t.top = t.selected - t.page + 1
	}
	y := 2
	for i := t.top; i < min(len(t.rows), t.top+t.page); i++ {
		t.drawRow(f, y, i, view)
		f.Zone(0, y, f.Width(), 1, pane.Hit{Kind: hitRow, A: i})
		y++
	}
	t.drawFoot(f, y)
}

// drawNone says why there is no table.
func (t *Top) drawNone(f pane.Frame) {
	w := f.Width() - layout.SignW
	text := t.whyNoSet() + "; 4 browses what it has"
	if t.host == nil || t.host.Sampler.Catalogue() == nil {
		text = "no table yet: " + t.whyNoSet()
	}
	for i, line := range pane.Fold(text, max(8, w)) {
		f.Left(layout.SignW, 1+i, w, line, themes.Muted.Style())
	}
}

func (t *Top) title() pane.Title {
	n := fmt.Sprintf("%d instances", len(t.rows))
	if len(t.rows) != t.total {
		n = fmt.Sprintf("%d of %d instances", len(t.rows), t.total)
	}
	if t.filter.Text() != "" {
		n += ", filter " + t.filter.Text()
	}
	switch {
	case t.follow:
		n += ", following " + session.Printable(t.key.Name)
	case t.isPicked():
		n += ", staying on " + session.Printable(t.key.Name)
	}
	if t.tree {
		n += ", tree"
	}
	return pane.Title{Name: t.set.Name, Subtitle: n, Focused: true}
}

// drawFoot tells what the filter leaves out.
func (t *Top) drawFoot(f pane.Frame, y int) {
	if hidden := t.total - len(t.rows); hidden > 0 && y < f.Height() {
		f.Text(layout.SignW, f.Height()-1, fmt.Sprintf("+ %d not shown by the filter", hidden), themes.Muted.Style())
	}
}

// chooseUnits settles the unit of each column from its largest value.
func (t *Top) chooseUnits(view *session.SetView, now time.Time) {
	for i := range t.columns {
		c := &t.columns[i]
		if c.kind != counterColumn {
			continue
		}
		largest := 0.0
		if col := view.Column(c.counter); col >= 0 {
			for _, r := range t.rows {
				if n, ok := view.Value(r.at, col).Float(); ok {
					largest = max(largest, n, -n)
				}
			}
		}
		c.shown = c.unit.Choose(largest*pane.Power(c.scale), now)
		c.need = max(c.need, len(c.text(largest)))
	}
}

// fit gives the columns their widths. When columns come or leave, other counters
// are asked for.
func (t *Top) fit(w int) {
	list := make([]layout.Column, len(t.columns))
	for i := range t.columns {
		c := &t.columns[i]
		list[i] = c.Column
		list[i].Min, list[i].Want = max(list[i].Min, c.need), max(list[i].Want, c.need)
		if c.width > 0 {
			list[i].Min, list[i].Want = c.width, c.width
		}
		list[i].Keep = list[i].Keep && (t.columns[i].kind != factColumn || w > 74) || i == t.sort
		if i == t.sort { // room for the sign of the sort
			list[i].Min += 2
			list[i].Want = max(list[i].Want, list[i].Min)
		}
		if t.tree && t.columns[i].kind == nameColumn {
			list[i].Min = min(treeName, w/3)
			list[i].Want = max(list[i].Want, list[i].Min)
		}
	}
	widths := t.widthsOf(w, list)
	t.stale = t.stale || len(t.widths) != 0 && !slices.EqualFunc(widths, t.widths, func(a, b int) bool { return (a > 0) == (b > 0) })
	t.widths = widths
}

// isNumbered tells whether any process has a number: recordings without ID
// Process have none.
func (t *Top) isNumbered() bool {
	view := t.view()
	return view == nil || len(view.Rows) == 0 || slices.ContainsFunc(view.Rows, func(r session.Row) bool { return r.Number != 0 })
}

// widthsOf lays out the columns that are not hidden and have something to show.
func (t *Top) widthsOf(w int, list []layout.Column) []int {
	numbered := t.isNumbered()
	leaves := func(i int) bool {
		return t.columns[i].hidden || t.columns[i].kind == numberColumn && !numbered && i != t.sort
	}
	var shown []layout.Column
	for i := range list {
		if !leaves(i) {
			shown = append(shown, list[i])
		}
	}
	out, n := make([]int, len(list)), 0
	for _, width := range layout.Table(w, shown) {
		for leaves(n) {
			n++
		}
		out[n] = width
		n++
	}
	return out
}

func (t *Top) drawHeads(f pane.Frame) {
	f.Fill(0, 1, f.Width(), 1, ' ', themes.Muted.Style().On(themes.Surface))
	x := layout.SignW
	for i := range t.columns {
		w := t.widths[i]
		if w == 0 {
			continue
		}
		st := themes.Muted.Style().On(themes.Surface)
		if i == t.sort {
			st = themes.Focus.Style().On(themes.Surface).Bold()
		}
		if i == t.cursor {
			st = st.Underline()
		}
		c := &t.columns[i]
		text := c.title()
		if i == t.sort {
			text = t.withMark(f, text, w)
		}
		if c.kind == counterColumn || c.kind == numberColumn {
			f.Right(x, 1, w, text, st)
		} else {
			f.Left(x, 1, w, text, st)
		}
		f.Zone(x, 1, w, 1, pane.Hit{Kind: hitHead, A: i})
		f.Zone(x+w, 1, 1, 1, pane.Hit{Kind: hitEdge, A: i, B: x})
		x += w + 1
	}
}

// withMark adds the sign of the sort direction to a head.
func (t *Top) withMark(f pane.Frame, text string, w int) string {
	mark := string(f.Glyphs().Descending)
	if t.reverse {
		mark = string(f.Glyphs().Ascending)
	}
	if n := canvas.Full.TextWidth(text); n+2 <= w {
		return text + " " + mark
	}
	runes := []rune(text)
	return string(runes[:min(len(runes), max(0, w-1))]) + mark
}

func (t *Top) drawRow(f pane.Frame, y, i int, view *session.SetView) {
	r := t.rows[i]
	in := &view.Rows[r.at]
	if i == t.selected {
		f.Put(0, y, f.Glyphs().Selected, themes.Focus.Style())
	}
	if sign, st, ok := pane.SignOfMark(t.desk.Board().Instance(t.host.Name, t.set, in.Key), f.Glyphs()); ok {
		f.Put(1, y, sign, st)
	}
	if t.marks[in.Key] {
		f.Put(layout.SignW-1, y, f.Glyphs().Mark, themes.Focus.Style())
	}
	x := layout.SignW
	for c := range t.columns {
		w := t.widths[c]
		if w == 0 {
			continue
		}
		cell := f.At(layout.Rect{X: x, Y: y, W: w, H: 1})
		t.drawCell(cell, c, r, in, view)
		x += w + 1
	}
	if in.Gone {
		t.drawGone(f, y, in)
	}
	if i == t.selected {
		f.SetBackground(0, y, f.Width(), 1, themes.Selection)
	}
}

// drawGone restyles a row whose instance ended, and says when.
func (t *Top) drawGone(f pane.Frame, y int, in *session.Row) {
	f.Restyle(0, y, f.Width(), 1, themes.Stale.Style())
	x := layout.SignW
	for c := range t.columns {
		if t.widths[c] == 0 {
			continue
		}
		if t.columns[c].kind == factColumn && c > t.sort {
			f.Left(x, y, f.Width()-x, "ended "+in.Since.Format("15:04:05"), themes.Stale.Style())
			return
		}
		x += t.widths[c] + 1
	}
}

func (t *Top) drawCell(f pane.Frame, i int, r row, in *session.Row, view *session.SetView) {
	c := &t.columns[i]
	text, muted := themes.Text.Style(), themes.Muted.Style()
	switch c.kind {
	case nameColumn:
		t.drawName(f, r, in, text, muted)
	case numberColumn:
		if in.Number != 0 {
			f.Right(0, 0, f.Width(), strconv.FormatUint(in.Number, 10), muted)
		}
	case factColumn:
		text := session.Printable(fact(line{view, r.at}, c.fact))
		if text == "" && !in.Gone && t.isComing(view, in.Key, c.fact) {
			text = f.Glyphs().Ellipsis
		}
		f.Left(0, 0, f.Width(), text, muted)
	case sparkColumn:
		t.drawSpark(f, r, view)
	case counterColumn:
		if col := view.Column(c.counter); col >= 0 {
			drawNumber(f, t.value(view, r.at, col), c, i == t.sort)
		} else {
			f.Right(0, 0, f.Width(), f.Glyphs().Ellipsis, muted)
		}
	}
}

// drawName draws the instance, in the tree behind the branches that lead to it.
func (t *Top) drawName(f pane.Frame, r row, in *session.Row, text, muted themes.Style) {
	x := 0
	if t.tree && r.depth > 0 {
		x = drawGuides(f, r, max(0, f.Width()-8), muted)
	}
	name := session.Printable(in.Key.Name)
	if in.Key.Parent != "" {
		name = session.Printable(in.Key.Parent) + "/" + name
	}
	if in.Number == 0 && in.Index > 0 {
		name += "#" + strconv.Itoa(int(in.Index))
	}
	f.Middle(x, 0, f.Width()-x, name, text)
}

// drawGuides draws the lines that lead from a row to its parents, in w cells: of
// one deeper those next to it. It returns where the name begins.
func drawGuides(f pane.Frame, r row, w int, st themes.Style) int {
	through, tee, end := string(f.Glyphs().Vertical)+" ", "├ ", "└ "
	if f.Glyphs().Vertical == '|' {
		tee, end = "|-", "`-"
	}
	x := 0
	for level := max(1, r.depth-max(1, w/2)+1); level < r.depth; level++ {
		if r.through&(1<<min(level, mostGuides)) != 0 {
			f.Text(x, 0, through, st)
		}
		x += 2
	}
	if r.last {
		return x + f.Text(x, 0, end, st)
	}
	return x + f.Text(x, 0, tee, st)
}

func (t *Top) drawSpark(f pane.Frame, r row, view *session.SetView) {
	s := &t.columns[t.sort]
	if s.kind != counterColumn {
		return
	}
	col := view.Column(s.counter)
	if col < 0 {
		return
	}
	series := view.Series(r.at, col)
	values := series.Slice(t.desk.End(t.host.Snap), f.Width())
	if len(values) == 0 {
		return
	}
	scale := canvas.WindowScale(values)
	if t.set.Counters[s.counter].Quantity.Kind == cooker.Percent && scale.Hi <= 100 {
		scale = canvas.PercentScale()
	}
	f.Sparkline(0, 0, f.Width(), values, t.desk.End(t.host.Snap), scale, func(float32) themes.Style { return themes.Spark.Style() })
}

// text writes a number in the column's unit. Of gigabytes the decimals are seen.
func (c *column) text(n float64) string {
	v := cooker.Scaled(cooker.FloatValue(n), c.scale)
	decimals := c.decimals
	if c.isFine && c.shown.Factor >= 1e9 {
		decimals = max(decimals, 2)
	}
	if f, _ := v.Float(); c.shown.Factor != 0 {
		v = cooker.FloatValue(f / c.shown.Factor)
	}
	var buf [48]byte
	return string(cooker.AppendValue(buf[:0], v, cooker.Format{Digits: decimals, Grouping: c.grouping}))
}

// drawNumber draws a number in the column's unit; zeros are muted.
func drawNumber(f pane.Frame, v cooker.Value, c *column, sorted bool) {
	n, ok := v.Float()
	if !ok {
		word := v.Status().Word()
		if s, isText := v.Text(); isText {
			word = session.Printable(s)
		}
		f.Right(0, 0, f.Width(), strings.ReplaceAll(word, "…", f.Glyphs().Ellipsis), themes.Muted.Style())
		return
	}
	text := c.text(n)
	st := themes.Text.Style()
	switch {
	case strings.Trim(text, "0.,") == "":
		st = themes.Muted.Style()
	case sorted:
		st = themes.Strong.Style().Bold()
	}
	f.Right(0, 0, f.Width(), text, st)
}
