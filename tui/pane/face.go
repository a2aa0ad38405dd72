package pane

import (
	"errors"

	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/keys"
	"perfdeck/tui/kit/filter"
	"perfdeck/tui/layout"
)

// Face is part of screens of which the frame always shows the same.
type Face struct {
	Name  string // of the tab
	About string // what the left end of the header names
	Keys  []keys.Binding
}

// Title is the name of the tab.
func (s *Face) Title() string { return s.Name }

// Scope is what the left end of the header names.
func (s *Face) Scope() string { return s.About }

// Bindings are the screen's keys.
func (s *Face) Bindings() []keys.Binding { return s.Keys }

// SideKeys are the keys that lead to the sides of a list: a column on if n is 1, back if it is -1.
func SideKeys(does string, move func(n int)) []keys.Binding {
	return keys.Both([]keys.Binding{{Keys: "right l", Back: "left h", Show: "h l arrows", Text: does, Section: keys.Move, Step: move}})
}

// Filter is the filter of a screen, which the user is asked for.
type Filter[R any] struct {
	filter.Filter[R]

	Desk    *Desk
	Title   string                   // of the question
	Fields  func() *filter.Fields[R] // nil ones: nothing is known to ask for yet
	Changed func()                   // nil: nothing has to know
}

var errNoFields = errors.New("the host has not told its counters yet")

// Set filters by an expression, while it is typed. While it is wrong the last good one holds.
func (f *Filter[R]) Set(text string) error {
	fields := f.Fields()
	if fields == nil {
		return errNoFields
	}
	err := f.Filter.Set(text, fields)
	if err == nil && f.Changed != nil {
		f.Changed()
	}
	return err
}

// help names what can be asked for.
func (f *Filter[R]) help() string {
	if fields := f.Fields(); fields != nil {
		return fields.Help()
	}
	return ""
}

// Clear takes the filter back. It reports whether there was one.
func (f *Filter[R]) Clear() bool {
	if f.Text() == "" {
		return false
	}
	_ = f.Set("")
	return true
}

// Key is the key that asks for the filter.
func (f *Filter[R]) Key(does string) keys.Binding {
	return keys.Binding{
		Keys: "/", Text: does, Hint: does, Note: f.help,
		Do: func() {
			f.Desk.Send(AskText{Title: f.Title, Text: f.Text(), Help: f.help(), Each: f.Set, Done: f.Set})
		},
	}
}

// Lesson is what a screen teaches that has nothing to show.
type Lesson struct {
	Text string
	Keys [][2]string // keys, and what they do
	Ways []string    // what else there is; a blank line is empty
}

// Unfit is what a list says of which nothing fits the filter.
func (f *Filter[R]) Unfit(what string) *Lesson {
	return &Lesson{Text: what + " fits the filter " + f.Text(), Keys: [][2]string{{"esc", "clear the filter"}}}
}

// DrawHint draws a key and what it does, and returns the cells that they take.
func (f Frame) DrawHint(x, y int, key, does string) int {
	n := f.Text(x, y, key, themes.Accent.Bold()) + 1
	return n + f.Text(x+n, y, does, themes.Muted)
}

// Indent is where lessons begin.
func Indent(f Frame) int {
	const indent, narrow = 6, 50
	if f.Width() < narrow {
		return layout.SignW
	}
	return indent
}

// Draw draws the lesson from line y on.
func (l *Lesson) Draw(f Frame, y int) {
	const widest = 76
	x := Indent(f)
	room := f.Width() - x
	for _, line := range canvas.Fold(l.Text, max(12, room-1)) {
		f.Left(x, y, room, line, themes.Text)
		y++
	}
	y++
	for _, k := range l.Keys {
		n := f.Text(x, y, k[0], themes.Accent.Bold()) + 2
		f.Left(x+n, y, room-n, k[1], themes.Muted)
		y++
	}
	if len(l.Keys) > 0 {
		y++
	}
	for _, way := range l.Ways {
		lines := []string{way}
		if fold := min(widest, room-2); canvas.Full.TextWidth(way) > fold {
			lines = canvas.Fold(way, max(12, fold))
		}
		for _, line := range lines {
			f.Left(x, y, room, line, themes.Muted)
			y++
		}
	}
}
