package journal

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"perfdeck/session"
	"perfdeck/session/system/failure"
	"perfdeck/session/text/english"
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
	detailFrom      = 14 // rows from which on the selected entry is shown in full, and why hosts tell nothing
	mostWhy         = 2  // lines of that
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
	top := 1
	if why := s.whyNoEvents(); why != "" && f.Height() >= detailFrom {
		for _, text := range f.FoldMost(why, max(8, f.Width()-layout.SignW-1), mostWhy) {
			f.Rest(layout.SignW, top, text, themes.Muted)
			top++
		}
	}
	body := f.Lines(top, f.Height()-top-detail)
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
		parts = append(parts, s.level.String()+" and worse")
	}
	if s.follow {
		parts = append(parts, "follows the end")
	} else if n := s.entries(len(s.Rows)) - s.entries(min(s.Line()+1, len(s.Rows))); n > 0 {
		parts = append(parts, strconv.Itoa(n)+" newer")
	}
	if lost := added - uint64(len(kept)); lost > 0 {
		parts = append(parts, strconv.FormatUint(lost, 10)+" older ones dropped")
	}
	return pane.Title{Name: "Log " + strconv.Itoa(s.all), Subtitle: strings.Join(parts, ", "), Focused: true, Position: s.position()}
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
	days, _ := slices.BinarySearch(s.days, rows)
	return rows - days
}

// drawEmpty says why there is nothing.
func (s *Screen) drawEmpty(f pane.Frame) {
	lesson := pane.Lesson{Text: "No entry fits.", Keys: [][2]string{{"esc", "clear the search and the level"}}}
	if s.search.Text() == "" && s.level == pane.Info {
		lesson = pane.Lesson{Text: "Nothing happened so far.", Ways: []string{"Hosts that come, fail and come back are noted here, and alerts, and what hosts log."}}
	}
	lesson.Draw(f, 1)
}

// hostColumn is the place of hosts among the columns.
const hostColumn = 1

func (s *Screen) columns() []pane.ListColumn[line] {
	return []pane.ListColumn[line]{
		{Min: len(time.TimeOnly), Rank: columns.Stays, Cell: func(_ pane.Frame, l line) (string, themes.Style) {
			return l.Time.Local().Format(time.TimeOnly), themes.Muted
		}},
		hostColumn: {Rank: 1, Align: columns.Name, Cell: func(_ pane.Frame, l line) (string, themes.Style) { return l.Host, s.style(&l) }},
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

// style is that of a line: another one where it was yet to come, or tells of the log itself.
func (s *Screen) style(l *line) themes.Style {
	if s.Desk.Past() && l.Time.After(s.Desk.At) || l.event != nil && (l.event.IsOfLog() || l.Time.After(s.Desk.Now())) {
		return themes.Muted
	}
	return themes.Text
}

// sign is that of the level of a line.
func (s *Screen) sign(f pane.Frame, l line) (rune, themes.Style) {
	return pane.SignOf(l.Level, f.Glyphs())
}

// drawDay draws the line of a day.
func (s *Screen) drawDay(f pane.Frame, y int, l line) bool {
	if l.day {
		f.Repeat(layout.SignW, y, f.Width()-layout.SignW, f.Glyphs().Rule, themes.Rule)
		f.Rest(layout.SignW, y, l.Time.Local().Format("Monday 2 January 2006")+" ", themes.Muted)
	}
	return l.day
}

// drawText draws the text of a line, with what the search found of it.
func (s *Screen) drawText(f pane.Frame, y int, p columns.Place, l line) {
	name, said := l.Host, l.Text
	if s.Columns[hostColumn].Min > 0 {
		said = strings.TrimPrefix(said, name+": ") // as errors of hosts begin
	} else if name != "" && !strings.HasPrefix(said, name) {
		said = name + ": " + said
	}
	f.Middle(p.X, y, p.W, said, s.style(&l))
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

// drawDetail draws the selected line in full.
func (s *Screen) drawDetail(f pane.Frame) {
	l := s.Row()
	t := pane.Title{Name: l.Time.Local().Format("Mon 2 Jan 2006 15:04:05.000 MST"), Subtitle: l.Host}
	if sign, st := pane.SignOf(l.Level, f.Glyphs()); sign != 0 {
		t.Problem, t.ProblemStyle = string(sign)+" "+l.Level.String(), st
	}
	pane.DrawTitle(f, t)
	texts := []string{l.Text}
	if l.event != nil {
		texts = about(l.event)
	}
	var facts []pane.Fact
	for _, text := range texts {
		facts = append(facts, pane.Fact{Text: text, Style: themes.Text})
	}
	pane.DrawFacts(f.Below(1), facts)
}

// about is all that is known of an event: what it is, what the host says in its own words, and where that stood.
func about(e *session.HostEvent) []string {
	if e.IsOfLog() {
		return []string{e.Title()}
	}
	where := []string{e.Log + " log"}
	for _, of := range [][2]string{{"", e.Source}, {"id ", e.ID}, {"unit ", e.Unit}} {
		if of[1] != "" {
			where = append(where, of[0]+of[1])
		}
	}
	if e.PID != 0 {
		where = append(where, "pid "+strconv.FormatUint(e.PID, 10))
	}
	if e.Own.IsZero() {
		where = append(where, "how the clock of the host stands to ours is not known")
	} else if ahead := e.Own.Sub(e.Time).Round(time.Second); ahead != 0 {
		where = append(where, "the clock of the host is "+english.Ahead(ahead)+" ours")
	}
	return []string{e.Title(), e.Text, strings.Join(where, ", ")}
}

// whyNoEvents tells of which hosts no events are known, and why.
func (s *Screen) whyNoEvents() string {
	var reasons []string
	hosts := map[string][]string{}
	for _, h := range s.Desk.Hosts {
		err := h.EventState().Err
		if err == nil {
			continue
		}
		why := strings.TrimPrefix(err.Error(), h.Name+": ")
		if hint := failure.Hint(err); hint != "" {
			why += " (" + hint + ")"
		}
		if hosts[why] == nil {
			reasons = append(reasons, why)
		}
		hosts[why] = append(hosts[why], h.Name)
	}
	for i, why := range reasons {
		reasons[i] = "no events of " + english.AndMore(hosts[why][0], len(hosts[why])) + ": " + why
	}
	return strings.Join(reasons, "; ")
}
