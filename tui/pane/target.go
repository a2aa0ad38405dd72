package pane

import (
	"fmt"
	"slices"

	"perfdeck/session"
)

// Target names one value: a counter of an instance of a host. Without a Set it
// names the host, with a negative Counter the instance.
type Target struct {
	Host    *Host
	Set     *session.Counterset
	Counter int
	Key     session.InstanceKey
}

// IsValue tells whether the target names a value.
func (t Target) IsValue() bool { return t.Host != nil && t.Set != nil && t.Counter >= 0 }

// IsText tells whether the target names a value that is a text.
func (t Target) IsText() bool { return t.IsValue() && t.Set.Counters[t.Counter].Type.IsText() }

// UnitKey is the target as Units knows it.
func (t Target) UnitKey() UnitKey { return UnitKey{t.Set, t.Counter, t.Key} }

// PathOf is the full path of a target in its newest snapshot, without the host.
func (t Target) PathOf() string { return t.pathOf("") }

// FullPath is PathOf with the host.
func (t Target) FullPath() string { return t.pathOf(t.Host.Name) }

func (t Target) pathOf(host string) string {
	if !t.Set.Instances.Multiple() {
		return session.PathOf(host, t.Set, t.Counter, nil).String()
	}
	view := t.Host.Snap.Set(t.Set)
	in := session.Instance{Key: t.Key}
	if row := view.Find(t.Key, -1); row >= 0 {
		in = view.Rows[row].Instance
	}
	return session.PathOf(host, t.Set, t.Counter, &in).String()
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
