package top

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/kit/columns"
	"perfdeck/tui/kit/names"
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
	from, end := t.list.Show(len(t.rows), f.Height()-3)
	pane.DrawTitle(f, layout.Row{}, t.title())
	if view == nil {
		f.Text(layout.SignW, 2, "first sample"+f.Glyphs().Ellipsis, themes.Muted.Style())
		return
	}
	t.letGo(f.Now)
	t.chooseUnits(view, f.Now)
	t.fit(f.Width() - layout.SignW)
	t.drawHeads(f)
	y := 2
	for i := from; i < end; i++ {
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
	return pane.Title{Name: t.set.Name, Subtitle: n, Focused: true, Position: t.list.Position()}
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
		if c.kind != counterColumn || c.isText {
			continue
		}
		r := t.rangeOf(view, view.Column(c.counter))
		c.shown = c.unit.Choose(max(r.largest, -r.least), now)
		for _, n := range [...]float64{r.largest, r.least, r.finest} {
			c.need = max(c.need, len(c.text(cooker.FloatValue(n))))
		}
	}
}

// numberRange is the range of the numbers of a column: one of its ends takes the most
// cells, or what is nearest to 0.
type numberRange struct{ least, largest, finest float64 }

func (t *Top) rangeOf(view *session.SetView, col int) (out numberRange) {
	if col < 0 {
		return out
	}
	for _, r := range t.rows {
		n, ok := view.Value(r.at, col).Float()
		if !ok || n == 0 {
			continue
		}
		out.least, out.largest = min(out.least, n), max(out.largest, n)
		if out.finest == 0 || math.Abs(n) < math.Abs(out.finest) {
			out.finest = n
		}
	}
	return out
}

// fit gives the columns their widths. When columns come or leave, other counters
// are asked for.
func (t *Top) fit(w int) {
	numbered := t.isNumbered()
	list := make([]columns.Column, len(t.columns))
	for i := range t.columns {
		list[i] = t.columns[i].needed(w)
		switch {
		case i == t.sort: // which stays, with room for the sign of the sort
			list[i].Min, list[i].Rank = list[i].Min+2, columns.Stays
		case t.columns[i].hidden || t.columns[i].kind == numberColumn && !numbered:
			list[i].Rank = 0
		case t.tree && t.columns[i].kind == nameColumn:
			list[i].Min = min(treeName, w/3)
		}
	}
	cols, was := columns.Fit(layout.SignW, w, 1, list), t.cols.Places
	t.stale = t.stale || len(was) != 0 && !slices.EqualFunc(cols.Places, was, func(a, b columns.Place) bool { return (a.W > 0) == (b.W > 0) })
	t.cols = cols
}

// needed is what a column needs in a table of w cells: in few a command line may
// leave.
func (c *column) needed(w int) columns.Column {
	const commandFrom = 75
	out := c.Column
	switch {
	case c.width > 0:
		out.Min, out.Want, out.Enough = max(c.width, c.need), c.width, 0
	case c.kind == counterColumn:
		out.Min = max(out.Min, c.need)
	}
	if c.kind == factColumn && w < commandFrom {
		out.Rank = 1
	}
	return out
}

// isNumbered tells whether any process has a number: recordings without ID
// Process have none.
func (t *Top) isNumbered() bool {
	view := t.view()
	return view == nil || len(view.Rows) == 0 || slices.ContainsFunc(view.Rows, func(r session.Row) bool { return r.Number != 0 })
}

func (t *Top) drawHeads(f pane.Frame) {
	f.Fill(0, 1, f.Width(), 1, ' ', themes.Muted.Style().On(themes.Surface))
	for i := range t.columns {
		p := t.cols.Places[i]
		if p.W == 0 {
			continue
		}
		h := columns.Head{Text: t.columns[i].title(), Style: themes.Muted.Style().On(themes.Surface)}
		if i == t.sort {
			h.Style, h.Sorted = themes.Focus.Style().On(themes.Surface).Bold(), columns.SortOf(t.reverse)
		}
		if i == t.cursor {
			h.Style = h.Style.Underline()
		}
		t.cols.DrawHead(f.Region, 1, i, h)
		f.Zone(p.X, 1, p.W, 1, pane.Hit{Kind: hitHead, A: i})
		f.Zone(p.X+p.W, 1, 1, 1, pane.Hit{Kind: hitEdge, A: i, B: p.X})
	}
}

func (t *Top) drawRow(f pane.Frame, y, i int, view *session.SetView) {
	r := t.rows[i]
	in := &view.Rows[r.at]
	sign, st, _ := pane.SignOfMark(t.desk.Board().Instance(t.host.Name, t.set, in.Key), f.Glyphs())
	f.DrawLead(y, pane.Lead{Selected: t.list.Is(i), Marked: t.marks[in.Key], Sign: sign, Style: st})
	for c, p := range t.cols.Places {
		if p.W > 0 {
			t.drawCell(f.At(layout.Rect{X: p.X, Y: y, W: p.W, H: 1}), c, r, in, view)
		}
	}
	if in.Gone {
		t.drawGone(f, y, in)
	}
	f.Highlight(y, t.list.Is(i))
}

// drawGone restyles a row whose instance ended, and says when.
func (t *Top) drawGone(f pane.Frame, y int, in *session.Row) {
	f.Restyle(0, y, f.Width(), 1, themes.Stale.Style())
	for c, p := range t.cols.Places {
		if p.W > 0 && t.columns[c].kind == factColumn && c > t.sort {
			f.Left(p.X, y, f.Width()-p.X, "ended "+in.Since.Format("15:04:05"), themes.Stale.Style())
			return
		}
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
			columns.DrawNumber(f.Region, 0, 0, f.Width(), strconv.FormatUint(in.Number, 10), muted)
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
			drawValue(f, t.value(view, r.at, col), c, i == t.sort)
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
	f.Text(x, 0, names.Cut(f.Region, f.Width()-x, session.Printable(names.Beside(&in.Instance)), t.common), text)
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
	if s.kind != counterColumn || s.isText {
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

// text writes a number in the column's unit, or as its display attributes ask for.
// Of gigabytes the decimals are seen.
func (c *column) text(v cooker.Value) string {
	var buf [64]byte
	f := c.look.Format
	if f.Digits < 0 && !f.IsOneNumber() {
		if f.Digits = c.decimals; c.isFine && c.shown.Factor >= 1e9 {
			f.Digits = max(f.Digits, 2)
		}
	}
	return string(f.AppendIn(buf[:0], v, c.shown))
}

// drawValue draws a text, or a number in the column's unit; zeros are muted.
func drawValue(f pane.Frame, v cooker.Value, c *column, sorted bool) {
	if s, isText := v.Text(); isText {
		f.Left(0, 0, f.Width(), session.Printable(s), themes.Text.Style())
		return
	}
	if _, ok := v.Float(); !ok {
		word := v.Status().Word()
		if c.isText {
			f.Left(0, 0, f.Width(), strings.ReplaceAll(word, "…", f.Glyphs().Ellipsis), themes.Muted.Style())
			return
		}
		f.Right(0, 0, f.Width(), strings.ReplaceAll(word, "…", f.Glyphs().Ellipsis), themes.Muted.Style())
		return
	}
	text := c.text(v)
	st := themes.Text.Style()
	switch {
	case strings.Trim(text, "0x.,") == "":
		st = themes.Muted.Style()
	case sorted:
		st = themes.Strong.Style().Bold()
	}
	columns.DrawNumber(f.Region, 0, 0, f.Width(), text, st)
}
