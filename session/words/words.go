// Package words knows what people call what a computer suffers from, and which counters answer
// to it: of Windows, of Linux and of both.
package words

import (
	_ "embed" // the sheet
	"strings"
	"sync"

	"perfdeck/paths"
	"perfdeck/session/system/sheet"
)

// Counter is a counter that answers to a word.
type Counter struct{ Set, Name string }

// Answers are the counters that answer to what people call something, the best first; nil for
// words that nobody has explained. Case and blanks do not matter.
func Answers(text string) []Counter {
	return known()[strings.Join(strings.Fields(paths.Fold(text)), " ")]
}

// table has [WORD, WORD] and below it a row for each counter.
//
//go:embed words.txt
var table string

// known are the counters of each word, folded.
var known = sync.OnceValue(func() map[string][]Counter {
	out := map[string][]Counter{}
	for r := range sheet.Rows(table) {
		set, name, _ := strings.Cut(r.Name, `\`)
		for word := range strings.SplitSeq(paths.Fold(r.Part), ", ") {
			out[word] = append(out[word], Counter{set, name})
		}
	}
	return out
})
