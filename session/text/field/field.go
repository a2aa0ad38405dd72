// Package field is how what can be said of something is described, each field once in a table: how
// it is called, what it means, how it is read, written and told in words. Keys of the config, JSON,
// flags, forms and descriptions are made of that.
package field

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"perfdeck/session/text/printable"
)

// Field is something that can be said of an S.
type Field[S any] struct {
	Name, Short string // of its key, its flag, its line of a form
	Help        string // of its key or its flag; empty: it has neither
	Kind        Kind
	Of          Part     // what of an S it says something of
	Choices     []string // if set, the value is one of them
	Takes       string   // what a key takes, for messages, with %s for the sample; empty: the kind or the choices tell it
	Sample      string   // an example of what can be said, as in a line of a form
	Unwritten   bool     // JSON says it by other fields

	Set   func(s S, v Values) error // without values nothing is said; nil: the field is no part of an S
	Text  func(s S) string          // as Set reads it; empty: nothing is said; nil: it cannot be told
	List  func(s S) []string        // the same of kinds with several values
	Check func(s S) error           // what is wrong with it beside the other fields; may be nil

	Label string // of its line in a form; empty: it is in none
	Hint  string // while the line is edited; empty: the help and the sample
	Rank  uint8  // among those that people read; those without one stand behind
	Empty string // what the line holds when nothing is said
	Joint string // between several values in a line: one of these signs, the first one and a blank when it is written
	// Means is what a changed answer says; nil: the values of the field.
	Means func(answer string, all Answers) Changes

	Topic string           // what it tells of in a description; empty: nothing
	Says  func(s S) string // in words; nil: its values
}

// Part is what of a thing a field says something of. The zero one is the thing.
type Part uint8

// Rows are all fields of an S. Each is set behind those before it.
type Rows[S any] []Field[S]

// Changes are what is said, by the names of fields. What no field says stays as it is.
type Changes map[string]Values

// Any tells whether one of some fields is said.
func (c Changes) Any(fields ...string) bool {
	return slices.ContainsFunc(fields, func(name string) bool { _, is := c[name]; return is })
}

// Error says what is wrong with what is said of a field.
type Error struct {
	Field, Value string
	Why          string
	Hints        string // what can be said; may be empty
	Err          error  // what refused it; may be nil
}

func (e *Error) Error() string {
	if e.Value == "" {
		return e.Field + ": " + e.Why
	}
	return fmt.Sprintf("%s %q: %s", e.Field, e.Value, e.Why)
}

// Hint says what can be said.
func (e *Error) Hint() string { return e.Hints }

func (e *Error) Unwrap() error { return e.Err }

// Apply does what changes say. Errors are *Error.
func (rows Rows[S]) Apply(s S, said Changes) error {
	for i := range rows {
		f := &rows[i]
		v, is := said[f.Name]
		if !is || f.Set == nil {
			continue
		}
		if err := f.Set(s, v); err != nil {
			return f.refuses(v, err)
		}
	}
	return nil
}

// refuses says of the field what is wrong with its values.
func (f *Field[S]) refuses(v Values, err error) error {
	e, ok := errors.AsType[*Error](err)
	switch {
	case ok:
		e.Field = cmp.Or(e.Field, f.Name)
		return e
	case errors.Is(err, ErrNot):
		return &Error{Field: f.Name, Value: f.joined(v), Why: "not " + f.Expected(func(_ Kind, v Values) string { return f.joined(v) }), Err: err}
	}
	return &Error{Field: f.Name, Value: f.joined(v), Why: err.Error(), Err: err}
}

// Values are what is said of the field.
func (f *Field[S]) Values(s S) Values {
	if f.List != nil {
		return f.List(s)
	}
	if text := f.Text(s); text != "" {
		return Values{text}
	}
	return nil
}

// Expected is what the field takes, for messages, with its sample as it is written there.
func (f *Field[S]) Expected(write func(Kind, Values) string) string {
	switch {
	case f.Takes != "":
		return strings.Replace(f.Takes, "%s", write(f.Kind, f.Example()), 1)
	case f.Kind == Switch:
		return "true or false"
	case f.Choices != nil:
		return "one of " + strings.Join(f.Choices, ", ")
	case f.Kind == Number:
		return "a number"
	}
	return "a text that can be seen"
}

// Example is the sample as values.
func (f *Field[S]) Example() Values { return f.values(f.Sample) }

// Say is what the fields say of a topic, a text of each that says something.
func (rows Rows[S]) Say(s S, topic string) (out []string) {
	for _, f := range rows.ranked() {
		if f.Topic != topic {
			continue
		}
		var text string
		if f.Says != nil {
			text = f.Says(s)
		} else {
			text = f.joined(f.Values(s))
		}
		if text != "" {
			out = append(out, strings.Split(text, "\n")...)
		}
	}
	return out
}

// JSON is an object of what is said.
func (rows Rows[S]) JSON(s S) ([]byte, error) {
	out := []byte{'{'}
	for i := range rows {
		f := &rows[i]
		if f.Unwritten || f.Text == nil && f.List == nil {
			continue
		}
		v := f.Values(s)
		if len(v) == 0 {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		text, err := printable.JSON(f.Kind.plain(v))
		if err != nil {
			return nil, err
		}
		out = append(fmt.Appendf(out, "%q:", f.Name), text...)
	}
	return append(out, '}'), nil
}

// Read says what JSON wrote, in the values of a decoder. What it lacks is not said.
func (rows Rows[S]) Read(written map[string]any, s S) error {
	for i := range rows {
		f := &rows[i]
		if f.Unwritten || f.Set == nil {
			continue
		}
		v, ok := f.Kind.Values(written[f.Name])
		if !ok {
			return f.refuses(v, ErrNot)
		}
		if err := f.Set(s, v); err != nil {
			return f.refuses(v, err)
		}
	}
	return nil
}
