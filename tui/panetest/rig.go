package panetest

import (
	"cmp"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"perfdeck/session/clocktest"
	"perfdeck/tui/canvas"
	"perfdeck/tui/keys"
	"perfdeck/tui/layout"
	"perfdeck/tui/pane"
)

// Start is when the clock of a rig begins, unless a test says otherwise.
var Start = time.Date(2026, 3, 2, 14, 7, 32, 0, time.UTC)

// Options say what a rig is.
type Options struct {
	W, H   int           // of the canvas; 0: 120 and 34
	Start  time.Time     // zero: Start
	Settle func()        // of the clock; nil: nobody sleeps on it
	Span   time.Duration // that charts show
}

// Rig is a screen, with the desk and the clock of the test. It does for the
// screen what the root does.
type Rig struct {
	Picture

	Clock *clocktest.Clock
	Desk  *pane.Desk
	Sent  []pane.Intent // by the screen, newest last
	Undos []func()      // how what it did is taken back, newest last

	screen pane.Screen
	asked  map[*pane.Host]bool
}

// New makes the desk of a rig. Show gives it the screen.
func New(t testing.TB, o Options) *Rig {
	if o.Settle == nil {
		o.Settle = func() {}
	}
	if o.Start.IsZero() {
		o.Start = Start
	}
	r := &Rig{
		Picture: NewPicture(t, cmp.Or(o.W, 120), cmp.Or(o.H, 34), canvas.Full),
		Clock:   clocktest.New(o.Start, o.Settle), asked: map[*pane.Host]bool{},
	}
	r.Desk = &pane.Desk{Now: func() time.Time { return r.Clock.Now().Wall }, Journal: &pane.Journal{}, Span: o.Span}
	return r
}

// Show sets the screen.
func (r *Rig) Show(s pane.Screen) { r.screen = s }

// Draw draws the screen anew.
func (r *Rig) Draw() {
	r.Hits.Reset()
	r.Canvas.Clear(0)
	r.screen.Draw(pane.Frame{Region: r.Canvas.Root(), Now: r.Desk.Now(), Hits: &r.Hits})
}

// Resize draws the screen at another size.
func (r *Rig) Resize(w, h int) {
	r.Canvas.Resize(w, h)
	r.Draw()
}

// Sound draws the screen at a size and checks what holds at all of them.
func (r *Rig) Sound(w, h int, glyphs canvas.GlyphSet) {
	r.Helper()
	r.Picture.Sound(w, h, glyphs, func(g canvas.Region) {
		r.screen.Draw(pane.Frame{Region: g, Now: r.Desk.Now(), Hits: &r.Hits})
	})
}

// Press presses keys by name, each of which must mean something, and draws after
// each.
func (r *Rig) Press(names ...string) {
	r.Helper()
	for _, name := range names {
		if !r.Key(KeyPress(name)) {
			r.Fatalf("%s means nothing", name)
		}
		r.Draw()
	}
}

// Write types a text into what takes keys of itself.
func (r *Rig) Write(text string) {
	for _, k := range Typed(text) {
		r.Key(k)
	}
	r.Draw()
}

// Key hands over a key as the root does, and tells whether it means something. A
// key that does not apply says why.
func (r *Rig) Key(k tea.KeyPressMsg) bool {
	r.Helper()
	if s, ok := r.screen.(pane.Keeper); ok {
		took := false
		r.Run(func() { took = s.HandleKey(k) })
		if took {
			return true
		}
	}
	b := keys.Match(k.String(), r.screen.Bindings())
	if b == nil {
		return false
	}
	if ok, why := b.Applies(); ok {
		r.Run(b.Do)
	} else {
		r.Sent = append(r.Sent, pane.Say{Text: why})
	}
	return true
}

// Run does something, keeps what the screen sends then, and does what of that
// concerns the desk and its hosts: all before the next key, as the root does.
func (r *Rig) Run(something func()) {
	something()
	r.Desk.Drain(r.do)
}

func (r *Rig) do(i pane.Intent) {
	switch i := i.(type) {
	case pane.Reask:
		for _, h := range r.Desk.Hosts {
			r.ask(h)
		}
		return
	case pane.MoveTo:
		r.Desk.At = i.At
	case pane.SelectSpan:
		r.Desk.Selected = i.Span
	case pane.Did:
		r.Undos = append(r.Undos, i.Undo)
	}
	r.Sent = append(r.Sent, i)
}

// Undo takes the last change back.
func (r *Rig) Undo() {
	r.Helper()
	n := len(r.Undos) - 1
	if n < 0 {
		r.Fatal("nothing was changed")
	}
	last := r.Undos[n]
	r.Undos = r.Undos[:n]
	r.Run(last)
	r.Clock.Advance(0)
	r.Draw()
}

// Last is the intent that was sent last, nil before the first.
func (r *Rig) Last() pane.Intent {
	if len(r.Sent) == 0 {
		return nil
	}
	return r.Sent[len(r.Sent)-1]
}

// Said is what the last message says on the line of hints.
func (r *Rig) Said() string {
	switch m := r.Last().(type) {
	case pane.Say:
		return m.Text
	case pane.Did:
		return m.Text
	}
	return ""
}

// Pick chooses the item with a text from the menu that was opened last.
func (r *Rig) Pick(text string) {
	r.Helper()
	menu, ok := r.Last().(pane.OpenMenu)
	if !ok {
		r.Fatalf("no menu is open, but %#v", r.Last())
	}
	for _, it := range menu.Items {
		if strings.Contains(it.Text, text) {
			r.Run(it.Do)
			r.Clock.Advance(0)
			r.Draw()
			return
		}
	}
	r.Fatalf("no %q in %v", text, menu.Items)
}

// Click clicks on the first place that shows the text.
func (r *Rig) Click(text string) {
	r.Helper()
	x, y := r.MustFind(text)
	r.ClickAt(x, y)
}

// ClickAt clicks on a cell: on nothing, where nothing lies.
func (r *Rig) ClickAt(x, y int) {
	hit, _ := r.HitAt(x, y)
	r.Run(func() { r.screen.Click(hit, tea.MouseLeft) })
	r.Draw()
}

// Drag drags from one cell to another of its row, with a stop between.
func (r *Rig) Drag(x0, x1, y int) {
	r.Helper()
	s, ok := r.screen.(pane.Dragger)
	if !ok {
		r.Fatalf("nothing is dragged on %T", r.screen)
	}
	from, _ := r.HitAt(x0, y)
	r.Run(func() { r.screen.Click(from, tea.MouseLeft) })
	r.Run(func() { s.Drag(from, (x0+x1)/2, y, false) })
	r.Draw()
	r.Run(func() { s.Drag(from, x1, y, true) })
	r.Draw()
}

// Part is the text within a rectangle, without the spaces at the ends of rows.
func (r *Rig) Part(part layout.Rect) string {
	var out []string
	for _, row := range r.Canvas.Rows()[part.Y : part.Y+part.H] {
		runes := []rune(row)
		out = append(out, strings.TrimRight(string(runes[part.X:min(len(runes), part.X+part.W)]), " "))
	}
	return strings.Join(out, "\n")
}

// Conflicts lists keys that mean two things in one map.
func Conflicts(bindings []keys.Binding) []string {
	seen, out := map[string]string{}, []string(nil)
	for i := range bindings {
		for _, k := range bindings[i].Keys.All() {
			if other, dup := seen[k]; dup {
				out = append(out, k+": "+other+", "+bindings[i].Text)
			}
			seen[k] = bindings[i].Text
		}
	}
	return out
}

// Foreign lists the keys of bindings that no action of the table has: nobody
// could give them another key. Those of fixed bindings are meant so.
func Foreign(bindings []keys.Binding) (out []string) {
	for i := range bindings {
		if bindings[i].Fixed {
			continue
		}
		for _, k := range bindings[i].Keys.All() {
			if keys.ActionOf(k) == nil && keys.WhyReserved(k) == "" {
				out = append(out, k)
			}
		}
	}
	return out
}
