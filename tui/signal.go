package tui

import (
	"fmt"

	"perfdeck/session"
	"perfdeck/tui/pane"
)

// process is the process that is selected, on a screen that shows processes.
func (r *root) process() (h *pane.Host, key session.InstanceKey, ok bool) {
	s, ok := r.screen().(interface {
		Process() (session.InstanceKey, bool)
	})
	if !ok {
		return nil, key, false
	}
	key, ok = s.Process()
	return r.focused(), key, ok
}

func (r *root) whyNoSignal() string {
	h, _, ok := r.process()
	switch {
	case !ok:
		return "no process is selected"
	case !h.Local:
		return "only to processes of this computer, live"
	case r.options.Signal == nil || len(r.options.Signals) == 0:
		return "this system has no safe way to signal a process"
	}
	return ""
}

// signal asks which signal to send to the selected process, and once more
// before it is sent.
func (r *root) signal() {
	_, key, ok := r.process()
	if !ok {
		return
	}
	who := key.Name
	if s, ok := r.screen().(interface{ ProcessText() string }); ok {
		who = s.ProcessText()
	}
	menu := pane.OpenMenu{Title: "Send to " + who}
	for _, name := range r.options.Signals {
		ask := pane.Confirm{
			Title: name, Text: fmt.Sprintf("Send %s to %s?", name, who), Yes: "Send",
			Do: func() { r.sendSignal(key, name) },
		}
		menu.Items = append(menu.Items, pane.MenuItem{Text: name, Do: func() { r.desk.Send(ask) }})
	}
	r.desk.Send(menu)
}

func (r *root) sendSignal(key session.InstanceKey, name string) {
	if err := r.options.Signal(key, name); err != nil {
		r.note(pane.Careful, "", err.Error())
		r.desk.Send(pane.Say{Text: err.Error()})
		return
	}
	text := fmt.Sprintf("sent %s to %s", name, key.Name)
	r.note(pane.Info, "", text)
	r.desk.Send(pane.Say{Text: text})
}
