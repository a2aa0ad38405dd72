// Package dialog holds the boxes that stand above a screen: the palette, help,
// menus, forms, a line of text, the choice of a counter or a theme. While one is
// open it takes all keys, and none of its keys is a letter: letters are typed.
package dialog

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"perfdeck/session"
	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/kit/form"
	"perfdeck/tui/pane"
)

// paragraph draws text, broken at blanks, in the lines of a region; what does not
// fit ends in an ellipsis.
func paragraph(r canvas.Region, text string, st themes.Style) {
	if text == "" || r.Height() < 1 || r.Width() < 1 {
		return
	}
	lines := pane.Fold(session.Printable(text), r.Width())
	last := min(len(lines), r.Height()) - 1
	for y, line := range lines[:last] {
		r.Left(0, y, r.Width(), line, st)
	}
	r.Left(0, last, r.Width(), strings.Join(lines[last:], " "), st)
}

// Text asks for one line.
type Text struct {
	out   *pane.Outbox
	ask   pane.AskText
	field form.Line
	err   string
	was   string
}

// NewText returns a dialog for one line of text.
func NewText(out *pane.Outbox, ask pane.AskText) *Text {
	return &Text{out: out, ask: ask, field: form.New(ask.Text), was: ask.Text}
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
		d.out.Send(pane.Close{})
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
	d.err = ""
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
	d.out.Send(pane.Close{Then: d.ask.Then})
}

// Paste types what was pasted.
func (d *Text) Paste(text string) {
	d.field.Paste(text)
	d.changed()
}

// Draw draws the dialog.
func (d *Text) Draw(f pane.Frame) {
	d.field.Draw(f.Region, 0, 0, f.Width(), themes.Strong.Style().On(themes.Selection))
	text, st := d.ask.Help, themes.Muted.Style()
	if d.err != "" {
		text, st = d.err, themes.Critical.Style()
	}
	paragraph(f.Sub(0, 2, f.Width(), f.Height()-3), text, st.On(themes.Surface))
	hints(f, f.Height()-1, "enter", "accept", "esc", "back")
}

// Click presses the key of a hint.
func (d *Text) Click(hit pane.Hit, button tea.MouseButton) {
	if k, ok := pressed(hit, button); ok {
		d.Key(k)
	}
}

// Wheel does nothing here.
func (d *Text) Wheel(int) {}
