package dialog

import (
	"perfdeck/themes"
	"perfdeck/tui/pane"
)

// list is a column of rows of which one is selected and as many are shown as
// there is room for.
type list struct {
	selected, top int
	page          int // rows of the last drawing
}

// key moves the selection among n rows. It reports whether the key was one of
// the list's.
func (l *list) key(name string, n int) bool {
	switch name {
	case "down", "ctrl+n":
		l.move(1, n)
	case "up", "ctrl+p":
		l.move(-1, n)
	case "pgdown":
		l.move(max(1, l.page-1), n)
	case "pgup":
		l.move(-max(1, l.page-1), n)
	default:
		return false
	}
	return true
}

func (l *list) move(lines, n int) { l.selected = max(0, min(l.selected+lines, n-1)) }

// show lays n rows out in page lines, so that the selected one is seen, and
// returns which ones are shown: from, and before end.
func (l *list) show(n, page int) (from, end int) {
	l.page = max(1, page)
	l.selected = max(0, min(l.selected, n-1))
	l.top = max(0, min(l.top, n-l.page))
	l.top = min(l.top, l.selected)
	if l.selected >= l.top+l.page {
		l.top = l.selected - l.page + 1
	}
	return l.top, min(n, l.top+max(0, page))
}

// mark gives row y the look of the selected one and returns its background.
func (l *list) mark(f pane.Frame, y, row int) themes.Token {
	if row != l.selected {
		return themes.Surface
	}
	f.Fill(0, y, f.Width(), 1, ' ', themes.Text.Style().On(themes.Selection))
	f.Put(0, y, f.Glyphs().Selected, themes.Focus.Style().Bold().On(themes.Selection))
	return themes.Selection
}
