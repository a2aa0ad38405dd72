package journal

import (
	"strconv"
	"strings"
	"time"

	"perfdeck/session"
	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/kit/columns"
	"perfdeck/tui/kit/list"
	"perfdeck/tui/layout"
	"perfdeck/tui/pane"
)

// The columns of a line.
const (
	timeColumn = iota
	hostColumn
	textColumn
)

const (
	gap             = 2
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
	body := f.At(layout.Rect{Y: 1, W: f.Width(), H: max(0, f.Height()-1-detail)})
	from, end := s.list.ShowBelow(len(s.rows), body.Height(), func(row int) bool { return s.rows[row].day })
	pane.DrawTitle(f, layout.Row{}, s.title())
	if len(s.rows) == 0 {
		s.drawEmpty(body)
		return
	}
	cols := s.columns(f.Width())
	for i := from; i < end; i++ {
		s.drawRow(body, i-from, i, &cols)
	}
	if detail > 0 {
		s.drawDetail(f.At(layout.Rect{Y: f.Height() - detail, W: f.Width(), H: detail}))
	}
}

func (s *Screen) title() pane.Title {
	kept, added := s.desk.Journal.Entries()
	var parts []string
	if s.search.Text() != "" {
		parts = append(parts, strconv.Itoa(len(s.hits))+" with "+s.search.Text())
	}
	if s.level > pane.Info {
		parts = append(parts, levelWords[s.level]+" and worse")
	}
	if s.follow {
		parts = append(parts, "follows the end")
	} else if n := s.newer(); n > 0 {
		parts = append(parts, strconv.Itoa(n)+" newer")
	}
	if lost := added - uint64(len(kept)); lost > 0 {
		parts = append(parts, strconv.FormatUint(lost, 10)+" older ones dropped")
	}
	return pane.Title{Name: "Log " + strconv.Itoa(len(kept)), Subtitle: strings.Join(parts, ", "), Focused: true, Position: s.position()}
}

// position tells which entries are in view: the lines of days are not counted.
func (s *Screen) position() string {
	if s.list.Position() == "" {
		return ""
	}
	above, below := s.list.Hidden()
	first, last := &s.rows[above], &s.rows[len(s.rows)-1-below]
	return list.Range(first.index, last.index, s.rows[len(s.rows)-1].index)
}

// newer is how many entries are below the selected one.
func (s *Screen) newer() int {
	n := 0
	for i := len(s.rows) - 1; i >= 0 && s.rows[i].entry > s.selected; i-- {
		if !s.rows[i].day {
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

// columns lays a line out in w cells. Where there are few, hosts are named in the
// text.
func (s *Screen) columns(w int) columns.Layout {
	host := 0
	if w >= hostFrom {
		host = minHost
		for _, h := range s.desk.Hosts {
			host = max(host, canvas.Full.TextWidth(session.Printable(h.Name)))
		}
	}
	return columns.Fit(layout.SignW, w-layout.SignW, gap, []columns.Column{
		timeColumn: {Min: len(time.TimeOnly), Rank: columns.Stays},
		hostColumn: {Min: min(host, maxHost), Rank: 1, Align: columns.Name},
		textColumn: {Min: 1, Want: columns.All, Rank: columns.Stays, Align: columns.Name},
	})
}

func (s *Screen) drawRow(f pane.Frame, y, i int, cols *columns.Layout) {
	r := s.rows[i]
	e, ok := s.entry(r.entry)
	if !ok {
		return
	}
	if r.day {
		f.Repeat(layout.SignW, y, f.Width()-layout.SignW, f.Glyphs().Rule, themes.Rule.Style())
		f.Left(layout.SignW, y, f.Width()-layout.SignW, e.Time.Local().Format("Monday 2 January 2006")+" ", themes.Muted.Style())
		return
	}
	selected := s.list.Is(i)
	sign, signStyle := pane.SignOf(e.Level, f.Glyphs())
	f.DrawLead(y, pane.Lead{Selected: selected, Sign: sign, Style: signStyle})
	text, muted := themes.Text.Style(), themes.Muted.Style()
	if s.desk.Past() && e.Time.After(s.desk.At) { // it was yet to come
		text = muted
	}
	cols.Draw(f.Region, y, timeColumn, e.Time.Local().Format(time.TimeOnly), muted)
	name := session.Printable(e.Host)
	said := session.Printable(e.Text)
	if cols.Has(hostColumn) {
		cols.Draw(f.Region, y, hostColumn, name, text)
		said = strings.TrimPrefix(said, name+": ") // as errors of hosts begin
	} else if name != "" && !strings.HasPrefix(said, name) {
		said = name + ": " + said
	}
	cols.Draw(f.Region, y, textColumn, said, text)
	if p := cols.Places[textColumn]; canvas.Full.TextWidth(said) <= p.W {
		s.markFound(f, p.X, y, said)
	}
	f.Zone(0, y, f.Width(), 1, pane.Hit{Kind: hitRow, A: i})
	f.Highlight(y, selected)
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
			f.Restyle(x+before, y, min(n, f.Width()-x-before), 1, themes.Focus.Style().Bold())
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
	t := pane.Title{Name: e.Time.Local().Format("Mon 2 Jan 2006 15:04:05.000 MST"), Subtitle: session.Printable(e.Host)}
	if sign, st := pane.SignOf(e.Level, f.Glyphs()); sign != 0 {
		t.Problem, t.ProblemStyle = string(sign)+" "+levelWords[min(e.Level, pane.Critical)], st
	}
	pane.DrawTitle(f, layout.Row{}, t)
	for i, line := range canvas.Fold(session.Printable(e.Text), max(8, f.Width()-layout.SignW-1)) {
		if 1+i >= f.Height() {
			f.Right(0, f.Height()-1, f.Width()-1, " "+f.Glyphs().Ellipsis, themes.Muted.Style())
			return
		}
		f.Left(layout.SignW, 1+i, f.Width()-layout.SignW, line, themes.Text.Style())
	}
}
