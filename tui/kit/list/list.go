package list

// List is some rows of which one is selected. What is selected is in view
// whenever the list is shown; a Loose one is left behind by Scroll, until another
// row is selected.
type List struct {
	View

	// Loose lets Scroll leave the selected row, where a selection costs more than a
	// look: what other lists show depends on it.
	Loose bool

	line int
	left bool // scrolled away from the selected row
}

// Line is the place of the selected row, 0 of an empty list.
func (l *List) Line() int { return l.line }

// Has tells whether there is a row that can be selected.
func (l *List) Has() bool { return l.count > 0 }

// Is tells whether a row is the selected one.
func (l *List) Is(row int) bool { return l.Has() && l.line == row }

// Resize tells that there are count rows now. The place of the selected one stays,
// or the last one is selected.
func (l *List) Resize(count int) {
	l.count = max(0, count)
	l.line = max(0, min(l.line, l.count-1))
}

// Select selects a row, or the nearest there is.
func (l *List) Select(row int) {
	row = max(0, min(row, l.count-1))
	l.left = l.left && row == l.line
	l.line = row
}

// Move selects the row that is some lines below the selected one.
func (l *List) Move(lines int) {
	l.left = false
	l.Select(l.line + lines)
}

// Restart selects the first row and shows it.
func (l *List) Restart() {
	l.line, l.top, l.left = 0, 0, false
}

// Show is View.Show with the selected row in view.
func (l *List) Show(count, page int) (from, end int) {
	if page != l.page {
		l.left = false // of another size it is another list
	}
	l.Resize(count)
	l.View.Show(count, page)
	if !l.left {
		l.reveal()
	}
	return l.top, min(l.count, l.top+l.page)
}

// ShowBelow is Show, with the headings right above the first row in view as long
// as the selected one has room below them.
func (l *List) ShowBelow(count, page int, isHeading func(row int) bool) (from, end int) {
	l.Show(count, page)
	for l.top > 0 && l.line < l.top-1+l.page && isHeading(l.top-1) {
		l.top--
	}
	return l.top, min(l.count, l.top+l.page)
}

func (l *List) reveal() {
	if l.page == 0 {
		return
	}
	l.top = max(min(l.top, l.line), l.line-l.page+1)
}

// Scroll moves what is in view. The selected row goes along where it would be left
// behind, so that what a key acts on is seen.
func (l *List) Scroll(lines int) {
	before := l.top
	l.View.Scroll(lines)
	if l.Loose {
		l.left = l.left || l.top != before
		return
	}
	if l.page > 0 {
		l.line = max(0, min(max(l.line, l.top), l.top+l.page-1, l.count-1))
	}
}
