package journal

import (
	"strconv"
	"strings"
	"time"

	"perfdeck/session/text/printable"
	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/kit/columns"
	"perfdeck/tui/kit/list"
	"perfdeck/tui/layout"
	"perfdeck/tui/pane"
)

const (
	minHost         = 6
	maxHost         = 20
	hostFrom        = 60 // cells from which on there is a column of hosts
	detailFrom      = 14 // rows from which on the selected entry is shown in full
	detailShare     = 5  // part of the screen that it takes
	leastDetailRows = 3
)

// Draw draws the entries that fit, the newest at the end, and the selected one
// in full.
func (s *Screen) Draw(f pane.Frame) {
	s.refresh()
	detail := 0
	if f.Height() >= detailFrom {
		detail = 1 + max(leastDetailRows, f.Height()/detailShare)
	}
	body := f.Lines(1, f.Height()-1-detail)
	from, end := s.ShowBelow(len(s.Rows), body.Height(), func(row int) bool { return s.Rows[row].day })
	pane.DrawTitle(f, s.title())
	if len(s.Rows) == 0 {
		s.drawEmpty(body)
		return
	}
	s.Columns[hostColumn].Min = s.hostCells(f.Width())
	s.DrawRows(body, from, end, false, true)
	if detail > 0 {
		s.drawDetail(f.Below(f.Height() - detail))
	}
}

func (s *Screen) title() pane.Title {
	kept, added := s.Desk.Journal.Entries()
	var parts []string
	if s.search.Text() != "" {
		parts = append(parts, strconv.Itoa(len(s.hits))+" with "+s.search.Text())
	}
	if s.level > pane.Info {
		parts = append(parts, levelWords[s.level]+" and worse")
	}
	if s.follow {
		parts = append(parts, "follows the end")
	} else if n := s.entries(len(s.Rows)) - s.entries(min(s.Line()+1, len(s.Rows))); n > 0 {
		parts = append(parts, strconv.Itoa(n)+" newer")
	}
	if lost := added - uint64(len(kept)); lost > 0 {
		parts = append(parts, strconv.FormatUint(lost, 10)+" older ones dropped")
	}
	return pane.Title{Name: "Log " + strconv.Itoa(len(kept)), Subtitle: strings.Join(parts, ", "), Focused: true, Position: s.position()}
}

// position tells which entries are in view: the lines of days are not counted.
func (s *Screen) position() string {
	if s.Position() == "" {
		return ""
	}
	above, below := s.Hidden()
	return list.Range(1+s.entries(above), 1+s.entries(len(s.Rows)-1-below), s.entries(len(s.Rows)))
}

// entries is how many of so many rows are no days.
func (s *Screen) entries(rows int) int {
	n := 0
	for _, r := range s.Rows[:rows] {
		if !r.day {
			n++
		}
	}
	return n
}

// drawEmpty says why there is nothing.
func (s *Screen) drawEmpty(f pane.Frame) {
	lesson := pane.Lesson{Text: "No entry fits.", Keys: [][2]string{{"esc", "clear the search and the level"}}}
	if s.search.Text() == "" && s.level == pane.Info {
		lesson = pane.Lesson{Text: "Nothing happened so far.", Ways: []string{"Hosts that come, fail and come back are noted here, and alerts."}}
	}
	lesson.Draw(f, 1)
}

// hostColumn is the place of hosts among the columns.
const hostColumn = 1

func (s *Screen) columns() []pane.ListColumn[row] {
	return []pane.ListColumn[row]{
		{Min: len(time.TimeOnly), Rank: columns.Stays, Cell: func(_ pane.Frame, r row) (string, themes.Style) {
			e, _ := s.entry(r.entry)
			return e.Time.Local().Format(time.TimeOnly), themes.Muted
		}},
		hostColumn: {Rank: 1, Align: columns.Name, Cell: func(_ pane.Frame, r row) (string, themes.Style) {
			e, _ := s.entry(r.entry)
			return e.Host, s.style(&e)
		}},
		{Min: 1, Want: columns.All, Rank: columns.Stays, Draw: s.drawText},
	}
}

// hostCells is how many of w cells hosts are named in. Where there are few, they are named in the
// text.
func (s *Screen) hostCells(w int) int {
	if w < hostFrom {
		return 0
	}
	return pane.Longest(minHost, maxHost, s.Desk.Hosts, func(h *pane.Host) string { return h.Name })
}

// style is that of an entry: another one where it was yet to come.
func (s *Screen) style(e *pane.Entry) themes.Style {
	if s.Desk.Past() && e.Time.After(s.Desk.At) {
		return themes.Muted
	}
	return themes.Text
}

// sign is that of the level of an entry.
func (s *Screen) sign(f pane.Frame, r row) (rune, themes.Style) {
	e, _ := s.entry(r.entry)
	return pane.SignOf(e.Level, f.Glyphs())
}

// drawDay draws the line of a day.
func (s *Screen) drawDay(f pane.Frame, y int, r row) bool {
	if r.day {
		e, _ := s.entry(r.entry)
		f.Repeat(layout.SignW, y, f.Width()-layout.SignW, f.Glyphs().Rule, themes.Rule)
		f.Rest(layout.SignW, y, e.Time.Local().Format("Monday 2 January 2006")+" ", themes.Muted)
	}
	return r.day
}

// drawText draws the text of an entry, with what the search found of it.
func (s *Screen) drawText(f pane.Frame, y int, p columns.Place, r row) {
	e, _ := s.entry(r.entry)
	name, said := printable.Text(e.Host), printable.Text(e.Text)
	if s.Columns[hostColumn].Min > 0 {
		said = strings.TrimPrefix(said, name+": ") // as errors of hosts begin
	} else if name != "" && !strings.HasPrefix(said, name) {
		said = name + ": " + said
	}
	f.Middle(p.X, y, p.W, said, s.style(&e))
	if canvas.Full.TextWidth(said) <= p.W {
		s.markFound(f, p.X, y, said)
	}
}

// markFound lets the letters that the search found stand out.
func (s *Screen) markFound(f pane.Frame, x, y int, text string) {
	lower := strings.ToLower(text)
	if len(lower) != len(text) { // another length in lower case: places differ
		return
	}
	for _, word := range s.search.Words() {
		for from := 0; ; {
			i := strings.Index(lower[from:], word)
			if i < 0 {
				break
			}
			before, n := canvas.Full.TextWidth(text[:from+i]), canvas.Full.TextWidth(word)
			f.Restyle(x+before, y, min(n, f.Width()-x-before), 1, themes.Focus.Bold())
			from += i + len(word)
		}
	}
}

// drawDetail draws the selected entry in full.
func (s *Screen) drawDetail(f pane.Frame) {
	e, ok := s.current()
	if !ok {
		return
	}
	t := pane.Title{Name: e.Time.Local().Format("Mon 2 Jan 2006 15:04:05.000 MST"), Subtitle: printable.Text(e.Host)}
	if sign, st := pane.SignOf(e.Level, f.Glyphs()); sign != 0 {
		t.Problem, t.ProblemStyle = string(sign)+" "+levelWords[min(e.Level, pane.Critical)], st
	}
	pane.DrawTitle(f, t)
	for i, line := range canvas.Fold(printable.Text(e.Text), max(8, f.Width()-layout.SignW-1)) {
		if 1+i >= f.Height() {
			f.Right(0, f.Height()-1, f.Width()-1, " "+f.Glyphs().Ellipsis, themes.Muted)
			return
		}
		f.Rest(layout.SignW, 1+i, line, themes.Text)
	}
}
