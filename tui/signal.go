package tui

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"perfdeck/tui/pane"
)

// processes are the processes that are marked or selected, on a screen that shows
// processes; left are marked ones that are left out.
func (r *root) processes() (h *pane.Host, list []pane.Process, left int) {
	s, ok := r.screen().(pane.Lister)
	if !ok {
		return nil, nil, 0
	}
	list, left = s.Processes()
	return r.focused(), list, left
}

func (r *root) whyNoSignal() string {
	h, list, _ := r.processes()
	switch {
	case len(list) == 0:
		return "no process that lives is selected"
	case !h.Local:
		return "only to processes of this computer, live"
	case r.options.Signal == nil || len(r.options.Signals) == 0:
		return "this system has no safe way to signal a process"
	}
	return ""
}

// signal asks whether to send the gentlest signal to the processes that are marked, or
// selected. Which those are is settled now, whatever is shown at the answer.
func (r *root) signal() {
	_, list, left := r.processes()
	if len(list) > 0 {
		r.askSignal(list, left, r.options.Signals[0])
	}
}

// askSignal asks whether to send a signal.
func (r *root) askSignal(list []pane.Process, left int, name string) {
	text := fmt.Sprintf("Send %s to %s?", name, list[0].Text)
	if len(list) > 1 {
		lines := []string{fmt.Sprintf("Send %s to %d processes?", name, len(list))}
		for i := range list {
			lines = append(lines, list[i].Text)
		}
		text = strings.Join(lines, "\n")
	}
	if left > 0 {
		text += fmt.Sprintf("\n%d more are marked, but ended or are hidden by the filter: they get none.", left)
	}
	r.desk.Send(pane.Confirm{
		Title: name, Text: text, Yes: "Send",
		Do:    func() { r.sendSignal(list, name) },
		Other: pane.Other{Key: "s", Text: "other signal", Do: func() { r.chooseSignal(list, left) }},
	})
}

// chooseSignal lets the user choose another signal for the same processes.
func (r *root) chooseSignal(list []pane.Process, left int) {
	menu := pane.OpenMenu{Title: "Send to " + list[0].Text}
	if len(list) > 1 {
		menu.Title = fmt.Sprintf("Send to %d processes", len(list))
	}
	for _, name := range r.options.Signals {
		menu.Items = append(menu.Items, pane.MenuItem{Text: name, Do: func() { r.askSignal(list, left, name) }})
	}
	r.desk.Send(menu)
}

// sendSignal sends a signal to each of the processes that is still the one it was, and
// says who got none.
func (r *root) sendSignal(list []pane.Process, name string) {
	var failed []refusal
	sent := 0
	for i := range list {
		p := &list[i]
		if err := r.options.Signal(p.Key, name); err != nil {
			r.note(pane.Careful, "", err.Error())
			failed = refused(failed, p.Number, err)
			continue
		}
		sent++
		r.note(pane.Info, "", fmt.Sprintf("sent %s to %s (pid %d)", name, p.Key.Name, p.Number))
	}
	text := fmt.Sprintf("sent %s to %s (pid %d)", name, list[0].Key.Name, list[0].Number)
	if len(list) > 1 || sent == 0 {
		text = fmt.Sprintf("sent %s to %d of %d processes", name, sent, len(list))
		var b strings.Builder
		for _, f := range failed {
			b.WriteString("; not to " + strings.Join(f.pids, ", ") + ": " + f.why)
		}
		text += b.String()
	}
	r.desk.Say(text)
}

// refusal is why some processes got no signal.
type refusal struct {
	why  string
	pids []string
}

// refused adds a process to those that got none for the same reason.
func refused(list []refusal, pid uint64, err error) []refusal {
	for e := err; e != nil; e = errors.Unwrap(e) {
		err = e // the innermost tells the reason without the name
	}
	for i := range list {
		if list[i].why == err.Error() {
			list[i].pids = append(list[i].pids, strconv.FormatUint(pid, 10))
			return list
		}
	}
	return append(list, refusal{err.Error(), []string{strconv.FormatUint(pid, 10)}})
}
