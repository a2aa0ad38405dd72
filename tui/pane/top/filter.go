package top

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"perfdeck/session"
	"perfdeck/tui/pane"
)

// filter is an expression over the rows of a table: words that name, user or
// command line must hold, and comparisons of a column, joined by "and" (or
// nothing) and "or":
//
//	sql
//	cpu>5 user~root mem>10M
//	cpu>0 and name~sql or pid=1
//
// A word that is no comparison is looked for in the name and in all facts.
type filter struct {
	text  string
	terms [][]term // any of: all of
}

// term is one condition.
type term struct {
	field string // lower case; empty: the name and all facts
	op    byte   // '~' holds, '!' does not hold, '=' '<' '>' compare
	text  string // lower case
	limit float64

	orEqual bool // <= and >=
}

// parseFilter reads an expression over the columns of a set. Every text is one;
// what is no comparison of something the set has is a word to look for.
func parseFilter(set *session.Counterset, text string) filter {
	terms := pane.ParseWords(text, func(word string) term { return parseTerm(set, word) })
	return filter{text: strings.TrimSpace(text), terms: terms}
}

func parseTerm(set *session.Counterset, word string) term {
	plain := term{op: '~', text: word}
	i := strings.IndexAny(word, "~!=<>")
	if i < 1 || !known(set, word[:i]) {
		return plain
	}
	t := term{field: word[:i], op: word[i], text: word[i+1:]}
	if after, ok := strings.CutPrefix(t.text, "="); ok && t.op != '=' {
		t.orEqual, t.text = true, after // <= >= !=
	}
	limit, ok := parseLimit(t.text)
	t.limit = limit
	if t.text == "" || !ok && (t.op == '<' || t.op == '>') {
		return plain
	}
	return t
}

// parseLimit reads a number, with K, M, G or T for powers of 1024.
func parseLimit(text string) (float64, bool) {
	text = strings.TrimSuffix(text, "b")
	factor := 1.0
	if i := len(text) - 1; i > 0 {
		if at := strings.IndexByte("kmgt", text[i]); at >= 0 {
			factor, text = math.Pow(1024, float64(at+1)), text[:i]
		}
	}
	limit, err := strconv.ParseFloat(text, 64)
	return limit * factor, err == nil
}

// fault tells what in an expression looks like a comparison and is none.
func (f filter) fault(set *session.Counterset) error {
	for t := range f.each() {
		i := strings.IndexAny(t.text, "<>")
		if t.field != "" || i < 1 {
			continue
		}
		if !known(set, t.text[:i]) {
			return fmt.Errorf("%s: no such column; there are name pid user cpu mem io faults threads handles", t.text[:i])
		}
		return fmt.Errorf("%s: a number is missing after the sign, as in cpu>5 or mem>10M", t.text)
	}
	return nil
}

// known tells whether a field means something in a table of the set.
func known(set *session.Counterset, field string) bool {
	switch field {
	case "name", "instance", "pid", "ppid":
		return true
	}
	return counterOf(set, field) >= 0 || factOf(set, field) != ""
}

// aliases are short names of counters in expressions.
var aliases = map[string]string{
	"cpu":     "% Processor Time",
	"priv":    "% Privileged Time",
	"mem":     "Working Set",
	"private": "Private Bytes",
	"io":      "IO Data Bytes/sec",
	"faults":  "Page Faults/sec",
	"threads": "Thread Count",
	"handles": "Handle Count",
}

// counterOf is the counter that a field means, -1 when it means none.
func counterOf(set *session.Counterset, field string) int {
	name := field
	if long, ok := aliases[field]; ok {
		name = long
	}
	if i, ok := set.Counter(name); ok {
		return i
	}
	return -1
}

// factOf is the fact that a field means, "" when it means none.
func factOf(set *session.Counterset, field string) string {
	for _, k := range set.Facts {
		if strings.HasPrefix(k, field) && field != "" {
			return k
		}
	}
	return ""
}

// counters are the counters that the expression needs beside those shown.
func (f filter) counters(set *session.Counterset) []int {
	var out []int
	for t := range f.each() {
		if c := counterOf(set, t.field); c >= 0 {
			out = append(out, c)
		}
	}
	return out
}

// facts are the facts that the expression needs of all rows.
func (f filter) facts(set *session.Counterset) []string {
	var out []string
	for t := range f.each() {
		if t.field == "" {
			return searched(set)
		}
		if k := factOf(set, t.field); k != "" && counterOf(set, t.field) < 0 && !slices.Contains(out, k) {
			out = append(out, k)
		}
	}
	return out
}

// searched are the facts in which a plain word is looked for.
func searched(set *session.Counterset) []string {
	var out []string
	for _, k := range set.Facts {
		if k == "user" || k == "command line" {
			out = append(out, k)
		}
	}
	return out
}

func (f filter) each() func(yield func(*term) bool) {
	return func(yield func(*term) bool) {
		for _, all := range f.terms {
			for i := range all {
				if !yield(&all[i]) {
					return
				}
			}
		}
	}
}

// numberOf is the number that a cell shows, NaN when there is none.
type numberOf func(view *session.SetView, row, col int) float64

// matcher tells which rows of a view the expression takes.
func (f filter) matcher(view *session.SetView, number numberOf) func(row int) bool {
	if len(f.terms) == 0 {
		return func(int) bool { return true }
	}
	return func(row int) bool {
		return slices.ContainsFunc(f.terms, func(all []term) bool {
			return !slices.ContainsFunc(all, func(t term) bool { return !t.holds(view, row, number) })
		})
	}
}

func (t *term) holds(view *session.SetView, row int, number numberOf) bool {
	if t.field == "" {
		return holdsText(view.Rows[row].Key.Name, t.text) ||
			slices.ContainsFunc(searched(view.Set), func(k string) bool { return holdsText(fact(view, row, k), t.text) })
	}
	in := &view.Rows[row]
	switch t.field {
	case "name", "instance":
		return t.compareText(in.Key.Name)
	case "pid":
		return t.compareNumber(float64(in.Number))
	case "ppid":
		return t.compareNumber(float64(in.Owner))
	}
	if c := counterOf(view.Set, t.field); c >= 0 {
		return t.compareNumber(number(view, row, view.Column(c)))
	}
	if k := factOf(view.Set, t.field); k != "" {
		return t.compareText(fact(view, row, k))
	}
	return false
}

func fact(view *session.SetView, row int, key string) string {
	col := slices.Index(view.FactKeys, key)
	if col < 0 {
		return ""
	}
	return view.Fact(row, col)
}

func holdsText(text, part string) bool { return strings.Contains(strings.ToLower(text), part) }

func (t *term) compareText(text string) bool {
	switch t.op {
	case '~':
		return holdsText(text, t.text)
	case '!':
		return !holdsText(text, t.text)
	case '=':
		return strings.EqualFold(text, t.text)
	}
	return false
}

// compareNumber compares; no value fits nothing.
func (t *term) compareNumber(f float64) bool {
	if math.IsNaN(f) {
		return false
	}
	switch t.op {
	case '<':
		return f < t.limit || t.orEqual && f == t.limit
	case '>':
		return f > t.limit || t.orEqual && f == t.limit
	case '=':
		return f == t.limit
	case '!':
		return f != t.limit
	}
	return strings.Contains(strconv.FormatFloat(f, 'f', -1, 64), t.text)
}
