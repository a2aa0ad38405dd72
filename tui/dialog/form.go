package dialog

import (
	"errors"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"perfdeck/session/text/field"
	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/kit/lineedit"
	"perfdeck/tui/kit/list"
	"perfdeck/tui/pane"
)

// Form asks for several values at once: tab and the arrows move between them,
// enter takes them all.
type Form struct {
	pane.PlainList // the fields; the selected one is edited

	out     *pane.Outbox
	ask     pane.AskForm
	values  []lineedit.Line
	err     string
	preview []string
	told    time.Time // when the preview was
}

// NewForm returns a form.
func NewForm(out *pane.Outbox, ask pane.AskForm) *Form {
	d := &Form{out: out, ask: ask}
	d.Resize(len(ask.Fields))
	for i := range ask.Fields {
		d.values = append(d.values, lineedit.New(ask.Fields[i].Value))
		if i > 0 {
			d.values[i].Unmark()
		}
	}
	d.changed()
	return d
}

// formPreview is how many lines tell what the values would mean.
const formPreview = 4

// formRetold is how often that is told anew: a value that is now goes on.
const formRetold = 2 * time.Second

// Size is the size it would like to have.
func (d *Form) Size() (w, h int) {
	const around = 8 // frame, two lines of help, blanks, hints
	h = len(d.ask.Fields) + around
	if d.ask.Each != nil {
		h += formPreview + 1
	}
	return 62, h
}

// Title is what the form is about.
func (d *Form) Title() string { return d.ask.Title }

func (d *Form) answers() field.Answers {
	out := field.Answers{}
	for i := range d.values {
		out[d.ask.Fields[i].Name] = d.values[i].String()
	}
	return out
}

// changed asks what the values would mean.
func (d *Form) changed() {
	d.err = ""
	if d.ask.Each != nil {
		d.preview = d.ask.Each(d.answers())
	}
}

// Key edits the field, moves between fields, takes them all.
func (d *Form) Key(k tea.KeyPressMsg) {
	n := len(d.values)
	switch name := k.String(); name {
	case "esc":
		d.forget()
		d.out.Close(nil)
	case "enter":
		if i := d.emptySecret(); i > d.Line() {
			d.edit(i)
			return
		}
		d.accept()
	case "tab":
		d.edit((d.Line() + 1) % max(1, n))
	case "shift+tab":
		d.edit((d.Line() + n - 1) % max(1, n))
	default:
		if m, ok := list.WhileTyping(name); ok {
			d.edit(d.Line() + d.Lines(m))
			return
		}
		d.change(k)
	}
}

// edit goes to a field, or the nearest there is; its value is marked, so that typing replaces it.
func (d *Form) edit(i int) {
	if i = max(0, min(i, len(d.values)-1)); d.Is(i) || i >= len(d.values) {
		return
	}
	d.err = d.check(d.Line())
	d.values[d.Line()].Unmark()
	d.Select(i)
	d.values[i] = lineedit.New(d.values[i].String())
}

// change edits the value of the field.
func (d *Form) change(k tea.KeyPressMsg) {
	if d.Line() >= len(d.values) {
		return
	}
	if choices := d.ask.Fields[d.Line()].Choices; len(choices) > 0 {
		switch k.String() {
		case "left":
			d.turn(-1)
		case "right", "space":
			d.turn(1)
		}
		return
	}
	if _, changed := d.values[d.Line()].Key(k); changed {
		d.changed()
	}
}

// turn takes the next of the choices of the field.
func (d *Form) turn(by int) {
	choices := d.ask.Fields[d.Line()].Choices
	at := slices.Index(choices, d.values[d.Line()].String())
	if at < 0 && by < 0 {
		at = 0
	}
	d.values[d.Line()] = lineedit.New(choices[(at+by+len(choices))%len(choices)])
	d.changed()
}

// check tells what is wrong with the value of a field.
func (d *Form) check(i int) string {
	f := &d.ask.Fields[i]
	value := d.values[i].String()
	if len(f.Choices) > 0 && !slices.Contains(f.Choices, value) {
		return f.Label + ": choose one"
	}
	if f.Check == nil {
		return ""
	}
	if err := f.Check(value); err != nil {
		_, why := reason(err)
		return f.Label + ": " + why
	}
	return ""
}

// reason is what is wrong, and the field that it tells of, if it does.
func reason(err error) (name, why string) {
	if e, ok := errors.AsType[*field.Error](err); ok {
		return e.Field, e.Why
	}
	return "", err.Error()
}

// refuse tells why the values are not taken, beside the field that is meant.
func (d *Form) refuse(err error) {
	name, why := reason(err)
	if i := slices.IndexFunc(d.ask.Fields, func(f field.Line) bool { return f.Name == name }); i >= 0 {
		d.edit(i)
		d.err = d.ask.Fields[i].Label + ": " + why
		return
	}
	d.err = err.Error()
}

// accept takes the values, or goes to the first one that cannot be taken.
func (d *Form) accept() {
	for i := range d.values {
		if why := d.check(i); why != "" {
			d.edit(i)
			d.err = why
			return
		}
	}
	if d.ask.Done != nil {
		if err := d.ask.Done(d.answers()); err != nil {
			d.refuse(err)
			return
		}
	}
	d.forget()
	d.out.Close(d.ask.Then)
}

// emptySecret is the place of a secret that was not typed yet, -1 if there is
// none: enter goes there first, as people expect of a password.
func (d *Form) emptySecret() int {
	for i := range d.values {
		if d.ask.Fields[i].Secret && d.values[i].IsEmpty() {
			return i
		}
	}
	return -1
}

// forget wipes what was typed as a secret.
func (d *Form) forget() {
	for i := range d.values {
		if d.ask.Fields[i].Secret {
			d.values[i].Wipe()
		}
	}
}

// Paste types what was pasted.
func (d *Form) Paste(text string) {
	if i := d.Line(); i < len(d.values) && len(d.ask.Fields[i].Choices) == 0 {
		d.values[i].Paste(text)
		d.changed()
	}
}

// The rows of the mouse.
const (
	hitFormField pane.HitKind = 1 + iota
	hitFormLeft
	hitFormRight
)

// Draw draws the fields, help for the one that is edited, what the values would
// mean, and the hints. When there is little room what they mean leaves first.
func (d *Form) Draw(f pane.Frame) {
	w, h := f.Width(), f.Height()
	n := len(d.values)
	help := min(2, max(0, h-3))
	preview := 0
	if d.ask.Each != nil {
		if f.Now.Sub(d.told) >= formRetold {
			d.preview, d.told = d.ask.Each(d.answers()), f.Now
		}
		preview = max(0, min(formPreview, h-n-help-3))
	}
	page := min(n, max(1, h-help-preview-2))
	body := f.Sub(0, 0, w, page)
	from, end := d.Show(n, page)
	for i := from; i < end; i++ {
		d.drawField(body, i-from, i)
	}
	d.drawHelp(f.Sub(0, min(page+1, h-1-help), w, help))
	for y := range min(preview, len(d.preview)) {
		f.Left(0, h-2-preview+y, w, d.preview[y], themes.Text)
	}
	hints(f, h-1, "enter", "save", "tab", "next field", "esc", "cancel")
}

func (d *Form) drawHelp(f pane.Frame) {
	switch {
	case d.err != "":
		paragraph(f, d.err, themes.Critical)
	case d.Line() < len(d.ask.Fields):
		paragraph(f, d.ask.Fields[d.Line()].Help, themes.Muted)
	}
}

// drawField draws label, value and unit in line y.
func (d *Form) drawField(f pane.Frame, y, i int) {
	spec := &d.ask.Fields[i]
	labelW, unitW := d.widths(f.Width())
	isEdited := d.Is(i)
	label := themes.Muted
	if isEdited {
		label = themes.Focus.Bold()
		f.Put(0, y, f.Glyphs().Selected, label)
	}
	f.ZoneLine(y, hitFormField, i)
	f.Left(2, y, labelW, spec.Label, label)
	x := 2 + labelW + 2
	w := f.Width() - x - unitW
	if unitW > 0 {
		f.Left(f.Width()-unitW+1, y, unitW-1, spec.Unit, themes.Muted)
	}
	value := themes.Strong
	if isEdited {
		value = themes.Strong.On(themes.Selection)
	}
	shown := d.values[i]
	if spec.Secret {
		shown = shown.Masked(f.Glyphs())
	}
	switch {
	case len(spec.Choices) > 0:
		f.Fill(x, y, w, 1, ' ', value)
		f.Put(x, y, '<', themes.Accent.Bold().On(value.Background()))
		n := f.Left(x+2, y, w-4, shown.String(), value)
		f.Put(x+2+n+1, y, '>', themes.Accent.Bold().On(value.Background()))
		f.Zone(x, y, 2, 1, hitFormLeft, i)
		f.Zone(x+2, y, n+2, 1, hitFormRight, i)
	case isEdited:
		shown.Draw(f.Region, x, y, w, value)
	default:
		f.Left(x, y, w, shown.String(), value)
	}
}

// widths are those of the labels and of the units with a blank before.
func (d *Form) widths(w int) (label, unit int) {
	for i := range d.ask.Fields {
		label = max(label, canvas.Full.TextWidth(d.ask.Fields[i].Label))
		unit = max(unit, canvas.Full.TextWidth(d.ask.Fields[i].Unit))
	}
	if unit > 0 {
		unit++
	}
	label = min(label, w/3)
	return label, min(unit, max(w/5, w-label-leastValue))
}

// leastValue is what the labels and units leave to a value, with its margin.
const leastValue = 24

// Click goes to a field, turns its choices.
func (d *Form) Click(hit pane.Hit, button tea.MouseButton) {
	if button != tea.MouseLeft {
		return
	}
	switch d.edit(hit.A); hit.Kind {
	case hitFormLeft:
		d.turn(-1)
	case hitFormRight:
		d.turn(1)
	}
}

// Wheel goes to another field.
func (d *Form) Wheel(lines int) { d.edit(d.Line() + lines) }
