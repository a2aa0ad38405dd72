// Package sheet reads the tables that are built into the program as text, so that a row more
// needs no code.
package sheet

import (
	"iter"
	"strings"
)

// Row is a row of a sheet, and the part of it that it stands in.
type Row struct {
	Part  string
	Of    []string // the words behind the part
	Name  string
	Words []string // what is said of the name
}

// After is what is said of the name behind n words.
func (r *Row) After(n int) string { return strings.Join(r.Words[n:], " ") }

// Rows are the rows of a sheet. [PART] WORDS begins a part, "# " a comment; a row is
// NAME = WORDS, or NAME alone, and \# begins a name that begins with #.
func Rows(text string) iter.Seq[Row] {
	return func(yield func(Row) bool) {
		var r Row
		for line := range strings.Lines(text) {
			line = strings.TrimSpace(line)
			if line == "" || strings.HasPrefix(line, "# ") {
				continue
			}
			if strings.HasPrefix(line, `\# `) {
				line = line[1:]
			}
			before, words, _ := strings.Cut(line, " = ")
			if part, is := strings.CutPrefix(line, "["); is {
				before, words, _ = strings.Cut(part, "]")
				r.Part, r.Of = before, strings.Fields(words)
			} else if r.Name, r.Words = before, strings.Fields(words); !yield(r) {
				return
			}
		}
	}
}
