package records

import (
	"math"
	"strconv"
	"strings"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/record/listing"
	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/kit/columns"
	"perfdeck/tui/kit/meter"
	"perfdeck/tui/layout"
	"perfdeck/tui/pane"
)

// table is the columns of the screen. What is found takes the room that is left.
var table = pane.Listing[*listing.Record]{
	{Column: columns.Column{Min: pane.LeastName, Rank: columns.Stays, Align: columns.Name}, Head: "name", Cell: func(_ pane.Frame, r *listing.Record) (string, themes.Style) {
		return session.Printable(r.Name), themes.Text.Style()
	}},
	{Column: columns.Column{Min: 8, Rank: columns.Stays}, Head: "state", Cell: func(f pane.Frame, r *listing.Record) (string, themes.Style) {
		_, st := signOf(r, f.Glyphs())
		return r.State.String(), st
	}},
	{Column: columns.Column{Min: 10, Rank: 6}, Head: "next start", Cell: func(f pane.Frame, r *listing.Record) (string, themes.Style) {
		if r.Off {
			return "off", themes.Muted.Style()
		}
		return when(r.Next, f.Now), themes.Text.Style()
	}},
	{Column: columns.Column{Min: 12, Want: 18, Rank: 8}, Head: "progress", Draw: drawProgress},
	{Column: columns.Column{Min: 8, Rank: 7, Align: columns.Number}, Head: "size", Cell: func(_ pane.Frame, r *listing.Record) (string, themes.Style) {
		if r.Bytes == 0 {
			return "", themes.Muted.Style()
		}
		return pane.Amount(cooker.Bytes, float64(r.Bytes)), themes.Text.Style()
	}},
	{Column: columns.Column{Min: 10, Rank: 4}, Head: "last run", Cell: func(f pane.Frame, r *listing.Record) (string, themes.Style) {
		return when(r.Began, f.Now), themes.Muted.Style()
	}},
	{Column: columns.Column{Min: 9, Rank: 3}, Head: "kind", Cell: func(_ pane.Frame, r *listing.Record) (string, themes.Style) {
		return r.Kind.String(), themes.Muted.Style()
	}},
	{Column: columns.Column{Min: 12, Enough: 20, Want: columns.All, Rank: 5}, Head: "findings", Cell: func(_ pane.Frame, r *listing.Record) (string, themes.Style) {
		if len(r.Findings) == 0 {
			return "", themes.Muted.Style()
		}
		first := r.Findings[0]
		text := session.Printable(first.Text)
		if n := len(r.Findings); n > 1 {
			text = strconv.Itoa(n) + ": " + text
		}
		st := levels[first.Level].Style()
		return text, st
	}},
}

// signOf is the sign of a record and its colour; 0 for what is well and at rest.
func signOf(r *listing.Record, g *canvas.Glyphs) (rune, themes.Style) {
	switch r.State {
	case listing.Running, listing.Tidying:
		return g.Recording, themes.Accent.Style().Bold()
	case listing.Failed:
		return pane.SignOf(pane.Warning, g)
	case listing.Died, listing.Damaged:
		return pane.SignOf(pane.Critical, g)
	case listing.Stopped, listing.Ended:
	}
	return 0, themes.Muted.Style()
}

// levels are how findings are drawn.
var levels = [...]pane.Level{listing.Note: pane.Info, listing.LeftOut: pane.Careful, listing.Wrong: pane.Warning, listing.Refused: pane.Critical}

// columns lays the table out in a pane of w cells.
func (s *Screen) columns(w int) columns.Layout {
	const most = 34 // of a name
	return table.Fit(w, pane.Longest(pane.LeastName, most, s.rows, func(r *listing.Record) string { return r.Name }))
}

// Draw draws the table and what is known of the selected record.
func (s *Screen) Draw(f pane.Frame) {
	s.refresh()
	body := f.Height() - 2
	from, end := s.list.Show(min(len(s.rows), pane.DetailsShare(body)))
	pane.DrawTitle(f, layout.Row{}, s.title())
	cols := s.columns(f.Width())
	if len(s.rows) > 0 {
		table.DrawHeads(f, 1, &cols)
	}
	for i := from; i < end; i++ {
		s.drawRow(f, 2+i-from, i, &cols)
	}
	rest := f.At(layout.Rect{Y: 2 + end - from, W: f.Width(), H: max(0, body-(end-from))})
	switch {
	case s.desk.Records == nil:
		rest.Left(layout.SignW, 0, f.Width()-layout.SignW, "This is a recording that is played: sets and recordings are listed by the live screens.", themes.Muted.Style())
	case !s.looked:
	case len(s.all) == 0:
		y := 1
		if rest.Height() >= 14 {
			y = 3
		}
		lesson.Draw(rest, y)
	case len(s.rows) == 0:
		s.filter.Unfit("Nothing").Draw(rest, 1)
	default:
		if r := s.record(); r != nil {
			s.details.Draw(rest, r.Name, s.facts(r, f), pane.Hit{Kind: hitDetail})
		}
	}
}

func (s *Screen) title() pane.Title {
	n := strconv.Itoa(len(s.all))
	t := pane.Title{Name: "Records " + n, Focused: true, Position: s.list.Position()}
	if len(s.rows) != len(s.all) {
		t.Name = "Records " + strconv.Itoa(len(s.rows)) + " of " + n
	}
	var about []string
	if s.filter.Text() != "" {
		about = append(about, "filter "+s.filter.Text())
	}
	if s.urgent {
		about = append(about, "urgent first")
	}
	on, bad := 0, 0
	for _, r := range s.rows {
		switch urgency(r.State) {
		case 1:
			on++
		case 2:
			bad++
		}
	}
	if on > 0 {
		about = append(about, strconv.Itoa(on)+" running")
	}
	t.Subtitle = strings.Join(about, ", ")
	if bad > 0 {
		t.Problem, t.ProblemStyle = strconv.Itoa(bad)+" in trouble", themes.Critical.Style()
	}
	return t
}

func (s *Screen) drawRow(f pane.Frame, y, i int, cols *columns.Layout) {
	r := s.rows[i]
	sign, st := signOf(r, f.Glyphs())
	table.DrawRow(f, y, r, pane.Lead{Selected: s.list.Is(i), Sign: sign, Style: st}, cols, pane.Hit{Kind: hitRow, A: i})
}

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
	columns.DrawNumber(f.Region, at.X+at.W-number, y, number, percent, themes.Text.Style())
}

// facts are what is known of a record: how it stands, how far it came, what is wrong,
// what it does.
func (s *Screen) facts(r *listing.Record, f pane.Frame) (out []pane.Fact) {
	text := themes.Text.Style()
	add := func(label, line string, st themes.Style) {
		out = append(out, pane.Fact{Label: label, Text: session.Printable(line), Style: st})
	}
	_, st := signOf(r, f.Glyphs())
	if !isOn(r) && st == themes.Muted.Style() {
		st = text
	}
	add("", s.standing(r, f), st)
	for i := range r.Limits {
		add(r.Limits[i].What, r.Limits[i].Text, text)
	}
	for _, found := range r.Findings {
		st := levels[found.Level].Style()
		add("finding", found.Text, st)
	}
	for _, fact := range r.Facts {
		add(fact.Label, fact.Text, text)
	}
	if r.Output != "" {
		add("newest", r.Output, themes.Muted.Style())
	}
	return out
}

// standing says how things stand with a record.
func (s *Screen) standing(r *listing.Record, f pane.Frame) string {
	said := map[listing.State]string{
		listing.Stopped: "Does not run.", listing.Running: "Runs", listing.Tidying: "Its data manager is at work.",
		listing.Ended: "Is over", listing.Failed: "Its last run ended by a mistake", listing.Died: "Its process is gone",
		listing.Damaged: "Cannot be read.",
	}[r.State]
	switch {
	case r.State == listing.Running && !r.Began.IsZero():
		said += " since " + when(r.Began, f.Now) + ", for " + pane.Roughly(f.Now.Sub(r.Began)) + "."
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
