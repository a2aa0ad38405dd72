package chart

import (
	"cmp"
	"strings"

	"perfdeck/cooker"
	"perfdeck/themes"
	table "perfdeck/tui/kit/columns"
	"perfdeck/tui/kit/names"
	"perfdeck/tui/pane"
)

// Places among the columns of the legend.
const (
	counterColumn  = 0
	computerColumn = 3
)

// legend is the columns of the legend. The first four take what room there is, first what most
// names need.
func (c *Chart) legend() []pane.ListColumn[*series] {
	name := func(head string, least, rank int, text func(s *series) string) pane.ListColumn[*series] {
		return pane.ListColumn[*series]{
			Enough: 24, Rank: rank, Align: table.Name, Head: head, Most: mostName, Whole: true, Tight: func(int) int { return least },
			Cell: func(_ pane.Frame, s *series) (string, themes.Style) { return text(s), quiet(s.paper()) },
		}
	}
	number := func(head string, least, rank int, of func(s *series) cooker.Value, write func(*series, cooker.Value) string) pane.ListColumn[*series] {
		return pane.ListColumn[*series]{
			Min: least, Rank: rank, Align: table.Number, Head: head, Most: table.All, Whole: true,
			Cell: func(_ pane.Frame, s *series) (text string, st themes.Style) {
				if v := of(s); v.Valid() && !v.IsText() { // words can be cut
					text = write(s, v)
				}
				return text, quiet(s.paper())
			},
		}
	}
	statistic := func(head string, rank int, of statistic) pane.ListColumn[*series] {
		return number(head, 6, rank, func(s *series) cooker.Value {
			if s.stats.Count == 0 {
				return cooker.Absent(cooker.Pending)
			}
			return s.stats.of(of)
		}, (*series).brief)
	}
	counter := name("counter", 18, table.Stays, (*series).called)
	counter.Cell = func(_ pane.Frame, s *series) (string, themes.Style) { return s.called(), s.paper() }
	counter.Cut = func(_ pane.Frame, s *series, w int) string { return names.Counter(s.called(), s.target.Set.Name, w) }
	instance := name("instance", 8, 8, func(s *series) string { return s.name })
	instance.Cut = c.cutInstance
	cursor := number("cursor", 7, 9, c.atCursor, (*series).number)
	cursor.Draw = c.drawUnderCursor
	last := number("last", 7, table.Stays, c.last, (*series).number)
	last.Draw = c.drawLast
	mean := statistic("avg", 4, average)
	mean.Gap = -1
	return []pane.ListColumn[*series]{
		counterColumn: counter,
		instance,
		name("object", 10, 1, func(s *series) string { return s.target.Set.Name }),
		computerColumn: name("computer", 8, 2, func(s *series) string { return s.target.Host.Name }),
		{Min: 6, Rank: 6, Align: table.Number, Head: "scale", Cell: func(_ pane.Frame, s *series) (string, themes.Style) {
			if s.pinned {
				return scaleText(s.scale), s.paper()
			}
			return scaleText(s.scale), quiet(s.paper())
		}},
		cursor, last,
		{Min: 4, Gap: -1, Rank: 7, Cell: func(_ pane.Frame, s *series) (string, themes.Style) { return s.unit.Label, quiet(s.paper()) }},
		mean, statistic("min", 3, minimum), statistic("max", 5, maximum),
	}
}

const (
	letterCells = 4  // of selection, mark and letter
	mostName    = 40 // cells
)

// atCursor is the value of a series under the cursor.
func (c *Chart) atCursor(s *series) cooker.Value {
	if c.desk.Past() {
		return s.at(c.desk.At)
	}
	return cooker.Absent(cooker.Pending)
}

// nameInstances notes what the names of the instances have in common.
func (c *Chart) nameInstances() {
	var common names.Common
	for _, s := range c.series {
		if s.name != "" {
			common.Add(s.name)
		}
	}
	c.common = common.Prefix()
}

func (c *Chart) cutInstance(f pane.Frame, s *series, w int) string {
	return names.Cut(f.Region, w, s.name, c.common)
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
	const whereSeveral = 10 // the computer leaves last
	c.nameInstances()
	from, end := c.list.Show(f.Height() - 1)
	c.list.Columns[counterColumn].Head = cmp.Or(c.list.Position(), "counter")
	if c.list.Columns[computerColumn].Rank = 2; len(c.hosts()) > 1 {
		c.list.Columns[computerColumn].Rank = whereSeveral
	}
	if !c.proposal.shown {
		c.list.DrawRows(f, from, end, true, true)
		return
	}
	cols := c.list.DrawRows(f.Below(1), from, end, false, true)
	title := pane.DrawTitle(f, pane.Title{Name: "Legend", Subtitle: "proposed"})
	for i, p := range cols.Places {
		if head := c.list.Columns[i].Head; i > computerColumn && p.W > 0 && head != "cursor" && head != "" && p.X > title+2 {
			pane.DrawHead(f, p.X+p.W, head, themes.Muted)
		}
	}
}

// drawLead draws the signs at the left of a row.
func (c *Chart) drawLead(f pane.Frame, y int, s *series, selected bool) {
	if selected {
		f.Put(0, y, f.Glyphs().Selected, themes.Focus)
	}
	if c.list.IsMarked(s) {
		f.Put(1, y, '*', themes.Accent.Bold())
	}
	f.Put(2, y, s.letter(), s.style().Bold())
}

// paper is the style of the texts of a row.
func (s *series) paper() themes.Style {
	switch {
	case s.isStale():
		return themes.Stale
	case s.hidden:
		return themes.Muted
	}
	return themes.Text
}

// isStale tells whether what is shown of a series is old.
func (s *series) isStale() bool {
	return s.value.Status() == cooker.Gone || isLost(s.target.Host)
}

func (c *Chart) drawUnderCursor(f pane.Frame, y int, p table.Place, s *series) {
	switch {
	case s.hidden:
		f.Right(p.X, y, p.W, "hidden", quiet(s.paper()))
	case c.desk.Past():
		drawNumber(f, p.X, y, p.W, s, s.at(c.desk.At), themes.Focus)
	}
}

func (c *Chart) drawLast(f pane.Frame, y int, p table.Place, s *series) {
	v, st := c.last(s), s.paper()
	if st == themes.Text {
		st = themes.Strong.Bold()
	}
	if _, ok := v.Float(); ok && s.isStale() {
		table.DrawNumber(f.Region, p.X-1, y, p.W+1, string(f.Glyphs().Stale)+s.number(v), st)
		return
	}
	drawNumber(f, p.X, y, p.W, s, v, st)
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
	c.list.Show(1)
	at := c.list.Line()
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
		if c.list.Is(i) {
			st = themes.Strong.Bold()
		}
		if s.isStale() {
			st = themes.Stale
		}
		n := cells(i)
		f.Put(x, 0, s.letter(), s.style().Bold())
		f.Left(x+2, 0, f.Width()-x-2, strings.TrimSpace(texts[i]), st)
		if c.list.Is(i) {
			f.SetBackground(x-1, 0, n-1, 1, themes.Selection)
		}
		f.Zone(x-1, 0, n, 1, pane.HitRow, 0, i)
		x += n
	}
}
