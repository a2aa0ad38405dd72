package panetest

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"perfdeck/tui/canvas"
	"perfdeck/tui/keys"
	"perfdeck/tui/pane"
)

// tracer sees a check fail, which ends the check only.
type tracer struct{ testing.TB }

type failed struct{}

func (tracer) Helper()               {}
func (tracer) Fatal(...any)          { panic(failed{}) }
func (tracer) Fatalf(string, ...any) { panic(failed{}) }

func fails(check func()) (failure bool) {
	defer func() { _, failure = recover().(failed) }()
	check()
	return false
}

// What is drawn outside, or may not be shown, does not get through.
func TestSound(t *testing.T) {
	for _, c := range []struct {
		name   string
		glyphs canvas.GlyphSet
		draw   func(p *Picture, within canvas.Region)
		fails  bool
	}{
		{"a text", canvas.ASCII, func(_ *Picture, r canvas.Region) { r.Text(0, 0, "plain", 0) }, false},
		{"beyond the edge", canvas.Full, func(_ *Picture, r canvas.Region) { r.Text(0, 0, "cut at the edge", 0) }, false},
		{"outside", canvas.Full, func(p *Picture, _ canvas.Region) { p.Canvas.Root().Text(0, 0, "x", 0) }, true},
		{"braille on a console", canvas.Console, func(p *Picture, r canvas.Region) {
			p.Canvas.SetGlyphs(canvas.Full)
			r.Text(0, 0, "⣿", 0)
			p.Canvas.SetGlyphs(canvas.Console)
		}, true},
		{"no ASCII", canvas.ASCII, func(p *Picture, r canvas.Region) {
			p.Canvas.SetGlyphs(canvas.Full)
			r.Text(0, 0, "é", 0)
			p.Canvas.SetGlyphs(canvas.ASCII)
		}, true},
	} {
		p := NewPicture(tracer{t}, 1, 1, canvas.Full)
		if got := fails(func() { p.Sound(9, 3, c.glyphs, func(r canvas.Region) { c.draw(&p, r) }) }); got != c.fails {
			t.Errorf("%s fails: %v, want %v", c.name, got, c.fails)
		}
	}
	for _, c := range []rune{0x1b, 0x7f, 0x9b, 0x200b, 0x2028, 0x202e, 0x2066} {
		if p := NewPicture(t, 1, 1, canvas.Full); p.mayShow(c) {
			t.Errorf("%U may be shown", c)
		}
	}
}

// Keys have the names under which they are bound.
func TestKeyPress(t *testing.T) {
	names := []string{"shift+tab", "ctrl+k", "G", "?", "広", "f1"}
	for name := range named {
		names = append(names, name)
	}
	for _, name := range names {
		if got := KeyPress(name).String(); got != name || !IsKey(name) {
			t.Errorf("%s is pressed as %s", name, got)
		}
	}
	if IsKey("text") {
		t.Error("a text is taken for a key")
	}
	if k := KeyPress("space"); k.Text != " " || len(Typed("a b")) != 3 || Typed("a b")[1] != k {
		t.Errorf("space is %#v, typed %#v", k, Typed("a b"))
	}
}

// clicked is a screen with one place to hit, and one key that does not apply.
type clicked struct {
	pane.Screen

	desk *pane.Desk
	hits []pane.Hit
}

func (s *clicked) Bindings() []keys.Binding {
	return []keys.Binding{{Keys: "x", Text: "nothing", Why: func() string { return "never" }}}
}

func (s *clicked) Draw(f pane.Frame) {
	f.Text(3, 1, "here", 0)
	f.Zone(3, 1, 4, 1, 7)
}

func (s *clicked) Click(hit pane.Hit, _ tea.MouseButton) {
	s.hits = append(s.hits, hit)
	s.desk.Send(pane.Say{Text: "hit"})
	s.desk.Send(pane.MoveTo{At: Start})
}

// A click hits what is drawn there, and what the screen sends is kept and done.
func TestRig(t *testing.T) {
	r := New(tracer{t}, Options{})
	s := &clicked{desk: r.Desk}
	r.Show(s)
	r.Draw()
	r.Click("here")
	r.ClickAt(0, 0)
	if len(s.hits) != 2 || s.hits[0].Kind != 7 || s.hits[1].Kind != 0 {
		t.Errorf("clicks hit %v", s.hits)
	}
	if len(r.Sent) != 4 || !r.Desk.At.Equal(Start) {
		t.Errorf("sent %v, at %v", r.Sent, r.Desk.At)
	}
	r.Press("x")
	if r.Said() != "never" {
		t.Errorf("a key that does not apply says %q", r.Said())
	}
	if !fails(func() { r.Press("y") }) || !fails(func() { r.Click("elsewhere") }) || !fails(r.Undo) {
		t.Error("a key without a meaning, a text that is not shown or an undo of nothing passes")
	}
}
