// Package dialog holds the boxes that stand above a screen: the palette, help,
// menus, forms, a line of text, the choice of a counter or a theme. While one is
// open it takes all keys, and none of its keys is a letter: letters are typed.
package dialog

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/kit/lineedit"
	"perfdeck/tui/pane"
)

// paragraph draws text, broken at blanks, in the lines of a frame; what does not
// fit ends in an ellipsis.
func paragraph(f pane.Frame, text string, st themes.Style) {
	if text == "" || f.Height() < 1 || f.Width() < 1 {
		return
	}
	lines := canvas.Fold(text, f.Width())
	last := min(len(lines), f.Height()) - 1
	for y, line := range lines[:last] {
		f.Rest(0, y, line, st)
	}
	f.Rest(0, last, strings.Join(lines[last:], " "), st)
}

// Text asks for one line: in a box, or, where the screen follows what is typed, in the line
// of the hints.
type Text struct {
	out   *pane.Outbox
	ask   pane.AskText
	field lineedit.Line
	err   string
	was   string
	typed bool // something was: the help has been read
}

// NewText returns a dialog for one line of text.
func NewText(out *pane.Outbox, ask pane.AskText) *Text {
	return &Text{out: out, ask: ask, field: lineedit.New(ask.Text), was: ask.Text}
}

// Size is the size it would like to have.
func (d *Text) Size() (w, h int) { return 62, 9 }

// Title is the dialog's name.
func (d *Text) Title() string { return d.ask.Title }

// Key edits the line; enter accepts it, esc takes every change back.
func (d *Text) Key(k tea.KeyPressMsg) {
	switch k.String() {
	case "esc":
		if d.ask.Each != nil {
			_ = d.ask.Each(d.was)
		}
		d.out.Close(nil)
		return
	case "enter":
		d.accept()
		return
	}
	if _, changed := d.field.Key(k); changed {
		d.changed()
	}
}

func (d *Text) changed() {
	d.err, d.typed = "", true
	if d.ask.Each != nil {
		if err := d.ask.Each(d.field.String()); err != nil {
			d.err = err.Error()
		}
	}
}

func (d *Text) accept() {
	if d.ask.Done != nil {
		if err := d.ask.Done(d.field.String()); err != nil {
			d.err = err.Error()
			return
		}
	}
	d.out.Close(d.ask.Then)
}

// Paste types what was pasted.
func (d *Text) Paste(text string) {
	d.field.Paste(text)
	d.changed()
}

// Draw draws the dialog.
func (d *Text) Draw(f pane.Frame) {
	d.field.Draw(f.Region, 0, 0, f.Width(), themes.Strong.On(themes.Selection))
	text, st := d.note()
	paragraph(f.Sub(0, 2, f.Width(), f.Height()-3), text, st)
	hints(f, f.Height()-1, "enter", "accept", "esc", "back")
}

// note is the help, or what is wrong.
func (d *Text) note() (string, themes.Style) {
	if d.err != "" {
		return d.err, themes.Critical
	}
	return d.ask.Help, themes.Muted
}

// IsPrompt tells whether the screen follows what is typed, as it does a filter.
func (d *Text) IsPrompt() bool { return d.ask.Each != nil }

// The line of a prompt.
const (
	leastField = 16 // cells of what is typed
	leastHints = 8  // "esc back"
	mostNotes  = 3  // rows of help, or of an error
)

// DrawPrompt draws title, text and hints in the last line of the screen. Help, or an error,
// stands behind the text where it has room, else above: help until something is typed.
func (d *Text) DrawPrompt(f pane.Frame) {
	w, h := f.Width(), f.Height()
	line := f.Sub(0, h-1, w, 1)
	line.Clear(themes.Text)
	title := d.ask.Title
	if first, _, _ := strings.Cut(title, " "); w < 4*f.GlyphSet().TextWidth(title) {
		title = first
	}
	x := 2 + line.Left(1, 0, w/3, title, themes.Focus.Bold())
	field := max(leastField, f.GlyphSet().TextWidth(d.field.String())+1)
	keys := []string{"enter", "accept", "esc", "back"}
	room := min(hintsWidth(keys), max(leastHints, w-x-field-2))
	if room < hintsWidth(keys) {
		keys = keys[2:]
		room = hintsWidth(keys)
	}
	hints(f.Sub(w-1-room, h-1, room, 1), 0, keys...)
	end := w - 1 - room - 2
	text, st := d.note()
	switch n := f.GlyphSet().TextWidth(text); {
	case n > 0 && x+field+2+n <= end:
		line.Text(end-n, 0, text, st)
		end -= n + 2
	case d.err != "" || !d.typed:
		drawNotes(f, text, st)
	}
	d.field.Draw(line.Region, x, 0, max(1, end-x), themes.Strong.On(themes.Selection))
}

// drawNotes draws a text above the last line.
func drawNotes(f pane.Frame, text string, st themes.Style) {
	if text == "" {
		return
	}
	n := min(len(canvas.Fold(text, f.Width()-2)), mostNotes, max(0, f.Height()-2))
	rows := f.Lines(f.Height()-1-n, n)
	rows.Clear(st)
	paragraph(rows.Sub(1, 0, rows.Width()-2, n), text, st)
}

// Click does nothing here.
func (d *Text) Click(pane.Hit, tea.MouseButton) {}

// Wheel does nothing here.
func (d *Text) Wheel(int) {}
