package dialog

import (
	"reflect"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/layout"
	"perfdeck/tui/pane"
	"perfdeck/tui/panetest"
)

// rig is a dialog above a screen of one letter, driven by keys and the mouse and
// read back from the canvas.
type rig struct {
	panetest.Picture

	dialog pane.Dialog
	sent   []pane.Intent // what the dialog sent, without those that close it
	closed bool
	passed time.Duration // since it was opened
}

const behind = 'w'

func newRig(t testing.TB, d pane.Dialog, w, h int, glyphs canvas.GlyphSet) *rig {
	r := &rig{Picture: panetest.NewPicture(t, w, h, glyphs), dialog: d}
	r.draw()
	return r
}

func (r *rig) draw() {
	w, h := r.Canvas.Size()
	r.Canvas.Clear(0)
	root := r.Canvas.Root()
	root.Fill(0, 0, w, h, behind, 0)
	r.Hits.Reset()
	f := pane.Frame{Region: root, Now: time.Unix(0, 0).Add(r.passed), Hits: &r.Hits}
	DrawStack(f, layout.NewFrame(w, h).Body, []pane.Dialog{r.dialog})
}

// box is where the dialog is.
func (r *rig) box() layout.Rect {
	w, h := r.Canvas.Size()
	box, _ := place(w, h, layout.NewFrame(w, h).Body, r.dialog)
	return box
}

// out is where the dialogs of these tests, which run one after the other, put what
// they want.
var out = new(pane.Outbox)

// run does something and takes what is sent, as the root would.
func (r *rig) run(something func()) {
	something()
	out.Drain(func(i pane.Intent) {
		if i, ok := i.(pane.Close); ok {
			r.closed = true
			if i.Then != nil {
				i.Then()
			}
			return
		}
		r.sent = append(r.sent, i)
	})
}

func (r *rig) key(name string) { r.run(func() { r.dialog.Key(panetest.KeyPress(name)) }) }

// press presses keys by name; a name that is no key is typed.
func (r *rig) press(names ...string) {
	for _, n := range names {
		if panetest.IsKey(n) {
			r.key(n)
			continue
		}
		for _, c := range n {
			r.key(string(c))
		}
	}
	r.draw()
}

func (r *rig) paste(text string) {
	r.dialog.Paste(text)
	r.draw()
}

// click clicks on the first place that shows the text.
func (r *rig) click(text string, button tea.MouseButton) {
	r.Helper()
	x, y := r.MustFind(text)
	r.clickAt(x, y, button)
}

func (r *rig) clickAt(x, y int, button tea.MouseButton) {
	if hit, ok := r.HitAt(x, y); ok {
		r.run(func() { Click(r.dialog, hit, button) })
	}
	r.draw()
}

func (r *rig) wheel(lines int) {
	r.dialog.Wheel(lines)
	r.draw()
}

// got fails the test unless the dialog sent exactly these messages.
func (r *rig) got(want ...pane.Intent) {
	r.Helper()
	if len(r.sent) != len(want) || len(want) > 0 && !reflect.DeepEqual(r.sent, want) {
		r.Errorf("sent %+v, want %+v", r.sent, want)
	}
	r.sent = nil
}

// do sends a text.
func do(text string) func() {
	return func() { out.Send(pane.Say{Text: text}) }
}

// checkBox fails the test unless the dialog stays within its box and its frame is
// whole.
func (r *rig) checkBox() {
	r.Helper()
	box := r.box()
	w, h := r.Canvas.Size()
	g := r.Canvas.Glyphs().Glyphs()
	for y := range h {
		for x := range w {
			at := r.Canvas.At(x, y)
			isInside := x >= box.X && x < box.X+box.W && y >= box.Y && y < box.Y+box.H
			if !isInside && at.Rune != behind {
				r.Fatalf("%T at %dx%d draws %q at %d,%d outside of %+v:\n%s", r.dialog, w, h, at.Rune, x, y, box, r.Canvas)
			}
			if isInside && (at.Style.Background() == themes.Background && !isSwatch(r.dialog)) {
				r.Fatalf("%T at %dx%d leaves %d,%d uncovered:\n%s", r.dialog, w, h, x, y, r.Canvas)
			}
		}
	}
	if box.W < 2 || box.H < 2 {
		return
	}
	for y := box.Y + 1; y < box.Y+box.H-1; y++ {
		if r.Canvas.At(box.X, y).Rune != g.Vertical || r.Canvas.At(box.X+box.W-1, y).Rune != g.Vertical {
			r.Fatalf("%T at %dx%d breaks its frame in row %d:\n%s", r.dialog, w, h, y, r.Canvas)
		}
	}
	if r.Canvas.At(box.X, box.Y).Rune != g.TopLeft || r.Canvas.At(box.X+box.W-1, box.Y+box.H-1).Rune != g.BottomRight {
		r.Fatalf("%T at %dx%d breaks the corners of its frame:\n%s", r.dialog, w, h, r.Canvas)
	}
}

func isSwatch(d pane.Dialog) bool {
	_, ok := d.(*Themes)
	return ok
}
