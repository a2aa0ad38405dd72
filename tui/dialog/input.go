// Package dialog holds the boxes that stand above a screen: the palette, help,
// menus, forms, a line of text, the choice of a counter or a theme. While one is
// open it takes all keys, and none of its keys is a letter: letters are typed.
package dialog

import (
	"strings"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"perfdeck/session"
	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/pane"
)

// field is a line of text that is being typed.
type field struct {
	text   []rune
	cursor int
	marked bool // the whole text is selected: typing replaces it
}

func newField(text string) field {
	r := []rune(text)
	return field{text: r, cursor: len(r), marked: len(r) > 0}
}

func (f *field) String() string { return string(f.text) }

// mostRunes bounds what can be typed or pasted.
const mostRunes = 4096

// insert types text at the cursor; controls are left out.
func (f *field) insert(s string) {
	if f.marked {
		f.text, f.cursor, f.marked = f.text[:0], 0, false
	}
	for _, r := range s {
		if !unicode.IsPrint(r) || len(f.text) >= mostRunes || r == utf8.RuneError {
			continue
		}
		f.text = append(f.text[:f.cursor], append([]rune{r}, f.text[f.cursor:]...)...)
		f.cursor++
	}
}

// paste types what was pasted: one line, whatever it was.
func (f *field) paste(s string) {
	f.insert(oneLine.Replace(strings.TrimSpace(s)))
}

var oneLine = strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ", "\t", " ")

// key edits the text. It reports whether the key was for the field and whether
// the text changed.
func (f *field) key(k tea.KeyPressMsg) (used, changed bool) {
	if f.marked && k.Text == "" {
		f.marked = false
		if name := k.String(); name == "backspace" || name == "ctrl+h" || name == "delete" {
			f.text, f.cursor = f.text[:0], 0
			return true, true
		}
	}
	switch k.String() {
	case "left":
		f.cursor = max(0, f.cursor-1)
	case "right":
		f.cursor = min(len(f.text), f.cursor+1)
	case "home":
		f.cursor = 0
	case "end":
		f.cursor = len(f.text)
	case "backspace", "ctrl+h": // which some terminals send for backspace
		if f.cursor == 0 {
			return true, false
		}
		f.text = append(f.text[:f.cursor-1], f.text[f.cursor:]...)
		f.cursor--
		return true, true
	case "delete":
		if f.cursor == len(f.text) {
			return true, false
		}
		f.text = append(f.text[:f.cursor], f.text[f.cursor+1:]...)
		return true, true
	case "ctrl+u":
		f.text, f.cursor = f.text[f.cursor:], 0
		return true, true
	case "ctrl+w":
		f.dropWord()
		return true, true
	default:
		if k.Text == "" {
			return false, false
		}
		f.insert(k.Text)
		return true, true
	}
	return true, false
}

// dropWord deletes the word before the cursor.
func (f *field) dropWord() {
	head := strings.TrimRightFunc(string(f.text[:f.cursor]), unicode.IsSpace)
	head = head[:strings.LastIndexFunc(head, unicode.IsSpace)+1]
	f.text = append([]rune(head), f.text[f.cursor:]...)
	f.cursor = utf8.RuneCountInString(head)
}

// masked is the field as it is shown when nobody may read it: as many marks as
// there are characters.
func (f *field) masked(glyphs *canvas.Glyphs) field {
	out := *f
	out.text = []rune(strings.Repeat(string(glyphs.Mark), len(f.text)))
	return out
}

// wipe forgets the text.
func (f *field) wipe() {
	clear(f.text[:cap(f.text)])
	*f = field{}
}

// draw draws the text in w cells with a cursor, so that the cursor is seen.
func (f *field) draw(fr pane.Frame, x, y, w int, st themes.Style) {
	fr.Fill(x, y, w, 1, ' ', st)
	from := f.cursor
	for room := w - 1; from > 0; from-- {
		if room -= canvas.Full.TextWidth(string(f.text[from-1])); room < 0 {
			break
		}
	}
	region := fr.Sub(x, y, w, 1)
	if f.marked {
		region.Text(0, 0, string(f.text), st.Reverse())
		return
	}
	cx := region.Text(0, 0, string(f.text[from:f.cursor]), st)
	region.Text(cx, 0, string(f.text[f.cursor:]), st)
	under := ' '
	if f.cursor < len(f.text) {
		under = f.text[f.cursor]
	}
	region.Put(cx, 0, under, st.Reverse())
}

// paragraph draws text, broken at blanks, in the lines of a region; what does not
// fit ends in an ellipsis.
func paragraph(r canvas.Region, text string, st themes.Style) {
	if text == "" || r.Height() < 1 || r.Width() < 1 {
		return
	}
	lines := pane.Wrap(session.Printable(text), r.Width())
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
	field field
	err   string
	was   string
}

// NewText returns a dialog for one line of text.
func NewText(out *pane.Outbox, ask pane.AskText) *Text {
	return &Text{out: out, ask: ask, field: newField(ask.Text), was: ask.Text}
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
	if _, changed := d.field.key(k); changed {
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
	d.field.paste(text)
	d.changed()
}

// Draw draws the dialog.
func (d *Text) Draw(f pane.Frame) {
	d.field.draw(f, 0, 0, f.Width(), themes.Strong.Style().On(themes.Selection))
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
