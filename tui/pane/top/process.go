package top

import (
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

// Processes are those that something is done to: the marked ones, or without any the
// selected one. left is how many marked ones are left out: they ended, or the filter
// hides them.
func (t *Top) Processes() (list []pane.Process, left int) {
	view := t.view()
	if view == nil || t.set != t.host.Sampler.Catalogue().Processes() {
		return nil, 0
	}
	if len(t.marks) == 0 {
		if in := t.selected(view); in != nil && pane.IsProcess(in) {
			list = append(list, pane.ProcessAt(view, t.rows()[t.list.Line()].At))
		}
		return list, 0
	}
	for _, r := range t.rows() {
		if in := &view.Rows[r.At]; t.marks[in.Key] && pane.IsProcess(in) {
			list = append(list, pane.ProcessAt(view, r.At))
		}
	}
	return list, len(t.marks) - len(list)
}
