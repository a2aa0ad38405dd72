package alerts

import (
	"perfdeck/cooker"
	"strconv"
	"strings"
	"time"

	"perfdeck/session/alert"
	"perfdeck/session/text/english"
	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/layout"
	"perfdeck/tui/pane"
)

// Draw draws the panes that fit, or the focused one alone.
func (s *Screen) Draw(f pane.Frame) {
	s.refresh(f.Now)
	if why := s.nothing(); why != nil {
		s.places = places{}
		pane.DrawTitle(f, pane.Title{Name: s.Name, Focused: true})
		why.Draw(f, 2)
		return
	}
	want := [partCount]int{
		max(1, s.room.fit(s.active.Count(), f.Now)), 1 + max(1, s.rules.Count()), max(1, s.history.Count()),
	}
	s.places = place(f.Width(), f.Height(), want, s.focus, s.zoomed)
	for p := range partCount {
		if r := s.places.parts[p]; r.H > 0 {
			s.drawPart(f.At(r), p)
		} else {
			s.lists[p].Show(0)
		}
	}
	if s.places.detail.H > 0 {
		s.drawDetail(f.At(s.places.detail))
	}
}

func (s *Screen) drawPart(f pane.Frame, p part) {
	body := f.Below(1)
	rows, head := s.lists[p], 0
	if p == rulesPart {
		head = 1
	}
	from, end := rows.Show(body.Height() - head)
	t := s.title(p, f.Now)
	titled := pane.DrawTitle(f, t)
	f.ZoneLine(0, hitTitle, int(p))
	if s.places.alone {
		s.drawOthers(f, cells(t.Name+t.Subtitle+t.Problem), cells(t.Position))
	}
	if rows.Count() == 0 {
		body.Rest(layout.SignW, 0, s.emptyText(p), themes.Muted)
		return
	}
	s.prepare(p, f, from, end)
	cols := rows.DrawRows(body, from, end, head > 0, s.focus == p)
	at := cols.Places[len(cols.Places)-1]
	if x := at.X + at.W - len(" for"); p == activePart && at.W > 0 && !s.places.alone && t.Position == "" && x >= titled {
		f.Text(x, 0, " for ", themes.Muted)
	}
}

// prepare settles what depends on the rows that are shown, or on the frame.
func (s *Screen) prepare(p part, f pane.Frame, from, end int) {
	switch p {
	case activePart:
		shown := s.active.Rows[from:end]
		for _, a := range shown {
			a.reading = s.read(a.Alert, f.Now)
		}
		unit := pane.Longest(2, layout.UnitW+2, shown, func(a *active) string { return a.unit.Label + a.per })
		s.active.Columns[activeValue].Min = pane.Longest(cooker.FieldWidthCells, 64, shown, (*active).number) + 1 + unit
	case rulesPart:
		s.rules.Columns[ruleWhen].Min = max(16, min(f.Width()*2/5, 40))
	case historyPart:
		host := &s.history.Columns[eventHost]
		if host.Rank = 5; s.oneHost(s.history.Rows[from:end]) {
			host.Rank = 0
		}
	}
}

// drawOthers names the panes that are not shown in the title of the one that is.
func (s *Screen) drawOthers(f pane.Frame, used, position int) {
	x := f.Width() - 1
	if position > 0 {
		x -= position + 3
	}
	for p := partCount - 1; p >= 0; p-- {
		if p == s.focus {
			continue
		}
		text := " " + partNames[p] + " " + strconv.Itoa(s.lists[p].Count()) + " "
		if x -= len(text); x < used+8 {
			return
		}
		f.Text(x, 0, text, themes.Muted)
		f.Zone(x, 0, len(text), 1, hitTitle, int(p))
		x--
	}
}

func (s *Screen) title(p part, now time.Time) pane.Title {
	rows := s.lists[p]
	t := pane.Title{Name: partNames[p] + " " + strconv.Itoa(rows.Count()), Focused: s.focus == p, Position: rows.Position()}
	var parts []string
	if n := rows.Marks(); n > 0 {
		parts = append(parts, strconv.Itoa(n)+" marked")
	}
	switch p {
	case activePart:
		parts = append(parts, s.activeFacts()...)
		if text := s.mutesFact(now); text != "" {
			parts = append(parts, text)
		}
		if s.board.Muted.After(now) {
			t.Problem, t.ProblemStyle = "everything muted "+untilText(s.board.Muted, now), themes.Careful
		}
		if s.desk.Past() {
			parts = append(parts, "as of now")
		}
	case rulesPart:
		parts = append(parts, s.ruleFacts(now)...)
	case historyPart:
		t.Name = partNames[p]
		parts = append(parts, s.historyFacts(now))
		if r := recordedOf(s.desk); r != nil && !r.IsJudged() {
			t.Problem, t.ProblemStyle = "the recording is being judged", themes.Careful
		}
	}
	if s.filter.Text() != "" {
		parts = append(parts, "filter "+s.filter.Text())
	}
	t.Subtitle = strings.Join(parts, ", ")
	return t
}

// mutesFact tells of mutes that no row of a rule shows: of hosts, and of single
// alerts.
func (s *Screen) mutesFact(now time.Time) string {
	var list []mute
	for _, m := range mutesOf(s.board, now) {
		if scope := m.scopes[0]; scope.Host != "" || scope.One.Rule != "" {
			list = append(list, m)
		}
	}
	switch len(list) {
	case 0:
		return ""
	case 1:
		return "muted: " + list[0].text + " " + untilText(list[0].until, now)
	}
	return strconv.Itoa(len(list)) + " mutes: M shows them"
}

// activeFacts count what is active and does not ask for attention.
func (s *Screen) activeFacts() []string {
	known, pending := 0, 0
	for _, a := range s.active.Rows {
		switch a.State {
		case alert.Acknowledged:
			known++
		case alert.Pending:
			pending++
		}
	}
	return counts(count{known, "known"}, count{pending, "pending"})
}

func (s *Screen) ruleFacts(now time.Time) []string {
	off, muted, problems, edited := 0, 0, 0, 0
	for _, r := range s.rules.Rows {
		switch {
		case r.Disabled:
			off++
		case r.MutedUntil.After(now):
			muted++
		case r.Problem != "":
			problems++
		}
		if r.Edited {
			edited++
		}
	}
	return counts(count{off, "off"}, count{muted, "muted"}, count{problems, "with a problem"}, count{edited, "changed here"})
}

type count struct {
	n    int
	text string
}

// counts are those that count anything.
func counts(list ...count) (parts []string) {
	for _, c := range list {
		if c.n > 0 {
			parts = append(parts, strconv.Itoa(c.n)+" "+c.text)
		}
	}
	return parts
}

func (s *Screen) historyFacts(now time.Time) string {
	events, today := 0, 0
	for _, row := range s.history.Rows {
		if row.member {
			continue
		}
		n := max(1, len(row.group))
		events += n
		if now.Sub(row.event.Time) < 24*time.Hour {
			today += n
		}
	}
	text := english.Count(events, "event", "events")
	if recordedOf(s.desk) != nil {
		return "whole recording, " + text
	}
	switch today {
	case events:
		return "last 24 h, " + text
	case 0:
		return text
	}
	return text + ", " + strconv.Itoa(today) + " in the last 24 h"
}

func (s *Screen) emptyText(p part) string {
	switch {
	case s.filter.Text() != "":
		return "nothing fits the filter: esc clears it"
	case p == activePart:
		for _, r := range s.rules.Rows {
			if every := s.waitsFor(r, s.desk.Now()); every > 0 {
				return "Nothing alerts: " + r.Name + " is judged each " + english.Exact(every) + ", " + notJudged + "."
			}
		}
		return "Nothing alerts."
	case p == rulesPart:
		return "No rules yet: a adds one, w on any value warns of it."
	}
	return "Nothing happened so far."
}

var (
	offLesson  = pane.Lesson{Text: "Alerts are off here."}
	pastLesson = pane.Lesson{Text: "Here are the rules of the config and of --alert: there are none. Starter packs judge a recording, too: ! goes to what they found."}
	newLesson  = pane.Lesson{
		Text: "No alert rules yet.",
		Keys: [][2]string{
			{"w", "on any value: warn me of it"},
			{"a", `add a rule, as \Memory\Available MBytes<200`},
			{"P", "add a starter pack: rules for processor, memory, disk ..."},
		},
		Ways: []string{
			`from the shell  perfdeck --alert '\Memory\Available MBytes<200'`,
			"rules of PAL    perfdeck alerts import FILE",
			"show a pack     perfdeck alerts list --pack disk",
			`in the config   [alerts] packs = ["disk"]`,
		},
	}
)

// nothing is what to teach when there is nothing to show; nil if there is.
func (s *Screen) nothing() *pane.Lesson {
	switch {
	case s.desk.Alerts == nil:
		return &offLesson
	case s.board == nil: // not shown yet: the help asks
		return nil
	case len(s.board.Rules) == 0 && recordedOf(s.desk) != nil:
		return &pastLesson
	case len(s.board.Rules) == 0 && len(s.board.Active) == 0 && len(s.board.History) == 0:
		return &newLesson
	}
	return nil
}

// signAt is the sign of an alert: without its colour when nobody is told.
func signAt(a *alert.Alert, now time.Time, g *canvas.Glyphs) (rune, themes.Style) {
	sign, st, ok := pane.SignOfMark(alert.Mark{State: a.State, Severity: a.Rule.Severity}, g)
	if !ok {
		return 0, themes.Muted
	}
	if !a.Told(now) {
		st = themes.Muted
	}
	return sign, st
}

// signOf is that of a row.
func signOf(f pane.Frame, a *active) (rune, themes.Style) { return signAt(a.Alert, f.Now, f.Glyphs()) }

// bold is a sign as it stands before rows.
func bold[R any](sign func(pane.Frame, R) (rune, themes.Style)) func(pane.Frame, R) (rune, themes.Style) {
	return func(f pane.Frame, r R) (rune, themes.Style) {
		sign, st := sign(f, r)
		return sign, st.Bold()
	}
}
