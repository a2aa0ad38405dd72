package session

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Printable makes text that came from a host or a file fit for any sink: cells,
// titles, OSC sequences, errors, logs. What would steer a terminal or reorder
// text (C0 and C1 controls, DEL, line and paragraph separators, bidi controls,
// other format characters, surrogates, bytes that are not UTF-8) becomes `?`.
// Text that is clean already is returned as it is, without allocation.
func Printable(s string) string {
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if !printableRune(r, size) {
			return printableFrom(s, i)
		}
		i += size
	}
	return s
}

func printableFrom(s string, clean int) string {
	var b strings.Builder
	b.Grow(len(s))
	b.WriteString(s[:clean])
	for i := clean; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if printableRune(r, size) {
			b.WriteString(s[i : i+size])
		} else {
			b.WriteByte('?')
		}
		i += size
	}
	return b.String()
}

func printableRune(r rune, size int) bool {
	switch {
	case r < 0x80:
		return r >= 0x20 && r != 0x7F
	case r == utf8.RuneError:
		return size > 1 // a real U+FFFD, not a broken byte
	case r < 0xA0:
		return false // C1
	case r == 0x2028 || r == 0x2029:
		return false
	}
	return !unicode.In(r, unicode.Cf, unicode.Cs, unicode.Co)
}

// Shorten cuts a text to so many characters, the ellipsis that stands for the rest among
// them.
func Shorten(text string, most int) string {
	n, end := 0, 0
	for i := range text {
		switch n++; n {
		case most:
			end = i
		case most + 1:
			return text[:end] + "\u2026"
		}
	}
	return text
}
