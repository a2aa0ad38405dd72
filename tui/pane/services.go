package pane

import (
	"strings"

	"perfdeck/session"
)

// servicesOf is the counterset of services beside that of a process, and its counter of their
// processes; nil: the target is none, or its host tells of none.
func (t Target) servicesOf() (set *session.Counterset, counter int) {
	cat := t.Host.Sampler.Catalogue()
	if t.Set != cat.Processes() {
		return nil, -1
	}
	return cat.Given("Service", "ID Process")
}

// AskServices asks which services the process of the target runs, where its host tells.
func (t Target) AskServices() []session.Ask {
	set, counter := t.servicesOf()
	if set == nil {
		return nil
	}
	return []session.Ask{{Set: set, Counters: []int{counter}}}
}

// Services are those that the process of the target runs, as far as they are known by now.
func (t Target) Services(process *session.Instance) string {
	set, counter := t.servicesOf()
	view := t.Host.Snap.Set(set)
	col := view.Column(counter)
	if process.Number == 0 || col < 0 {
		return ""
	}
	var names []string
	for row := range view.Rows {
		in := &view.Rows[row]
		if n, ok := view.Value(row, col).Float(); ok && !in.Gone && n == float64(process.Number) {
			names = append(names, in.Key.Name)
		}
	}
	return strings.Join(names, ", ")
}
