package details

import (
	"math"
	"strconv"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/text/english"
	"perfdeck/session/text/printable"
	"perfdeck/themes"
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

// fact is what is told of the instance besides its counters.
type fact struct{ label, text string }

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
	from, end := s.list.Show(len(s.counters), rows.Height()-1)
	head := pane.Title{Name: "Counters", Heads: l.MaxX > 0, Row: l}
	if !head.Heads {
		head.Position = list.Range(from+1, end, len(s.counters))
	}
	pane.DrawTitle(rows, head)
	for i := from; i < end; i++ {
		r := s.row(view, row, s.counters[i])
		r.Selected = s.list.Is(i)
		pane.DrawRow(rows, 1+i-from, l, &r)
		rows.ZoneLine(1+i-from, hitRow, i)
	}
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
func (s *Screen) drawFacts(f pane.Frame, each, most int) (y int) {
	lines := []fact{}
	for _, fact := range s.known(f.Now) {
		for _, fact.text = range f.FoldMost(printable.Text(fact.text), max(8, f.Width()-layout.SignW-labelCells), each) {
			lines = append(lines, fact)
			fact.label = ""
		}
	}
	from, end := s.texts.Show(len(lines), most)
	for _, line := range lines[from:end] {
		y++
		f.Left(layout.SignW, y, labelCells-1, line.label, themes.Muted)
		f.Text(layout.SignW+labelCells, y, line.text, themes.Text)
	}
	return y
}

// known is what is known of the instance besides its counters.
func (s *Screen) known(now time.Time) (out []fact) {
	for i, key := range s.of.Set.Facts {
		if s.facts[i] != "" {
			out = append(out, fact{key, s.facts[i]})
		}
	}
	if s.runs != "" {
		out = append(out, fact{"runs", s.runs})
	}
	for _, text := range s.told {
		out = append(out, fact{"told", text})
	}
	if s.parent != "" {
		out = append(out, fact{"parent", s.parent})
	}
	if !s.started.IsZero() {
		out = append(out, fact{"started", pane.Clock(s.started, now)})
	}
	return out
}

// row is what the line of a counter shows.
func (s *Screen) row(view *session.SetView, row, counter int) pane.Row {
	c := &s.of.Set.Counters[counter]
	r := pane.Row{
		Name: printable.Text(c.Name), Set: s.of.Set, Counter: counter, Recent: pane.Recent{Value: cooker.Absent(cooker.FirstSample)},
		Alert: s.desk.Mark(s.of.Host, s.of.Set, counter, s.of.Key),
	}
	r.Unit, r.Look = s.units.Choose(pane.UnitKey{Set: s.of.Set, Counter: counter, Key: s.of.Key}, 0, s.desk.Now())
	if col := view.Column(counter); row >= 0 && col >= 0 {
		r.Recent = s.desk.Recent(s.of.Host.Snap, view, row, col, math.MaxInt)
		r.Unit, r.Look = s.units.Choose(pane.UnitKey{Set: s.of.Set, Counter: counter, Key: s.of.Key}, r.Window.Largest(r.Value), view.Time)
	}
	if s.ended {
		r.Value = cooker.Absent(cooker.Gone)
	}
	return r
}

func number(n uint64) string { return strconv.FormatUint(n, 10) }
