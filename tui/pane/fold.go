package pane

import (
	"strings"

	"perfdeck/tui/canvas"
)

// Fold breaks text into lines of at most w cells, at blanks where it can: a word
// that is longer than a line goes over several, so that nothing is lost. Text
// is to be printable.
func Fold(text string, w int) []string {
	w = max(w, 2) // a wide rune fits
	var lines []string
	line, used := "", 0
	flush := func() { lines, line, used = append(lines, line), "", 0 }
	for word := range strings.FieldsSeq(text) {
		n := canvas.Full.TextWidth(word)
		if used > 0 && used+1+n > w {
			flush()
		}
		for n > w { // at the beginning of a line
			end, taken := headCells(word, w)
			lines = append(lines, word[:end])
			word, n = word[end:], n-taken
		}
		if used > 0 {
			line, used = line+" ", used+1
		}
		line, used = line+word, used+n
	}
	if used > 0 || len(lines) == 0 {
		flush()
	}
	return lines
}

// headCells is the length in bytes of the longest head of at most w cells, and the
// cells it takes.
func headCells(word string, w int) (end, taken int) {
	for i, r := range word {
		n := canvas.Full.TextWidth(string(r))
		if taken+n > w {
			return i, taken
		}
		taken += n
	}
	return len(word), taken
}
