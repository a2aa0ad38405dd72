// Package pane holds what the panes of all screens share: the place where they
// draw, the rows they draw, and the messages they send to the root.
package pane

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"perfdeck/session"
	"perfdeck/tui/canvas"
	"perfdeck/tui/keys"
	"perfdeck/tui/layout"
)

// Host is a host as the screens know it.
type Host struct {
	Name    string
	Sampler *session.Sampler
	Feed    *session.Feed     // of the screens
	Snap    *session.Snapshot // the newest one taken; nil before the first
	Numbers *Numbers          // how its numbers are written; nil: the default
}

// Frame is one drawing of the screen: where, when, and what lies under the
// mouse.
type Frame struct {
	canvas.Region
	Now  time.Time
	Hits *Hits
}

// At narrows the frame to a rectangle of it.
func (f Frame) At(r layout.Rect) Frame {
	f.Region = f.Sub(r.X, r.Y, r.W, r.H)
	return f
}

// HitKind says what lies under the mouse. Each screen has its own kinds.
type HitKind uint8

// Hit is what lies under the mouse: its kind and up to two numbers.
type Hit struct {
	Kind HitKind
	A, B int
}

// Hits collects what can be hit while a screen is drawn.
type Hits struct{ list []Hit }

// Reset forgets all.
func (h *Hits) Reset() { h.list = h.list[:0] }

// Get returns what a zone of the canvas stands for.
func (h *Hits) Get(id canvas.ZoneID) (Hit, bool) {
	if id < 1 || int(id) > len(h.list) {
		return Hit{}, false
	}
	return h.list[id-1], true
}

// Zone marks a rectangle of the frame as something that can be hit.
func (f Frame) Zone(x, y, w, h int, hit Hit) {
	if f.Hits == nil {
		return
	}
	f.Hits.list = append(f.Hits.list, hit)
	f.Sub(x, y, w, h).Zone(canvas.ZoneID(len(f.Hits.list)))
}

// Screen is one of the full screens.
type Screen interface {
	// Title is the name of the tab.
	Title() string
	// Scope is what the left end of the header names.
	Scope() string
	// Bindings are the screen's own keys; hints are shown in their order.
	Bindings() []keys.Binding
	// Snapshot tells the screen that a host has a new snapshot.
	Snapshot(h *Host)
	// Asks are what the screen wants to know of a host while it is open.
	Asks(h *Host) []session.Ask
	Draw(f Frame)
	// Click answers a mouse button over something the screen drew.
	Click(hit Hit, button tea.MouseButton) tea.Cmd
	// Wheel scrolls by lines, up if negative.
	Wheel(hit Hit, lines int)
}

// The messages that panes and dialogs send to the root.
type (
	// Say shows a line in place of the hints for a short while.
	Say struct{ Text string }
	// Reask makes the root ask the samplers anew for what the screens show.
	Reask struct{}
	// Open shows a dialog above the screen.
	Open struct{ Dialog Dialog }
	// Close closes the topmost dialog.
	Close struct{}
	// AskCounter opens the dialog that adds a counter of a host.
	AskCounter struct{ Host *Host }
	// AskText opens a dialog with one line of text. Each is called with every
	// change; Done with the text when it is accepted. Both may be nil.
	AskText struct {
		Title, Text, Help string
		Each, Done        func(string) error
	}
	// Copy puts text on the clipboard (OSC 52).
	Copy struct{ Text string }
	// Back leaves a screen that was opened from another.
	Back struct{}
	// GoTo shows another screen.
	GoTo struct{ Screen int }
	// OpenTop opens the table of a counterset, on an instance if Key is set.
	OpenTop struct {
		Host *Host
		Set  *session.Counterset
		Key  session.InstanceKey
		Sort int // index in Set.Counters, -1: the set's default
	}
	// OpenHost shows the deck of one host.
	OpenHost struct{ Host *Host }
	// OpenExplain explains one value.
	OpenExplain struct{ Target Target }
)

// Target names one value: a counter of an instance of a host.
type Target struct {
	Host    *Host
	Set     *session.Counterset
	Counter int
	Key     session.InstanceKey
}

// Dialog is a box above the screen. It takes all keys.
type Dialog interface {
	// Size is how many cells it would like to have.
	Size() (w, h int)
	Title() string
	Key(k tea.KeyPressMsg) tea.Cmd
	Paste(text string)
	Draw(f Frame)
	Click(hit Hit, button tea.MouseButton) tea.Cmd
	Wheel(lines int)
}

// Send wraps a message as a command.
func Send(msg tea.Msg) tea.Cmd { return func() tea.Msg { return msg } }

// PathOf is the full path of a target in its newest snapshot.
func (t Target) PathOf() string {
	if !t.Set.Instances.Multiple() {
		return session.PathOf("", t.Set, t.Counter, nil).String()
	}
	view := t.Host.Snap.Set(t.Set)
	in := session.Instance{Key: t.Key}
	if row := view.Find(t.Key, -1); row >= 0 {
		in = view.Rows[row].Instance
	}
	return session.PathOf("", t.Set, t.Counter, &in).String()
}
