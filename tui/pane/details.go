package pane

import (
	"perfdeck/session"
	"perfdeck/themes"
	"perfdeck/tui/canvas"
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
	const labelW = 9
	room := f.Height() - 1
	var texts [][]string
	lines := 0
	for i := range facts {
		x := layout.SignW
		if facts[i].Label != "" {
			x += labelW
		}
		texts = append(texts, canvas.Fold(facts[i].Text, max(8, f.Width()-x-1)))
		lines += len(texts[i])
	}
	d.Show(lines, room)
	t := Title{Name: session.Printable(of), Position: d.Position()}
	if t.Position != "" {
		t.Subtitle = "h l scrolls"
	}
	DrawTitle(f, layout.Row{}, t)
	body := f.At(layout.Rect{Y: 1, W: f.Width(), H: room})
	body.Zone(0, 0, body.Width(), body.Height(), hit)
	y := -d.Top()
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

// DetailsShare is how many of some lines the table takes above its details.
func DetailsShare(lines int) int {
	if lines < 8 {
		return max(0, lines)
	}
	return max(lines/2, lines-MinDetails)
}
