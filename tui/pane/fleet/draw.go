package fleet

import (
	"math"
	"strconv"
	"time"

	"perfdeck/cooker"
	"perfdeck/themes"
	"perfdeck/tui/canvas"
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
	s.places = place(f.Width(), f.Height(), len(s.lines), mapRows, s.detailRows(), longestName(s.lines))
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
	pane.DrawTitle(f, layout.Row{}, pane.Title{Name: "No hosts", Focused: true})
	f.Left(6, 2, f.Width()-6, "No host is watched.", themes.Text.Style())
	f.Text(6, 4, "a", themes.Accent.Style().Bold())
	f.Left(9, 4, f.Width()-9, "add hosts by their names", themes.Muted.Style())
}

// drawList draws the lines that fit, in columns.
func (s *Screen) drawList(f pane.Frame) {
	pane.DrawTitle(f, layout.Row{}, s.listTitle())
	p := &s.places
	if p.rows < 1 {
		p.rows = 0
		return
	}
	shown := p.rows * p.columns
	s.top = max(0, min(s.top, s.line, len(s.order)-shown))
	if s.line >= s.top+shown {
		s.top = s.line - shown + 1
	}
	pitch := p.line.w + columnGap
	for c := range p.columns {
		s.drawHeads(f.At(layout.Rect{X: c * pitch, Y: 1, W: p.line.w, H: 1}), c == 0)
	}
	for i := s.top; i < min(len(s.order), s.top+shown); i++ {
		at := i - s.top
		r := layout.Rect{X: at / p.rows * pitch, Y: 2 + at%p.rows, W: p.line.w, H: 1}
		s.drawLine(f.At(r), s.order[i])
		f.Zone(r.X, r.Y, r.W, 1, pane.Hit{Kind: hitLine, A: i})
	}
	if len(s.order) == 0 {
		f.Left(6, 3, f.Width()-6, "No host fits the filter "+s.filter.Text(), themes.Text.Style())
		f.Text(6, 5, "esc", themes.Accent.Style().Bold())
		f.Left(11, 5, f.Width()-11, "clear the filter", themes.Muted.Style())
	}
}

// hostCount says how many hosts there are.
func hostCount(n int) string {
	if n == 1 {
		return "1 host"
	}
	return strconv.Itoa(n) + " hosts"
}

func (s *Screen) listTitle() pane.Title {
	name := hostCount(len(s.lines))
	if len(s.order) != len(s.lines) {
		name = strconv.Itoa(len(s.order)) + " of " + name
	}
	text := s.sorting.String()
	if s.reverse {
		text += " reversed"
	}
	if s.filter.Text() != "" {
		text = "filter " + s.filter.Text() + ", " + text
	}
	if n := len(s.marked()); n > 0 {
		text += ", " + strconv.Itoa(n) + " marked"
	}
	return pane.Title{Name: name, Subtitle: text, Focused: true}
}

// drawHeads draws the heads of a column of the list; marked with what it is
// sorted by.
func (s *Screen) drawHeads(f pane.Frame, marked bool) {
	c, g := &s.places.line, f.Glyphs()
	head := func(x, w int, text string, by sorting, right bool) {
		st := themes.Muted.Style()
		if s.sorting == by {
			st = themes.Focus.Style().Bold()
		}
		if right {
			f.Right(x, 0, w, text, st)
		} else {
			f.Left(x, 0, w, text, st)
		}
		f.Zone(x, 0, w, 1, pane.Hit{Kind: hitHead, A: int(by)})
	}
	mark := g.Descending
	if s.reverse {
		mark = g.Ascending
	}
	f.Zone(0, 0, signW, 1, pane.Hit{Kind: hitHead, A: int(byTrouble)})
	switch {
	case !marked:
	case s.sorting == byTrouble:
		f.Put(1, 0, mark, themes.Accent.Style())
	case s.sorting == byName:
		f.Put(c.name+4, 0, mark, themes.Focus.Style())
	case s.sorting == byMeasure+cpu:
		f.Put(c.value-1, 0, mark, themes.Focus.Style())
	default:
		if at := c.at[s.sorting-byMeasure]; at > 0 {
			f.Put(at-1, 0, mark, themes.Focus.Style())
		}
	}
	head(c.name, min(4, c.nameW), "host", byName, false)
	head(c.value, measures[cpu].cells, s.headOf(cpu), byMeasure+cpu, true)
	if c.stripW > 0 {
		head(c.strip, c.stripW, s.stripHead(c.stripW), byMeasure+sorting(s.measure), false)
	}
	for m := mem; m < measureCount; m++ {
		if at := c.at[m]; at > 0 {
			head(at, measures[m].cells, s.headOf(m), byMeasure+sorting(m), true)
		}
	}
}

// stripHead says what the strips show, and how much time.
func (s *Screen) stripHead(w int) string {
	text := "history" // how long is known from the first samples on
	for _, l := range s.lines {
		if span := l.span(w); span > 0 {
			text = "last " + pane.Roughly(span)
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
	c, g := &s.places.line, f.Glyphs()
	selected := l.host == s.selected
	name := themes.Text.Style()
	if selected {
		f.Put(0, 0, g.Selected, themes.Focus.Style())
		name = name.Bold()
	}
	sign, st := l.sign(g)
	if sign != 0 {
		f.Put(1, 0, sign, st)
	}
	if l.marked {
		f.Put(signW-1, 0, g.Mark, themes.Focus.Style())
		name = name.Bold()
	}
	f.Middle(c.name, 0, c.nameW, l.name, name)
	if l.fine(s.desk.Past()) {
		s.drawValues(f, l)
	} else {
		text := l.standing.Text(f.Now)
		if l.standing.Condition == pane.Expected {
			text += g.Ellipsis
		}
		f.Right(c.value, 0, c.end-c.value, text, st)
	}
	if selected {
		f.SetBackground(0, 0, f.Width(), 1, themes.Selection)
	}
}

// sign is what stands before a host: what is wrong with it, or the worst alert.
func (l *line) sign(g *canvas.Glyphs) (rune, themes.Style) {
	if sign, st := l.standing.Sign(g); sign != 0 && (l.standing.Condition > pane.Overdue || l.alert == pane.Info) {
		return sign, st
	}
	return pane.SignOf(l.alert, g)
}

func (s *Screen) drawValues(f pane.Frame, l *line) {
	c := &s.places.line
	s.drawNumber(f, c.value, l, cpu)
	if c.stripW > 0 {
		s.drawStrip(f, l)
	}
	for m := mem; m < measureCount; m++ {
		if c.at[m] > 0 {
			s.drawNumber(f, c.at[m], l, m)
		}
	}
}

// drawNumber draws a value in its column; what has none says why.
func (s *Screen) drawNumber(f pane.Frame, x int, l *line, m int) {
	of := &measures[m]
	v, ok := l.values[m].Float()
	if !ok {
		word := l.values[m].Status().Word()
		if word == "…" || l.values[m].Status() == cooker.Pending {
			word = f.Glyphs().Ellipsis
		}
		f.Right(x, 0, of.cells, word, themes.Muted.Style())
		return
	}
	decimals := of.decimals
	if s.finer[m] {
		decimals++
	}
	var buf [32]byte
	text := buf[:0]
	if l.old[m] {
		text = append(text, '~')
	}
	text = cooker.AppendValue(text, cooker.FloatValue(s.inUnit(m, v)), cooker.Format{Digits: decimals})
	st := themes.Text.Style()
	switch {
	case l.old[m]:
		st = themes.Stale.Style()
	case s.inUnit(m, v) < 0.5*math.Pow10(-decimals):
		st = themes.Muted.Style()
	case m == cpu:
		st = themes.Strong.Style().Bold()
	}
	if len(text) > of.cells {
		f.Right(x, 0, of.cells, string(text), st)
		return
	}
	f.Text(x+of.cells-len(text), 0, string(text), st)
}

// drawStrip draws the last samples of the measure that is shown, as heat. With
// Wipe they keep their places and a gap runs through them.
func (s *Screen) drawStrip(f pane.Frame, l *line) {
	c, src := &s.places.line, &l.sources[s.measure]
	end := s.desk.End(l.snap)
	s.buf = src.history(s.buf[:0], l.snap, end, c.stripW)
	n := len(s.buf)
	for i, v := range s.buf {
		x := c.stripW - n + i
		if s.desk.Wipe {
			x = int((end - uint64(n-i)) % uint64(c.stripW))
			if i == 0 && n == c.stripW {
				continue // the gap before the oldest
			}
		}
		glyph, st := s.heat(f.Glyphs(), s.measure, v)
		if l.old[s.measure] {
			st = themes.Stale.Style()
		}
		f.Put(c.strip+x, 0, glyph, st)
	}
}
