package canvas

import (
	"strings"
	"unicode/utf8"

	"perfdeck/themes"
)

// TextWidth returns the cells that the text takes when drawn with the set.
func (set GlyphSet) TextWidth(s string) int {
	n := 0
	for n < len(s) && isASCII(rune(s[n])) {
		n++
	}
	for _, char := range s[n:] {
		if isASCII(char) {
			n++
			continue
		}
		_, width := safeRune(char, set == ASCII)
		n += width
	}
	return n
}

// Text draws the text from x on, clipped only by the region, and returns the
// cells it takes.
func (r Region) Text(x, y int, s string, st themes.Style) int {
	if r.c == nil {
		return 0
	}
	row, left := r.visible(y)
	ink, at := pack(0, st.Over(r.ground)), x-left
	for i, plain := 0, !r.c.hasWide; i < len(s); {
		if c := s[i]; plain && isASCII(rune(c)) { // nearly all of what is drawn
			if uint(at) < uint(len(row)) {
				row[at] = ink | cell(c)
			}
			at, i = at+1, i+1
			continue
		}
		char, size := utf8.DecodeRuneInString(s[i:])
		char, width := safeRune(char, r.c.glyphs == ASCII)
		if char == utf8.RuneError && size == 1 { // a byte of no rune
			char = '?'
		}
		r.put(at+left, y, char, width, st)
		at, i, plain = at+width, i+size, !r.c.hasWide
	}
	return at + left - x
}

// Left draws the text in a field of w cells, cut at its end with an ellipsis,
// and returns the cells it takes. The rest of the field is left as it is.
func (r Region) Left(x, y, w int, s string, st themes.Style) int {
	return r.fit(x, y, w, s, 0, st)
}

// Rest is Left in what is left of the line from x on.
func (r Region) Rest(x, y int, s string, st themes.Style) int { return r.fit(x, y, r.w-x, s, 0, st) }

// Right draws the text at the right end of a field of w cells, cut at its end
// with an ellipsis, and returns the cells it takes.
func (r Region) Right(x, y, w int, s string, st themes.Style) int {
	if taken := r.GlyphSet().TextWidth(s); w > 0 && taken <= w {
		return r.Text(x+w-taken, y, s, st)
	}
	return r.fit(x, y, w, s, 0, st)
}

// Fitting is the first of some texts that has room in w cells, the last one where none has.
func Fitting(w int, forms ...string) string {
	for _, text := range forms {
		if text != "" && Full.TextWidth(text) <= w {
			return text
		}
	}
	return forms[len(forms)-1]
}

// Middle is Left with the ellipsis in the middle: of the cells that remain 60%
// go to the end of the text, where names differ.
func (r Region) Middle(x, y, w int, s string, st themes.Style) int {
	return r.fit(x, y, w, s, r.middle(w), st)
}

// middle is how many of w cells the end of a text has whose middle is cut.
func (r *Region) middle(w int) int {
	room := w - utf8.RuneCountInString(r.Glyphs().Ellipsis)
	return (room*6 + 5) / 10
}

// fit draws the text in w cells, cut as parts has it.
func (r *Region) fit(x, y, w int, s string, tail int, st themes.Style) int {
	head, ellipsis, end := r.parts(w, s, tail)
	n := r.Text(x, y, head, st)
	if ellipsis != "" {
		n += r.Text(x+n, y, ellipsis, st)
		n += r.Text(x+n, y, end, st)
	}
	return n
}

// parts is the text in w cells: all of it as the head; when it is wider, all but its last tail
// cells and the ellipsis are cut from its head.
func (r *Region) parts(w int, s string, tail int) (head, ellipsis, end string) {
	set := r.GlyphSet()
	if w <= 0 {
		return "", "", ""
	}
	if len(s) <= w || set.headEnd(s, w) == len(s) { // no rune has more cells than bytes
		return s, "", ""
	}
	ellipsis = r.Glyphs().Ellipsis
	room := w - utf8.RuneCountInString(ellipsis)
	if room < 1 {
		return "", ellipsis[:set.headEnd(ellipsis, w)], ""
	}
	end = s[set.tailStart(s, min(tail, room)):]
	return s[:set.headEnd(s, room-set.TextWidth(end))], ellipsis, end
}

// GlyphSet is the set to draw with.
func (r Region) GlyphSet() GlyphSet {
	if r.c == nil {
		return Full
	}
	return r.c.glyphs
}

// headEnd returns the length in bytes of the longest head of at most w cells.
func (set GlyphSet) headEnd(s string, w int) int {
	n := 0
	for n < min(len(s), w) && isASCII(rune(s[n])) {
		n++
	}
	w -= n
	for i, char := range s[n:] {
		_, width := safeRune(char, set == ASCII)
		if w -= width; w < 0 {
			return n + i
		}
	}
	return len(s)
}

// tailStart returns where the longest tail of at most w cells begins.
func (set GlyphSet) tailStart(s string, w int) int {
	end := len(s)
	for end > 0 {
		char, size := utf8.DecodeLastRuneInString(s[:end])
		_, width := safeRune(char, set == ASCII)
		if w -= width; w < 0 {
			break
		}
		end -= size
	}
	return end
}

// CutMiddle is the text that Middle draws in w cells, for those who draw its
// parts in several styles.
func (r Region) CutMiddle(w int, s string) string {
	return r.cut(w, s, r.middle(w))
}

// CutEnd is the text that Left draws in w cells.
func (r Region) CutEnd(w int, s string) string { return r.cut(w, s, 0) }

func (r *Region) cut(w int, s string, tail int) string {
	head, ellipsis, end := r.parts(w, s, tail)
	return head + ellipsis + end
}

// Fold breaks text into lines of at most w cells, at blanks where it can: a word
// that is longer than a line goes over several, so that nothing is lost. Text
// is to be printable.
func Fold(text string, w int) []string {
	w = max(w, 2) // a wide rune fits
	var lines []string
	line, used := "", 0
	flush := func() { lines, line, used = append(lines, line), "", 0 }
	for word := range strings.FieldsSeq(text) {
		n := Full.TextWidth(word)
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

// FoldMost breaks text as Fold does, into so many lines at most: of a longer one they have the
// beginning and the end.
func (r Region) FoldMost(text string, w, most int) []string {
	lines := Fold(text, w)
	for room := most * w; len(lines) > most && room > 0; room -= 4 {
		lines = Fold(r.CutMiddle(room, text), w)
	}
	return lines
}

// headCells is the length in bytes of the longest head of at most w cells, and the
// cells it takes.
func headCells(word string, w int) (end, taken int) {
	for i, r := range word {
		n := Full.TextWidth(string(r))
		if taken+n > w {
			return i, taken
		}
		taken += n
	}
	return len(word), taken
}
