package top

import (
	"fmt"
	"slices"

	"perfdeck/session"
	"perfdeck/tui/pane"
)

// WhyNoProcesses says why a host has no processes to show, "" if it has some.
func WhyNoProcesses(h *pane.Host) string {
	if h == nil {
		return "no host is shown"
	}
	cat := h.Sampler.Catalogue()
	switch {
	case cat == nil:
		return "the host has not told its counters yet"
	case cat.Processes() != nil:
		return ""
	case isServed(h, cat):
		return "this host does not publish Process: serve --expose Process"
	}
	return "this host has no Process counterset"
}

// isServed tells whether a host is one of `perfdeck serve`, which publishes no
// processes unasked: its countersets are all of version 2, where Windows has
// processes among those of version 1.
func isServed(h *pane.Host, cat *session.Catalogue) bool {
	return !h.Local && len(cat.Sets) > 0 && !slices.ContainsFunc(cat.Sets, func(s *session.Counterset) bool { return s.GUID == "" })
}

// Process is the process of this computer that is selected.
func (t *Top) Process() (session.InstanceKey, bool) {
	view := t.view()
	in := t.selected(view)
	if in == nil || t.set != t.host.Sampler.Catalogue().Processes() {
		return session.InstanceKey{}, false
	}
	return in.Key, !in.Gone && in.Number != 0
}

// ProcessText tells which process is selected: "sleep (pid 22851, root: sleep 9)".
func (t *Top) ProcessText() string {
	view := t.view()
	if view == nil || t.list.Line() >= len(t.rows()) {
		return ""
	}
	at := t.rows()[t.list.Line()].At
	text := fmt.Sprintf("pid %d", view.Rows[at].Number)
	if user := fact(line{view, at}, "user"); user != "" {
		text += ", " + user
	}
	if command := fact(line{view, at}, "command line"); command != "" {
		text += ": " + command
	}
	return session.Printable(view.Rows[at].Key.Name + " (" + text + ")")
}
