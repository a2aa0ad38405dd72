package dialog

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"perfdeck/session/text/field"
	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/keys"
	"perfdeck/tui/pane"
	"perfdeck/tui/search"
)

// hostile is text that steers terminals, reorders, is wide, long, broken or
// nothing.
var hostile = []string{
	"", "\x1b[2J\x1b]0;owned\x07", "\u202e\u2066abc\u2028", "広本広本広本広本広本広本広本広本", "e\u0301\u0301\u0301",
	"\xff\xfe\x80", strings.Repeat("wide and long ", 60), strings.Repeat("x", 500), "a\nb\tc\rd", "\u009b31m", "👩‍👩‍👧‍👦 family",
}

func hostileText(random *rand.Rand) string { return hostile[random.IntN(len(hostile))] }

// everyDialog makes each dialog, with texts of a kind: nothing, normal, hostile
// and huge.
func everyDialog(text func() string, n int) map[string]func() pane.Dialog {
	var items []pane.MenuItem
	var entries []Entry
	var fields []field.Line
	var names []search.Entry
	var infos []themes.Info
	for i := range n {
		it := pane.MenuItem{Text: text(), Key: []string{"", "c", "ctrl+k", "hjkl arrows"}[i%4], Do: do("x")}
		if i%3 == 1 {
			it.Why = text() + "."
		}
		items = append(items, it)
		entries = append(entries, Entry{Text: it.Text, Detail: text(), Key: it.Key, Why: it.Why, Does: "do it", Do: it.Do, Other: func() []pane.MenuItem { return items }})
		field := field.Line{Label: text(), Value: text(), Unit: text(), Help: text()}
		if i%4 == 2 {
			field.Choices = []string{text(), text(), "c"}
		}
		fields = append(fields, field)
		names = append(names, search.Entry{Name: text(), Of: text(), Text: text()})
		infos = append(infos, themes.Info{Name: text(), Theme: &themes.Theme{About: text()}})
		if i%3 == 2 {
			infos[i] = themes.Info{Name: text(), Err: &themes.FileError{File: text(), Reason: text() + "!"}}
		}
	}
	reads := 0
	bound := func() (out []keys.Binding) {
		for i := range n {
			a := keys.Actions()[i%len(keys.Actions())]
			why := text()
			out = append(out, keys.Binding{Keys: a.Keys, Text: a.Text + " " + strconv.Itoa(i), Section: a.Section, Why: func() string { return why }})
		}
		return out
	}
	return map[string]func() pane.Dialog{
		"menu":    func() pane.Dialog { return NewMenu(out, pane.OpenMenu{Title: text(), Items: items}, nil) },
		"confirm": func() pane.Dialog { return NewConfirm(out, pane.Confirm{Title: text(), Text: text(), Yes: text()}) },
		"text":    func() pane.Dialog { return NewText(out, pane.AskText{Title: text(), Text: text(), Help: text()}) },
		"form": func() pane.Dialog {
			return NewForm(out, pane.AskForm{Title: text(), Fields: fields, Each: func(field.Answers) []string { return []string{text(), text()} }})
		},
		"themes": func() pane.Dialog { return NewThemes(out, infos, "x") },
		"help": func() pane.Dialog {
			return NewHelp(out, []HelpPage{{text(), [][]keys.Binding{bound()}}, {"b", nil}}, 0, nil)
		},
		"no help": func() pane.Dialog {
			return NewHelp(out, []HelpPage{{}}, 0, nil)
		},
		"palette": func() pane.Dialog {
			return NewFinder(func() []Source {
				return []Source{SourceOf(Actions, entries), counters(text(), 1, &reads, names...)}
			}).Open(out, nil)
		},
	}
}

// Every dialog at every size, in steps, with every glyph set: nothing outside its
// box, its frame whole, no panic; whatever keys, pastes and clicks it gets.
func TestSweep(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	kinds := map[string]struct {
		text func() string
		n    int
	}{
		"empty":   {func() string { return "" }, 0},
		"normal":  {func() string { return "Available MBytes" }, 7},
		"hostile": {func() string { return hostileText(random) }, 12},
		"huge": {func() string {
			return "Counter " + strconv.Itoa(random.IntN(1e6)) + strings.Repeat(" words", random.IntN(9))
		}, 200},
	}
	for kind, k := range kinds {
		t.Run(kind, func(t *testing.T) {
			for name, open := range everyDialog(k.text, k.n) {
				t.Run(name, func(t *testing.T) { sweep(t, open(), random) })
			}
		})
	}
}

func sweep(t *testing.T, d pane.Dialog, random *rand.Rand) {
	sizes := [][2]int{{40, 12}, {59, 16}, {60, 15}, {60, 16}, {80, 24}, {300, 100}}
	for w := 1; w <= 300; w += 1 + w/3 {
		for h := 1; h <= 100; h += 1 + h/2 {
			sizes = append(sizes, [2]int{w, h})
		}
	}
	presses := []string{"down", "up", "pgdown", "pgup", "tab", "shift+tab", "left", "right", "a", "広", "backspace", "end", "home", "space", "ctrl+u"}
	for i, size := range sizes {
		r := newRig(t, d, size[0], size[1], []canvas.GlyphSet{canvas.Full, canvas.Console, canvas.ASCII}[i%3])
		r.checkBox()
		r.press(presses[random.IntN(len(presses))], presses[random.IntN(len(presses))])
		r.checkBox()
		switch i % 7 {
		case 3:
			r.paste(hostileText(random))
		case 5:
			r.clickAt(random.IntN(size[0]), random.IntN(size[1]), []tea.MouseButton{tea.MouseLeft, tea.MouseRight}[random.IntN(2)])
		case 6:
			r.wheel(random.IntN(9) - 4)
		}
		r.checkBox()
		r.Clean()
	}
}

// Hints that stand are those that fit: esc is always among them from 40 cells on.
func TestHintsStay(t *testing.T) {
	for name, open := range everyDialog(func() string { return "Available MBytes" }, 30) {
		for _, size := range [][2]int{{40, 12}, {60, 16}, {80, 24}, {200, 60}} {
			r := newRig(t, open(), size[0], size[1], canvas.Full)
			if !strings.Contains(r.Canvas.String(), "esc ") {
				t.Errorf("%s at %v does not say how it is left:\n%s", name, size, r.Canvas)
			}
		}
	}
}
