// Package keys is the key map as data: hint bar, help page and documentation
// are made from the same bindings that the screens obey.
package keys

import (
	"cmp"
	"strings"
)

// Section is the part of the help page where a binding is listed.
type Section string

// The sections, in the order of the help page.
const (
	Go       Section = "Go"
	Move     Section = "Move"
	Selected Section = "The selected value"
	Change   Section = "Change"
	View     Section = "View"
	Time     Section = "Time"
)

// Sections is the order of the help page.
var Sections = []Section{Go, Move, Selected, Change, View, Time}

// List is keys with a blank between them, as tea.KeyPressMsg.String gives them; the first is
// shown.
type List string

// First is the first key.
func (l List) First() string {
	first, _, _ := strings.Cut(string(l), " ")
	return first
}

// Has tells whether a key is one of them.
func (l List) Has(key string) bool {
	if len(l) <= len(key) { // most have one, and each drawing asks for hundreds
		return string(l) == key
	}
	if !strings.Contains(string(l), key) {
		return false
	}
	for one := range strings.SplitSeq(string(l), " ") {
		if one == key {
			return true
		}
	}
	return false
}

// All are the keys one by one.
func (l List) All() []string { return strings.Fields(string(l)) }

// Binding is one action and the keys that cause it.
type Binding struct {
	Keys    List
	Show    string // how the keys are written; empty: the first key
	Text    string // what it does, for the help
	Hint    string // one or two words for the hint bar; empty: not there
	Place   HintPlace
	Section Section // empty: that of the action which the first key does; see In
	Fixed   bool    // the keys are those that are pressed, whatever the user chose: those of a mode
	// Why says why the binding does not apply now, "" when it does. Nil always
	// applies.
	Why func() string
	// Note is what the help tells besides, such as the fields of a filter; nil:
	// nothing.
	Note func() string
	// Do does it. What it wants of the screens around it goes to the desk's outbox.
	Do func()
	// Step does it in place of Do where there are keys that go Back, too: n is 1, or -1 back. See Both.
	Step func(n int)
	Back List
}

// Both are the bindings of a list, one each for keys that go on and those that go back.
func Both(list []Binding) (out []Binding) {
	for _, b := range list {
		if step := b.Step; step != nil {
			b.Show, b.Do, b.Step = cmp.Or(b.Show, b.Keys.First()+" "+b.Back.First()), func() { step(1) }, nil
			out = append(out, b)
			b.Keys, b.Hint, b.Do = b.Back, "", func() { step(-1) }
		}
		out = append(out, b)
	}
	return out
}

// HintPlace is where a hint stands in the bar.
type HintPlace uint8

// The places.
const (
	InOrder  HintPlace = iota
	WideOnly           // in its order, in bars that have room for many
	Behind             // behind those of all screens that are about what is selected
)

// In is the section of the help page where the binding is listed.
func (b *Binding) In() Section {
	if b.Section == "" {
		if a := ActionOf(b.Keys.First()); a != nil {
			return a.Section
		}
	}
	return b.Section
}

// Label is how the keys are written on screens, before a Map.
func (b *Binding) Label() string {
	if b.Show != "" {
		return b.Show
	}
	return b.Keys.First()
}

// Applies tells whether the binding can be used now, and if not, why.
func (b *Binding) Applies() (ok bool, why string) {
	if b.Why == nil {
		return true, ""
	}
	why = b.Why()
	return why == "", why
}

// When is why a binding does not apply, if that is so.
func When(is bool, why string) string {
	if is {
		return why
	}
	return ""
}

// First has something done before what each binding of a list does.
func First(list []Binding, first func()) {
	for i := range list {
		do := list[i].Do
		list[i].Do = func() {
			first()
			do()
		}
	}
}

// Match finds the binding of a key in the first map that has it.
func Match(key string, maps ...[]Binding) *Binding {
	for _, m := range maps {
		for i := range m {
			if m[i].Keys.Has(key) {
				return &m[i]
			}
		}
	}
	return nil
}
