// Package words knows what people call what a computer suffers from, and which counters answer
// to it: of Windows, of Linux and of both.
package words

import (
	_ "embed" // the sheet
	"maps"
	"slices"
	"strings"
	"sync"

	"perfdeck/paths"
	"perfdeck/session/text/sheet"
)

// Counter is a counter that answers to a word.
type Counter struct{ Set, Name string }

// String is the counter as a path names it.
func (c Counter) String() string { return `\` + c.Set + `\` + c.Name }

// Book has the words that a user adds, each as Fold has it, with what answers to it. The zero Book
// knows the words of the sheet.
type Book map[string][]Counter

// Fold is a word without what does not matter: case, and how many blanks there are.
func Fold(text string) string { return strings.Join(strings.Fields(paths.Fold(text)), " ") }

// Answers are the counters that answer to what people call something, the best first: the user's,
// also where he called it so and more, then those of the sheet. Nil for words that nobody has explained.
func (b Book) Answers(text string) []Counter {
	word := Fold(text)
	out := slices.Clone(b[word])
	add := func(answers []Counter) {
		for _, c := range answers {
			if !slices.Contains(out, c) {
				out = append(out, c)
			}
		}
	}
	for _, more := range slices.Sorted(maps.Keys(b)) {
		if holds(more, word) {
			add(b[more])
		}
	}
	add(known()[word])
	return out
}

// holds tells whether all words of one text are among those of another.
func holds(text, of string) bool {
	words := strings.Fields(text)
	return of != "" && !slices.ContainsFunc(strings.Fields(of), func(w string) bool { return !slices.Contains(words, w) })
}

// table has [WORD, WORD] and below it a row for each counter.
//
//go:embed words.txt
var table string

// known are the counters of each word.
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
