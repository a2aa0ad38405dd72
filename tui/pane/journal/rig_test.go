package journal

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"perfdeck/tui/canvas"
	"perfdeck/tui/keys"
	"perfdeck/tui/layout"
	"perfdeck/tui/pane"
)

var now = time.Date(2026, 3, 2, 14, 7, 32, 0, time.Local)

// rig is the screen on a journal that a test fills.
type rig struct {
	testing.TB
	desk   *pane.Desk
	screen *Screen
	canvas *canvas.Canvas
	hits   pane.Hits
	sent   []tea.Msg
	at     time.Time
}

func newRig(t testing.TB, w, h int, entries ...pane.Entry) *rig {
	r := &rig{TB: t, canvas: canvas.New(w, h, canvas.Full), at: now}
	hosts := []*pane.Host{{Name: "sql01"}, {Name: "web02"}}
	r.desk = &pane.Desk{Hosts: hosts, Now: func() time.Time { return r.at }, Journal: &pane.Journal{}}
	for _, e := range entries {
		r.desk.Journal.Add(e)
	}
	r.screen = New(r.desk)
	r.draw()
	return r
}

func (r *rig) draw() {
	r.hits.Reset()
	r.canvas.Clear(0)
	r.screen.Draw(pane.Frame{Region: r.canvas.Root(), Now: r.at, Hits: &r.hits})
}

func (r *rig) press(names ...string) {
	r.Helper()
	for _, k := range names {
		b := keys.Match(k, r.screen.Bindings())
		if b == nil {
			r.Fatalf("%s means nothing", k)
		}
		if ok, _ := b.Applies(); ok {
			r.run(b.Do())
		}
		r.draw()
	}
}

func (r *rig) run(cmd tea.Cmd) {
	if cmd != nil {
		r.sent = append(r.sent, cmd())
	}
}

func (r *rig) last() tea.Msg {
	if len(r.sent) == 0 {
		return nil
	}
	return r.sent[len(r.sent)-1]
}

func (r *rig) click(text string) {
	r.Helper()
	for y, row := range r.canvas.Rows() {
		if i := strings.Index(row, text); i >= 0 {
			hit, _ := r.hits.Get(r.canvas.Hit(utf8.RuneCountInString(row[:i]), y))
			r.run(r.screen.Click(hit, tea.MouseLeft))
			r.draw()
			return
		}
	}
	r.Fatalf("%q is not shown:\n%s", text, r.canvas)
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

// selected is the line that has the mark of the selection.
func (r *rig) selected() string {
	for _, row := range r.canvas.Rows() {
		if strings.HasPrefix(row, "►") {
			return row
		}
	}
	return ""
}

// sound checks what holds at every size: nothing is drawn outside, and nothing
// that steers a terminal.
func (r *rig) sound(w, h int, glyphs canvas.GlyphSet) {
	r.Helper()
	const mark = '\u2591'
	r.canvas.SetGlyphs(canvas.Full)
	r.canvas.Resize(w+4, h+4)
	r.canvas.Root().Fill(0, 0, w+4, h+4, mark, 0)
	r.canvas.SetGlyphs(glyphs)
	r.hits.Reset()
	f := pane.Frame{Region: r.canvas.Root(), Now: r.at, Hits: &r.hits}.At(layout.Rect{X: 2, Y: 2, W: w, H: h})
	f.Clear(0)
	r.screen.Draw(f)
	for y := range h + 4 {
		for x := range w + 4 {
			c := r.canvas.At(x, y)
			inside := x >= 2 && x < w+2 && y >= 2 && y < h+2
			switch {
			case !inside && c.Rune != mark:
				r.Fatalf("%dx%d: %q is drawn outside, at %d,%d:\n%s", w, h, c.Rune, x-2, y-2, r.canvas)
			case inside && (c.Rune != 0 && c.Rune < ' ' || c.Rune >= 0x7f && c.Rune < 0xa0 || c.Rune == mark || glyphs == canvas.ASCII && c.Rune > 0x7e):
				r.Fatalf("%dx%d: %q is drawn at %d,%d:\n%s", w, h, c.Rune, x-2, y-2, r.canvas)
			}
		}
	}
}
