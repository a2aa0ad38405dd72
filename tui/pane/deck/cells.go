package deck

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/text/english"
	"perfdeck/session/text/printable"
	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/kit/graph"
	"perfdeck/tui/kit/kind"
	"perfdeck/tui/kit/meter"
	"perfdeck/tui/layout"
	"perfdeck/tui/pane"
)

// cellLook is how a pane draws its instances.
type cellLook struct {
	layout.Cells

	width      int   // of a column of meters, its sign with it
	annotation *item // of which a number stands behind each meter; nil: none
	sparked    bool  // a number and its history in place of a meter
}

// lookOf is how a pane draws its instances in w x h cells; each: those of processors, close to each other.
func (b *block) lookOf(w, h int, each bool) cellLook {
	const thick = 2
	least, room := leastCell, w
	look := cellLook{annotation: b.annotation(), sparked: b.isSparked() && !each && w-layout.Edge+cellGap >= sparkedCell}
	switch {
	case look.sparked:
		least, room = sparkedCell, w-layout.Edge+cellGap // histories have what was measured
	case look.annotation != nil && w >= annotatedCell:
		least = annotatedCell
	default:
		look.annotation = nil
	}
	n, gap := max(1, len(b.lines)), cellGap
	if each {
		look.Cells, gap = layout.EachCells(w, h, n, thick), 0
	} else {
		look.Cells = layout.NewCells(room, h, n, least, thick)
		if look.Columns == 0 && b.spec.Spare && room >= least { // the first of them
			look.Columns, look.Rows = room/least, h
		}
	}
	if look.Columns > 0 {
		look.width = (w - layout.Edge - gap*(look.Columns-1)) / look.Columns
	}
	return look
}

// cellGap is the cells between columns of meters.
const cellGap = 1

// at is where a column of meters begins in a pane of w cells: the last one ends where the heads of others end.
func (c *cellLook) at(column, w int) int {
	if c.Columns < 2 {
		return 0
	}
	return column * (w - layout.Edge - c.width) / (c.Columns - 1)
}

// isSparked tells whether instances are numbers with their history: shares of time of
// what is shown where there is room. Of what is used of a whole there are meters.
func (b *block) isSparked() bool {
	return b.spec.Spare && b.kinds.derived == kind.Cells && b.items[0].drawn.Used == "" && b.annotation() == nil
}

// drawCells draws a meter for each instance, or upright bars where these have no room.
func (d *Deck) drawCells(f pane.Frame, b *block, s *scene) {
	r := layout.Rect{W: s.w, H: s.h}
	if !s.plot.bare {
		r.Y, r.H = 1, s.h-1
	}
	look := b.lookOf(r.W, r.H, s.each)
	if !s.plot.bare {
		d.drawCellsTitle(f, b, s, &look)
	}
	if look.Columns == 0 {
		d.drawBars(f.At(r), b, s, look.Cells)
		return
	}
	labels, width := b.labels(f, s.each)
	for place, i := range b.shownCells(look.Columns * look.Rows) {
		column, row := place/look.Rows, place%look.Rows
		x, y, w := r.X+look.at(column, r.W), r.Y+row, look.width
		cell := f.Sub(x, y, w, 1)
		ln := &b.lines[i]
		if view, _ := b.viewOf(ln); look.sparked || ln.item.drawn.Limit.IsLifted(b.made, ln.key) && ln.value(view).Valid() {
			d.drawSparked(cell, b, s, i, labels[i])
		} else {
			d.drawCell(cell, b, s, i, labels[i], width, &look)
		}
		f.Zone(x, y, w, 1, hitRow, s.pane, i)
		signZone(f, x, y, s, i)
	}
}

// shownCells are the lines that are shown as so many cells: all in their order, or those whose
// shares were highest when all of them were known first.
func (b *block) shownCells(most int) []int {
	out := make([]int, len(b.lines))
	for i := range out {
		out[i] = i
	}
	if len(out) <= most {
		return out
	}
	shares := b.fullest
	if shares == nil {
		shares = map[session.InstanceKey]float64{}
		for i := range b.lines {
			l := &b.lines[i]
			if r := l.item.drawn.Read(l.value(b.view()), l.item.drawn.Limit.Value(b.made, l.key)); r.Share == r.Share {
				shares[l.key] = r.Share
			}
		}
		if len(shares) == len(out) {
			b.fullest = shares
		}
	}
	slices.SortStableFunc(out, func(i, j int) int { return cmp.Compare(shares[b.lines[j].key], shares[b.lines[i].key]) })
	return out[:most]
}

// drawSparked draws the number of one instance and its history.
func (d *Deck) drawSparked(f pane.Frame, b *block, s *scene, i int, label string) {
	unit := layout.UnitW
	if b.lines[i].item.drawn.IsPercent {
		unit = 1
	}
	r, l := d.rowOf(b, i, s), layout.InstanceRow(f.Width(), unit)
	r.Name, r.Instance, r.Short, r.Common = label, "", "", ""
	if unit = canvas.Full.TextWidth(r.Unit.Label); l.NameW < leastName { // it has the blanks of number and unit
		l = layout.InstanceRow(f.Width(), min(l.UnitW, unit))
		l.NameW = max(l.NameW, leastName)
	}
	pane.DrawRow(f, 0, l, &r)
}

// drawCellsTitle tells of which instances the cells are.
func (d *Deck) drawCellsTitle(f pane.Frame, b *block, s *scene, look *cellLook) {
	t := s.title
	const rules = 7 // and blanks
	name, each := b.items[0].name(), "each of "+strconv.Itoa(len(b.lines))
	switch {
	case s.each && look.Merged > 1 && f.Width() > 24:
		t.Name, t.Subtitle = each, meter.GroupText(look.Merged)
	case s.each && look.Merged > 1:
		t.Name, t.Subtitle = meter.GroupText(look.Merged), name
	case s.each:
		t.Name, t.Subtitle = canvas.Fitting(f.Width()+1-rules, each, "each"), name
	case b.items[0].drawn.Used != "":
		t.Subtitle = b.items[0].drawn.Used
		if f.Width() >= 80 {
			t.Subtitle += " = 100 - " + name
		}
	default:
		t.Subtitle = canvas.Fitting(f.Width()-rules-canvas.Full.TextWidth(t.Name), name, b.items[0].names.Of(name, b.set.Name, 11))
	}
	if f.Width() < 30 && look.Merged <= 1 {
		t.Subtitle = ""
	}
	if said := d.selectedBar(f, b, s); said != "" && look.Columns == 0 {
		if t.Subtitle = said; f.Width() < 30 {
			t.Name, t.Subtitle = said, ""
		} else if f.GlyphSet().TextWidth(t.Name+said)+rules > f.Width() {
			t.Name, _, _ = strings.Cut(t.Name, " ")
		}
	}
	end := pane.DrawTitle(f, t)
	if t.Problem != "" {
		return
	}
	text := "100 %"
	switch {
	case look.annotation != nil:
		first, _, _ := strings.Cut(strings.TrimPrefix(look.annotation.name(), "% "), " ")
		text = strings.ToLower(first) // "free" of Free Megabytes
	case look.sparked:
		text = "last " + english.Short(graph.SparkSpan(graph.SparkReach, layout.InstanceRow(look.width, 1).SparkW, b.every))
	}
	if end+len(text)+4 < f.Width() {
		pane.DrawHead(f, f.Width()-2, text, themes.Muted)
	}
}

// annotation is the counter of which a number stands behind each cell, nil without one.
func (b *block) annotation() *item {
	if i := slices.IndexFunc(b.items, func(it *item) bool { return it.also && !it.missing }); i >= 0 {
		return b.items[i]
	}
	return nil
}

// labels are the names of the cells, without what all begin with, and how wide they are.
func (b *block) labels(f pane.Frame, each bool) (out []string, width int) {
	out = make([]string, len(b.lines))
	common := b.common
	if b.find(func(l *line) bool { return l.inst == common }) >= 0 { // nothing would be left of it
		common = ""
	}
	for i := range b.lines {
		out[i] = printable.Text(strings.TrimPrefix(b.lines[i].inst, common))
		if _, core, ok := strings.Cut(out[i], ","); ok && each && b.common == "" {
			out[i] = core // "0,7" of Processor Information in one group
		}
		width = max(width, f.GlyphSet().TextWidth(out[i]))
	}
	return out, width
}

// drawCell draws the cell of one instance.
func (d *Deck) drawCell(f pane.Frame, b *block, s *scene, i int, label string, labelW int, look *cellLook) {
	const value = 6
	ln, sg := &b.lines[i], &s.signs[i]
	reading := d.readingOf(b, ln, &s.when)
	lead, tail, other := layout.SignW, 0, 9 // tail is cells behind the value, other those of the other number
	if s.each && isNumeric(label) {
		lead, labelW = layout.EachSign, max(2, labelW) // small numbers stand below the names of other panes
	}
	if look.annotation != nil {
		if look.Columns > 1 {
			other--
		}
		tail = 5 + other // a sign of percent, the other number, its unit
	}
	w := f.Width()
	labelW = min(labelW, max(4, w-lead-1-8-value-tail))
	x := lead + labelW + 1
	mw, spark := w-x-value-tail, 0
	if look.Columns == 1 && look.annotation == nil && w >= 40 {
		if spark = graph.SparkWidth(min(20, mw-11)); spark > 0 {
			mw -= spark + 1
		}
	}
	sign, alarm, isAlarmed := pane.SignOfMark(sg.alert, f.Glyphs())
	f.DrawLead(0, pane.Lead{Selected: i == s.list.selected, Sign: sign, Style: alarm})
	text, number := themes.Text, themes.Strong.Bold()
	if s.isOld {
		text, number = themes.Stale, themes.Stale
	} else if isAlarmed && sg.alert.State == alert.Firing {
		number = alarm.Bold()
	}
	if isNumeric(label) {
		f.Right(lead, 0, labelW, label, text)
	} else {
		f.Middle(lead, 0, labelW, label, text)
	}
	d.drawMeter(f, 0, x, max(0, mw), b, ln, &reading, sg.alert, s.isOld)
	if spark > 0 {
		var recent pane.Recent
		d.fillRecent(&recent, b, ln, &s.when)
		if recent.Hi = 100; s.isOld {
			recent.Plain = themes.Stale
		}
		f.DrawRecent(x+mw+1, 0, spark, &recent)
	}
	at := w - tail - value
	if reading.Share == reading.Share {
		var buf [32]byte
		f.Right(at, 0, value, string(percent(buf[:0], reading.Share)), number)
		if look.annotation != nil {
			f.Put(at+value+1, 0, '%', themes.Muted)
		}
	} else {
		drawCellWord(f, at, value, reading.Value, look)
	}
	if look.annotation != nil {
		d.drawAnnotation(f, at+value+2, other, b, look.annotation, ln, s)
	}
	f.Highlight(0, i == s.list.selected)
}

// drawCellWord shows why a cell has no number, where that would end: in the place of its
// unit, too, and over the end of the empty meter.
func drawCellWord(f pane.Frame, x, w int, v cooker.Value, look *cellLook) {
	word := v.Status().Word()
	if word == "…" || v.Valid() {
		word = f.Glyphs().Ellipsis
	}
	if look.annotation != nil {
		w += 2
	}
	if more := f.GlyphSet().TextWidth(word) - w; more > 0 {
		x, w = max(0, x-more), w+more
		f.Put(x-1, 0, ' ', themes.Muted)
	}
	f.Right(x, 0, w, word, themes.Muted)
}

// drawAnnotation draws the other number of an instance.
func (d *Deck) drawAnnotation(f pane.Frame, x, w int, b *block, it *item, ln *line, s *scene) {
	view := b.made.Set(it.sel.Set)
	l := line{item: it, key: ln.key, row: view.Find(ln.key, ln.row), col: view.Column(it.counter)}
	if n, ok := d.readingOf(b, &l, &s.when).Value.Float(); ok {
		number, unit := l.amount(n)
		f.Right(x, 0, w, number, themes.Muted)
		f.Left(x+w+1, 0, 2, unit, themes.Muted)
	}
}

// drawBars draws upright bars, in strips one below the other.
func (d *Deck) drawBars(f pane.Frame, b *block, s *scene, c layout.Cells) {
	shares := make([]float64, len(b.lines))
	for i := range b.lines {
		shares[i] = d.readingOf(b, &b.lines[i], &s.when).Share / 100
	}
	per, w := c.PerRow*c.Merged, c.PerRow
	for strip := range c.Strips {
		from := min(len(shares), strip*per)
		part := shares[from:min(len(shares), from+per)]
		bars := meter.Bars{Shares: part, Stale: s.isOld, Named: !s.plot.bare || c.Merged == 1}
		if s.plot.bare && c.Merged > 1 {
			w = f.Width()
		}
		at := f.Sub(0, strip*c.Strip, w, c.Strip)
		group := bars.Draw(at.Region)
		for x := 0; x*group < len(part) && x < w; x++ {
			first := from + x*group
			n := first + meter.Highest(part[x*group:min(len(part), (x+1)*group)])
			at.Zone(x, 0, 1, c.Strip, hitRow, s.pane, n)
			if s.list.selected >= first && s.list.selected < first+group {
				at.SetBackground(x, 0, 1, c.Strip, themes.Selection)
			}
		}
	}
	if s.plot.bare { // no title says it
		f.Right(0, f.Height()-1, f.Width(), " "+d.selectedBar(f, b, s), themes.Text)
	}
}

// selectedBar says which bar is selected, which has no room for its name, "" where none is.
func (d *Deck) selectedBar(f pane.Frame, b *block, s *scene) string {
	i := s.list.selected
	if i < 0 || i >= len(b.lines) {
		return ""
	}
	said := string(f.Glyphs().Selected) + " " + printable.Text(b.lines[i].inst)
	if share := d.readingOf(b, &b.lines[i], &s.when).Share; share == share {
		said += " " + string(percent(nil, share)) + " %"
	}
	return said
}

func isNumeric(text string) bool { return text != "" && strings.Trim(text, "0123456789") == "" }

// amount writes a number of a line with at most 4 places, and its unit.
func (l *line) amount(v float64) (number, unit string) {
	return pane.AmountIn(l.item.sel.Set.Counters[l.item.counter].Quantity, v)
}
