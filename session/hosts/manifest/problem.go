package manifest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"perfdeck/session/text/printable"
)

// Severity tells problems that make a manifest invalid from those that do not.
type Severity uint8

// The severities.
const (
	Warning Severity = iota
	Error
)

// String is the word that compilers print.
func (s Severity) String() string {
	if s == Error {
		return "error"
	}
	return "warning"
}

// MarshalText makes the word the JSON form.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Problem is one finding in a manifest.
type Problem struct {
	File string `json:"file"`
	Position
	Severity Severity `json:"severity"`
	Rule     string   `json:"rule"` // one of the Rule constants
	Message  string   `json:"message"`
	Hint     string   `json:"hint,omitempty"` // what can be done; may be empty
}

// String is the problem as a compiler prints it, without the hint.
func (p Problem) String() string {
	return fmt.Sprintf("%s:%d:%d: %s: %s [%s]", printable.Text(p.File), p.Line, p.Column, p.Severity, p.Message, p.Rule)
}

// Valid reports whether none of the problems is an error.
func Valid(problems []Problem) bool {
	return !slices.ContainsFunc(problems, func(p Problem) bool { return p.Severity == Error })
}

// Position is a place in a manifest: line and column from 1, the column in
// characters.
type Position struct {
	Line   int `json:"line"`
	Column int `json:"column"`
}

// report collects problems by the byte offset they belong to, and the places
// that are wanted as positions. Both are turned into lines and columns at the
// end, in one pass over the text.
type report struct {
	file     string
	problems []Problem
	offsets  []int // of problems
	count    [2]int
	places   []place
}

type place struct {
	offset int
	at     *Position
}

// finding is what is wrong, without the place.
type finding struct {
	rule, message, hint string
}

func (r *report) fail(offset int, f finding) { r.add(offset, Error, f) }
func (r *report) warn(offset int, f finding) { r.add(offset, Warning, f) }

func (r *report) add(offset int, severity Severity, f finding) {
	if r.count[severity]++; r.count[severity] > MaxProblems {
		if r.count[severity] > MaxProblems+1 {
			return
		}
		f = finding{RuleTooMany, fmt.Sprintf("more than %d of these; the others are not listed", MaxProblems), ""}
	}
	r.offsets = append(r.offsets, offset)
	r.problems = append(r.problems, Problem{File: r.file, Severity: severity, Rule: f.rule, Message: f.message, Hint: f.hint})
}

// full says that further problems of a severity are not listed.
func (r *report) full(severity Severity) bool { return r.count[severity] > MaxProblems }

// mark has the position of an offset written to at when the report is done.
func (r *report) mark(offset int, at *Position) {
	r.places = append(r.places, place{offset, at})
}

// locate gives all problems and places their lines and columns, and sorts the
// problems by them.
func (r *report) locate(text string) []Problem {
	for i := range r.problems {
		r.mark(r.offsets[i], &r.problems[i].Position)
	}
	slices.SortFunc(r.places, func(a, b place) int { return a.offset - b.offset })
	now, offset := Position{1, 1}, 0
	for _, p := range r.places {
		next := min(max(p.offset, offset), len(text))
		now = now.after(text[offset:next])
		offset, *p.at = next, now
	}
	slices.SortStableFunc(r.problems, func(a, b Problem) int { return cmp.Or(a.Line-b.Line, a.Column-b.Column) })
	return r.problems
}

// after is the position behind a text that begins at p.
func (p Position) after(text string) Position {
	if breaks := strings.Count(text, "\n"); breaks > 0 {
		p.Line += breaks
		p.Column = 1
		text = text[strings.LastIndexByte(text, '\n')+1:]
	}
	p.Column += utf8.RuneCountInString(text)
	return p
}

// quote makes foreign text fit for a message.
func quote(s string) string {
	const most = 60 // characters
	n := 0
	for i := range s {
		if n++; n > most {
			s = s[:i] + "..."
			break
		}
	}
	return `"` + printable.Text(s) + `"`
}
