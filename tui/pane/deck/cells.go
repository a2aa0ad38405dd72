package deck

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/themes"
	"perfdeck/tui/kit/graph"
	"perfdeck/tui/kit/meter"
	"perfdeck/tui/layout"
	"perfdeck/tui/pane"
)

// drawCells draws a meter for each instance, or upright bars where these have no room.
func (d *Deck) drawCells(f pane.Frame, b *block, s *scene) {
	r := layout.Rect{W: s.w, H: s.h}
	if !s.bare {
		r.Y, r.H = 1, s.h-1
	}
	least, annotation := leastCell, b.annotation()
	if annotation != nil && r.W < annotatedCell {
		annotation = nil
	}
	if annotation != nil {
		least = annotatedCell
	}
	thick := 2
	if d.isLow() {
		thick = 1
	}
	c := layout.NewCells(r.W, r.H, max(1, len(b.lines)), least, thick)
	if !s.bare {
		t := s.title
		t.Heads = false
		d.drawCellsTitle(f, b, t, c, annotation)
	}
	if c.Columns == 0 {
		d.drawBars(f.At(r), b, s, c)
		return
	}
	labels, width := b.labels(f)
	for i := range b.lines {
		x, y := r.X+i/c.Rows*c.Width, r.Y+i%c.Rows
		w := c.Width
		if c.Columns == 1 {
			w = r.W
		}
		d.drawCell(f.At(layout.Rect{X: x, Y: y, W: w, H: 1}), b, s, i, labels[i], width, c.Columns == 1, annotation)
		f.Zone(x, y, w, 1, pane.Hit{Kind: hitRow, A: s.pane, B: i})
		signZone(f, x, y, s, i)
	}
}

// drawCellsTitle tells of which instances the cells are.
func (d *Deck) drawCellsTitle(f pane.Frame, b *block, t pane.Title, c layout.Cells, annotation *item) {
	name := b.items[0].name()
	switch {
	case b.role == layout.Each:
		t.Name, t.Subtitle = "each of "+strconv.Itoa(len(b.lines)), name
		if c.Merged > 1 {
			t.Name = meter.GroupText(c.Merged)
			if f.Width() > 24 {
				t.Name, t.Subtitle = "each of "+strconv.Itoa(len(b.lines)), meter.GroupText(c.Merged)
			}
		}
	case b.items[0].drawn.Used != "":
		t.Subtitle = b.items[0].drawn.Used
		if f.Width() >= 80 {
			t.Subtitle += " = 100 - " + name
		}
	default:
		t.Subtitle = name
	}
	if f.Width() < 30 && c.Merged <= 1 {
		t.Subtitle = ""
	}
	end := pane.DrawTitle(f, layout.Row{}, t)
	if t.Problem != "" {
		return
	}
	muted := themes.Muted.Style()
	switch {
	case annotation != nil:
		if text := annotationHead(annotation.name()); end+len(text)+4 < f.Width() {
			pane.DrawHead(f, f.Width()-2, text, muted)
		}
	case end+10 < f.Width():
		pane.DrawHead(f, f.Width()-2, "100 %", muted)
	}
}

// annotationHead is the head of the numbers behind the cells: "free" of Free Megabytes.
func annotationHead(name string) string {
	first, _, _ := strings.Cut(strings.TrimPrefix(name, "% "), " ")
	return strings.ToLower(first)
}

// annotation is the counter of which a number stands behind each cell, nil without one.
func (b *block) annotation() *item {
	if i := slices.IndexFunc(b.items, func(it *item) bool { return it.also && !it.missing }); i >= 0 {
		return b.items[i]
	}
	return nil
}

// labels are the names of the cells, without what all begin with, and how wide they are.
func (b *block) labels(f pane.Frame) (out []string, width int) {
	out = make([]string, len(b.lines))
	for i := range b.lines {
		out[i] = session.Printable(strings.TrimPrefix(b.lines[i].inst, b.common))
		if b.role == layout.Each { // "0,7" of Processor Information in one group
			if _, core, ok := strings.Cut(out[i], ","); ok && b.common == "" {
				out[i] = core
			}
		}
		width = max(width, f.GlyphSet().TextWidth(out[i]))
	}
	return out, width
}

// drawCell draws the cell of one instance.
func (d *Deck) drawCell(f pane.Frame, b *block, s *scene, i int, label string, labelW int, alone bool, it *item) {
	const value = 6
	ln, sg := &b.lines[i], &s.signs[i]
	reading := d.readingOf(b, ln, s)
	lead := 2
	if alone {
		lead = layout.SignW
	}
	w := f.Width()
	tail := 1 // blank behind the value
	if it != nil {
		tail = 2 + 1 + 9 + 4 // a sign of percent, and the other number
	}
	labelW = min(labelW, max(4, w-lead-1-8-value-tail))
	x := lead + labelW + 1
	mw := w - x - value - tail
	spark := 0
	if alone && it == nil && w >= 42 {
		spark = graph.SparkWidth(min(20, mw-11))
		if mw -= spark + 1; spark > 0 {
			mw, tail = mw+1-1, 0
			mw++
		}
	}
	sign, alarm, isAlarmed := pane.SignOfMark(sg.alert, f.Glyphs())
	f.DrawLead(0, pane.Lead{Selected: i == s.selected, Sign: sign, Style: alarm})
	text, number := themes.Text.Style(), themes.Strong.Style().Bold()
	if s.isOld {
		text, number = themes.Stale.Style(), themes.Stale.Style()
	} else if isAlarmed && sg.alert.State == alert.Firing {
		number = alarm.Bold()
	}
	if isNumeric(label) {
		f.Right(lead, 0, labelW, label, text)
	} else {
		f.Middle(lead, 0, labelW, label, text)
	}
	m := meter.Meter{Share: reading.Share / 100, Limits: d.shareLimits(b, ln, reading.Limit, sg.alert), Stale: s.isOld}
	m.Draw(f.Region, x, 0, max(0, mw))
	if spark > 0 {
		d.drawCellSpark(f, x+mw+1, spark, b, ln, s)
	}
	at := w - tail - value
	if reading.Share == reading.Share {
		f.Right(at, 0, value, percent(reading.Share), number)
	} else {
		word := reading.Value.Status().Word()
		if word == "…" || reading.Value.Valid() {
			word = f.Glyphs().Ellipsis
		}
		f.Right(at, 0, value, word, themes.Muted.Style())
	}
	if it != nil {
		f.Put(at+value+1, 0, '%', themes.Muted.Style())
		d.drawAnnotation(f, at+value+3, b, it, ln)
	}
	f.Highlight(0, i == s.selected)
}

// drawCellSpark draws the last minute of an instance.
func (d *Deck) drawCellSpark(f pane.Frame, x, w int, b *block, ln *line, s *scene) {
	view := b.made.Set(ln.item.sel.Set)
	if view == nil || ln.row < 0 || ln.col < 0 {
		return
	}
	per := graph.PerCell(w, b.every)
	series := view.Series(ln.row, ln.col)
	values := series.Slice(s.end, w*per+per)
	if b.drawsUsed(ln.item) {
		end := min(s.end, series.First+uint64(len(series.Values)))
		d.scratch[0] = ln.item.drawn.Samples(d.scratch[0][:0], values, ln.item.drawn.Limit.Series(b.made, ln.key).Slice(end, len(values)))
		values = d.scratch[0]
	}
	l := graph.Spark{Values: values, End: s.end, PerCell: per, Hi: 100, Wipe: f.Wipe}
	if s.isOld {
		l.Plain = themes.Stale.Style()
	}
	l.Draw(f.Region, x, 0, w)
}

// drawAnnotation draws the other number of an instance.
func (d *Deck) drawAnnotation(f pane.Frame, x int, b *block, it *item, ln *line) {
	view := b.made.Set(it.sel.Set)
	if view == nil {
		return
	}
	row, col := view.Find(ln.key, ln.row), view.Column(it.counter)
	if row < 0 || col < 0 {
		return
	}
	v := view.Value(row, col)
	n, ok := v.Float()
	if !ok {
		return
	}
	q := it.sel.Set.Counters[it.counter].Quantity
	u := cooker.UnitFor(q, cooker.UnitWindows, n)
	f.Right(x, 0, 8, fieldOf(n, u), themes.Muted.Style())
	f.Left(x+9, 0, 4, u.Label, themes.Muted.Style())
}

// drawBars draws upright bars, in strips one below the other.
func (d *Deck) drawBars(f pane.Frame, b *block, s *scene, c layout.Cells) {
	shares := d.shares[:0]
	for i := range b.lines {
		shares = append(shares, d.readingOf(b, &b.lines[i], s).Share/100)
	}
	d.shares = shares
	per := c.PerRow * c.Merged
	w := c.PerRow
	for strip := range c.Strips {
		from := min(len(shares), strip*per)
		part := shares[from:min(len(shares), from+per)]
		bars := meter.Bars{Shares: part, Stale: s.isOld, Named: !s.bare || c.Merged == 1}
		if s.bare && c.Merged > 1 {
			w = f.Width()
		}
		at := f.At(layout.Rect{Y: strip * c.Strip, W: w, H: c.Strip})
		group := bars.Draw(at.Region)
		for x := 0; x*group < len(part) && x < w; x++ {
			n := from + highestOf(part, x*group, (x+1)*group)
			at.Zone(x, 0, 1, c.Strip, pane.Hit{Kind: hitRow, A: s.pane, B: n})
			if first := from + x*group; s.selected >= first && s.selected < first+group {
				at.SetBackground(x, 0, 1, c.Strip, themes.Selection)
			}
		}
	}
}

// highestOf is the number of the highest of some shares, of which a bar stands for those
// from one to before another.
func highestOf(shares []float64, from, to int) int {
	at := from
	for i := from + 1; i < min(to, len(shares)); i++ {
		if !(shares[at] >= shares[i]) && shares[i] == shares[i] {
			at = i
		}
	}
	return at
}

func isNumeric(text string) bool {
	_, err := strconv.Atoi(text)
	return err == nil
}

// fieldOf writes a number in a unit with at most 4 places.
func fieldOf(v float64, u cooker.Unit) string {
	if v != v || math.IsInf(v, 0) {
		return ""
	}
	f := cooker.DefaultFormat()
	f.Style = cooker.UnitWindows
	var buf [64]byte
	return strings.TrimSpace(string(f.AppendField(buf[:0], cooker.FloatValue(v), u)))
}

// limitUnit is the unit in which the limit of a line is told.
func limitUnit(ln *line, limit float64) cooker.Unit {
	return cooker.UnitFor(ln.item.sel.Set.Counters[ln.item.counter].Quantity, cooker.UnitWindows, limit)
}
