package logs

import (
	"strings"

	"perfdeck/cooker"
)

// NanoTime is RFC 3339 with all nanoseconds.
const NanoTime = "2006-01-02T15:04:05.000000000Z07:00"

// StatusWord is a status as scripts read it: "ok", or why there is no good value,
// in lower-case words.
func StatusWord(s cooker.Status) string {
	if s.Good() {
		return "ok"
	}
	return strings.ToLower(strings.ReplaceAll(s.String(), "_", " "))
}

// StatusOfWord is the inverse of StatusWord.
func StatusOfWord(word string) (cooker.Status, bool) {
	return cooker.ParseStatus(strings.ToUpper(strings.ReplaceAll(word, " ", "_")))
}
