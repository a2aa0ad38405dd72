package alerts

// list is the rows of one pane: which of them is selected and which are marked,
// by identity, and which part of them is shown.
type list[K comparable] struct {
	keys     []K // in the order in which they are shown
	selected K
	any      bool // something is selected
	line     int  // place of the selected
	first    bool // the first row is selected, whichever it is
	moved    bool // by the user
	marks    map[K]bool

	top, page int // first row and rows of the last drawing
}

// rows is a list, whatever it lists.
type rows interface {
	count() int
	at() (line int, ok bool)
	choose(line int)
	move(n int)
	pageRows() int
	toggleMark()
	marked() int
	clearMarks()
}

// set replaces the rows. What is selected stays so; if it went, the row that
// took its place is.
func (l *list[K]) set(keys []K) {
	l.keys = keys
	for key := range l.marks {
		if l.indexOf(key) < 0 {
			delete(l.marks, key)
		}
	}
	switch at := l.indexOf(l.selected); {
	case l.first && l.line == 0 || !l.any:
		l.place(0)
	case at >= 0:
		l.line = at
	default:
		l.place(l.line)
	}
}

func (l *list[K]) indexOf(key K) int {
	if l.line < len(l.keys) && l.keys[l.line] == key {
		return l.line
	}
	for i := range l.keys {
		if l.keys[i] == key {
			return i
		}
	}
	return -1
}

// place selects a row, or the nearest there is.
func (l *list[K]) place(line int) {
	l.line = max(0, min(line, len(l.keys)-1))
	l.any = len(l.keys) > 0
	if l.any {
		l.selected = l.keys[l.line]
	}
}

func (l *list[K]) count() int              { return len(l.keys) }
func (l *list[K]) at() (line int, ok bool) { return l.line, l.any }
func (l *list[K]) move(n int)              { l.choose(l.line + n) }
func (l *list[K]) pageRows() int           { return l.page }

func (l *list[K]) choose(line int) {
	l.moved = true
	l.place(line)
}

// restart selects the first row, unless the user selected another.
func (l *list[K]) restart() {
	if !l.moved {
		l.place(0)
	}
}

func (l *list[K]) toggleMark() {
	if !l.any {
		return
	}
	if l.marks[l.selected] {
		delete(l.marks, l.selected)
		return
	}
	if l.marks == nil {
		l.marks = map[K]bool{}
	}
	l.marks[l.selected] = true
}

func (l *list[K]) marked() int { return len(l.marks) }
func (l *list[K]) clearMarks() { clear(l.marks) }

// chosen is what an act is about: the marked rows or, without any, the selected
// one.
func (l *list[K]) chosen() []K {
	if len(l.marks) > 0 {
		return l.markedKeys()
	}
	if !l.any {
		return nil
	}
	return []K{l.selected}
}

func (l *list[K]) markedKeys() []K {
	var out []K
	for _, key := range l.keys {
		if l.marks[key] {
			out = append(out, key)
		}
	}
	return out
}

// show scrolls so that the selected row is among the page that is drawn.
func (l *list[K]) show(page int) (from, end int) {
	l.page = max(0, page)
	l.top = max(0, min(l.top, l.line, len(l.keys)-l.page))
	if l.page > 0 && l.line >= l.top+l.page {
		l.top = l.line - l.page + 1
	}
	return l.top, min(len(l.keys), l.top+l.page)
}
