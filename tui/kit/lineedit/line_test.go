package lineedit

import (
	"math/rand/v2"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"perfdeck/themes"
	"perfdeck/tui/canvas"
)

func press(code rune, text string, mod tea.KeyMod) tea.KeyPressMsg {
	return tea.KeyPressMsg{Code: code, Text: text, Mod: mod}
}

func typed(text string) (keys []tea.KeyPressMsg) {
	for _, r := range text {
		keys = append(keys, press(r, string(r), 0))
	}
	return keys
}

func TestLineEdits(t *testing.T) {
	left, home, end := press(tea.KeyLeft, "", 0), press(tea.KeyHome, "", 0), press(tea.KeyEnd, "", 0)
	backspace, del := press(tea.KeyBackspace, "", 0), press(tea.KeyDelete, "", 0)
	word, line := press('w', "", tea.ModCtrl), press('u', "", tea.ModCtrl)
	for _, test := range []struct {
		start string
		keys  []tea.KeyPressMsg
		want  string
	}{
		{"", typed("añ広"), "añ広"},
		{"old", typed("new"), "new"},
		{"abc", []tea.KeyPressMsg{left, backspace}, "ac"},
		{"abc", []tea.KeyPressMsg{home, backspace, del, del, del, del}, ""},
		{"abc", []tea.KeyPressMsg{home, end, left, del, del}, "ab"},
		{"one two  ", []tea.KeyPressMsg{word}, "one "},
		{"one", []tea.KeyPressMsg{word, word}, ""},
		{"one two", []tea.KeyPressMsg{left, left, line}, "wo"},
		{"广広", []tea.KeyPressMsg{left, left, left, left, del}, "広"},
	} {
		f := New(test.start)
		for _, k := range test.keys {
			f.Key(k)
		}
		if f.String() != test.want {
			t.Errorf("%q and %v give %q, want %q", test.start, test.keys, f.String(), test.want)
		}
	}
}

// What is pasted may be anything: no control gets in, and length is bounded.
func TestLineTakesNoControls(t *testing.T) {
	f := New("")
	f.Insert("a\x1b[31m\nb\x00\x7f\u202e\xffc" + strings.Repeat("x", 3*mostRunes))
	if !strings.HasPrefix(f.String(), "a[31mbc") || strings.ContainsAny(f.String(), "\x1b\n\x00\x7f\u202e") {
		t.Errorf("took %q", f.String()[:20])
	}
	if len(f.text) > mostRunes {
		t.Errorf("took %d runes", len(f.text))
	}
}

// Whatever is typed, in whatever width, the cursor is in the line and nothing
// is drawn beside it.
func TestLineDraws(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	runes := []rune("ab 広本é")
	for range 5000 {
		f := New("")
		for range random.IntN(30) {
			f.Insert(string(runes[random.IntN(len(runes))]))
		}
		f.cursor = random.IntN(len(f.text) + 1)
		w := random.IntN(20)
		c := canvas.New(30, 1, canvas.Full)
		c.Root().Fill(0, 0, 30, 1, '#', 0)
		f.Draw(c.Root(), 5, 0, w, themes.Text)
		cursors := 0
		for x := range 30 {
			at := c.At(x, 0)
			if (x < 5 || x >= 5+w) && at.Rune != '#' {
				t.Fatalf("%q in %d cells draws %q", f.String(), w, c.String())
			}
			if at.Style == themes.Text.Reverse() {
				cursors++
			}
		}
		if w > 1 && cursors == 0 {
			t.Fatalf("%q in %d cells, cursor at %d, draws none: %q", f.String(), w, f.cursor, c.String())
		}
	}
}

// A secret leaves nothing behind, and is never drawn.
func TestSecret(t *testing.T) {
	var l Line
	l.Insert("hunter2")
	if shown := l.Masked(canvas.Full.Glyphs()); strings.ContainsAny(shown.String(), "hunter2") || len(shown.text) != len("hunter2") {
		t.Errorf("it is shown as %q", shown.String())
	}
	text := l.text[:cap(l.text)]
	l.Wipe()
	for _, r := range text {
		if r != 0 {
			t.Fatalf("%q is left", string(text))
		}
	}
	if !l.IsEmpty() {
		t.Error("something is typed")
	}
}
