package records

import (
	"math"
	"strconv"

	"perfdeck/session/files/listing"
	"perfdeck/session/text/english"
	"perfdeck/themes"
	"perfdeck/tui/kit/columns"
	"perfdeck/tui/kit/meter"
	"perfdeck/tui/pane"
)

// table is the columns of the screen. What is found takes the room that is left.
var table = []pane.ListColumn[*listing.Record]{
	pane.NameColumn("name", 34, func(r *listing.Record) string { return r.Name }),
	{Min: 8, Rank: columns.Stays, Head: "state", Cell: func(f pane.Frame, r *listing.Record) (string, themes.Style) {
		_, st := signOf(f, r)
		return r.State.String(), st
	}},
	{Min: 10, Rank: 6, Head: "next start", Cell: func(f pane.Frame, r *listing.Record) (string, themes.Style) {
		if r.Off {
			return "off", themes.Muted
		}
		return when(r.Next, f.Now), themes.Text
	}},
	{Min: 12, Want: 18, Rank: 8, Head: "progress", Draw: drawProgress},
	{Min: 8, Rank: 7, Align: columns.Number, Head: "size", Cell: func(_ pane.Frame, r *listing.Record) (string, themes.Style) {
		if r.Bytes == 0 {
			return "", themes.Muted
		}
		return english.Size(r.Bytes), themes.Text
	}},
	{Min: 10, Rank: 4, Head: "last run", Cell: func(f pane.Frame, r *listing.Record) (string, themes.Style) {
		return when(r.Began, f.Now), themes.Muted
	}},
	{Min: 9, Rank: 3, Head: "kind", Cell: func(_ pane.Frame, r *listing.Record) (string, themes.Style) {
		return r.Kind.String(), themes.Muted
	}},
	{Min: 12, Enough: 20, Want: columns.All, Rank: 5, Head: "findings", Cell: func(_ pane.Frame, r *listing.Record) (string, themes.Style) {
		if len(r.Findings) == 0 {
			return "", themes.Muted
		}
		first := r.Findings[0]
		text := first.Text
		if n := len(r.Findings); n > 1 {
			text = strconv.Itoa(n) + ": " + text
		}
		return text, levels[first.Level].Style()
	}},
}

// signOf is the sign of a record and its colour; 0 for what is well and at rest.
func signOf(f pane.Frame, r *listing.Record) (rune, themes.Style) {
	switch g := f.Glyphs(); r.State {
	case listing.Running, listing.Tidying:
		return g.Recording, themes.Accent.Bold()
	case listing.Failed:
		return pane.SignOf(pane.Warning, g)
	case listing.Died, listing.Damaged, listing.Silent:
		return pane.SignOf(pane.Critical, g)
	}
	return 0, themes.Muted
}

// levels are how findings are drawn.
var levels = [...]pane.Level{listing.Note: pane.Info, listing.LeftOut: pane.Careful, listing.Wrong: pane.Warning, listing.Refused: pane.Critical}

// drawProgress draws how far a record came to the limit that it reaches next, as a meter
// and a number.
func drawProgress(f pane.Frame, y int, at columns.Place, r *listing.Record) {
	if len(r.Limits) == 0 {
		return
	}
	next := &r.Limits[0]
	for i := range r.Limits {
		if r.Limits[i].Share > next.Share {
			next = &r.Limits[i]
		}
	}
	const number = 5
	m := meter.Meter{Share: next.Share}
	m.Draw(f.Region, at.X, y, at.W-number)
	percent := strconv.Itoa(int(math.Floor(100*next.Share))) + "%"
	columns.DrawNumber(f.Region, at.X+at.W-number, y, number, percent, themes.Text)
}

// facts are what is known of a record: how it stands, how far it came, what is wrong,
// what it does.
func facts(r *listing.Record, f pane.Frame) (out []pane.Fact) {
	text := themes.Text
	add := func(label, line string, st themes.Style) {
		out = append(out, pane.Fact{Label: label, Text: line, Style: st})
	}
	_, st := signOf(f, r)
	if !isOn(r) && st == themes.Muted {
		st = text
	}
	add("", standing(r, f), st)
	for i := range r.Limits {
		add(r.Limits[i].What, r.Limits[i].Text, text)
	}
	for _, found := range r.Findings {
		add("finding", found.Text, levels[found.Level].Style())
	}
	for _, fact := range r.Facts {
		add(fact.Label, fact.Text, text)
	}
	if r.Output != "" {
		add("newest", r.Output, themes.Muted)
	}
	return out
}

// standing says how things stand with a record.
func standing(r *listing.Record, f pane.Frame) string {
	said := map[listing.State]string{
		listing.Stopped: "Does not run.", listing.Running: "Runs", listing.Tidying: "Its data manager is at work.",
		listing.Ended: "Is over", listing.Failed: "Its last run ended by a mistake", listing.Died: "Its process is gone",
		listing.Damaged: "Cannot be read.", listing.Unasked: "Its host is asked.", listing.Silent: "Its host does not tell.",
	}[r.State]
	switch {
	case r.State == listing.Running && !r.Began.IsZero():
		said += " since " + when(r.Began, f.Now) + ", for " + english.Age(f.Now.Sub(r.Began)) + "."
	case r.State == listing.Running:
		said += "."
	case (r.State == listing.Ended || r.State == listing.Failed) && !r.Ended.IsZero():
		said += ", " + when(r.Ended, f.Now) + "."
	case r.State == listing.Died && !r.Began.IsZero():
		said += "; it began " + when(r.Began, f.Now) + ". What it collected is as it left it."
	}
	switch {
	case r.Off:
		said += " Its schedule is switched off."
	case !r.Next.IsZero():
		said += " It starts " + when(r.Next, f.Now) + ", if perfdeck watch runs then."
	}
	return said
}

// lesson is what is taught where nothing is listed.
func (s *Screen) lesson() *pane.Lesson {
	switch {
	case s.Desk.Records == nil:
		return &pane.Lesson{Text: "This is a recording that is played: sets and recordings are listed by the live screens."}
	case !s.looked:
		return new(pane.Lesson)
	case len(s.all) == 0:
		return &lesson
	}
	return nil
}

// lesson teaches how sets and recordings come.
var lesson = pane.Lesson{
	Text: "No data collector sets and no recordings yet.",
	Keys: [][2]string{
		{"a", "make a set that collects what the deck shows"},
		{"r", "on any other screen: record what it shows, now"},
	},
	Ways: []string{
		"a set that perfmon saved, or logman exported",
		"perfdeck collect import web.xml",
		"",
		"in a script",
		`perfdeck collect create counter night --begin 22:00 --run-for 8h '\Memory\*'`,
	},
}
