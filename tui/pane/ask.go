package pane

// FormField is one line of a form.
type FormField struct {
	Label, Value string
	Unit         string   // shown beside the value
	Help         string   // shown while the field is edited
	Choices      []string // if set, the value is one of them
	Secret       bool     // dots stand for the value, which is forgotten with the form
	Check        func(value string) error
}
