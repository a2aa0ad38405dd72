package journal

import (
	"strconv"
	"strings"
	"time"

	"perfdeck/session"
	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/layout"
	"perfdeck/tui/pane"
)

// The columns of a line.
const (
	timeW           = len(time.TimeOnly) + 2
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
	pane.DrawTitle(f, layout.Row{}, s.title())
	detail := 0
	if f.Height() >= detailFrom {
		detail = 1 + max(leastDetailRows, f.Height()/detailShare)
	}
	body := f.At(layout.Rect{Y: 1, W: f.Width(), H: max(0, f.Height()-1-detail)})
	if len(s.rows) == 0 {
		s.drawEmpty(body)
		s.page = 0
		return
	}
	s.page = body.Height()
	at := s.at()
	s.top = max(0, min(s.top, at, len(s.rows)-s.page))
	if s.page > 0 && at >= s.top+s.page {
		s.top = at - s.page + 1
	}
	if s.page > 1 && s.top > 0 && s.top == at && s.rows[at-1].day { // with the day above it
		s.top--
	}
	host := s.hostCells(f.Width())
	for y := 0; y < s.page && s.top+y < len(s.rows); y++ {
		s.drawRow(body, y, s.top+y, host)
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
	return pane.Title{Name: "Log " + strconv.Itoa(len(kept)), Subtitle: strings.Join(parts, ", "), Focused: true}
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
	if s.search.Text() == "" && s.level == pane.Info {
		f.Left(6, 1, f.Width()-6, "Nothing happened so far.", themes.Text.Style())
		f.Left(6, 3, f.Width()-6, "Hosts that come, fail and come back are noted here, and alerts.", themes.Muted.Style())
		return
	}
	f.Left(6, 1, f.Width()-6, "No entry fits.", themes.Text.Style())
	f.Text(6, 3, "esc", themes.Accent.Style().Bold())
	f.Left(11, 3, f.Width()-11, "clear the search and the level", themes.Muted.Style())
}

// hostCells is the width of the column of hosts, 0 where it is left out.
func (s *Screen) hostCells(w int) int {
	if w < hostFrom {
		return 0
	}
	n := minHost
	for _, h := range s.desk.Hosts {
		n = max(n, canvas.Full.TextWidth(session.Printable(h.Name)))
	}
	return min(n, maxHost)
}

func (s *Screen) drawRow(f pane.Frame, y, i, host int) {
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
	selected := r.entry == s.selected
	if selected {
		f.Put(0, y, f.Glyphs().Selected, themes.Focus.Style())
	}
	sign, signStyle := pane.SignOf(e.Level, f.Glyphs())
	if sign != 0 {
		f.Put(1, y, sign, signStyle)
	}
	text, muted := themes.Text.Style(), themes.Muted.Style()
	if s.desk.Past() && e.Time.After(s.desk.At) { // it was yet to come
		text = muted
	}
	x := layout.SignW
	f.Left(x, y, timeW-2, e.Time.Local().Format(time.TimeOnly), muted)
	x += timeW
	name := session.Printable(e.Host)
	said := session.Printable(e.Text)
	if host > 0 {
		f.Middle(x, y, host, name, text)
		x += host + 2
		said = strings.TrimPrefix(said, name+": ") // as errors of hosts begin
	} else if name != "" && !strings.HasPrefix(said, name) {
		said = name + ": " + said
	}
	if f.Middle(x, y, f.Width()-x, said, text); canvas.Full.TextWidth(said) <= f.Width()-x {
		s.markFound(f, x, y, said)
	}
	f.Zone(0, y, f.Width(), 1, pane.Hit{Kind: hitRow, A: i})
	if selected {
		f.SetBackground(0, y, f.Width(), 1, themes.Selection)
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
			f.Restyle(x+before, y, min(n, f.Width()-x-before), 1, themes.Focus.Style().Bold())
			from += i + len(word)
		}
	}
}

// drawDetail draws the selected entry in full.
func (s *Screen) drawDetail(f pane.Frame) {
	e, ok := s.entry(s.selected)
	if !ok || !s.any {
		return
	}
	t := pane.Title{Name: e.Time.Local().Format("Mon 2 Jan 2006 15:04:05.000 MST"), Subtitle: session.Printable(e.Host)}
	if sign, st := pane.SignOf(e.Level, f.Glyphs()); sign != 0 {
		t.Problem, t.ProblemStyle = string(sign)+" "+levelWords[min(e.Level, pane.Critical)], st
	}
	pane.DrawTitle(f, layout.Row{}, t)
	for i, line := range pane.Fold(session.Printable(e.Text), max(8, f.Width()-layout.SignW-1)) {
		if 1+i >= f.Height() {
			f.Right(0, f.Height()-1, f.Width()-1, " "+f.Glyphs().Ellipsis, themes.Muted.Style())
			return
		}
		f.Left(layout.SignW, 1+i, f.Width()-layout.SignW, line, themes.Text.Style())
	}
}
