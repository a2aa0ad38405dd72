package fleet

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"perfdeck/tui/pane"
)

// filter is an expression over hosts: words that the name or a group must hold,
// fields and comparisons, joined by "and" (or nothing) and "or". A leading !
// turns one around:
//
//	web
//	site:fra !bkp
//	state:stale or cpu>80
//	disk>=20 net<5
//
// Numbers are in the unit of their column: percent, ms, MB/s; latency is in ms.
type filter struct {
	text  string
	terms [][]term // any of: all of
}

// term is one condition.
type term struct {
	field field
	not   bool
	op    byte   // ':' is or holds, '<' '>' '=' compare
	text  string // lower case
	limit float64

	orEqual bool // <= and >=
}

// field is what a condition is about.
type field uint8

const (
	anyText field = iota // the name and the groups
	nameField
	siteField
	groupField
	stateField
	latencyField
	missedField
	measureField // and behind it one for each measure
)

// fieldNames are the words of fields that are not measures.
var fieldNames = map[string]field{
	"host": nameField, "name": nameField, "site": siteField, "group": groupField,
	"state": stateField, "latency": latencyField, "missed": missedField,
}

// fieldsToName is the list of them for messages.
const fieldsToName = "host site group state latency missed cpu mem disk net"

func fieldNamed(name string) (field, bool) {
	if m := measureNamed(name); m >= 0 {
		return measureField + field(m), true
	}
	f, ok := fieldNames[name]
	return f, ok
}

func (f field) isNumber() bool { return f >= latencyField }

// parseFilter reads an expression. Every text is one; what is no condition is a
// word to look for.
func parseFilter(text string) filter {
	return filter{text: strings.TrimSpace(text), terms: pane.ParseWords(text, parseTerm)}
}

func parseTerm(word string) term {
	bare, not := strings.CutPrefix(word, "!")
	if bare == "" {
		return term{op: ':', text: word}
	}
	t := term{op: ':', text: bare, not: not}
	i := strings.IndexAny(bare, ":=<>")
	if i < 1 {
		return t
	}
	name, rest := bare[:i], bare[i+1:]
	field, known := fieldNamed(name)
	op := bare[i]
	after, orEqual := strings.CutPrefix(rest, "=")
	if orEqual && (op == '<' || op == '>') {
		rest = after
	}
	if !known || rest == "" {
		return t
	}
	limit, err := strconv.ParseFloat(strings.TrimSuffix(rest, "%"), 64)
	if field.isNumber() && err != nil || !field.isNumber() && (op == '<' || op == '>') {
		return t
	}
	if field.isNumber() && op == ':' {
		op = '='
	}
	return term{field: field, not: not, op: op, text: rest, limit: limit, orEqual: orEqual}
}

// fault tells what in an expression looks like a condition and is none.
func (f filter) fault() error {
	for _, all := range f.terms {
		for i := range all {
			t := &all[i]
			at := strings.IndexAny(t.text, ":=<>")
			if t.field != anyText || at < 1 {
				continue
			}
			name, rest := t.text[:at], strings.TrimLeft(t.text[at:], ":=<>")
			field, known := fieldNamed(name)
			switch {
			case !known:
				return fmt.Errorf("%s: no such field; there are %s", name, fieldsToName)
			case field.isNumber():
				return fmt.Errorf("%s: a number is missing after the sign, as in %s>5", t.text, name)
			case rest == "":
				return fmt.Errorf("%s: a word is missing after the sign, as in site:fra or state:stale", t.text)
			default:
				return fmt.Errorf("%s: %s is no number: write %s:%s", t.text, name, name, rest)
			}
		}
	}
	return nil
}

// takes tells whether the expression takes a host.
func (f filter) takes(l *line) bool {
	if len(f.terms) == 0 {
		return true
	}
	return slices.ContainsFunc(f.terms, func(all []term) bool {
		return !slices.ContainsFunc(all, func(t term) bool { return t.holds(l) == t.not })
	})
}

func (t *term) holds(l *line) bool {
	switch t.field {
	case anyText:
		return has(l.name, t.text) || slices.ContainsFunc(l.host.Groups, func(g string) bool { return has(g, t.text) })
	case nameField:
		return t.fits(l.name)
	case siteField:
		return t.fits(siteOf(l))
	case groupField:
		return slices.ContainsFunc(l.host.Groups, t.fits)
	case stateField:
		return slices.ContainsFunc(l.words(), t.begins)
	case latencyField:
		return t.compare(float64(l.state.Latency.Microseconds()) / 1000)
	case missedField:
		return t.compare(float64(l.state.Missed))
	}
	m := int(t.field - measureField)
	v, ok := l.values[m].Float()
	if !ok {
		return false
	}
	return t.compare(v / measures[m].unit)
}

func siteOf(l *line) string {
	if len(l.host.Groups) == 0 {
		return noGroup
	}
	return l.host.Groups[0]
}

// words are all that can be said of the state of a host in a filter.
func (l *line) words() []string {
	out := []string{l.standing.String()}
	if l.standing.Condition > pane.Expected || l.alert > pane.Info {
		out = append(out, "trouble")
	}
	if l.alert > pane.Info {
		out = append(out, "alert", [...]string{"careful", "warning", "critical"}[min(l.alert, pane.Critical)-1])
	}
	if l.marked {
		out = append(out, "marked")
	}
	return out
}

// fits compares a text: with = all of it, with : its beginning, so that a group
// is found while its name is typed.
func (t *term) fits(text string) bool {
	if t.op == '=' {
		return strings.EqualFold(text, t.text)
	}
	return t.begins(text)
}

func (t *term) begins(text string) bool {
	return strings.HasPrefix(strings.ToLower(text), t.text)
}

func has(text, part string) bool { return strings.Contains(strings.ToLower(text), part) }

// compare compares a number as it is shown: to two decimals.
func (t *term) compare(f float64) bool {
	switch t.op {
	case '<':
		return f < t.limit || t.orEqual && f == t.limit
	case '>':
		return f > t.limit || t.orEqual && f == t.limit
	}
	return math.Abs(f-t.limit) < 0.005
}
