package pane

import (
	"perfdeck/themes"
	"perfdeck/tui/layout"
)

// Lead is what stands before the text of each row of a list, in the first
// layout.SignW cells.
type Lead struct {
	Selected, Marked bool
	Sign             rune // what is wrong with it; 0: nothing
	Style            themes.Style
}

// DrawLead draws what stands before a row in line y.
func (f Frame) DrawLead(y int, l Lead) {
	if l.Selected {
		f.Put(0, y, f.Glyphs().Selected, themes.Focus.Style())
	}
	if l.Sign != 0 {
		f.Put(1, y, l.Sign, l.Style)
	}
	if l.Marked {
		f.Put(layout.SignW-1, y, f.Glyphs().Mark, themes.Focus.Style())
	}
}

// Highlight gives a row that was drawn the look of the selected one, if it is.
func (f Frame) Highlight(y int, selected bool) {
	if selected {
		f.SetBackground(0, y, f.Width(), 1, themes.Selection)
	}
}
