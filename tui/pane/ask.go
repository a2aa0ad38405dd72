package pane

import tea "charm.land/bubbletea/v2"

type (
	// CloseThen closes the topmost dialog and then, when it is gone, does
	// something that may open another.
	CloseThen struct{ Then func() tea.Cmd }

	// AskForm opens a dialog with several fields. Each is called with every
	// change and returns lines that tell what it would mean; Done with the values
	// when they are accepted. Both may be nil.
	AskForm struct {
		Title  string
		Fields []FormField
		Each   func(values []string) []string
		Done   func(values []string) error
		Then   func() tea.Cmd // what follows after Done took the values; may be nil
	}
)

// FormField is one line of a form.
type FormField struct {
	Label, Value string
	Unit         string   // shown beside the value
	Help         string   // shown while the field is edited
	Choices      []string // if set, the value is one of them
	Secret       bool     // dots stand for the value, which is forgotten with the form
	Check        func(value string) error
}
