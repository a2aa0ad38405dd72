package sets

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"perfdeck/session/recording/collectorset/edit"
	"perfdeck/session/text/printable"
)

// Describe says in words what a set does, a line each, the first of which is its name.
func (s *Set) Describe(now time.Time) (lines []string) {
	say := func(format string, args ...any) {
		lines = append(lines, printable.Text(fmt.Sprintf(format, args...)))
	}
	title := s.Set.Name
	if other := s.Set.DisplayName; other != "" && other != title && !isResource(other) {
		title += " (" + other + ")"
	}
	say("%s", title)
	if s.Set.Description != "" && !isResource(s.Set.Description) {
		say("  %s", s.Set.Description)
	}
	if s.OfHost {
		say("  its folder there is %s", cmp.Or(s.Set.RootPath, "not said"))
	} else {
		say("  in the file its folder is %s", cmp.Or(s.Set.RootPath, "not said"))
		say("  here it is %s", s.Root)
	}
	say("  the next run has the number %d", s.Set.SerialNumber)
	does := edit.Describe(s.Entry, now)
	for _, text := range append(does.Times, does.Next) {
		if text != "" {
			say("  %s", text)
		}
	}
	for _, collects := range does.Collects {
		for i, text := range collects {
			say("%*s%s", 2+2*min(i, 1), "", text)
		}
	}
	for _, text := range does.Keeps {
		say("  %s", text)
	}
	return lines
}

// isResource tells a text that names one of a library of Windows: @dll,#number.
func isResource(text string) bool { return strings.HasPrefix(text, "@") }
