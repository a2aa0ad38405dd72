package pane

import (
	"fmt"
	"strings"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/tui/canvas"
	"perfdeck/tui/kit/kind"
)

// Target names one value: a counter of an instance of a host. Without a Set it
// names the host, with a negative Counter the instance.
type Target struct {
	Host    *Host
	Set     *session.Counterset
	Counter int
	Key     session.InstanceKey
	// Used: what is used is meant of what the counter says to be left, where the host tells
	// what that is of, see kind.Drawn.
	Used bool
}

// Is tells whether two targets are one value, whichever is meant of it: used or left.
func (t Target) Is(o Target) bool {
	o.Used = t.Used
	return t == o
}

// Drawn is what a value is drawn as.
func (t Target) Drawn() kind.Drawn {
	if !t.IsValue() || t.Host.Sampler == nil {
		return kind.Drawn{}
	}
	d := kind.Of(t.Host.Sampler.Catalogue(), t.Set, t.Counter, t.Of().Look())
	if !t.Used {
		d.Used = ""
	}
	return d
}

// Of is the counter of a value.
func (t Target) Of() *session.Counter { return &t.Set.Counters[t.Counter] }

// Name is what a value is called.
func (t Target) Name() string {
	d := t.Drawn()
	return d.Name(t.Of().Name)
}

// IsValue tells whether the target names a value.
func (t Target) IsValue() bool { return t.Host != nil && t.Set != nil && t.Counter >= 0 }

// IsText tells whether the target names a value that is a text.
func (t Target) IsText() bool { return t.IsValue() && t.Of().Type.IsText() }

// UnitKey is the target as Units knows it.
func (t Target) UnitKey() UnitKey { return UnitKey{Set: t.Set, Counter: t.Counter, Key: t.Key} }

// PathOf is the full path of a target in its newest snapshot, without the host.
func (t Target) PathOf() string { return t.Path().String() }

// FullPath is PathOf with the host.
func (t Target) FullPath() string {
	path := t.Path()
	path.Computer = t.Host.Name
	return path.String()
}

// Text is the target for people: a path with what the value is called, with the host or
// without.
func (t Target) Text(withHost bool) string {
	path := t.Path()
	if path.Counter = t.Name(); withHost {
		path.Computer = t.Host.Name
	}
	return path.String()
}

// Path is that of a target in its newest snapshot, without the host.
func (t Target) Path() paths.Path {
	if !t.Set.Instances.Multiple() {
		return session.PathOf("", t.Set, t.Counter, nil)
	}
	return session.PathOf("", t.Set, t.Counter, t.Instance())
}

// Instance is that of a target in its newest snapshot, as far as it has it.
func (t Target) Instance() *session.Instance {
	view := t.Host.Snap.Set(t.Set)
	if row := view.Find(t.Key, -1); row >= 0 {
		return &view.Rows[row].Instance
	}
	return &session.Instance{Key: t.Key}
}

// Cell is where a target stands in its newest snapshot, if it has it.
func (t Target) Cell() (view *session.SetView, row, col int, ok bool) {
	view = t.Host.Snap.Set(t.Set)
	row, col = view.Find(t.Key, -1), view.Column(t.Counter)
	return view, row, col, row >= 0 && col >= 0
}

// Ask is what has to be asked to see the target and its history.
func (t Target) Ask() session.Ask {
	counters := []int{t.Counter}
	keep := session.Keep{Counters: counters, Rows: []session.InstanceKey{t.Key}}
	if !t.Set.Instances.Multiple() {
		keep.Rows, keep.Match = nil, func(*session.Instance) bool { return true }
	}
	ask := session.Ask{Set: t.Set, Counters: counters, Keep: []session.Keep{keep}}
	if made, ok := session.CombineNamed(t.Key.Name); ok {
		ask.Combine = []session.Combine{made}
	}
	return ask
}

// Asks are what has to be asked to see the target as it is drawn: with what limits it, where
// what is used is meant.
func (t Target) Asks() []session.Ask {
	asks, d := []session.Ask{t.Ask()}, t.Drawn()
	if limit, ok := d.Limit.Ask(); ok && t.Used {
		limit.Keep = append(limit.Keep, session.Keep{Counters: limit.Counters, Rows: []session.InstanceKey{t.Key}})
		asks = append(asks, limit)
	}
	return asks
}

// Process is a process of this computer that something is done to. Key tells it from
// another one of its number: whoever acts on it makes sure.
type Process struct {
	Key    session.InstanceKey
	Number uint64
	Text   string // who that is: "sleep (pid 22851, root: sleep 9)"
}

// Target is the value of a row of one of its countersets, or of what tells of it where the row is no process that
// lives.
func (h *Host) Target(set *session.Counterset, counter int, key session.InstanceKey) Target {
	set, counter, key = h.Sampler.Catalogue().Origin(set, counter, key)
	return Target{Host: h, Set: set, Counter: counter, Key: key}
}

// processCells is what the text of a process takes besides its name at most: three lines of a dialog.
const processCells = 150

// IsProcess tells whether a row is a process that lives.
func IsProcess(in *session.Row) bool { return !in.Gone && in.Number != 0 }

// ProcessAt is the process of a row.
func ProcessAt(view *session.SetView, row int) Process {
	in := &view.Rows[row]
	text := fmt.Sprintf("pid %d", in.Number)
	if user := view.Fact(row, "user"); user != "" {
		text += ", " + user
	}
	if command := view.Fact(row, "command line"); command != "" {
		text += ": " + command
	}
	return Process{Key: in.Key, Number: in.Number, Text: in.Key.Name + " (" + canvas.Region{}.CutMiddle(processCells, text) + ")"}
}

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
