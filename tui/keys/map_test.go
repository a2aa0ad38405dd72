package keys

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
)

// One key, one meaning: the table itself has no conflict, its keys can be
// pressed, and what cannot be changed is what no action may take.
func TestActionsAreConsistent(t *testing.T) {
	names, keys := map[string]bool{}, map[string]string{}
	for _, a := range Actions() {
		if names[a.Name] || a.Name == "" || strings.ToLower(a.Name) != a.Name || strings.ContainsAny(a.Name, " _") {
			t.Errorf("bad name %q", a.Name)
		}
		names[a.Name] = true
		if a.Keys == "" || a.Text == "" || !slices.Contains(Sections, a.Section) {
			t.Errorf("%+v is not complete", a)
		}
		for _, k := range a.Keys.All() {
			if other := keys[k]; other != "" {
				t.Errorf("%q is %s and %s", k, other, a.Name)
			}
			keys[k] = a.Name
			if why, _ := usable(k); (why != "") != slices.Contains(fixed, a.Name) {
				t.Errorf("%s: %q: %s", a.Name, k, why)
			}
			if got := ActionOf(k); got == nil || got.Name != a.Name {
				t.Errorf("ActionOf(%q) = %v", k, got)
			}
		}
	}
}

// freeKey is a capital letter that no action has.
func freeKey(t *testing.T) string {
	t.Helper()
	for letter := 'Z'; letter >= 'A'; letter-- {
		if ActionOf(string(letter)) == nil {
			return string(letter)
		}
	}
	t.Fatal("every capital letter has an action")
	return ""
}

// Every key of the table of the specification is here.
func TestActionsHaveTheKeysOfTheScreens(t *testing.T) {
	for _, k := range strings.Fields(`1 2 3 4 5 6 7 8 : ctrl+p enter esc tab shift+tab h j k l up down left right
		pgup pgdown ctrl+u ctrl+d g G home end / n N ! ? f1 q c t x w A y m space f R ctrl+k p [ ] { } ( ) @ . i r b
		ctrl+l ctrl+z a d e u W D L * v z s o + - = H`) {
		if ActionOf(k) == nil {
			t.Errorf("no action has %q", k)
		}
	}
}

// What usable accepts is what bubbletea calls the keys that a terminal sends.
func TestUsableKeysAreSent(t *testing.T) {
	sent := map[string]string{
		"\r": "enter", "\t": "tab", "\x1b[Z": "shift+tab", "\x7f": "backspace", "\x1b": "esc", " ": "space",
		"\x1b[2~": "insert", "\x1b[3~": "delete", "\x1b[A": "up", "\x1b[B": "down", "\x1b[C": "right", "\x1b[D": "left",
		"\x1b[5~": "pgup", "\x1b[6~": "pgdown", "\x1b[H": "home", "\x1b[F": "end",
		"\x1bOP": "f1", "\x1bOQ": "f2", "\x1bOR": "f3", "\x1bOS": "f4", "\x1b[15~": "f5", "\x1b[17~": "f6",
		"\x1b[18~": "f7", "\x1b[19~": "f8", "\x1b[20~": "f9", "\x1b[21~": "f10", "\x1b[23~": "f11", "\x1b[24~": "f12",
		"\x1b[1;5A": "ctrl+up", "\x1b[1;5D": "ctrl+left", "\x1b[3;5~": "ctrl+delete", "\x00": "ctrl+space",
		"\x1c": `ctrl+\`, "\x1d": "ctrl+]", "\x1e": "ctrl+^", "\x1f": "ctrl+_",
		"é": "é", "ß": "ß", "ж": "ж", "G": "G", "?": "?", "|": "|", "+": "+", "\x0f": "ctrl+o", "\x18": "ctrl+x",
	}
	named := map[string]bool{}
	var decoder uv.EventDecoder
	for bytes, want := range sent {
		_, event := decoder.Decode([]byte(bytes))
		press, ok := event.(uv.KeyPressEvent)
		if !ok {
			t.Errorf("%q is %T", bytes, event)
			continue
		}
		got := tea.KeyPressMsg(press).String()
		named[got] = true
		if why, _ := usable(got); got != want || why != "" {
			t.Errorf("%q is %q (want %q), which cannot be used: %s", bytes, got, want, why)
		}
	}
	for _, k := range namedKeys.All() {
		if !named[k] {
			t.Errorf("no bytes are known that give %q", k)
		}
	}
}

func TestKeysThatCannotBeUsed(t *testing.T) {
	for key, instead := range map[string]string{
		"ctrl+s": "", "ctrl+q": "", "ctrl+h": "", "ctrl+i": "", "ctrl+j": "", "ctrl+m": "", "ctrl+c": "", "ctrl+a": "",
		"ctrl+b": "", "ctrl+l": "", "ctrl+z": "", "ctrl+[": "", "ctrl+S": "",
		"alt+x": "", "shift+up": "", "shift+f1": "", "ctrl+shift+x": "", "ctrl+alt+x": "", "super+x": "",
		"ctrl+1": "", "ctrl++": "", "ctrl+enter": "", "f13": "", "": "", "word": "", "\x01": "", "\xff": "", "\u202e": "", "e\u0301": "",
		" ": "space", "Enter": "enter", "return": "enter", "Escape": "esc", "F5": "f5", "PageDown": "pgdown", "pgdn": "pgdown",
		"shift+g": "G", "Shift+G": "G", "ctrl+X": "ctrl+x", "Ctrl+x": "ctrl+x", "plus": "+", "del": "delete", "ctrl+PageUp": "ctrl+pgup",
	} {
		why, got := usable(key)
		if why == "" || got != instead {
			t.Errorf("%q: %q, instead %q, want instead %q", key, why, got, instead)
		}
	}
}

// The keys of other programs do what they stand for, unless the user says otherwise.
func TestAliases(t *testing.T) {
	for _, test := range []struct {
		chosen map[string][]string
		want   map[string]string // of what is pressed
	}{
		{nil, map[string]string{"f3": "/", "f4": "/", "f5": "v", "f9": "ctrl+k", "f10": "q", "f11": "f11"}},
		{map[string][]string{"filter": {"F"}, "view": {}, "quit": {"Q"}}, map[string]string{"f3": "/", "f5": "f5", "f10": "q"}},
		{map[string][]string{"chart": {"f3"}, "top": {"f9"}}, map[string]string{"f3": "c", "f4": "/", "f9": "t"}},
	} {
		m := mapOf(t, test.chosen)
		for pressed, want := range test.want {
			if got := m.Canonical(pressed); got != want {
				t.Errorf("%v: %q becomes %q, want %q", test.chosen, pressed, got, want)
			}
		}
	}
	for key, meant := range aliases {
		if why, _ := usable(key); why != "" || ActionOf(key) != nil || ActionOf(meant) == nil {
			t.Errorf("%q stands for %q: %s", key, meant, why)
		}
	}
}

func mapOf(t *testing.T, chosen map[string][]string) *Map {
	t.Helper()
	m, errs := NewMap(chosen)
	if len(errs) > 0 {
		t.Fatalf("%v: %v", chosen, errs)
	}
	return m
}

func TestMapTranslates(t *testing.T) {
	m := mapOf(t, map[string][]string{
		"chart": {"Z"}, "down": {"n", "down"}, "next-match": {"ctrl+n"}, "record": {}, "quit": {"f10", "x"}, "explain": {"é"},
	})
	for pressed, want := range map[string]string{
		"Z": "c", "c": "", "n": "down", "down": "down", "j": "", "ctrl+n": "n", "r": "", "f10": "q", "x": "q", "q": "", "é": "x",
		"t": "t", "ctrl+c": "ctrl+c", "|": "|", "f12": "f12",
	} {
		if got := m.Canonical(pressed); got != want {
			t.Errorf("%q becomes %q, want %q", pressed, got, want)
		}
	}
	for key, want := range map[string]string{
		"c": "Z", "down": "down", "j": "n", "n": "ctrl+n", "r": "", "q": "F10", "x": "é", "t": "t", "pgdown": "pgdn", "f1": "F1", "|": "|",
	} {
		if got := m.Shown(key); got != want {
			t.Errorf("%q is shown as %q, want %q", key, got, want)
		}
	}
	for action, want := range map[string][]string{"chart": {"Z"}, "record": {}, "top": {"t"}, "nothing": nil} {
		if got := m.Keys(action); !slices.Equal(got, want) {
			t.Errorf("keys of %s: %q, want %q", action, got, want)
		}
	}
	var none *Map
	if none.Canonical("c") != "c" || none.Shown("c") != "c" || !slices.Equal(none.Keys("chart"), []string{"c"}) {
		t.Error("no map changes keys")
	}
}

// A key may be taken from an action that has another one besides.
func TestMapTakesAKeyFromAnother(t *testing.T) {
	m := mapOf(t, map[string][]string{"signal": {"k"}})
	if m.Canonical("k") != "ctrl+k" || m.Canonical("up") != "up" || m.Canonical("ctrl+k") != "" || m.Shown("k") != "up" {
		t.Errorf("%+v", m)
	}
	// And exchanged: both are changed.
	m = mapOf(t, map[string][]string{"chart": {"x"}, "explain": {"c"}})
	if m.Canonical("x") != "c" || m.Canonical("c") != "x" || m.Shown("c") != "x" || m.Shown("x") != "c" {
		t.Errorf("%+v", m)
	}
}

func TestMapErrors(t *testing.T) {
	free := freeKey(t)
	for _, test := range []struct {
		name   string
		chosen map[string][]string
		errs   []SettingError // Reason and hint: what they must hold
		good   map[string]string
	}{
		{"unknown action", map[string][]string{"chrat": {"Z"}, "top": {"T"}},
			[]SettingError{{Action: "chrat", hint: "chart"}}, map[string]string{"Z": "Z", "T": "t"}},
		{"words the other way round", map[string][]string{"minute-back": {"ctrl+n"}},
			[]SettingError{{Action: "minute-back", hint: "back-minute"}}, nil},
		{"nothing like it", map[string][]string{"xyzzy": {"Z"}}, []SettingError{{Action: "xyzzy", hint: "perfdeck keys"}}, nil},
		{"fixed", map[string][]string{"redraw": {"f5"}}, []SettingError{{Action: "redraw", Reason: "ctrl+l"}}, map[string]string{"f5": "v", "ctrl+l": "ctrl+l"}},
		{"flow control", map[string][]string{"sort": {"ctrl+s"}}, []SettingError{{Action: "sort", Key: "ctrl+s", Reason: "XOFF"}}, map[string]string{"s": "s"}},
		{"one of two is bad", map[string][]string{"sort": {"shift+" + strings.ToLower(free), free}}, []SettingError{{Action: "sort", Key: "shift+" + strings.ToLower(free), hint: `"` + free + `"`}}, map[string]string{free: "s", "s": ""}},
		{"two on one", map[string][]string{"chart": {"T"}, "top": {"T"}}, []SettingError{{Action: "top", Key: "T", Reason: "chart"}}, map[string]string{"T": "c", "t": "t"}},
		{"only key of another", map[string][]string{"chart": {"t"}}, []SettingError{{Action: "chart", Key: "t", Reason: "top", hint: "top = []"}}, map[string]string{"t": "t", "c": "c"}},
		{"both keys of another", map[string][]string{"chart": {"k"}, "top": {"up"}}, []SettingError{{Action: "top", Key: "up", Reason: "up"}}, map[string]string{"k": "c", "up": "up", "t": "t"}},
		// top gets its t back, which chart has: chart loses it and has its c again.
		{"what is given back is taken", map[string][]string{"chart": {"t"}, "top": {"T"}, "view": {"T", "f5"}},
			[]SettingError{{Action: "view", Key: "T", Reason: "top"}}, map[string]string{"t": "c", "T": "t", "f5": "v"}},
		{"given back, then taken", map[string][]string{"chart": {"t"}, "top": {"ctrl+s"}},
			[]SettingError{{Action: "top", Key: "ctrl+s"}, {Action: "chart", Key: "t", Reason: "top"}}, map[string]string{"t": "t", "c": "c"}},
	} {
		m, errs := NewMap(test.chosen)
		if len(errs) != len(test.errs) {
			t.Errorf("%s: %v", test.name, errs)
			continue
		}
		for i, want := range test.errs {
			var got *SettingError
			if !errors.As(errs[i], &got) || got.Action != want.Action || got.Key != want.Key ||
				!strings.Contains(got.Reason, want.Reason) || !strings.Contains(got.Hint(), want.hint) ||
				!strings.Contains(got.Error(), want.Action) || got.Reason == "" {
				t.Errorf("%s: %v, hint %q", test.name, errs[i], got.Hint())
			}
		}
		for pressed, want := range test.good {
			if got := m.Canonical(pressed); got != want {
				t.Errorf("%s: %q becomes %q, want %q", test.name, pressed, got, want)
			}
		}
	}
}

// checkMap fails the test unless every key does one thing, no action lost its keys
// unasked, and what is shown can be pressed.
func checkMap(t *testing.T, chosen map[string][]string) {
	t.Helper()
	m, _ := NewMap(chosen)
	owner := map[string]string{}
	for i := range Actions() {
		action := &Actions()[i]
		mine := m.Keys(action.Name)
		if want, asked := chosen[action.Name]; len(mine) == 0 && (!asked || len(want) > 0) {
			t.Errorf("%v: %s lost its keys", chosen, action.Name)
		}
		for _, k := range mine {
			if owner[k] != "" {
				t.Errorf("%v: %q is %s and %s", chosen, k, owner[k], action.Name)
			}
			owner[k] = action.Name
			if got := ActionOf(m.Canonical(k)); got != action {
				t.Errorf("%v: %q does %v, want %s", chosen, k, got, action.Name)
			}
		}
		for _, k := range action.Keys.All() {
			if shown := m.Shown(k); (shown == "") != (len(mine) == 0) {
				t.Errorf("%v: %s is shown as %q, has %q", chosen, action.Name, shown, mine)
			}
			if got := m.Canonical(k); got != "" && owner[k] == "" && !slices.Contains(m.Keys(ActionOf(got).Name), k) {
				t.Errorf("%v: %q still does %q", chosen, k, got)
			}
		}
	}
}

func TestAnyChoiceIsConsistent(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var all []string
	for _, a := range Actions() {
		all = append(all, a.Keys.All()...)
	}
	all = append(all, "Z", "T", "f5", "ctrl+s", "alt+x")
	for range 1000 {
		chosen := map[string][]string{}
		for range random.IntN(12) {
			var keys []string
			for range random.IntN(4) {
				keys = append(keys, all[random.IntN(len(all))])
			}
			chosen[Actions()[random.IntN(len(Actions()))].Name] = keys
		}
		checkMap(t, chosen)
		if t.Failed() {
			return
		}
	}
}

func FuzzMap(f *testing.F) {
	f.Add("chart", "t", "top", "c", "up", "k")
	f.Add("quit", "", "help", "ctrl+s", "help", "?")
	f.Add("down", "k", "up", "j", "left", "down")
	f.Fuzz(func(t *testing.T, a, ka, b, kb, c, kc string) {
		checkMap(t, map[string][]string{a: strings.Fields(ka), b: strings.Fields(kb), c: strings.Fields(kc)})
	})
}

func TestLabels(t *testing.T) {
	free := freeKey(t)
	arrows := Binding{Keys: "down j", Show: "j k arrows"}
	all := Binding{Keys: "left h", Show: "hjkl arrows"}
	for _, test := range []struct {
		chosen map[string][]string
		b      Binding
		want   string
	}{
		{nil, arrows, "j k arrows"},
		{map[string][]string{"chart": {"Z"}}, arrows, "j k arrows"},
		{map[string][]string{"down": {"n", "down"}, "next-match": {}}, arrows, "n k arrows"},
		{map[string][]string{"down": {"n"}, "next-match": {}, "up": {"e"}, "edit": {}}, arrows, "n e"},
		{map[string][]string{"signal": {"k"}}, arrows, "j up arrows"},
		{map[string][]string{"left": {"b", "left"}, "bookmark": {}}, all, "b j k l arrows"},
		{map[string][]string{"chart": {"Z"}}, Binding{Keys: "c"}, "Z"},
		{map[string][]string{"chart": {"Z"}}, Binding{Keys: "f1 ?", Show: "? F1"}, "? F1"},
		{map[string][]string{"help": {"f1"}}, Binding{Keys: "? f1", Show: "? F1"}, "F1"},
		{map[string][]string{"record": {}}, Binding{Keys: "r"}, ""},
		{map[string][]string{"explain": {}}, Binding{Keys: "x enter"}, "enter"},
		{map[string][]string{"back-minute": {"ctrl+left"}, "on-minute": {"ctrl+right"}}, Binding{Keys: "]", Show: "[ ]"}, "ctrl+left ctrl+right"},
		{map[string][]string{"go-log": {free}}, Binding{Keys: "1", Show: "1-9"}, "1 2 3 4 5 6 7 " + free + " 9"},
	} {
		m := mapOf(t, test.chosen)
		if got := m.Label(&test.b); got != test.want {
			t.Errorf("%v: %+v is labelled %q, want %q", test.chosen, test.b.Keys, got, test.want)
		}
	}
	m := mapOf(t, map[string][]string{"record": {}, "chart": {"Z"}})
	h := m.HelpOf(Time, []Binding{{Keys: "r", Text: "record", Section: Time}, {Keys: "c", Text: "chart", Section: Time}})
	if len(h) != 1 || h[0].Keys != "Z" {
		t.Errorf("help %+v", h)
	}
}

// Keys of a mode are what is pressed, even where the user gave them to something
// else; all others are translated.
func TestMapMatches(t *testing.T) {
	m := mapOf(t, map[string][]string{"chart": {"H"}, "show-all": {"f9"}, "hide": {}})
	mode := []Binding{{Keys: "H", Text: "move left", Fixed: true}, {Keys: "K", Show: "K", Text: "move up", Fixed: true}}
	screen := []Binding{{Keys: "K", Text: "show all"}, {Keys: "enter f1", Text: "open"}}
	root := []Binding{{Keys: "c", Text: "chart"}, {Keys: "enter", Text: "no"}}
	for _, test := range []struct {
		pressed string
		lists   [][]Binding
		want    string
	}{
		{"H", [][]Binding{mode, root}, "move left"},
		{"H", [][]Binding{screen, root}, "chart"},
		{"K", [][]Binding{mode, root}, "move up"},
		{"K", [][]Binding{screen, root}, ""},
		{"f9", [][]Binding{mode, screen}, "show all"},
		{"c", [][]Binding{screen, root}, ""},
		{"enter", [][]Binding{screen, root}, "open"},
		{"", [][]Binding{{{Keys: "", Text: "nothing"}}}, ""},
	} {
		got := ""
		if b := m.Match(test.pressed, test.lists...); b != nil {
			got = b.Text
		}
		if got != test.want {
			t.Errorf("%q does %q, want %q", test.pressed, got, test.want)
		}
	}
	if got := m.Label(&mode[1]); got != "K" {
		t.Errorf("a fixed key is shown as %q", got)
	}
}
