package fleet

import (
	"math"
	"strconv"
	"time"

	"perfdeck/cooker"
	"perfdeck/session/text/english"
	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/kit/columns"
	"perfdeck/tui/layout"
	"perfdeck/tui/pane"
)

// Draw draws map, list and details.
func (s *Screen) Draw(f pane.Frame) {
	s.sync()
	s.refresh(f.Now)
	s.arrange(f.Now)
	if len(s.lines) == 0 {
		drawNone(f)
		return
	}
	mapped, mapRows := layoutMap(f.Width(), s.groups)
	s.places = place(f.Width(), f.Height(), len(s.lines), mapRows, s.detailRows(), pane.Longest(0, maxName, s.lines, func(l *line) string { return l.name }), s.showsServices())
	if s.places.chart.H > 0 {
		s.drawMap(f.At(s.places.chart), &mapped, mapRows)
	}
	s.drawList(f.At(s.places.list))
	if s.places.detail.H > 0 {
		s.drawDetail(f.At(s.places.detail))
	}
}

// drawNone says how hosts come here.
func drawNone(f pane.Frame) {
	pane.DrawTitle(f, pane.Title{Name: "No hosts", Focused: true})
	lesson := pane.Lesson{Text: "No host is watched.", Keys: [][2]string{{"a", "add hosts by their names"}}}
	lesson.Draw(f, 2)
}

// drawList draws the lines that fit, in columns.
func (s *Screen) drawList(f pane.Frame) {
	p := &s.places
	p.rows = max(0, p.rows)
	from, end := s.Show(p.rows * p.columns)
	pane.DrawTitle(f, s.listTitle())
	if p.rows == 0 {
		return
	}
	pitch := p.lineW + columnGap
	for c := range p.columns {
		s.drawHeads(f.Sub(c*pitch, 1, p.lineW, 1), c == 0)
	}
	for i := from; i < end; i++ {
		at := i - from
		r := layout.Rect{X: at / p.rows * pitch, Y: 2 + at%p.rows, W: p.lineW, H: 1}
		s.drawLine(f.At(r), s.Rows[i])
		f.Zone(r.X, r.Y, r.W, 1, pane.HitRow, 0, i)
	}
	if len(s.Rows) == 0 {
		s.Filter.Unfit("No host").Draw(f, 3)
	}
}

func (s *Screen) listTitle() pane.Title {
	name := english.Count(len(s.lines), "host", "hosts")
	if len(s.Rows) != len(s.lines) {
		name = strconv.Itoa(len(s.Rows)) + " of " + name
	}
	text := s.sorting.String()
	if s.reverse {
		text += " reversed"
	}
	if s.Filter.Text() != "" {
		text = "filter " + s.Filter.Text() + ", " + text
	}
	if n := s.Marks(); n > 0 {
		text += ", " + strconv.Itoa(n) + " marked"
	}
	return pane.Title{Name: name, Subtitle: text, Focused: true, Position: s.Position()}
}

// drawHeads draws the heads of a column of the list; marked with what it is
// sorted by.
func (s *Screen) drawHeads(f pane.Frame, marked bool) {
	mark := columns.SortOf(s.reverse).Mark(f.Glyphs())
	f.Zone(0, 0, layout.SignW, 1, hitHead, int(byTrouble))
	if marked && s.sorting == byTrouble {
		f.Put(1, 0, mark, themes.Accent)
	}
	cols := &s.places.line
	for i, p := range cols.Places {
		if p.W == 0 {
			continue
		}
		by, text := s.head(i)
		h := columns.Head{Text: text, Style: themes.Muted}
		if s.sorting == by {
			h.Style = themes.Focus.Bold()
		}
		cols.DrawHead(f.Region, 0, i, h)
		f.Zone(p.X, 0, p.W, 1, hitHead, int(by))
		switch {
		case !marked || s.sorting != by || i == stripColumn:
		case i == nameColumn:
			f.Put(p.X+len(text), 0, mark, themes.Focus)
		default: // before the head, which fills its column
			f.Put(p.X-1, 0, mark, themes.Focus)
		}
	}
}

// head is what stands above a column, and what is sorted by it.
func (s *Screen) head(column int) (sorting, string) {
	switch column {
	case nameColumn:
		return byName, "host"
	case stripColumn:
		return byMeasure + sorting(s.measure), s.stripHead(s.places.line.Places[stripColumn].W)
	}
	m := measureOf(column)
	return byMeasure + sorting(m), s.headOf(m)
}

// stripHead says what the strips show, and how much time.
func (s *Screen) stripHead(w int) string {
	text := "history" // how long is known from the first samples on
	for _, l := range s.lines {
		if span := l.span(w); span > 0 {
			text = "last " + english.Age(span)
			break
		}
	}
	if s.measure != cpu {
		text = measures[s.measure].name + " " + text
	}
	return text
}

// span is how much time n samples of a host take, to the second; 0 when that is
// not known.
func (l *line) span(n int) time.Duration {
	if l.snap == nil {
		return 0
	}
	nanos := l.snap.Timeline.Nanos
	nanos = nanos[max(0, len(nanos)-n):]
	if len(nanos) < 2 {
		return 0
	}
	all := time.Duration(nanos[len(nanos)-1]-nanos[0]) / time.Duration(len(nanos)-1) * time.Duration(n)
	return all.Round(time.Second)
}

// drawLine draws the line of a host.
func (s *Screen) drawLine(f pane.Frame, l *line) {
	cols, g := &s.places.line, f.Glyphs()
	selected := l.host == s.host()
	sign, st := l.sign(g)
	f.DrawLead(0, pane.Lead{Selected: selected, Marked: s.IsMarked(l.host), Sign: sign, Style: st})
	name := themes.Text
	if selected || s.IsMarked(l.host) {
		name = name.Bold()
	}
	cols.Draw(f.Region, 0, nameColumn, l.name, name)
	if len(s.Desk.RunningSets(l.host)) > 0 { // beside the name, or over its end
		at := cols.Places[nameColumn]
		f.Put(at.X+min(canvas.Full.TextWidth(l.name)+1, at.W-1), 0, g.Recording, themes.Accent.Bold())
	}
	if l.fine(s.Desk.Past()) {
		s.drawValues(f, l)
	} else {
		text := l.standing.Text(f.Now)
		if l.standing.Condition == pane.Expected {
			text += g.Ellipsis
		}
		x := cols.Places[valueColumn].X
		f.Right(x, 0, cols.End()-x, text, st)
	}
	f.Highlight(0, selected)
}

// sign is what stands before a host: what is wrong with it, or the worst alert.
func (l *line) sign(g *canvas.Glyphs) (rune, themes.Style) {
	if sign, st := l.standing.Sign(g); sign != 0 && (l.standing.Condition > pane.Overdue || l.alert == pane.Info) {
		return sign, st
	}
	return pane.SignOf(l.alert, g)
}

func (s *Screen) drawValues(f pane.Frame, l *line) {
	for i, p := range s.places.line.Places {
		switch {
		case p.W == 0 || i == nameColumn:
		case i == stripColumn:
			s.drawStrip(f, p, l)
		default:
			s.drawNumber(f, p, l, measureOf(i))
		}
	}
}

// drawNumber draws a value in its column; what has none says why.
func (s *Screen) drawNumber(f pane.Frame, p columns.Place, l *line, m int) {
	v, ok := l.values[m].Float()
	if !ok {
		word := f.Glyphs().Word(l.values[m].Status().Word())
		if l.values[m].Status() == cooker.Pending {
			word = f.Glyphs().Ellipsis
		}
		f.Right(p.X, 0, p.W, word, themes.Muted)
		return
	}
	decimals := s.decimals(m)
	var buf [32]byte
	text := buf[:0]
	if l.old[m] {
		text = append(text, '~')
	}
	text = s.appendNumber(text, m, v)
	st := themes.Text
	alarm, isAlarmed := s.alarm(l, m, f.Glyphs())
	switch {
	case l.old[m]:
		st = themes.Stale
	case isAlarmed:
		st = alarm.Bold()
	case s.inUnit(m, v) < 0.5*math.Pow10(-decimals):
		st = themes.Muted
	case m == cpu:
		st = themes.Strong.Bold()
	}
	if l.old[m] { // the sign may stand in the gap
		p.X, p.W = p.X-1, p.W+1
	}
	columns.DrawNumber(f.Region, p.X, 0, p.W, string(text), st)
}

// drawStrip draws the last samples of the measure that is shown, as heat. With
// Wipe they keep their places and a gap runs through them.
func (s *Screen) drawStrip(f pane.Frame, p columns.Place, l *line) {
	src := &l.sources[s.measure]
	end := s.Desk.End(l.snap)
	h := src.history(&s.buf, l.snap, end, p.W)
	st := themes.Spark
	if alarm, ok := s.alarm(l, s.measure, f.Glyphs()); ok {
		st = alarm
	}
	if l.old[s.measure] {
		st = themes.Stale
	}
	for i, v := range h.Values {
		n := h.First + uint64(i)
		x := p.W - int(end-n)
		if s.Desk.Wipe {
			if x = int(n % uint64(p.W)); end-n == uint64(p.W) {
				continue // the gap before the oldest
			}
		}
		f.Put(p.X+x, 0, s.heat(f.Glyphs(), s.measure, v), st)
	}
}
