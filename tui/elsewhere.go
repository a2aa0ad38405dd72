package tui

import (
	"strings"

	"perfdeck/tui/canvas"
)

// sayElsewhere says on which other screens a key means something, and what.
func (r *root) sayElsewhere(key string) {
	label, names := "", ""
	var does []string
	for _, t := range r.tabs {
		b := r.options.Keys.Match(key, t.screen.Bindings())
		if b == nil {
			continue
		}
		if names != "" {
			names += ", "
		}
		label, names = r.options.Keys.Label(b), names+t.screen.Title()
		what := b.Text
		if i := strings.IndexAny(what, ":;,"); i > 0 {
			what = what[:i]
		}
		does = append(does, what+" on "+t.screen.Title())
	}
	if label == "" {
		return
	}
	text := label + ": " + strings.Join(does, ", ")
	if canvas.Full.TextWidth(text) > mostElsewhere {
		text = label + ": only on " + names
	}
	r.say(text)
}

// mostElsewhere is how long a message may be that is read on the smallest
// screens, in cells.
const mostElsewhere = 54
