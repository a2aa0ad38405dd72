package hosts

import (
	"strconv"

	"perfdeck/session"
	"perfdeck/themes"
	"perfdeck/tui/kit/columns"
	"perfdeck/tui/layout"
	"perfdeck/tui/pane"
)

// table is the columns of the screen. That of the hosts is as wide as their
// names need, the problem takes the room that is left.
var table = pane.Listing[*row]{
	{Column: columns.Column{Min: pane.LeastName, Rank: columns.Stays, Align: columns.Name}, Head: "host", Cell: func(_ pane.Frame, r *row) (string, themes.Style) {
		return session.Printable(r.host.Name), themes.Text.Style()
	}},
	{Column: columns.Column{Min: 10, Rank: columns.Stays}, Head: "state", Cell: func(f pane.Frame, r *row) (string, themes.Style) {
		_, st := r.standing.Sign(f.Glyphs())
		return r.standing.String(), st
	}},
	{Column: columns.Column{Min: 8, Want: 16, Rank: 5}, Head: "since", Cell: func(f pane.Frame, r *row) (string, themes.Style) {
		if r.state.Since.IsZero() {
			return "", themes.Text.Style()
		}
		return pane.Clock(r.state.Since, f.Now), themes.Muted.Style()
	}},
	{Column: columns.Column{Min: 7, Rank: 7, Align: columns.Number}, Head: "latency", Cell: func(_ pane.Frame, r *row) (string, themes.Style) {
		if r.state.LastAnswer.IsZero() {
			return "", themes.Text.Style()
		}
		if r.standing.Condition != pane.Answering {
			return pane.Latency(r.state.Latency), themes.Muted.Style()
		}
		return pane.Latency(r.state.Latency), themes.Text.Style()
	}},
	{Column: columns.Column{Min: 7, Rank: 6, Align: columns.Right}, Head: "answer", Cell: func(f pane.Frame, r *row) (string, themes.Style) {
		if r.state.LastAnswer.IsZero() {
			return "never", themes.Muted.Style()
		}
		return pane.Roughly(f.Now.Sub(r.state.LastAnswer)), themes.Muted.Style()
	}},
	{Column: columns.Column{Min: 6, Rank: 3, Align: columns.Number}, Head: "missed", Cell: func(_ pane.Frame, r *row) (string, themes.Style) {
		st := themes.Text.Style()
		missed := max(r.state.Missed, uint64(max(0, r.state.Tries))) // a host that never answered has no beats
		if missed == 0 {
			st = themes.Muted.Style()
		}
		return strconv.FormatUint(missed, 10), st
	}},
	{Column: columns.Column{Min: 17, Want: 24, Rank: 4}, Head: "source", Cell: func(_ pane.Frame, r *row) (string, themes.Style) {
		return r.host.Source(), themes.Muted.Style()
	}},
	{Column: columns.Column{Min: 4, Want: 5, Rank: 2, Align: columns.Number}, Head: "sets", Cell: func(_ pane.Frame, r *row) (string, themes.Style) {
		cat := r.host.Sampler.Catalogue()
		if cat == nil {
			return "", themes.Text.Style()
		}
		return strconv.Itoa(len(cat.Sets)), themes.Muted.Style()
	}},
	{Column: columns.Column{Min: 24, Enough: 24, Want: columns.All, Rank: 8}, Head: "what is wrong", Cell: problem},
}

// problem is what is wrong with a host, in a few words.
func problem(f pane.Frame, r *row) (string, themes.Style) {
	_, st := r.standing.Sign(f.Glyphs())
	if r.standing.Condition > pane.Expected {
		return r.standing.Reason(), st
	}
	if since := r.state.Waits; !since.IsZero() {
		return "waiting for its answer, " + pane.Roughly(f.Now.Sub(since)), st
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

// columns lays the table out in a pane of w cells.
func (s *Screen) columns(w int) columns.Layout {
	const most = 30 // of a name
	return table.Fit(w, pane.Longest(pane.LeastName, most, s.rows, func(r row) string { return r.host.Name }))
}

// Draw draws the table and what is known of the selected host.
func (s *Screen) Draw(f pane.Frame) {
	s.refresh(f.Now)
	body := f.Height() - 2
	from, end := s.list.Show(min(len(s.rows), pane.DetailsShare(body)))
	pane.DrawTitle(f, layout.Row{}, s.title())
	cols := s.columns(f.Width())
	if len(s.desk.Hosts) > 0 {
		table.DrawHeads(f, 1, &cols)
	}
	for i := from; i < end; i++ {
		s.drawRow(f, 2+i-from, i, &cols)
	}
	rest := f.At(layout.Rect{Y: 2 + end - from, W: f.Width(), H: max(0, body-(end-from))})
	switch {
	case s.alone():
		drawAlone(rest, len(s.desk.Hosts) == 0)
	case len(s.rows) == 0:
		s.filter.Unfit("No host").Draw(rest, 1)
	default:
		s.drawDetails(rest)
	}
}

func (s *Screen) title() pane.Title {
	n := strconv.Itoa(len(s.desk.Hosts))
	t := pane.Title{Name: "Hosts " + n, Focused: true, Position: s.list.Position()}
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

func (s *Screen) drawRow(f pane.Frame, y, i int, cols *columns.Layout) {
	r := &s.rows[i]
	sign, st := r.standing.Sign(f.Glyphs())
	table.DrawRow(f, y, r, pane.Lead{Selected: s.list.Is(i), Sign: sign, Style: st}, cols, pane.Hit{Kind: hitRow, A: i})
}

// drawDetails draws what is known of the selected host below a rule.
func (s *Screen) drawDetails(f pane.Frame) {
	if host := s.host(); host != nil {
		s.details.Draw(f, host.Name, host.Facts(f.Now), pane.Hit{Kind: hitDetail})
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

// lesson teaches how another host is added.
var lesson = pane.Lesson{
	Text: "No other hosts yet.",
	Keys: [][2]string{
		{"a", "add a host: its name, or tcp://NAME:PORT"},
		{"1", "go to the deck of this computer: it needs no set-up"},
		{"4", "browse its counters"},
	},
	Ways: []string{
		`The account needs to be in "Performance Monitor Users" on the host, and its port must be open: 445, or that of a tcp:// address. Passwords stay in your keyring, or where the config says; never in a file of perfdeck.`,
		"",
		"from the shell  perfdeck -H srv1 -u CORP\\me",
		"",
		"without hosts   perfdeck --demo",
	},
}

// drawAlone teaches how another host is added, or the first one.
func drawAlone(f pane.Frame, none bool) {
	teach, y := lesson, 1
	if none {
		teach.Text, teach.Keys = "No hosts yet.", teach.Keys[:1]
	}
	if f.Height() >= 14 {
		y = 3
	}
	teach.Draw(f, y)
}
