package tui

import (
	"slices"

	"perfdeck/tui/keys"
	"perfdeck/tui/pane"
)

// changes are what was changed, newest last, and how it is undone.
type changes []pane.Did

// mostChanges bounds how many changes can be taken back.
const mostChanges = 100

// did keeps a change and says it.
func (r *root) did(m pane.Did) {
	if m.Undo == nil {
		r.say(m.Text)
		return
	}
	r.changes = append(r.changes, m)
	if len(r.changes) > mostChanges {
		r.changes = r.changes[1:]
	}
	r.say(m.Text + "   u undo")
}

func (r *root) whyNoUndo() string {
	r.changes = slices.DeleteFunc(r.changes, func(d pane.Did) bool { return d.Lapsed != nil && d.Lapsed() })
	return keys.When(len(r.changes) == 0, "nothing was changed")
}

// keep writes what the screens changed.
func (r *root) keep() {
	if r.desk.Kept == nil || r.options.Keep == nil {
		return
	}
	if err := r.options.Keep(r.desk.Kept); err != nil {
		r.fail(err)
	}
}

// undo takes the last change back.
func (r *root) undo() {
	if r.whyNoUndo() != "" {
		return
	}
	n := len(r.changes)
	last := r.changes[n-1]
	r.changes = r.changes[:n-1]
	r.say("undone: " + last.Text)
	last.Undo()
	r.desk.Reask()
}
