package paths

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// EqualFold compares two names as Windows does, without case. It uses Unicode's
// simple case folding, rune by rune, whatever the locale.
func EqualFold(a, b string) bool { return strings.EqualFold(a, b) }

// ContainsFold reports whether a name is one of several, without case.
func ContainsFold(names []string, name string) bool {
	return slices.ContainsFunc(names, func(one string) bool { return EqualFold(one, name) })
}

// Fold returns a key for maps: Fold(a) == Fold(b) whenever EqualFold(a, b). A
// name that is folded already is returned as it is, without allocation.
func Fold(name string) string {
	for i, r := range name {
		if foldRune(r) != r || r == utf8.RuneError {
			return name[:i] + strings.Map(foldRune, name[i:])
		}
	}
	return name
}

// foldRune returns one rune for all those that differ in case only: the lower
// case of ASCII letters, else the least of them.
func foldRune(r rune) rune {
	if r < utf8.RuneSelf {
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}
	least := r
	for c := unicode.SimpleFold(r); c != r; c = unicode.SimpleFold(c) {
		least = min(least, c)
	}
	if least < utf8.RuneSelf { // the Kelvin sign and the long s
		return foldRune(least)
	}
	return least
}

// cutPrefixFold returns what follows prefix in s.
func cutPrefixFold(s, prefix string) (rest string, ok bool) {
	for prefix != "" {
		r, rSize := utf8.DecodeRuneInString(s)
		q, qSize := utf8.DecodeRuneInString(prefix)
		if s == "" || foldRune(r) != foldRune(q) {
			return "", false
		}
		s, prefix = s[rSize:], prefix[qSize:]
	}
	return s, true
}

// cutSuffixFold returns what precedes suffix in s.
func cutSuffixFold(s, suffix string) (rest string, ok bool) {
	for suffix != "" {
		r, rSize := utf8.DecodeLastRuneInString(s)
		q, qSize := utf8.DecodeLastRuneInString(suffix)
		if s == "" || foldRune(r) != foldRune(q) {
			return "", false
		}
		s, suffix = s[:len(s)-rSize], suffix[:len(suffix)-qSize]
	}
	return s, true
}
