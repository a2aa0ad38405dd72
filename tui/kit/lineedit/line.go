// Package lineedit is a line of text that is typed.
package lineedit

import (
	"strings"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"perfdeck/themes"
	"perfdeck/tui/canvas"
)

// Line is a line of text that is being typed. The zero value is empty.
type Line struct {
	text   []rune
	cursor int
	marked bool // the whole text is selected: typing replaces it
}

// New is a line with a text, all of it marked: typing replaces it.
func New(text string) Line {
	r := []rune(text)
	return Line{text: r, cursor: len(r), marked: len(r) > 0}
}

// String is what was typed.
func (l *Line) String() string { return string(l.text) }

// mostRunes bounds what can be typed or pasted.
const mostRunes = 4096

// Insert types text at the cursor; controls are left out.
func (l *Line) Insert(s string) {
	if l.marked {
		l.text, l.cursor, l.marked = l.text[:0], 0, false
	}
	for _, char := range s {
		if !unicode.IsPrint(char) || len(l.text) >= mostRunes || char == utf8.RuneError {
			continue
		}
		l.text = append(l.text[:l.cursor], append([]rune{char}, l.text[l.cursor:]...)...)
		l.cursor++
	}
}

// Paste types what was pasted: one line, whatever it was.
func (l *Line) Paste(s string) {
	l.Insert(oneLine.Replace(strings.TrimSpace(s)))
}

var oneLine = strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ", "\t", " ")

// Key edits the text. It reports whether the key was for the line and whether
// the text changed.
func (l *Line) Key(k tea.KeyPressMsg) (used, changed bool) {
	if l.marked && k.Text == "" {
		l.marked = false
		if name := k.String(); name == "backspace" || name == "ctrl+h" || name == "delete" {
			l.text, l.cursor = l.text[:0], 0
			return true, true
		}
	}
	switch k.String() {
	case "left":
		l.cursor = max(0, l.cursor-1)
	case "right":
		l.cursor = min(len(l.text), l.cursor+1)
	case "home":
		l.cursor = 0
	case "end":
		l.cursor = len(l.text)
	case "backspace", "ctrl+h": // which some terminals send for backspace
		if l.cursor == 0 {
			return true, false
		}
		l.text = append(l.text[:l.cursor-1], l.text[l.cursor:]...)
		l.cursor--
		return true, true
	case "delete":
		if l.cursor == len(l.text) {
			return true, false
		}
		l.text = append(l.text[:l.cursor], l.text[l.cursor+1:]...)
		return true, true
	case "ctrl+u":
		l.text, l.cursor = l.text[l.cursor:], 0
		return true, true
	case "ctrl+w":
		l.dropWord()
		return true, true
	default:
		if k.Text == "" {
			return false, false
		}
		l.Insert(k.Text)
		return true, true
	}
	return true, false
}

// dropWord deletes the word before the cursor.
func (l *Line) dropWord() {
	head := strings.TrimRightFunc(string(l.text[:l.cursor]), unicode.IsSpace)
	head = head[:strings.LastIndexFunc(head, unicode.IsSpace)+1]
	l.text = append([]rune(head), l.text[l.cursor:]...)
	l.cursor = utf8.RuneCountInString(head)
}

// Unmark lets typing go on behind the text instead of replacing it.
func (l *Line) Unmark() { l.marked = false }

// IsEmpty tells whether nothing is typed.
func (l *Line) IsEmpty() bool { return len(l.text) == 0 }

// Masked is the line as it is shown when nobody may read it: as many marks as
// there are characters.
func (l *Line) Masked(glyphs *canvas.Glyphs) Line {
	out := *l
	out.text = []rune(strings.Repeat(string(glyphs.Mark), len(l.text)))
	return out
}

// Wipe forgets the text, and overwrites it.
func (l *Line) Wipe() {
	clear(l.text[:cap(l.text)])
	*l = Line{}
}

// Draw draws the text in w cells with a cursor, so that the cursor is seen.
func (l *Line) Draw(r canvas.Region, x, y, w int, st themes.Style) {
	r = r.Sub(x, y, w, 1)
	r.Fill(0, 0, w, 1, ' ', st)
	from := l.cursor
	for room := w - 1; from > 0; from-- {
		if room -= canvas.Full.TextWidth(string(l.text[from-1])); room < 0 {
			break
		}
	}
	if l.marked {
		r.Text(0, 0, string(l.text), st.Reverse())
		return
	}
	cx := r.Text(0, 0, string(l.text[from:l.cursor]), st)
	r.Text(cx, 0, string(l.text[l.cursor:]), st)
	under := ' '
	if l.cursor < len(l.text) {
		under = l.text[l.cursor]
	}
	r.Put(cx, 0, under, st.Reverse())
}
