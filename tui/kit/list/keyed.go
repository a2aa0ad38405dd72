package list

// Keyed is a list whose rows are known by keys, of which each is there once. Rows
// come and go: what is selected or marked stays so.
type Keyed[K comparable] struct {
	List

	// First keeps the first row selected, whichever it is, until another one is.
	First bool
	// Keeps tells that a row which is not listed now keeps its mark; nil: none does.
	Keeps func(key K) bool

	keys     []K // in the order in which they are shown
	selected K
	has      bool // something was selected
	moved    bool // by the user
	marks    map[K]bool
}

// Set replaces the rows. What is selected stays so; if it went, the row that took
// its place is. The keys are the list's until the next call.
func (l *Keyed[K]) Set(keys []K) {
	l.keys = keys
	at := l.At(l.selected)
	switch {
	case !l.has || l.First && l.line == 0:
		at = 0
	case at < 0:
		at = l.line
	}
	l.Resize(len(keys))
	l.Place(at)
	l.dropMarks()
}

// dropMarks forgets the marks of rows that went.
func (l *Keyed[K]) dropMarks() {
	for key := range l.marks {
		if l.At(key) < 0 && (l.Keeps == nil || !l.Keeps(key)) {
			delete(l.marks, key)
		}
	}
}

// At is the place of a key, -1 if it is not there.
func (l *Keyed[K]) At(key K) int {
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

// Place selects a row, or the nearest there is, though no user asked for it.
func (l *Keyed[K]) Place(row int) {
	l.List.Select(row)
	l.note()
}

// note takes down which key the selected row has.
func (l *Keyed[K]) note() {
	if l.has = len(l.keys) > 0; l.has {
		l.selected = l.keys[l.line]
	}
}

// Keys are the rows in their order.
func (l *Keyed[K]) Keys() []K { return l.keys }

// Selected is the key of the selected row; ok is false in an empty list.
func (l *Keyed[K]) Selected() (key K, ok bool) {
	if !l.has {
		return key, false
	}
	return l.selected, true
}

// Select selects a row, or the nearest there is, because the user wants it.
func (l *Keyed[K]) Select(row int) {
	l.moved = true
	l.Place(row)
}

// Move selects the row that is some lines below the selected one.
func (l *Keyed[K]) Move(lines int) {
	l.List.Move(lines)
	l.moved = true
	l.note()
}

// Show lays the rows out with room for page of them, and returns which are in
// view: from, and before end.
func (l *Keyed[K]) Show(page int) (from, end int) { return l.List.Show(len(l.keys), page) }

// Scroll is List.Scroll.
func (l *Keyed[K]) Scroll(lines int) {
	was := l.line
	l.List.Scroll(lines)
	if l.line != was {
		l.moved = true
		l.note()
	}
}

// Reopen selects the first row, unless the user selected another.
func (l *Keyed[K]) Reopen() {
	if !l.moved {
		l.Place(0)
	}
}

// Mark marks the selected row, or takes its mark back.
func (l *Keyed[K]) Mark() {
	switch {
	case !l.has:
	case l.marks[l.selected]:
		delete(l.marks, l.selected)
	default:
		if l.marks == nil {
			l.marks = map[K]bool{}
		}
		l.marks[l.selected] = true
	}
}

// IsMarked tells whether the row of a key is marked.
func (l *Keyed[K]) IsMarked(key K) bool { return l.marks[key] }

// Marks is how many rows are marked, those that are hidden too.
func (l *Keyed[K]) Marks() int { return len(l.marks) }

// Marked are the keys of the marked rows in their order.
func (l *Keyed[K]) Marked() []K {
	if len(l.marks) == 0 {
		return nil
	}
	out := make([]K, 0, len(l.marks))
	for _, key := range l.keys {
		if l.marks[key] {
			out = append(out, key)
		}
	}
	return out
}

// ClearMarks takes all marks back.
func (l *Keyed[K]) ClearMarks() { clear(l.marks) }

// Chosen is what an act is about: the marked rows or, without any, the selected
// one.
func (l *Keyed[K]) Chosen() []K {
	switch {
	case len(l.marks) > 0:
		return l.Marked()
	case !l.has:
		return nil
	}
	return []K{l.selected}
}

// SelectedFirst is the selected row, then the marked ones besides.
func (l *Keyed[K]) SelectedFirst() []K {
	if !l.has {
		return nil
	}
	out := []K{l.selected}
	for _, key := range l.Marked() {
		if key != l.selected {
			out = append(out, key)
		}
	}
	return out
}
