package hosts

import (
	"strconv"

	"perfdeck/session"
	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/layout"
	"perfdeck/tui/pane"
)

// column is one column of the table. want is what it takes where there is room;
// columns of a low rank leave first.
type column struct {
	head      string
	min, want int
	rank      int
	right     bool
	cell      func(f pane.Frame, r *row) (string, themes.Style)
}

// problemColumn is the one that takes the room that is left.
const problemColumn = "what is wrong"

// columns of the table, from left to right.
var columns = []column{
	{head: "host", min: 12, want: 30, rank: 9, cell: func(_ pane.Frame, r *row) (string, themes.Style) {
		return session.Printable(r.host.Name), themes.Text.Style()
	}},
	{head: "state", min: 10, want: 10, rank: 9, cell: func(f pane.Frame, r *row) (string, themes.Style) {
		_, st := r.standing.Sign(f.Glyphs())
		return r.standing.String(), st
	}},
	{head: "since", min: 8, want: 16, rank: 5, cell: func(f pane.Frame, r *row) (string, themes.Style) {
		if r.state.Since.IsZero() {
			return "", themes.Text.Style()
		}
		return pane.Clock(r.state.Since, f.Now), themes.Muted.Style()
	}},
	{head: "latency", min: 7, want: 7, rank: 7, right: true, cell: func(_ pane.Frame, r *row) (string, themes.Style) {
		if r.state.LastAnswer.IsZero() {
			return "", themes.Text.Style()
		}
		if r.standing.Condition != pane.Answering {
			return pane.Latency(r.state.Latency), themes.Muted.Style()
		}
		return pane.Latency(r.state.Latency), themes.Text.Style()
	}},
	{head: "answer", min: 7, want: 7, rank: 6, right: true, cell: func(f pane.Frame, r *row) (string, themes.Style) {
		if r.state.LastAnswer.IsZero() {
			return "never", themes.Muted.Style()
		}
		return pane.Roughly(f.Now.Sub(r.state.LastAnswer)), themes.Muted.Style()
	}},
	{head: "missed", min: 6, want: 6, rank: 3, right: true, cell: func(_ pane.Frame, r *row) (string, themes.Style) {
		st := themes.Text.Style()
		missed := max(r.state.Missed, uint64(max(0, r.state.Tries))) // a host that never answered has no beats
		if missed == 0 {
			st = themes.Muted.Style()
		}
		return strconv.FormatUint(missed, 10), st
	}},
	{head: "source", min: 17, want: 24, rank: 4, cell: func(_ pane.Frame, r *row) (string, themes.Style) {
		return r.host.Source(), themes.Muted.Style()
	}},
	{head: "sets", min: 4, want: 5, rank: 2, right: true, cell: func(_ pane.Frame, r *row) (string, themes.Style) {
		cat := r.host.Sampler.Catalogue()
		if cat == nil {
			return "", themes.Text.Style()
		}
		return strconv.Itoa(len(cat.Sets)), themes.Muted.Style()
	}},
	{head: problemColumn, min: 24, want: 400, rank: 8, cell: problem},
}

// problem is what is wrong with a host, in a few words.
func problem(f pane.Frame, r *row) (string, themes.Style) {
	_, st := r.standing.Sign(f.Glyphs())
	if r.standing.Condition > pane.Expected {
		return r.standing.Reason(), st
	}
	if n := len(r.state.Notes); n > 0 {
		text := session.Printable(r.state.Notes[0].Error())
		if n > 1 {
			text = strconv.Itoa(n) + " notes: " + text
		}
		return text, themes.Muted.Style()
	}
	return "", st
}

const gap = 2

// longestName is how many cells the longest name takes.
func (s *Screen) longestName() int {
	n := 0
	for i := range s.rows {
		n = max(n, canvas.Full.TextWidth(session.Printable(s.rows[i].host.Name)))
	}
	return n
}

// fit gives the columns their widths in w cells; 0: there is no room for it. The
// longest name comes before columns of a lower rank, in a third of the cells.
func fit(w, longest int) []int {
	out := make([]int, len(columns))
	left := w + gap
	names := columns[0]
	names.min = max(names.min, min(longest, names.want, w/3))
	for rank := 9; rank > 0; rank-- {
		for i, c := range columns {
			if i == 0 {
				c = names
			}
			if c.rank == rank && (c.min+gap <= left || rank == 9) {
				out[i] = min(c.min, max(0, left-gap))
				left -= out[i] + gap
			}
		}
	}
	for i, c := range columns { // the names get a bit more, the problem the rest
		if out[i] > 0 && left > 0 {
			more := min(c.want-out[i], left)
			if c.rank == 9 {
				more = min(more, max(left/3, 0))
			}
			out[i] += max(0, more)
			left -= max(0, more)
		}
	}
	return out
}

// Draw draws the table and what is known of the selected host.
func (s *Screen) Draw(f pane.Frame) {
	s.refresh(f.Now)
	pane.DrawTitle(f, layout.Row{}, s.title())
	if len(s.desk.Hosts) > 0 {
		s.drawHeads(f)
	}
	body := f.Height() - 2
	s.page = max(0, min(len(s.rows), s.share(body)))
	s.top = max(0, min(s.top, s.line, len(s.rows)-s.page))
	if s.page > 0 && s.line >= s.top+s.page {
		s.top = s.line - s.page + 1
	}
	widths := fit(f.Width()-layout.SignW, s.longestName())
	for i := range s.page {
		s.drawRow(f, 2+i, s.top+i, widths)
	}
	rest := f.At(layout.Rect{Y: 2 + s.page, W: f.Width(), H: max(0, body-s.page)})
	switch {
	case s.alone():
		drawAlone(rest, len(s.desk.Hosts) == 0)
	case len(s.rows) == 0:
		rest.Left(6, 1, f.Width()-6, "No host fits the filter "+s.filter.Text(), themes.Text.Style())
		rest.Text(6, 3, "esc", themes.Accent.Style().Bold())
		rest.Left(11, 3, f.Width()-11, "clear the filter", themes.Muted.Style())
	default:
		s.drawDetails(rest)
	}
}

func (s *Screen) title() pane.Title {
	n := strconv.Itoa(len(s.desk.Hosts))
	t := pane.Title{Name: "Hosts " + n, Focused: true}
	if len(s.rows) != len(s.desk.Hosts) {
		t.Name = "Hosts " + strconv.Itoa(len(s.rows)) + " of " + n
	}
	if s.filter.Text() != "" {
		t.Subtitle = "filter " + s.filter.Text()
	}
	if s.trouble {
		if t.Subtitle != "" {
			t.Subtitle += ", "
		}
		t.Subtitle += "worst first"
	}
	bad := 0
	for i := range s.rows {
		if s.rows[i].standing.Condition > pane.Expected {
			bad++
		}
	}
	if bad > 0 {
		t.Problem, t.ProblemStyle = strconv.Itoa(bad)+" in trouble", themes.Critical.Style()
	}
	return t
}

// minDetails is what the details take at least, where there is room for half of
// it beside the table.
const minDetails = 9

// share is how many lines of the body the table takes.
func (s *Screen) share(body int) int {
	if body < 8 {
		return max(0, body)
	}
	return max(body/2, body-minDetails)
}

func (s *Screen) drawHeads(f pane.Frame) {
	st := themes.Muted.Style().On(themes.Surface)
	f.Fill(0, 1, f.Width(), 1, ' ', st)
	x := layout.SignW
	for i, w := range fit(f.Width()-layout.SignW, s.longestName()) {
		if w == 0 {
			continue
		}
		if columns[i].right {
			f.Right(x, 1, w, columns[i].head, st)
		} else {
			f.Left(x, 1, w, columns[i].head, st)
		}
		x += w + gap
	}
}

func (s *Screen) drawRow(f pane.Frame, y, i int, widths []int) {
	r := &s.rows[i]
	selected := r.host == s.selected
	if selected {
		f.Put(0, y, f.Glyphs().Selected, themes.Focus.Style())
	}
	if sign, st := r.standing.Sign(f.Glyphs()); sign != 0 {
		f.Put(1, y, sign, st)
	}
	x := layout.SignW
	for c, w := range widths {
		if w == 0 {
			continue
		}
		text, st := columns[c].cell(f, r)
		switch {
		case c == 0 && selected:
			f.Middle(x, y, w, text, st.Bold())
		case c == 0:
			f.Middle(x, y, w, text, st)
		case columns[c].right:
			f.Right(x, y, w, text, st)
		default:
			f.Left(x, y, w, text, st)
		}
		x += w + gap
	}
	f.Zone(0, y, f.Width(), 1, pane.Hit{Kind: hitRow, A: i})
	if selected {
		f.SetBackground(0, y, f.Width(), 1, themes.Selection)
	}
}

// drawDetails draws what is known of the selected host below a rule.
func (s *Screen) drawDetails(f pane.Frame) {
	if f.Height() < 2 || s.selected == nil {
		return
	}
	const labelW = 9
	room := f.Height() - 1
	facts := s.selected.Facts(f.Now)
	var texts [][]string
	lines := 0
	for i := range facts {
		x := layout.SignW
		if facts[i].Label != "" {
			x += labelW
		}
		texts = append(texts, pane.Fold(facts[i].Text, max(8, f.Width()-x-1)))
		lines += len(texts[i])
	}
	s.details = max(0, lines-room)
	s.detailTop = min(s.detailTop, s.details)
	t := pane.Title{Name: session.Printable(s.selected.Name)}
	if s.details > 0 {
		lines := "lines"
		if s.details == 1 {
			lines = "line"
		}
		t.Subtitle = strconv.Itoa(s.details) + " more " + lines + ": h l"
	}
	pane.DrawTitle(f, layout.Row{}, t)
	body := f.At(layout.Rect{Y: 1, W: f.Width(), H: room})
	body.Zone(0, 0, body.Width(), body.Height(), pane.Hit{Kind: hitDetail})
	y := -s.detailTop
	for i := range facts {
		x := layout.SignW
		if facts[i].Label != "" {
			body.Left(x, y, labelW-1, facts[i].Label, themes.Muted.Style())
			x += labelW
		}
		for _, text := range texts[i] {
			body.Left(x, y, f.Width()-x, text, facts[i].Style)
			y++
		}
	}
}

// alone tells that this computer is all there is, and well: the room is better
// used to say how others come here.
func (s *Screen) alone() bool {
	if len(s.desk.Hosts) > 1 || s.filter.Text() != "" {
		return false
	}
	return len(s.rows) == 0 || s.rows[0].host.Local && s.rows[0].standing.Condition <= pane.Expected && len(s.rows[0].state.Notes) == 0
}

// lessons are what can be done with one host or none.
var lessons = []struct{ key, text string }{
	{"a", "add a host: its name, or tcp://NAME:PORT"},
	{"1", "go to the deck of this computer: it needs no set-up"},
	{"4", "browse its counters"},
}

// needs are what another host has to give.
var needs = []string{
	`The account needs to be in "Performance Monitor Users" on the host, and its port must be open: 445, or that of a tcp:// address. Passwords stay in your keyring, or where the config says; never in a file of perfdeck.`,
	"from the shell  perfdeck -H srv1 -u CORP\\me",
	"without hosts   perfdeck --demo",
}

// drawAlone teaches how another host is added.
func drawAlone(f pane.Frame, none bool) {
	text := "No other hosts yet."
	if none {
		text = "No hosts yet."
	}
	y, x := 1, 6
	if f.Height() >= 14 {
		y = 3
	}
	if f.Width() < 50 {
		x = layout.SignW
	}
	f.Left(x, y, f.Width()-x, text, themes.Text.Style())
	y += 2
	for _, l := range lessons {
		if none && l.key != "a" {
			continue
		}
		f.Text(x, y, l.key, themes.Accent.Style().Bold())
		f.Left(x+3, y, f.Width()-x-3, l.text, themes.Muted.Style())
		y++
	}
	for _, n := range needs {
		y++
		lines := []string{n}
		if room := min(72, f.Width()-x-2); len(n) > room {
			lines = pane.Fold(n, max(12, room))
		}
		for _, line := range lines {
			f.Left(x, y, f.Width()-x, line, themes.Muted.Style())
			y++
		}
	}
}
