package pane

import "strings"

// FormField is one line of a form.
type FormField struct {
	Name         string // by which its value is asked for
	Label, Value string
	Unit         string   // shown beside the value
	Help         string   // shown while the field is edited
	Choices      []string // if set, the value is one of them
	Secret       bool     // dots stand for the value, which is forgotten with the form
	Check        func(value string) error
}

// Answers are the values of a form by the names of its fields, as they were typed.
type Answers map[string]string

// Get is the value of a field without blanks around it; empty if the form lacks it.
func (a Answers) Get(name string) string { return strings.TrimSpace(a[name]) }
