package dialog

import (
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/layout"
	"perfdeck/tui/pane"
)

// rig is a dialog above a screen of one letter, driven by keys and the mouse and
// read back from the canvas.
type rig struct {
	testing.TB
	canvas *canvas.Canvas
	hits   pane.Hits
	dialog pane.Dialog
	sent   []tea.Msg // what the dialog sent, without those that close it
	closed bool
}

const behind = 'w'

func newRig(t testing.TB, d pane.Dialog, w, h int, glyphs canvas.GlyphSet) *rig {
	r := &rig{TB: t, dialog: d, canvas: canvas.New(w, h, glyphs)}
	r.draw()
	return r
}

func (r *rig) draw() {
	w, h := r.canvas.Size()
	r.canvas.Clear(0)
	root := r.canvas.Root()
	root.Fill(0, 0, w, h, behind, 0)
	r.hits.Reset()
	f := pane.Frame{Region: root, Now: time.Unix(0, 0), Hits: &r.hits}
	DrawStack(f, layout.NewFrame(w, h).Body, []pane.Dialog{r.dialog})
}

// box is where the dialog is.
func (r *rig) box() layout.Rect {
	w, h := r.canvas.Size()
	box, _ := place(w, h, layout.NewFrame(w, h).Body, r.dialog)
	return box
}

// run takes what a command sends, as the root would.
func (r *rig) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case nil:
	case tea.BatchMsg:
		for _, c := range msg {
			r.run(c)
		}
	case pane.Close:
		r.closed = true
	case pane.CloseThen:
		r.closed = true
		r.run(msg.Then())
	default:
		r.sent = append(r.sent, msg)
	}
}

var keyCodes = map[string]tea.Key{
	"enter": {Code: tea.KeyEnter}, "esc": {Code: tea.KeyEscape}, "tab": {Code: tea.KeyTab},
	"shift+tab": {Code: tea.KeyTab, Mod: tea.ModShift}, "space": {Code: tea.KeySpace, Text: " "},
	"up": {Code: tea.KeyUp}, "down": {Code: tea.KeyDown}, "left": {Code: tea.KeyLeft}, "right": {Code: tea.KeyRight},
	"home": {Code: tea.KeyHome}, "end": {Code: tea.KeyEnd}, "pgup": {Code: tea.KeyPgUp}, "pgdown": {Code: tea.KeyPgDown},
	"backspace": {Code: tea.KeyBackspace}, "delete": {Code: tea.KeyDelete}, "f1": {Code: tea.KeyF1},
}

// press presses keys by name; a name that is no key is typed.
func (r *rig) press(names ...string) {
	for _, n := range names {
		if k, ok := keyCodes[n]; ok {
			r.run(r.dialog.Key(tea.KeyPressMsg(k)))
		} else if rest, ok := strings.CutPrefix(n, "ctrl+"); ok {
			r.run(r.dialog.Key(tea.KeyPressMsg{Code: rune(rest[0]), Mod: tea.ModCtrl}))
		} else {
			for _, c := range n {
				r.run(r.dialog.Key(tea.KeyPressMsg{Code: c, Text: string(c)}))
			}
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
	for y, row := range r.canvas.Rows() {
		if i := strings.Index(row, text); i >= 0 {
			r.clickAt(utf8.RuneCountInString(row[:i]), y, button)
			return
		}
	}
	r.Fatalf("nothing to click on: %q is not shown:\n%s", text, r.canvas)
}

func (r *rig) clickAt(x, y int, button tea.MouseButton) {
	if hit, ok := r.hits.Get(r.canvas.Hit(x, y)); ok {
		r.run(r.dialog.Click(hit, button))
	}
	r.draw()
}

func (r *rig) wheel(lines int) {
	r.dialog.Wheel(lines)
	r.draw()
}

func (r *rig) shows(texts ...string) {
	r.Helper()
	for _, text := range texts {
		if !strings.Contains(r.canvas.String(), text) {
			r.Errorf("%q is not shown:\n%s", text, r.canvas)
		}
	}
}

func (r *rig) hides(texts ...string) {
	r.Helper()
	for _, text := range texts {
		if strings.Contains(r.canvas.String(), text) {
			r.Errorf("%q is shown:\n%s", text, r.canvas)
		}
	}
}

// selected is the row with the mark of the selection, from the mark on.
func (r *rig) selected() string {
	mark := string(r.canvas.Glyphs().Glyphs().Selected)
	for _, row := range r.canvas.Rows() {
		if i := strings.Index(row, mark); i >= 0 {
			return row[i:]
		}
	}
	return ""
}

// got fails the test unless the dialog sent exactly these messages.
func (r *rig) got(want ...tea.Msg) {
	r.Helper()
	if len(r.sent) != len(want) || len(want) > 0 && !reflect.DeepEqual(r.sent, want) {
		r.Errorf("sent %+v, want %+v", r.sent, want)
	}
	r.sent = nil
}

// styleOf is the style of the first place that shows the text.
func (r *rig) styleOf(text string) themes.Style {
	r.Helper()
	for y, row := range r.canvas.Rows() {
		if i := strings.Index(row, text); i >= 0 {
			return r.canvas.At(utf8.RuneCountInString(row[:i]), y).Style
		}
	}
	r.Fatalf("%q is not shown:\n%s", text, r.canvas)
	return 0
}

// do is a command that sends a text.
func do(text string) func() tea.Cmd {
	return func() tea.Cmd { return pane.Send(pane.Say{Text: text}) }
}

// checkBox fails the test unless the dialog stays within its box and its frame is
// whole.
func (r *rig) checkBox() {
	r.Helper()
	box := r.box()
	w, h := r.canvas.Size()
	g := r.canvas.Glyphs().Glyphs()
	for y := range h {
		for x := range w {
			at := r.canvas.At(x, y)
			isInside := x >= box.X && x < box.X+box.W && y >= box.Y && y < box.Y+box.H
			if !isInside && at.Rune != behind {
				r.Fatalf("%T at %dx%d draws %q at %d,%d outside of %+v:\n%s", r.dialog, w, h, at.Rune, x, y, box, r.canvas)
			}
			if isInside && (at.Style.Background() == themes.Background && !isSwatch(r.dialog)) {
				r.Fatalf("%T at %dx%d leaves %d,%d uncovered:\n%s", r.dialog, w, h, x, y, r.canvas)
			}
		}
	}
	if box.W < 2 || box.H < 2 {
		return
	}
	for y := box.Y + 1; y < box.Y+box.H-1; y++ {
		if r.canvas.At(box.X, y).Rune != g.Vertical || r.canvas.At(box.X+box.W-1, y).Rune != g.Vertical {
			r.Fatalf("%T at %dx%d breaks its frame in row %d:\n%s", r.dialog, w, h, y, r.canvas)
		}
	}
	if r.canvas.At(box.X, box.Y).Rune != g.TopLeft || r.canvas.At(box.X+box.W-1, box.Y+box.H-1).Rune != g.BottomRight {
		r.Fatalf("%T at %dx%d breaks the corners of its frame:\n%s", r.dialog, w, h, r.canvas)
	}
}

func isSwatch(d pane.Dialog) bool {
	_, ok := d.(*Themes)
	return ok
}
