// Package filter is the one language in which rows are chosen on every screen:
//
//	sql                     a word that stands in what a row tells
//	"two words"             a text with blanks, or one that reads as a condition
//	host:sql cpu>80         conditions on fields; both must hold
//	mem>=1.5GB latency<20ms numbers with the units of their quantity
//	!idle, not idle         what does not hold
//	web or (db and not old) joined and grouped
//
// A condition is a field, an operator and a value:
//
//	:        a word of the text begins so; of a number: =
//	= !=     equal as shown: the whole text in any case, the number to its last place
//	~ ! !~   the text holds it, or does not; of a number: its digits
//	< <= > >=
//
// Every text is a filter: what is no condition is a word to look for, so that
// rows can be filtered while the condition is typed. What looks like a condition
// and is none is told as an error beside it.
//
// The fields are a table for each screen.
package filter

import (
	"math"
	"strings"

	"perfdeck/cooker"
)

// Number is a number of a row.
type Number struct {
	Value float64 // in the quantity's own unit; NaN: there is none
	Step  float64 // one in the last place that is shown, in the same unit; 0: all of it is shown
}

// NoNumber is that of a row without a value. No condition on it holds.
var NoNumber = Number{Value: math.NaN()}

// Texts gives the texts of a row to a function until that returns true, and
// returns whether it did, as slices.ContainsFunc does.
type Texts[R any] func(row R, fits func(text string) bool) bool

// One is the texts of a field that has a single one.
func One[R any](text func(row R) string) Texts[R] {
	return func(row R, fits func(string) bool) bool { return fits(text(row)) }
}

// Field is something that rows can be asked for: a text, or a number.
type Field[R any] struct {
	Name string   // as help tells it
	Also []string // other words for it

	Texts Texts[R] // nil: it is a number

	Number   func(row R) Number
	Quantity cooker.Quantity // of the number: the units that are read
	Unit     float64         // of a number without unit, in the quantity's own; 0 is 1

	Example string // a condition, for help: "cpu>80"; empty: the name alone is told
}

// Fields are what the rows of a screen can be asked for.
type Fields[R any] struct {
	List []Field[R]
	// More finds fields that are too many for the list, such as all counters of a
	// counterset; it may be nil.
	More func(name string) (Field[R], bool)
	// Plain are the texts in which words without a field are looked for; never nil.
	Plain Texts[R]
}

// find is the field of a name, in any case.
func (fs *Fields[R]) find(name string) (Field[R], bool) {
	for _, f := range fs.List {
		if strings.EqualFold(f.Name, name) {
			return f, true
		}
		for _, other := range f.Also {
			if strings.EqualFold(other, name) {
				return f, true
			}
		}
	}
	if fs.More != nil {
		return fs.More(name)
	}
	return Field[R]{}, false
}

// Help tells what can be typed: the fields by name and a few conditions.
func (fs *Fields[R]) Help() string {
	var examples []string
	for i := range fs.List {
		if e := fs.List[i].Example; e != "" {
			examples = append(examples, e)
		}
	}
	text := "words; fields " + fs.names()
	if len(examples) > 0 {
		text += "; as " + strings.Join(examples, "  ")
	}
	return text + "; and or not ( )"
}

// Filter chooses rows. The zero Filter takes all.
type Filter[R any] struct {
	text  string
	where node[R]
	used  []string
	words []string
	plain bool
}

// Text is the expression as it was typed, without blanks around it.
func (f *Filter[R]) Text() string { return f.text }

// Used are the names of the fields that conditions are about, in lower case,
// each once.
func (f *Filter[R]) Used() []string { return f.used }

// Words are the words that rows must hold, in lower case, for marking them.
func (f *Filter[R]) Words() []string { return f.words }

// LooksInPlain tells whether words without a field are looked for, or refused.
func (f *Filter[R]) LooksInPlain() bool { return f.plain }

// Set makes it what a text says, while that is typed: while it is wrong the last good one holds.
func (f *Filter[R]) Set(text string, fields *Fields[R]) error {
	parsed, err := fields.Parse(text)
	if err == nil {
		*f = parsed
	}
	return err
}

// Matches tells whether a row is chosen.
func (f *Filter[R]) Matches(row R) bool { return f.where == nil || f.where.holds(row) }

// node is a part of an expression.
type node[R any] interface{ holds(row R) bool }

type (
	allOf[R any] []node[R]
	oneOf[R any] []node[R]
	not[R any]   struct{ of node[R] }
)

func (n allOf[R]) holds(row R) bool {
	for _, part := range n {
		if !part.holds(row) {
			return false
		}
	}
	return true
}

func (n oneOf[R]) holds(row R) bool {
	for _, part := range n {
		if part.holds(row) {
			return true
		}
	}
	return false
}

func (n not[R]) holds(row R) bool { return !n.of.holds(row) }
