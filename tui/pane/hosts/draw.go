package hosts

import (
	"strconv"
	"strings"

	"perfdeck/session/text/english"
	"perfdeck/themes"
	"perfdeck/tui/kit/columns"
	"perfdeck/tui/pane"
)

// table is the columns of the screen. That of the hosts is as wide as their
// names need, the problem takes the room that is left.
var table = []pane.ListColumn[*row]{
	nameColumn(),
	{Min: 10, Rank: columns.Stays, Head: "state", Cell: func(f pane.Frame, r *row) (string, themes.Style) {
		_, st := r.standing.Sign(f.Glyphs())
		return r.standing.String(), st
	}},
	{Min: 8, Want: 16, Rank: 5, Head: "since", Cell: func(f pane.Frame, r *row) (string, themes.Style) {
		if r.state.Since.IsZero() {
			return "", themes.Text
		}
		return pane.Clock(r.state.Since, f.Now), themes.Muted
	}},
	{Min: 7, Rank: 7, Align: columns.Number, Head: "latency", Cell: func(_ pane.Frame, r *row) (string, themes.Style) {
		if r.state.LastAnswer.IsZero() {
			return "", themes.Text
		}
		if r.standing.Condition != pane.Answering {
			return english.Short(r.state.Latency), themes.Muted
		}
		return english.Short(r.state.Latency), themes.Text
	}},
	{Min: 7, Rank: 6, Align: columns.Right, Head: "answer", Cell: func(f pane.Frame, r *row) (string, themes.Style) {
		if r.state.LastAnswer.IsZero() {
			return "never", themes.Muted
		}
		return english.Age(f.Now.Sub(r.state.LastAnswer)), themes.Muted
	}},
	{Min: 6, Rank: 3, Align: columns.Number, Head: "missed", Cell: func(_ pane.Frame, r *row) (string, themes.Style) {
		st := themes.Text
		missed := max(r.state.Missed, uint64(max(0, r.state.Tries))) // a host that never answered has no beats
		if missed == 0 {
			st = themes.Muted
		}
		return strconv.FormatUint(missed, 10), st
	}},
	{Min: 17, Want: 24, Rank: 4, Head: "source", Cell: func(_ pane.Frame, r *row) (string, themes.Style) {
		return r.host.Source(), themes.Muted
	}},
	{Min: 4, Want: 5, Rank: 2, Align: columns.Number, Head: "sets", Cell: func(_ pane.Frame, r *row) (string, themes.Style) {
		cat := r.host.Sampler.Catalogue()
		if cat == nil {
			return "", themes.Text
		}
		return strconv.Itoa(len(cat.Sets)), themes.Muted
	}},
	{Min: 24, Enough: 24, Want: columns.All, Rank: 8, Head: "what is wrong", Cell: problem},
}

// nameColumn marks hosts with sets that run.
func nameColumn() pane.ListColumn[*row] {
	c := pane.NameColumn("host", 30, func(r *row) string { return r.host.Name })
	plain := c.Cell
	c.Cell = func(f pane.Frame, r *row) (string, themes.Style) {
		text, st := plain(f, r)
		if len(r.running) > 0 {
			text += " " + string(f.Glyphs().Recording)
		}
		return text, st
	}
	return c
}

// facts are what is known of a host.
func facts(f pane.Frame, r *row) (string, []pane.Fact) {
	out := r.host.Facts(f.Now)
	if len(r.running) > 0 {
		out = append(out, pane.Fact{Label: "runs", Text: strings.Join(r.running, ", "), Style: themes.Accent})
	}
	return r.host.Name, out
}

// problem is what is wrong with a host, in a few words.
func problem(f pane.Frame, r *row) (string, themes.Style) {
	_, st := r.standing.Sign(f.Glyphs())
	if r.standing.Condition > pane.Expected {
		return r.standing.Reason(), st
	}
	if since := r.state.Waits; !since.IsZero() {
		return "waiting for its answer, " + english.Age(f.Now.Sub(since)), st
	}
	if n := len(r.state.Notes); n > 0 {
		text := r.state.Notes[0].Error()
		if n > 1 {
			text = strconv.Itoa(n) + " notes: " + text
		}
		return text, themes.Muted
	}
	return "", st
}

// sign is what is wrong with a host.
func sign(f pane.Frame, r *row) (rune, themes.Style) { return r.standing.Sign(f.Glyphs()) }

// lesson teaches how another host is added, or the first one, where this computer is all there is,
// and well: the room is better used for that.
func (s *Screen) lesson() *pane.Lesson {
	switch n := len(s.Desk.Hosts); {
	case s.Filter.Text() != "" || n > 1:
		return nil
	case n == 0:
		return &pane.Lesson{Text: "No hosts yet.", Keys: another.Keys[:1], Ways: another.Ways}
	}
	if r := s.Rows[0]; !r.host.Local || r.standing.Condition > pane.Expected || len(r.state.Notes) > 0 {
		return nil
	}
	return &another
}

// another teaches how another host is added.
var another = pane.Lesson{
	Text: "No other hosts yet.",
	Keys: [][2]string{
		{"a", "add a host: NAME of a Windows host, or ssh://NAME"},
		{"1", "go to the deck of this computer: it needs no set-up"},
		{"4", "browse its counters"},
	},
	Ways: []string{
		`A Windows host needs port 445 open, and the account in its group "Performance Monitor Users". Passwords stay in your keyring, or where the config says; perfdeck writes them to no file.`,
		"",
		"from the shell  perfdeck -H srv1 -u CORP\\me",
		"",
		"without hosts   perfdeck --demo",
	},
}
