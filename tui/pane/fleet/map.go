package fleet

import (
	"perfdeck/session/alert"
	"slices"
	"strconv"
	"strings"

	"perfdeck/session/text/english"
	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/pane"
)

// heat is the glyph of a number, a digit in ASCII. What is too much alert rules say.
func (s *Screen) heat(g *canvas.Glyphs, m int, v float32) rune {
	share := s.share(m, v)
	switch {
	case share != share:
		return ' '
	case g.Vertical == '|':
		return '0' + rune(min(9, int(share*10)))
	}
	return g.Spark[min(canvas.Levels-1, int(share*canvas.Levels))]
}

// alarm is the style of a measure of which an alert rule says that it is too much, as
// of the same value on a deck.
func (s *Screen) alarm(l *line, m int, g *canvas.Glyphs) (st themes.Style, ok bool) {
	src := &l.sources[m]
	if s.Desk.Alerts == nil || src.set == nil {
		return 0, false
	}
	view := l.snap.Set(src.set)
	row := src.row(view)
	if row < 0 {
		return 0, false
	}
	mark := s.Desk.Mark(l.host, src.set, src.counter, view.Rows[row].Key)
	if mark.State != alert.Firing {
		return 0, false
	}
	_, st, ok = pane.SignOfMark(mark, g)
	return st, ok
}

// drawMap draws a cell for each host, sorted into groups.
func (s *Screen) drawMap(f pane.Frame, c *mapCells, rows int) {
	subtitle := "1 cell a host, " + measures[s.measure].title + " now"
	if s.Desk.Past() {
		subtitle = "1 cell a host, " + measures[s.measure].title + " at " + pane.Clock(s.Desk.At, f.Now)
	}
	if !measures[s.measure].percent {
		most := strings.TrimSpace(string(s.appendNumber(nil, s.measure, s.largest[s.measure])))
		subtitle += ", the most is " + most + " " + s.shown[s.measure].Label
		if text := s.tops[s.measure].text; text != "" {
			subtitle += ", drawn to " + text
		}
	}
	pane.DrawTitle(f, pane.Title{Name: english.Count(len(s.lines), "host", "hosts"), Subtitle: subtitle})
	room := f.Height() - 1
	s.chart.Show(rows, room)
	y := 0
	for i := range s.groups {
		n := c.rowsOf(&s.groups[i])
		if s.groups[i].has(s.host()) { // the group of the selected host is in view
			s.chart.Reveal(y, y+n)
		}
		y += n
	}
	body := f.Lines(1, room)
	y = -s.chart.Top()
	for i := range s.groups {
		s.drawGroup(body, c, i, y)
		y += c.rowsOf(&s.groups[i])
	}
}

func (g *group) has(h *pane.Host) bool {
	return slices.ContainsFunc(g.lines, func(l *line) bool { return l.host == h })
}

// drawGroup draws the rows of a group from row y on, as far as they are in view.
func (s *Screen) drawGroup(f pane.Frame, c *mapCells, i, y int) {
	g := &s.groups[i]
	if y >= f.Height() || y+c.rowsOf(g) <= 0 {
		return
	}
	st := themes.Accent
	if g.has(s.host()) {
		st = themes.Focus
	}
	f.Middle(c.label, y, c.labelW, g.name, st)
	f.Zone(0, y, c.at-1, 1, hitGroup, i)
	for n, l := range g.lines {
		x, row := c.at+n%c.perRow*c.step, y+n/c.perRow
		if row < 0 || row >= f.Height() {
			continue
		}
		sign, st := l.sign(f.Glyphs())
		if sign == 0 {
			sign, st = s.heat(f.Glyphs(), s.measure, number(l.values[s.measure])), themes.Spark
			if sign == ' ' {
				sign, st = f.Glyphs().Middot, themes.Muted
			}
		}
		if s.IsMarked(l.host) {
			st = st.Underline()
		}
		if l.host == s.host() {
			st = st.On(themes.Selection).Bold()
		}
		f.Put(x, row, sign, st)
		f.Zone(x, row, 1, 1, hitCell, l.index)
	}
	if c.text > 0 && y >= 0 {
		text, room := g.counts(), f.Width()-c.text
		if len(text) > room {
			text = strings.Replace(text, " hosts", "", 1)
		}
		f.Left(c.text, y, room, text, themes.Muted)
	}
}

// counts tells how many hosts a group has, and what is wrong with how many.
func (g *group) counts() string {
	var n [pane.Lost + 1]int
	alerts := 0
	for _, l := range g.lines {
		n[l.standing.Condition]++
		if l.alert > pane.Info {
			alerts++
		}
	}
	text := english.Count(len(g.lines), "host", "hosts")
	add := func(n int, word string) {
		if n > 0 {
			text += "  " + strconv.Itoa(n) + " " + word
		}
	}
	add(n[pane.Lost], "down")
	add(n[pane.Refusing], "denied")
	add(alerts, "alerting")
	add(n[pane.Overdue], "stale")
	return text
}
