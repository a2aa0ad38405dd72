package canvas

import "unicode/utf8"

// CutMiddle is the text that Middle draws in w cells, for those who draw its
// parts in several styles.
func (r Region) CutMiddle(w int, s string) string {
	room := w - utf8.RuneCountInString(r.Glyphs().Ellipsis)
	return r.cut(w, s, (room*6+5)/10)
}

// CutEnd is the text that Left draws in w cells.
func (r Region) CutEnd(w int, s string) string { return r.cut(w, s, 0) }

// cut is the text in w cells; when it is wider, all but its last tail cells and
// the ellipsis are cut from its head.
func (r Region) cut(w int, s string, tail int) string {
	set, ellipsis := r.GlyphSet(), r.Glyphs().Ellipsis
	if set.TextWidth(s) <= w {
		return s
	}
	room := w - utf8.RuneCountInString(ellipsis)
	if room < 1 {
		return ellipsis[:set.headEnd(ellipsis, max(0, w))]
	}
	end := set.tailStart(s, min(tail, room))
	return s[:set.headEnd(s, room-set.TextWidth(s[end:]))] + ellipsis + s[end:]
}
