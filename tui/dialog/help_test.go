package dialog

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/keys"
)

// helpPages are the bindings of a root and of two screens, as the mock-up of the
// help has them.
func helpPages() []HelpPage {
	root := []keys.Binding{
		{Keys: "1", Show: "1-9", Text: "screens", Section: keys.Go},
		{Keys: ": ctrl+p", Show: ": ctrl+p", Text: "find anything", Section: keys.Go},
		{Keys: "!", Text: "next alert", Section: keys.Go},
		{Keys: "? f1", Show: "? F1", Text: "this page", Section: keys.Go},
		{Keys: "q", Text: "quit", Section: keys.Go},
		{Keys: "c", Text: "chart", Section: keys.Selected},
		{Keys: "t", Text: "top: who causes it", Section: keys.Selected},
		{Keys: "w", Text: "warn me: alert", Section: keys.Selected, Why: func() string { return "no value is selected" }},
		{Keys: "p", Text: "pause", Section: keys.Time},
		{Keys: "[", Show: "[ ]", Text: "1 min back, on", Section: keys.Time},
		{Keys: "r", Text: "record", Section: keys.Time},
		{Keys: "u", Text: "undo", Section: keys.Change},
	}
	move := []keys.Binding{
		{Keys: "down j", Show: "hjkl arrows", Text: "select", Section: keys.Move},
		{Keys: "pgdown", Show: "pgup pgdn", Text: "page; ctrl+u ctrl+d", Section: keys.Move},
		{Keys: "enter", Text: "open", Section: keys.Go},
		{Keys: "esc", Text: "back, close, clear", Section: keys.Go},
	}
	deck := append([]keys.Binding{
		{Keys: "a", Text: "add here", Section: keys.Change},
		{Keys: "z", Text: "zoom a pane", Section: keys.View},
	}, move...)
	top := append([]keys.Binding{
		{Keys: "s", Text: "sort by this column; again: reverse", Section: keys.View},
		{Keys: "f", Text: "follow the selected instance", Section: keys.Selected},
	}, move...)
	return []HelpPage{{"Deck", [][]keys.Binding{deck, root}}, {"Top", [][]keys.Binding{top, root}}}
}

// The help stands as in the mock-up, in three columns with their heads.
func TestHelpIsLaidOutAsTheMockup(t *testing.T) {
	want := mockup(t, "help-100x30.txt")
	r := newRig(t, NewHelp(out, helpPages(), 0, nil), 100, 30, canvas.Full)
	got := r.Canvas.Rows()
	if title := got[r.box().Y]; strip(title) != strip(want[1]) {
		t.Errorf("title %q, want %q", title, want[1])
	}
	foot := len(got)
	for y, row := range got {
		if strings.Contains(row, "└") {
			foot = y - 1
		}
	}
	if g, w := strings.Fields(strip(got[foot])), strings.Fields(strip(want[26])); strings.Join(g, " ") != strings.Join(w, " ") {
		t.Errorf("last line %q, want %q", g, w)
	}
	heads := got[r.box().Y+2]
	for _, head := range []string{"Go", "The selected value", "Time"} {
		if !strings.Contains(heads, head) {
			t.Errorf("no %q among the heads: %q", head, heads)
		}
	}
	if !strings.HasPrefix(strip(heads), strip(want[3])[:8]) {
		t.Errorf("the first column begins elsewhere: %q", heads)
	}
	r.Shows("1-9", "find anything", "hjkl arrows select", "c   chart", "[ ]     1 min back, on", "○   ", "shift+drag: terminal selects", "other screens: ", "warn me: alert (no")
	if st := r.StyleOf("find anything"); st != themes.Text.On(themes.Surface) {
		t.Errorf("a text is %v", st.Foreground())
	}
	if st := r.StyleOf("warn me"); st != themes.Muted.On(themes.Surface) {
		t.Errorf("what does not apply is %v", st.Foreground())
	}
	if st := r.StyleOf(": ctrl+p"); st != themes.Accent.Bold().On(themes.Surface) {
		t.Errorf("a key is %v", st.Foreground())
	}
	if st := r.StyleOf("▲"); st != themes.Warning.Bold().On(themes.Surface) {
		t.Errorf("the sign of a warning is %v", st.Foreground())
	}
}

// strip is the part of a row that the dialog draws.
func strip(row string) string { return string([]rune(row)[3:97]) }

func TestHelpTurnsAndSearches(t *testing.T) {
	r := newRig(t, NewHelp(out, helpPages(), 0, nil), 100, 30, canvas.Full)
	r.Shows("other screens: f s")
	r.Hides("follow")
	r.press("tab")
	r.Shows("Help: Top", "follow the selected", "other screens: a z")
	r.press("tab")
	r.Shows("Help: Deck")
	r.press("shift+tab", "shift+tab")
	r.press("sort") // of another screen: found too
	r.Shows("Top: View", "sort by this column", "/ sort")
	r.Hides("zoom", "Signs", "Mouse")
	r.press("ctrl+u")
	r.paste("min back")
	r.Shows("1 min back")
	r.Hides("record")
	r.press("xyzzy")
	r.Shows("no key does anything with these words")
	r.press("esc") // first the search
	if r.closed {
		t.Error("esc closes while something is searched")
	}
	r.Shows("find anything")
	r.click("tab other", tea.MouseLeft)
	r.Shows("Help: Top")
	r.click("esc close", tea.MouseLeft)
	if !r.closed {
		t.Error("esc does not close")
	}
}

func TestHelpShowsTheUsersKeys(t *testing.T) {
	m, errs := keys.NewMap(map[string][]string{"chart": {"Z"}, "record": {}, "down": {"n", "down"}, "next-match": {}})
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	r := newRig(t, NewHelp(out, helpPages(), 0, m), 100, 30, canvas.Full)
	r.Shows("Z   chart", "h n k l arrows")
	r.Hides("record  ")
}

// Every line can be reached however small the screen is.
func TestHelpScrolls(t *testing.T) {
	for _, size := range [][2]int{{40, 12}, {60, 16}, {80, 24}} {
		r := newRig(t, NewHelp(out, helpPages(), 0, nil), size[0], size[1], canvas.ASCII)
		seen := ""
		for range 60 {
			seen += r.Canvas.String()
			r.press("down")
		}
		for _, text := range []string{"find anything", "select", "chart", "1 min back", "zoom a pane", "recording", "nothing to", "shift+drag"} {
			if !strings.Contains(seen, text) {
				t.Errorf("%v: %q cannot be reached", size, text)
			}
		}
		last := r.Canvas.String()
		r.wheel(100)
		if r.Canvas.String() != last {
			t.Errorf("%v: scrolled beyond the end", size)
		}
		r.press("pgup", "pgup", "pgup", "pgup", "pgup", "pgup", "pgup", "pgup")
		r.Shows("find anything")
	}
}

func BenchmarkHelp(b *testing.B) {
	var pages []HelpPage
	for range 9 {
		var all []keys.Binding
		for _, a := range keys.Actions() {
			all = append(all, keys.Binding{Keys: a.Keys, Text: a.Text, Section: a.Section})
		}
		pages = append(pages, HelpPage{"Screen", [][]keys.Binding{all}})
	}
	r := newRig(b, NewHelp(out, pages, 0, nil), 100, 30, canvas.Full)
	b.ReportAllocs()
	for b.Loop() {
		r.draw()
	}
}
