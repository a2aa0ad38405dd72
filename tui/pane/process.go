package pane

import (
	"fmt"
	"slices"

	"perfdeck/session"
)

// Process is a process of this computer that something is done to. Key tells it from
// another one of its number: whoever acts on it makes sure.
type Process struct {
	Key    session.InstanceKey
	Number uint64
	Text   string // who that is: "sleep (pid 22851, root: sleep 9)"
}

// IsProcess tells whether a row is a process that lives.
func IsProcess(in *session.Row) bool { return !in.Gone && in.Number != 0 }

// ProcessAt is the process of a row.
func ProcessAt(view *session.SetView, row int) Process {
	in := &view.Rows[row]
	fact := func(key string) string {
		if col := slices.Index(view.FactKeys, key); col >= 0 {
			return view.Fact(row, col)
		}
		return ""
	}
	text := fmt.Sprintf("pid %d", in.Number)
	if user := fact("user"); user != "" {
		text += ", " + user
	}
	if command := fact("command line"); command != "" {
		text += ": " + command
	}
	return Process{Key: in.Key, Number: in.Number, Text: session.Printable(in.Key.Name + " (" + text + ")")}
}
