package pane_test

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/pane"
)

// The selected row of a plain list is seen whatever draws it, and alone: also where that gives its cells a
// style of their own, as that of an instance which ended. A click selects, another one opens.
func TestPlainListSelects(t *testing.T) {
	c, hits := canvas.New(20, 3, canvas.Full), pane.Hits{}
	var l pane.PlainList
	draw := func() {
		hits.Reset()
		l.DrawEach(pane.Frame{Region: c.Root(), Hits: &hits}, 5, func(f pane.Frame, _ int) {
			f.Text(3, 0, "gone", themes.Text)
			f.Restyle(0, 0, f.Width(), 1, themes.Stale)
		})
	}
	draw()
	if hit, _ := hits.Get(c.Hit(5, 1)); l.Opens(hit, tea.MouseLeft) || !l.Opens(hit, tea.MouseLeft) || l.Opens(hit, tea.MouseRight) {
		t.Error("a first click does not select, or a second one does not open")
	}
	draw()
	for y := range 3 {
		for x := range 20 {
			if got := c.At(x, y).Style.Background() == themes.Selection; got != (y == 1) {
				t.Fatalf("cell %d, %d is selected: %v", x, y, got)
			}
		}
	}
}
