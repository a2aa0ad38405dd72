package dialog

import (
	"slices"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"perfdeck/themes"
	"perfdeck/tui/kit/lineedit"
	"perfdeck/tui/kit/list"
	"perfdeck/tui/layout"
	"perfdeck/tui/pane"
)

// A dialog takes the whole screen under this size.
const (
	leastWidth  = 60
	leastHeight = 16
)

// framed is a dialog that draws up to its frame; others get a margin.
type framed interface{ DrawsToFrame() }

// positioned is a dialog whose rows scroll: it tells which are in view.
type positioned interface{ Position() string }

// searched is part of a dialog that lists what is found of what is typed.
type searched struct {
	pane.PlainList

	field   lineedit.Line
	changed func() // something was typed
}

// typed types a key, or moves as it does.
func (s *searched) typed(k tea.KeyPressMsg) {
	if m, ok := list.WhileTyping(k.String()); ok {
		s.Move(s.Lines(m))
	} else if _, changed := s.field.Key(k); changed {
		s.changed()
	}
}

// Paste types what was pasted.
func (s *searched) Paste(text string) {
	s.field.Paste(text)
	s.changed()
}

// found shows the first of count rows.
func (s *searched) found(count int) {
	s.Restart()
	s.Resize(count)
}

// view is part of a dialog with a text that scrolls.
type view struct{ list.View }

// Wheel scrolls.
func (v *view) Wheel(lines int) { v.Scroll(lines) }

// prompt is a dialog about what stands on the screen: a line in the place of the hints, so
// that all of that stays in view.
type prompt interface {
	IsPrompt() bool
	// DrawPrompt draws it at the bottom of the whole screen.
	DrawPrompt(f pane.Frame)
}

// DrawStack draws dialogs above the screen, which fades below boxes but for slow lines: f is the whole
// screen, body what lies between its header and its hints. Only the topmost one can be hit.
func DrawStack(f pane.Frame, body layout.Rect, dialogs []pane.Dialog) {
	faded := false
	for _, d := range dialogs {
		line, isPrompt := d.(prompt)
		isPrompt = isPrompt && line.IsPrompt()
		if !isPrompt && !faded && !f.Wipe {
			f.Restyle(0, 0, f.Width(), f.Height(), themes.Rule)
			faded = true
		}
		if f.Hits != nil {
			f.Hits.Reset()
		}
		f.Region.Zone(0) // nothing below the dialog can be hit
		if isPrompt {
			line.DrawPrompt(f.On(themes.Surface))
		} else {
			drawBox(f, body, d)
		}
	}
}

// place is where a dialog stands: a little above the middle, or everywhere on a
// small screen.
func place(w, h int, body layout.Rect, d pane.Dialog) (box layout.Rect, isFull bool) {
	if w < leastWidth || h < leastHeight {
		return layout.Rect{W: w, H: h}, true
	}
	dw, dh := d.Size()
	dw, dh = min(dw, body.W), min(dh, body.H)
	return layout.Rect{X: body.X + (body.W-dw)/2, Y: body.Y + (body.H-dh)/3, W: dw, H: dh}, false
}

// drawBox draws one dialog in its frame.
func drawBox(f pane.Frame, body layout.Rect, d pane.Dialog) {
	box, isFull := place(f.Width(), f.Height(), body, d)
	_, toFrame := d.(framed)
	inner := layout.Rect{X: box.X + 1, Y: box.Y + 1, W: max(0, box.W-2), H: max(0, box.H-2)}
	switch {
	case toFrame:
	case isFull && box.W >= layout.MinWidth:
		inner.X, inner.W = box.X+2, box.W-4
	case !isFull:
		inner = layout.Rect{X: box.X + 3, Y: box.Y + 2, W: max(0, box.W-6), H: max(0, box.H-3)}
	}
	f = f.On(themes.Surface)
	drawFrame(f.At(box), d.Title())
	d.Draw(f.At(inner))
	if p, ok := d.(positioned); ok {
		drawPosition(f.At(box), p.Position())
	}
}

// drawPosition tells in the frame of a dialog which of its rows are in view.
func drawPosition(f pane.Frame, text string) {
	if w := len(text) + 2; text != "" && w+4 <= f.Width() {
		f.Text(f.Width()-2-w, f.Height()-1, " "+text+" ", themes.Muted)
	}
}

// drawFrame draws the frame of a dialog and blanks what is inside.
func drawFrame(f pane.Frame, title string) {
	g := f.Glyphs()
	st := themes.Accent
	w, h := f.Width(), f.Height()
	f.Clear(themes.Text)
	f.Repeat(1, 0, w-2, g.Rule, st)
	f.Repeat(1, h-1, w-2, g.Rule, st)
	f.Fill(0, 1, 1, h-2, g.Vertical, st)
	f.Fill(w-1, 1, 1, h-2, g.Vertical, st)
	f.Put(0, 0, g.TopLeft, st)
	f.Put(w-1, 0, g.TopRight, st)
	f.Put(0, h-1, g.BottomLeft, st)
	f.Put(w-1, h-1, g.BottomRight, st)
	if w < 8 {
		return
	}
	n := f.Left(3, 0, w-6, title, themes.Focus.Bold())
	f.Put(2, 0, ' ', st)
	f.Put(3+n, 0, ' ', st)
}

// hitHint is a hint in the last line of a dialog: clicking it presses its key.
// Dialogs number their own kinds from 1.
const hitHint pane.HitKind = 100

// hintKeys are the keys that can be pressed by clicking their hint.
var hintKeys = []struct {
	name string
	key  tea.Key
}{
	{"enter", tea.Key{Code: tea.KeyEnter}},
	{"esc", tea.Key{Code: tea.KeyEscape}},
	{"tab", tea.Key{Code: tea.KeyTab}},
}

// hints draws pairs of key and meaning in line y. What does not fit leaves from the right, the
// last pair, which leads out, at the end.
func hints(f pane.Frame, y int, pairs ...string) {
	for len(pairs) > 2 && hintsWidth(pairs) > f.Width() {
		pairs = append(slices.Clone(pairs[:len(pairs)-4]), pairs[len(pairs)-2:]...)
	}
	x := 0
	for i := 0; i+1 < len(pairs); i += 2 {
		w := f.DrawHint(x, y, pairs[i], pairs[i+1])
		for k := range hintKeys {
			if hintKeys[k].name == pairs[i] {
				f.Zone(x, y, w, 1, hitHint, k)
			}
		}
		x += w + 2
	}
}

// hintsWidth is the cells that hints take.
func hintsWidth(pairs []string) int {
	w := -2
	for i := 0; i+1 < len(pairs); i += 2 {
		w += utf8.RuneCountInString(pairs[i]) + 1 + utf8.RuneCountInString(pairs[i+1]) + 2
	}
	return w
}

// Click tells a dialog of a button of the mouse; on a hint that presses its key.
func Click(d pane.Dialog, hit pane.Hit, button tea.MouseButton) {
	switch {
	case hit.Kind != hitHint:
		d.Click(hit, button)
	case button == tea.MouseLeft:
		d.Key(tea.KeyPressMsg(hintKeys[hit.A].key))
	}
}
