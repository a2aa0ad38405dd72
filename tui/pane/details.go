package pane

import (
	"math"

	"perfdeck/themes"
	"perfdeck/tui/kit/list"
	"perfdeck/tui/layout"
)

// MinDetails is what details take at least, where there is room for half of it beside
// a table.
const MinDetails = 9

// Details are the facts of what is selected in a table, below it, which scroll.
type Details struct {
	list.View

	of string // what they are about
}

// Draw draws them below a rule with the name of what they are about. All of the body
// hits what is given.
func (d *Details) Draw(f Frame, of string, facts []Fact, hit Hit) {
	if f.Height() < 2 {
		return
	}
	if of != d.of {
		d.of, d.View = of, list.View{}
	}
	room := f.Height() - 1
	lines := f.FoldFacts(facts, factLabelW, math.MaxInt)
	d.Show(len(lines), room)
	t := Title{Name: of, Position: d.Position()}
	if t.Position != "" {
		t.Subtitle = "h l scrolls"
	}
	DrawTitle(f, t)
	body := f.Below(1)
	body.Zone(0, 0, body.Width(), body.Height(), hit.Kind, hit.A, hit.B)
	lines[d.Top():].Draw(body)
}

// FactLines are facts as they are drawn, a line each.
type FactLines []factLine

// factLine is a line of a fact.
type factLine struct {
	Fact // with the text of the line, and the label in the first one

	x int
}

// FoldFacts are the lines that facts take, so many each at most, those behind labels from so many cells on.
func (f Frame) FoldFacts(facts []Fact, labels, most int) (out FactLines) {
	for _, fact := range facts {
		x := layout.SignW
		if fact.Label != "" {
			x += labels
		}
		for _, text := range f.FoldMost(fact.Text, max(8, f.Width()-x-1), most) {
			out = append(out, factLine{Fact{fact.Label, text, fact.Style}, x})
			fact.Label = ""
		}
	}
	return out
}

const factLabelW = 9

// Draw draws them from the first line of the frame on.
func (l FactLines) Draw(f Frame) {
	for y, l := range l {
		f.Left(layout.SignW, y, l.x-layout.SignW-1, l.Label, themes.Muted)
		f.Rest(l.x, y, l.Text, l.Style)
	}
}

// DrawFacts draws facts, each from a line of its own on, and returns how many lines they take.
func DrawFacts(f Frame, facts []Fact) int {
	lines := f.FoldFacts(facts, factLabelW, math.MaxInt)
	if n := f.Height(); n > 0 && n < len(lines) {
		lines = lines[:n]
		lines[n-1].Text += f.Glyphs().Ellipsis
	}
	lines.Draw(f)
	return len(lines)
}

// DetailsShare is how many of some lines the table takes above its details.
func DetailsShare(lines int) int {
	if lines < 8 {
		return max(0, lines)
	}
	return max(lines/2, lines-MinDetails)
}
