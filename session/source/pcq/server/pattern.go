package server

import (
	"strings"
	"unicode/utf8"

	"perfdeck/paths"
)

// foldPattern makes a name or pattern ready for matches: folded, and with one
// star for each run of them.
func foldPattern(text string) string {
	text = paths.Fold(text)
	for strings.Contains(text, "**") {
		text = strings.ReplaceAll(text, "**", "*")
	}
	return text
}

// matches tells whether a folded name fits a folded pattern, in which * stands
// for any run of characters and ? for one. It takes at most
// len(pattern) x len(name) steps: it goes back to the last star only.
func matches(pattern, name string) bool {
	if pattern == "*" {
		return true
	}
	p, n := 0, 0
	afterStar, retry := -1, 0
	for n < len(name) {
		if p < len(pattern) && pattern[p] == '*' {
			p++
			afterStar, retry = p, n
			continue
		}
		want, wantSize := utf8.DecodeRuneInString(pattern[p:])
		have, haveSize := utf8.DecodeRuneInString(name[n:])
		if wantSize > 0 && (want == '?' || want == have) {
			p += wantSize
			n += haveSize
			continue
		}
		if afterStar < 0 {
			return false
		}
		_, size := utf8.DecodeRuneInString(name[retry:])
		retry += size
		p, n = afterStar, retry
	}
	return strings.Trim(pattern[p:], "*") == ""
}
