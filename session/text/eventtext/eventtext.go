// Package eventtext has the sentences of perfdeck for events that hosts write down and that are
// known to matter: a key, how bad it is at least, and what is said of it in place of the host's own text.
package eventtext

import (
	_ "embed" // the sheet
	"strconv"
	"strings"
	"sync"

	"perfdeck/session/text/sheet"
)

// The sheet has [finding], [known], or the log of Windows that alone tells of it, and below it a row for each key: KEY = SENTENCE, with {1},
// {2} for what the sentence names; a part in brackets is left out where its name is.
//
//go:embed events.txt
var text string

type entry struct{ sentence, part string }

var table = sync.OnceValue(func() map[string]entry {
	all := map[string]entry{}
	for r := range sheet.Rows(text) {
		all[r.Name] = entry{r.After(0), r.Part}
	}
	return all
})

// Is tells whether a key has a sentence.
func Is(key string) bool { return table()[key].sentence != "" }

// IsFinding tells whether an event of a key makes a finding by itself.
func IsFinding(key string) bool { return table()[key].part == "finding" }

// Log is the log, of those of Windows, in which alone events of a key stand; empty: others have it, too.
func Log(key string) string {
	if part := table()[key].part; part != "finding" && part != "known" {
		return part
	}
	return ""
}

// Sentence is what is said of an event of a key that names these; empty: nothing.
func Sentence(key string, names []string) string {
	var out strings.Builder
	for rest := table()[key].sentence; rest != ""; {
		before, behind, _ := strings.Cut(rest, "[")
		fill(&out, before, names, false)
		optional, after, _ := strings.Cut(behind, "]")
		fill(&out, optional, names, true)
		rest = after
	}
	return out.String()
}

// fill writes a part of a sentence with its names; nothing of one that is optional and has none.
func fill(out *strings.Builder, part string, names []string, optional bool) {
	before, behind, found := strings.Cut(part, "{")
	if !found {
		out.WriteString(part)
		return
	}
	number, after, _ := strings.Cut(behind, "}")
	name := ""
	if i, err := strconv.Atoi(number); err == nil && i >= 1 && i <= len(names) {
		name = names[i-1]
	}
	if optional && name == "" {
		return
	}
	out.WriteString(before + name)
	fill(out, after, names, optional)
}
