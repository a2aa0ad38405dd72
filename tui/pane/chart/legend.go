package chart

import (
	"cmp"
	"slices"
	"strings"

	"perfdeck/cooker"
	"perfdeck/session/text/printable"
	"perfdeck/themes"
	"perfdeck/tui/canvas"
	table "perfdeck/tui/kit/columns"
	"perfdeck/tui/kit/names"
	"perfdeck/tui/pane"
)

// The columns in their order. The first four take what room there is.
const (
	counterColumn = iota
	instanceColumn
	objectColumn
	computerColumn
	scaleColumn
	cursorColumn
	lastColumn
	unitColumn
	averageColumn
	minimumColumn
	maximumColumn
	legendColumns
)

// legend is the columns of the legend: their heads, what they need at least, the
// blanks before them.
var legend = [legendColumns]struct {
	head       string
	least, gap int
	align      table.Align // of the head
	draw       func(c *Chart, f pane.Frame, x, y, w int, s *series, st themes.Style)
}{
	counterColumn:  {"counter", 18, 0, table.Name, drawCounter},
	instanceColumn: {"instance", 8, 2, table.Name, drawInstance},
	objectColumn:   {"object", 10, 2, table.Name, drawObject},
	computerColumn: {"computer", 8, 2, table.Name, drawComputer},
	scaleColumn:    {"scale", 6, 2, table.Number, drawScale},
	cursorColumn:   {"cursor", 7, 2, table.Number, drawUnderCursor},
	lastColumn:     {"last", 7, 2, table.Number, drawLast},
	unitColumn:     {"", 4, 1, table.Left, drawUnit},
	averageColumn:  {"avg", 6, 1, table.Number, drawStatistic(func(s *series) cooker.Value { return s.stats.Mean })},
	minimumColumn:  {"min", 6, 2, table.Number, drawStatistic(func(s *series) cooker.Value { return s.stats.Min })},
	maximumColumn:  {"max", 6, 2, table.Number, drawStatistic(func(s *series) cooker.Value { return s.stats.Max })},
}

// letterCells are the cells of selection, mark and letter.
const letterCells = 4

// columns lays the legend out in w cells. The first four columns take what room
// there is, first what most names need.
func (c *Chart) columns(w int, set canvas.GlyphSet) table.Layout {
	const most = 24
	wish := c.wishes(set)
	list := make([]table.Column, legendColumns)
	for i := range list {
		of := &legend[i]
		list[i] = table.Column{Min: of.least, Gap: of.gap, Rank: table.Stays, Align: of.align}
		if i > computerColumn {
			for _, s := range c.series {
				list[i].Min = max(list[i].Min, len(c.numberIn(i, s)))
			}
			continue
		}
		if wish[i] > 0 {
			wish[i] = max(wish[i], len(of.head))
		}
		list[i].Min, list[i].Want, list[i].Enough = min(of.least, wish[i]), wish[i], most
	}
	for rank, i := range c.leaving() {
		list[i].Rank = 1 + rank
	}
	return table.Fit(letterCells, w-letterCells, 0, list)
}

// numberIn is the number that stands in a column of the legend, empty for words:
// those can be cut.
func (c *Chart) numberIn(column int, s *series) string {
	v := cooker.Absent(cooker.Pending)
	write := s.brief
	switch {
	case column == cursorColumn && c.desk.Past():
		v, write = s.at(c.desk.At), s.number
	case column == lastColumn:
		v, write = c.last(s), s.number
	case s.stats.Count == 0:
	case column == averageColumn:
		v = s.stats.Mean
	case column == minimumColumn:
		v = s.stats.Min
	case column == maximumColumn:
		v = s.stats.Max
	}
	if _, ok := v.Float(); !ok {
		return ""
	}
	return write(v)
}

// leaving are the columns in the order in which they leave a narrow legend.
func (c *Chart) leaving() []int {
	out := []int{objectColumn, computerColumn, minimumColumn, averageColumn, maximumColumn, scaleColumn, unitColumn, instanceColumn, cursorColumn}
	if len(c.hosts()) > 1 {
		out = slices.DeleteFunc(out, func(i int) bool { return i == computerColumn })
		out = append(out, computerColumn)
	}
	return out
}

// wishes are the cells that the texts of the first four columns take, 0 for
// columns without text. What the instances have in common is noted.
func (c *Chart) wishes(set canvas.GlyphSet) [computerColumn + 1]int {
	const most = 40
	var out [computerColumn + 1]int
	var common names.Common
	for _, s := range c.series {
		if s.name != "" {
			common.Add(printable.Text(s.name))
		}
		for i, text := range [...]string{s.called(), s.name, s.target.Set.Name, s.target.Host.Name} {
			out[i] = max(out[i], min(set.TextWidth(printable.Text(text)), most))
		}
	}
	c.common = common.Prefix()
	return out
}

// drawLegend draws the legend below the plot, around the selected series.
func (c *Chart) drawLegend(f pane.Frame) {
	r := c.place.legend
	f = f.At(r)
	switch {
	case r.H < 1:
	case c.place.oneLine || r.H == 1:
		c.drawOneLine(f)
	default:
		c.drawTable(f)
	}
}

func (c *Chart) drawTable(f pane.Frame) {
	cols := c.columns(f.Width(), f.GlyphSet())
	c.list.Resize(len(c.series))
	c.list.Select(slices.Index(c.series, c.selected))
	from, end := c.list.Show(len(c.series), f.Height()-1)
	head := f.Lines(0, 1).On(themes.Surface)
	head.Clear(themes.Muted)
	if c.proposal.shown {
		drawProposedHeads(f, &cols)
	}
	for i := range legend {
		if c.proposal.shown {
			break
		}
		h := table.Head{Text: legend[i].head, Style: themes.Muted}
		if i == counterColumn {
			h.Text = cmp.Or(c.list.Position(), h.Text)
		}
		cols.DrawHead(head.Region, 0, i, h)
	}
	for i := from; i < end; i++ {
		c.drawSeries(f, 1+i-from, i, &cols)
	}
}

// drawSeries draws one row of the legend.
func (c *Chart) drawSeries(f pane.Frame, y, i int, cols *table.Layout) {
	s := c.series[i]
	st := themes.Text
	if s.hidden {
		st = themes.Muted
	}
	if s.isStale() {
		st = themes.Stale
	}
	c.drawLetter(f, y, s)
	for k, p := range cols.Places {
		if p.W > 0 {
			legend[k].draw(c, f, p.X, y, p.W, s, st)
		}
	}
	f.Highlight(y, s == c.selected)
	f.ZoneLine(y, hitRow, i)
}

// drawLetter draws the signs at the left of a row.
func (c *Chart) drawLetter(f pane.Frame, y int, s *series) {
	if s == c.selected {
		f.Put(0, y, f.Glyphs().Selected, themes.Focus)
	}
	if s.marked {
		f.Put(1, y, '*', themes.Accent.Bold())
	}
	f.Put(2, y, s.letter(), s.style().Bold())
}

// isStale tells whether what is shown of a series is old.
func (s *series) isStale() bool {
	return s.value.Status() == cooker.Gone || isLost(s.target.Host)
}

func drawCounter(_ *Chart, f pane.Frame, x, y, w int, s *series, st themes.Style) {
	f.Middle(x, y, w, names.Counter(s.called(), s.target.Set.Name, w), st)
}

func drawInstance(c *Chart, f pane.Frame, x, y, w int, s *series, st themes.Style) {
	f.Text(x, y, names.Cut(f.Region, w, printable.Text(s.name), c.common), quiet(st))
}

func drawObject(_ *Chart, f pane.Frame, x, y, w int, s *series, st themes.Style) {
	f.Middle(x, y, w, printable.Text(s.target.Set.Name), quiet(st))
}

func drawComputer(_ *Chart, f pane.Frame, x, y, w int, s *series, st themes.Style) {
	f.Middle(x, y, w, printable.Text(s.target.Host.Name), quiet(st))
}

func drawScale(_ *Chart, f pane.Frame, x, y, w int, s *series, st themes.Style) {
	if s.pinned {
		f.Right(x, y, w, scaleText(s.scale), st)
		return
	}
	f.Right(x, y, w, scaleText(s.scale), quiet(st))
}

func drawUnderCursor(c *Chart, f pane.Frame, x, y, w int, s *series, st themes.Style) {
	switch {
	case s.hidden:
		f.Right(x, y, w, "hidden", quiet(st))
	case c.desk.Past():
		drawNumber(f, x, y, w, s, s.at(c.desk.At), themes.Focus)
	}
}

func drawLast(c *Chart, f pane.Frame, x, y, w int, s *series, st themes.Style) {
	v := c.last(s)
	if st == themes.Text {
		st = themes.Strong.Bold()
	}
	if _, ok := v.Float(); ok && s.isStale() {
		table.DrawNumber(f.Region, x-1, y, w+1, string(f.Glyphs().Stale)+s.number(v), st)
		return
	}
	drawNumber(f, x, y, w, s, v, st)
}

// drawNumber draws a value at the right of its field; without a number the word
// that says why.
func drawNumber(f pane.Frame, x, y, w int, s *series, v cooker.Value, st themes.Style) {
	text := s.number(v)
	if _, ok := v.Float(); !ok {
		f.Right(x, y, w, f.Glyphs().Word(text), quiet(st))
		return
	}
	table.DrawNumber(f.Region, x, y, w, text, st)
}

func drawUnit(_ *Chart, f pane.Frame, x, y, w int, s *series, st themes.Style) {
	f.Left(x, y, w, s.unit.Label, quiet(st))
}

func drawStatistic(of func(*series) cooker.Value) func(*Chart, pane.Frame, int, int, int, *series, themes.Style) {
	return func(_ *Chart, f pane.Frame, x, y, w int, s *series, st themes.Style) {
		if s.stats.Count > 0 {
			table.DrawNumber(f.Region, x, y, w, s.brief(of(s)), quiet(st))
		}
	}
}

// quiet is the muted form of a text style; that of stale rows stays.
func quiet(st themes.Style) themes.Style {
	if st.Foreground() == themes.Stale {
		return st
	}
	return themes.Muted
}

// drawOneLine is the legend where there is no room: `A 93.1  B 41.2`.
func (c *Chart) drawOneLine(f pane.Frame) {
	set := f.GlyphSet()
	texts := make([]string, len(c.series))
	cells := func(i int) int { return set.TextWidth(texts[i]) + 4 }
	for i, s := range c.series {
		texts[i] = f.Glyphs().Word(s.number(c.now(s)))
		if s.hidden {
			texts[i] = "hidden"
		}
	}
	at := max(0, slices.Index(c.series, c.selected))
	c.list.Show(len(c.series), 1)
	from, room := at, f.Width()-1-cells(at)
	for from > 0 && room >= cells(from-1) {
		from--
		room -= cells(from)
	}
	x := 1
	for i := from; i < len(c.series); i++ {
		s := c.series[i]
		if i > at && x+cells(i)-2 > f.Width() {
			f.Put(f.Width()-1, 0, '+', themes.Muted)
			break
		}
		st := themes.Text
		if s == c.selected {
			st = themes.Strong.Bold()
		}
		if s.isStale() {
			st = themes.Stale
		}
		n := cells(i)
		f.Put(x, 0, s.letter(), s.style().Bold())
		f.Left(x+2, 0, f.Width()-x-2, strings.TrimSpace(texts[i]), st)
		if s == c.selected {
			f.SetBackground(x-1, 0, n-1, 1, themes.Selection)
		}
		f.Zone(x-1, 0, n, 1, hitRow, i)
		x += n
	}
}

// drawProposedHeads draws the head of the legend of what is proposed, as a title.
func drawProposedHeads(f pane.Frame, cols *table.Layout) {
	end := pane.DrawTitle(f, pane.Title{Name: "Legend", Subtitle: "proposed"})
	for i := scaleColumn; i < legendColumns; i++ {
		if p := cols.Places[i]; p.W > 0 && i != cursorColumn && legend[i].head != "" && p.X > end+2 {
			pane.DrawHead(f, p.X+p.W, legend[i].head, themes.Muted)
		}
	}
}
