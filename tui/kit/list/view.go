// Package list is where a list stands: which of its rows is selected, which are
// marked, and which part of it is in view. It is pure geometry in rows, so that
// every size can be swept in a test; who draws asks Show what to draw.
package list

import "strconv"

// View is the part of some rows that is in view. The zero value stands at the
// first row of none.
type View struct {
	top, page, count int
}

// Show tells that there are count rows and room for page of them, and returns
// which are in view: from, and before end. The last page is full where there are
// rows enough.
func (v *View) Show(count, page int) (from, end int) {
	v.count, v.page = max(0, count), max(0, page)
	v.top = v.held(v.top)
	return v.top, min(v.count, v.top+v.page)
}

// held is the nearest first row to top that leaves no room below the last.
func (v *View) held(top int) int { return max(0, min(top, v.count-v.page)) }

// Scroll moves what is in view by lines, down if positive, as far as there are
// rows.
func (v *View) Scroll(lines int) { v.top = v.held(v.top + lines) }

// Reveal scrolls so that the rows from one to before another are in view, or the
// first of them if they are too many.
func (v *View) Reveal(from, end int) {
	v.top = v.held(max(min(v.top, from), min(end-v.page, from)))
}

// Top is the first row in view.
func (v *View) Top() int { return v.top }

// Page is how many rows there was room for when they were shown.
func (v *View) Page() int { return v.page }

// Count is how many rows there are.
func (v *View) Count() int { return v.count }

// Hidden is how many rows are above what is in view, and how many below.
func (v *View) Hidden() (above, below int) {
	return v.top, max(0, v.count-v.top-v.page)
}

// Position tells which rows are in view, as "1-31 of 116"; nothing where all of
// them are.
func (v *View) Position() string {
	if v.count <= v.page || v.page == 0 {
		return ""
	}
	return Range(v.top+1, min(v.count, v.top+v.page), v.count)
}

// Range writes which of some are meant: "1-31 of 116", "7 of 9".
func Range(first, last, count int) string {
	text := strconv.Itoa(first)
	if last > first {
		text += "-" + strconv.Itoa(last)
	}
	return text + " of " + strconv.Itoa(count)
}

// Motion is a way to move in a list, as a key asks for it.
type Motion uint8

// The motions.
const (
	Down Motion = iota
	Up
	PageDown // one row of the page before stays in view
	PageUp
	HalfDown
	HalfUp
	First
	Last
)

// Lines is how many rows a motion moves, down if positive.
func (v *View) Lines(m Motion) int { return m.Lines(v.count, v.page) }

// Lines is how many of count rows a motion moves, down if positive, with room for page of them.
func (m Motion) Lines(count, page int) int {
	switch m {
	case Down:
		return 1
	case Up:
		return -1
	case PageDown:
		return max(1, page-1)
	case PageUp:
		return -max(1, page-1)
	case HalfDown:
		return max(1, page/2)
	case HalfUp:
		return -max(1, page/2)
	case First:
		return -count
	case Last:
		return count
	}
	return 0
}

// Across goes n rows on, or back, from row at of a group, from group to group of those from first
// to last; of the outermost ones it may go beyond the rows.
func Across(n, group, at, first, last int, rows func(group int) int) (int, int) {
	for at += n; at < 0 && group > first; at += rows(group) {
		group--
	}
	for ; at >= rows(group) && group < last; group++ {
		at -= rows(group)
	}
	return group, at
}

// typing are the keys that move in a list while a line of text is typed above it,
// still those besides where nothing is typed.
var (
	typing = map[string]Motion{
		"down": Down, "ctrl+n": Down, "up": Up, "ctrl+p": Up, "pgdown": PageDown, "pgup": PageUp,
	}
	still = map[string]Motion{
		"j": Down, "k": Up, "ctrl+d": HalfDown, "ctrl+u": HalfUp, "g": First, "home": First, "G": Last, "end": Last,
	}
)

// WhileTyping is what a key of a dialog moves that takes letters for itself.
func WhileTyping(key string) (m Motion, ok bool) {
	m, ok = typing[key]
	return m, ok
}

// Plain is what a key of a dialog moves where nothing is typed.
func Plain(key string) (m Motion, ok bool) {
	if m, ok = typing[key]; !ok {
		m, ok = still[key]
	}
	return m, ok
}
