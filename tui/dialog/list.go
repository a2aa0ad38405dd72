package dialog

import (
	"perfdeck/themes"
	"perfdeck/tui/kit/list"
	"perfdeck/tui/pane"
)

// drawLead gives a row in line y the look of the selected one, if it is, and
// returns its background.
func drawLead(f pane.Frame, y int, selected bool) themes.Token {
	if !selected {
		return themes.Surface
	}
	f.Fill(0, y, f.Width(), 1, ' ', themes.Text.Style().On(themes.Selection))
	f.Put(0, y, f.Glyphs().Selected, themes.Focus.Style().Bold().On(themes.Selection))
	return themes.Selection
}

// moved moves in a list below a line that is typed in. It reports whether the key
// was one for that.
func moved(rows *list.List, key string) bool {
	m, ok := list.WhileTyping(key)
	if ok {
		rows.Move(rows.Lines(m))
	}
	return ok
}

// foundAnew shows the first of count rows that a search found.
func foundAnew(rows *list.List, count int) {
	rows.Restart()
	rows.Resize(count)
}
