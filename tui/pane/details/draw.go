package details

import (
	"math"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/text/english"
	"perfdeck/themes"
	"perfdeck/tui/kit/kind"
	"perfdeck/tui/kit/list"
	"perfdeck/tui/kit/names"
	"perfdeck/tui/layout"
	"perfdeck/tui/pane"
)

const (
	labelCells = 13
	// leastRows is how many lines the counters keep, with their head.
	leastRows = 5
	// foldedLines are what a text takes beside the counters.
	foldedLines = 3
)

// Draw draws the facts, and below them the counters.
func (s *Screen) Draw(f pane.Frame) {
	view, row := s.place()
	title := pane.Title{Name: s.of.Set.Name + " " + s.name(view, row), Subtitle: "details", Focused: true}
	if s.ended {
		title.Problem, title.ProblemStyle = "ended", themes.Stale
		if row >= 0 {
			in := &view.Rows[row]
			if title.Problem += " " + pane.Clock(in.Since, f.Now); in.Lived > 0 {
				title.Problem += " after " + english.Span(in.Lived)
			}
		}
	}
	if s.isWhole {
		s.drawFacts(f, math.MaxInt, f.Height()-1)
		title.Position = s.texts.Position()
		pane.DrawTitle(f, title)
		return
	}
	pane.DrawTitle(f, title)
	y := 1 + s.drawFacts(f, foldedLines, f.Height()-leastRows-1)
	rows := f.Below(y)
	l := layout.NewRow(rows.Width())
	head := pane.Title{Name: "Counters", Heads: l.MaxX > 0, Row: l}
	s.list.DrawEach(rows.Below(1), len(s.counters), func(f pane.Frame, i int) {
		r := s.row(s.counters[i])
		pane.DrawRow(f, 0, l, &r)
	})
	if _, below := s.list.Hidden(); !head.Heads {
		head.Position = list.Range(s.list.Top()+1, len(s.counters)-below, len(s.counters))
	}
	pane.DrawTitle(rows, head)
}

// name is how the instance is called.
func (s *Screen) name(view *session.SetView, row int) string {
	if row >= 0 {
		return names.Instance(&view.Rows[row].Instance)
	}
	return names.Parented(s.of.Key)
}

// drawFacts draws what is told besides the counters, of each text so many lines at most, in most lines
// from one on, and returns how many were drawn.
func (s *Screen) drawFacts(f pane.Frame, each, most int) int {
	lines := f.FoldFacts(s.known(f.Now), labelCells, each)
	from, end := s.texts.Show(len(lines), most)
	lines[from:end].Draw(f.Below(1))
	return end - from
}

// known is what is known of the instance besides its counters.
func (s *Screen) known(now time.Time) (out []pane.Fact) {
	add := func(label, text string) {
		if text != "" {
			out = append(out, pane.Fact{Label: label, Text: text, Style: themes.Text})
		}
	}
	for i, key := range s.of.Set.Facts {
		add(key, s.facts[i])
	}
	add("runs", s.runs)
	for _, text := range s.told {
		add("told", text)
	}
	add("parent", s.parent)
	if !s.started.IsZero() {
		add("started", pane.Clock(s.started, now))
	}
	return out
}

// row is what the line of a counter shows.
func (s *Screen) row(counter int) pane.Row {
	t := s.of
	t.Counter = counter
	r := s.desk.Row(t, kind.Drawn{}, s.units)
	if r.Alert = s.desk.Mark(t.Host, t.Set, counter, t.Key); s.ended {
		r.Value = cooker.Absent(cooker.Gone)
	}
	return r
}
