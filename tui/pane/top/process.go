package top

import (
	"fmt"

	"perfdeck/session"
)

// Process is the process of this computer that is selected.
func (t *Top) Process() (session.InstanceKey, bool) {
	view := t.view()
	if view == nil || t.set != t.host.Sampler.Catalogue().Processes() || t.selected >= len(t.rows) {
		return session.InstanceKey{}, false
	}
	in := &view.Rows[t.rows[t.selected].at]
	return in.Key, !in.Gone && in.Number != 0
}

// ProcessText tells which process is selected: "sleep (pid 22851, root: sleep 9)".
func (t *Top) ProcessText() string {
	view := t.view()
	if view == nil || t.selected >= len(t.rows) {
		return ""
	}
	at := t.rows[t.selected].at
	text := fmt.Sprintf("pid %d", view.Rows[at].Number)
	if user := fact(view, at, "user"); user != "" {
		text += ", " + user
	}
	if command := fact(view, at, "command line"); command != "" {
		text += ": " + command
	}
	return session.Printable(view.Rows[at].Key.Name + " (" + text + ")")
}
