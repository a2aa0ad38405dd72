// Package pane holds what the panes of all screens share: the place where they
// draw, the rows they draw, and the messages they send to the root.
package pane

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"perfdeck/session"
	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/keys"
	"perfdeck/tui/kit/list"
	"perfdeck/tui/layout"
)

// Frame is one drawing of the screen: where, when, and what lies under the
// mouse.
type Frame struct {
	canvas.Region
	Now  time.Time
	Hits *Hits
	Wipe bool // sparklines overwrite themselves, see Desk
}

// At narrows the frame to a rectangle of it.
func (f Frame) At(r layout.Rect) Frame { return f.Sub(r.X, r.Y, r.W, r.H) }

// Sub narrows the frame to w times h cells of it.
func (f Frame) Sub(x, y, w, h int) Frame {
	f.Region = f.Region.Sub(x, y, w, h)
	return f
}

// On is the frame with another background.
func (f Frame) On(bg themes.Token) Frame {
	f.Region = f.Region.On(bg)
	return f
}

// Lines narrows the frame to some lines of it.
func (f Frame) Lines(y, h int) Frame { return f.Sub(0, y, f.Width(), max(0, h)) }

// Below narrows the frame to the lines from one on.
func (f Frame) Below(y int) Frame { return f.Lines(y, f.Height()-y) }

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

// Show draws what was drawn on a canvas before, with what could be hit there.
func (f Frame) Show(picture *canvas.Canvas, hits *Hits) {
	f.Paste(picture)
	if f.Hits != nil {
		f.Zones(picture, canvas.ZoneID(len(f.Hits.list)))
		f.Hits.list = append(f.Hits.list, hits.list...)
	}
}

// Zone marks a rectangle of the frame as something that can be hit: what, and up to two
// numbers.
func (f Frame) Zone(x, y, w, h int, kind HitKind, at ...int) {
	if f.Hits == nil {
		return
	}
	var ab [2]int
	copy(ab[:], at)
	f.Hits.list = append(f.Hits.list, Hit{kind, ab[0], ab[1]})
	f.Region.Sub(x, y, w, h).Zone(canvas.ZoneID(len(f.Hits.list)))
}

// ZoneLine is Zone of a whole line.
func (f Frame) ZoneLine(y int, kind HitKind, at ...int) { f.Zone(0, y, f.Width(), 1, kind, at...) }

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
	Click(hit Hit, button tea.MouseButton)
	// Wheel scrolls by lines, up if negative.
	Wheel(hit Hit, lines int)
}

// What a screen may be besides.
type (
	// Selector is a screen on which values, or hosts, are selected. What can be
	// done with a value everywhere (chart, top, explain, warn, copy, menu) is
	// done by the root with what Selected returns: the one under the selection
	// mark first, then the others that are marked. A target without a Set is a
	// host; without a counter (-1) an instance.
	Selector interface{ Selected() []Target }
	// Dragger is a screen on which the mouse drags. From is what was hit when the
	// button went down, x and y are where the mouse is, in cells of the screen.
	Dragger interface {
		Drag(from Hit, x, y int, released bool)
	}
	// Opener is told when its screen comes to the front.
	Opener interface{ Opened() }
	// Asker tells that what it asked for does not fit what it shows.
	Asker interface{ AskStale() bool }
	// StaleAsker is an Asker that knows which hosts that concerns; of others it is the
	// one in the focus.
	StaleAsker interface{ StaleHosts() []*Host }
	// Watcher is a screen on which only some hosts are shown: a snapshot of another one
	// needs no drawing.
	Watcher interface{ Shows(h *Host) bool }
	// Nested is a screen with places of its own to go back from. Back reports whether
	// there was one.
	Nested interface{ Back() bool }
	// Turner is a screen on which the keys of the next host turn something else.
	Turner interface{ Turn(n int) }
	// Spanned is a screen with a span of its own, which the keys of the span change by
	// steps.
	Spanned interface{ ShiftSpan(steps int) }
	// Focuser is a screen that can bring a value into sight. It reports whether it has it.
	Focuser interface{ Focus(t Target) bool }
	// Paster is a screen that takes pasted text.
	Paster interface{ Paste(text string) }
	// Gripped is told where in the screen, in cells, the left button went down.
	Gripped interface{ Grip(hit Hit, x, y int) }
	// Lister is a screen of processes: the marked ones, or the selected one; left are
	// marked ones that are left out.
	Lister interface {
		Processes() (list []Process, left int)
	}
	// Teller is a screen on which something that took a while may be selected: from, to
	// and in a word what happened; empty: nothing is.
	Teller interface {
		Happened() (from, to time.Time, what string)
	}
	// Keeper is a screen that takes keys before all bindings, as a search line
	// does while it is typed in. It reports whether it took the key.
	Keeper interface {
		HandleKey(k tea.KeyPressMsg) bool
	}
)

// Dialog is a box above the screen. It takes all keys.
type Dialog interface {
	// Size is how many cells it would like to have.
	Size() (w, h int)
	Title() string
	Key(k tea.KeyPressMsg)
	Paste(text string)
	Draw(f Frame)
	Click(hit Hit, button tea.MouseButton)
	Wheel(lines int)
}

// Pressed selects the row of a list that a button of the mouse hit. It reports whether that
// opens it: the left one does on the selected row.
func Pressed(rows interface {
	Count() int
	Is(row int) bool
	Select(row int)
}, row int, button tea.MouseButton) (opens bool) {
	if row >= rows.Count() || button != tea.MouseLeft && button != tea.MouseRight {
		return false
	}
	opens = button == tea.MouseLeft && rows.Is(row)
	rows.Select(row)
	return opens
}

// PlainList is rows that are drawn one by one, each in a line: part of a screen, or of a dialog.
type PlainList struct{ list.List }

// Wheel scrolls.
func (l *PlainList) Wheel(lines int) { l.Scroll(lines) }

// Opens selects the row that a button of the mouse hit; true: it is to be opened.
func (l *PlainList) Opens(hit Hit, button tea.MouseButton) bool {
	return hit.Kind == HitRow && Pressed(l, hit.B, button)
}

// DrawEach draws those of count rows that are in view.
func (l *PlainList) DrawEach(f Frame, count int, draw func(f Frame, row int)) {
	from, end := l.Show(count, f.Height())
	for i := from; i < end; i++ {
		line := f.Lines(i-from, 1)
		line.ZoneLine(0, HitRow, 0, i)
		if l.Is(i) {
			line.Put(0, 0, f.Glyphs().Selected, themes.Focus.Bold())
		}
		draw(line, i)
		line.Highlight(0, l.Is(i))
	}
}

// ListKeys are the keys that move in a list, or in a text: the same on all
// screens. Does says what the single steps do: "select", "scroll".
func ListKeys(does string, move func(list.Motion)) []keys.Binding {
	out := make([]keys.Binding, 0, 2*len(listKeys))
	for _, k := range listKeys {
		text := k.text
		if text == "" {
			text = does
		}
		for i, m := range k.motions {
			out = append(out, keys.Binding{Keys: k.keys[i], Show: k.show, Text: text, Section: keys.Move, Do: func() { move(m) }})
		}
	}
	return out
}

// BindKeys are the keys of a screen, of which those that move in its list come last.
func BindKeys(own []keys.Binding, does string, move func(list.Motion)) []keys.Binding {
	return append(keys.Both(own), ListKeys(does, move)...)
}

// listKeys are pairs of motions and their keys; one without a text does what the
// list is for.
var listKeys = []struct {
	show, text string
	motions    [2]list.Motion
	keys       [2]keys.List
}{
	{"j k arrows", "", [2]list.Motion{list.Down, list.Up}, [2]keys.List{"down j", "up k"}},
	{"pgup pgdn", "page", [2]list.Motion{list.PageDown, list.PageUp}, [2]keys.List{"pgdown", "pgup"}},
	{"ctrl+u ctrl+d", "half a page", [2]list.Motion{list.HalfDown, list.HalfUp}, [2]keys.List{"ctrl+d", "ctrl+u"}},
	{"g G", "first, last", [2]list.Motion{list.First, list.Last}, [2]keys.List{"g home", "G end"}},
}

// Known is part of screens that ask hosts for nothing: what they show is not
// counted but known, and read when it is drawn.
type Known struct{}

// Asks are none.
func (Known) Asks(*Host) []session.Ask { return nil }

// Snapshot has nothing to do.
func (Known) Snapshot(*Host) {}
