package themes

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

var states = []Token{Careful, Warning, Critical, Stale}

var series = []Token{S1, S2, S3, S4, S5, S6, S7, S8}

// Text and graphics can be read on every area of every theme, in true colour and
// in 256. Only the series of Okabe and Ito are kept as they were published: they
// are told apart by letters too.
func TestThemesCanBeRead(t *testing.T) {
	for _, name := range Names(nil) {
		for _, p := range mustLoad(t, name).Check() {
			if name == "okabe-ito" && p.Token >= S1 && p.Token <= S8 {
				continue
			}
			t.Errorf("%s: %v", name, p)
		}
	}
}

// The high contrast theme keeps its word: 7 to 1 for text (WCAG 1.4.6).
func TestHighContrast(t *testing.T) {
	theme := mustLoad(t, "high-contrast")
	for _, s := range theme.sides() {
		for token := range tokenCount {
			least := map[float64]float64{LeastText: 7, LeastGraphic: 4.5}[leastContrast(token)]
			for _, area := range areas {
				for _, profile := range []Profile{TrueColour, Colours256} {
					if c, ok := contrastOf(s.palette[token], s.palette[area], profile); !ok || c < least {
						t.Errorf("%s.%s on %s: %.2f", s.name, token, area, c)
					}
				}
			}
		}
	}
}

// The measure is that of the table of the screens: its columns of least contrast.
func TestContrastIsThatOfTheTable(t *testing.T) {
	theme := mustLoad(t, Default)
	for token, want := range map[Token][2]float64{
		Text: {9.4, 11.4}, Strong: {12.9, 16.0}, Muted: {4.8, 5.1}, Accent: {6.0, 5.6}, Critical: {5.2, 5.3}, S6: {3.8, 8.7},
	} {
		for i, s := range theme.sides() {
			least := 21.0
			for _, area := range areas {
				c, _ := contrastOf(s.palette[token], s.palette[area], TrueColour)
				least = min(least, c)
			}
			if d := least - want[i]; d > 0.05 || d < -0.05 {
				t.Errorf("%s.%s: %.2f, want %.1f", s.name, token, least, want[i])
			}
		}
	}
}

// What differs in true colour still differs with 256 colours and with 16. A grey
// theme has no colours to differ by on a terminal of 16: there the signs do.
func TestApproximationsStayApart(t *testing.T) {
	for _, name := range Names(nil) {
		theme := mustLoad(t, name)
		for _, s := range theme.sides() {
			isGrey := name == "greyscale"
			for _, group := range [][]Token{states, series} {
				for i, a := range group {
					for _, b := range group[:i] {
						x, y := s.palette[a], s.palette[b]
						if !x.Own && x.Index == y.Index {
							t.Errorf("%s %s: %s and %s are one of 256 colours, %d", name, s.name, a, b, x.Index)
						}
						if x.Word == y.Word && !isGrey {
							t.Errorf("%s %s: %s and %s are one word, %s", name, s.name, a, b, x.Word)
						}
						least := 12.0
						if isGrey {
							least = 3
						}
						if d := distance(x.RGB, y.RGB); !x.Own && d < least {
							t.Errorf("%s %s: %s and %s look alike: %.1f", name, s.name, a, b, d)
						}
					}
				}
			}
			for _, area := range areas[1:] {
				x, y := s.palette[area], s.palette[Background]
				if !x.Own && !x.Inherit && (x.RGB == y.RGB || x.Index == y.Index) {
					t.Errorf("%s %s: %s is the background", name, s.name, area)
				}
			}
			if sel := s.palette[Selection]; sel.Own && !sel.Word.Reverse {
				t.Errorf("%s %s: the selection cannot be seen", name, s.name)
			}
		}
	}
}

// The themes there are at least, each with a line about it.
func TestEmbeddedThemes(t *testing.T) {
	list := List(nil)
	var names []string
	for _, info := range list {
		names = append(names, info.Name)
		if info.Err != nil || !info.IsOwn || info.Theme.About == "" {
			t.Errorf("%+v", info)
		}
	}
	if names[0] != Default {
		t.Errorf("%q come before the default", names)
	}
	for _, want := range []string{"dark", "light", "high-contrast", "okabe-ito", "console", "greyscale", "nord", "gruvbox", "solarized"} {
		if !slices.Contains(names, want) {
			t.Errorf("no %s among %q", want, names)
		}
	}
}

// A fixed theme looks the same on every background, but for the words of 16
// colours: with those the background is the terminal's.
func TestFixedThemes(t *testing.T) {
	base := mustLoad(t, Default)
	dark := mustLoad(t, "dark")
	for token := range tokenCount {
		if dark.Dark[token] != base.Dark[token] || dark.Light[token].RGB != base.Dark[token].RGB ||
			dark.Light[token].Index != base.Dark[token].Index || dark.Light[token].Word != base.Light[token].Word {
			t.Errorf("dark.%s: %v and %v", token, dark.Dark[token], dark.Light[token])
		}
	}
	light := mustLoad(t, "light")
	if light.Light != base.Light || light.Dark[Text].RGB != base.Light[Text].RGB {
		t.Error("light is not the default's light")
	}
}

// The console theme sends the terminal's own colours, whatever it can show.
func TestConsoleIsTheTerminalsOwn(t *testing.T) {
	theme := mustLoad(t, "console")
	for _, profile := range []Profile{Colours16, Colours256, TrueColour} {
		sheet := theme.Sheet(profile, true)
		for style, want := range map[Style]string{
			Accent: "\x1b[96m", Focus: "\x1b[1;93m", Muted: "", Critical: "\x1b[7;91m",
			Text.On(Selection): "\x1b[7m", Text.On(Surface): "",
		} {
			if got := string(sheet.AppendChange(nil, Pen{}, sheet.Pen(style))); got != want {
				t.Errorf("profile %d: %v on %v is %q, want %q", profile, style.Foreground(), style.Background(), got, want)
			}
		}
	}
}

// What show prints is a theme file that gives the same theme.
func TestTOMLReadsBack(t *testing.T) {
	for _, name := range Names(nil) {
		theme := mustLoad(t, name)
		again, err := Parse("again.toml", []byte(theme.TOML()))
		if err != nil {
			t.Errorf("%s: %v\n%s", name, err, theme.TOML())
			continue
		}
		again.Name = theme.Name
		if *again != *theme {
			t.Errorf("%s is not itself again", name)
		}
		for token := range tokenCount {
			if !strings.Contains(theme.TOML(), token.String()) {
				t.Errorf("%s: no %s", name, token)
			}
		}
	}
}

func TestColourForms(t *testing.T) {
	base := mustLoad(t, Default)
	for _, test := range []struct {
		text string
		want Colour
	}{
		{"#87afd7", Colour{RGB: [3]uint8{0x87, 0xaf, 0xd7}, Index: 110, Word: base.Dark[Accent].Word}},
		{"#87afd7 33", Colour{RGB: [3]uint8{0x87, 0xaf, 0xd7}, Index: 33, Word: base.Dark[Accent].Word}},
		{"#87AFD7  33   4+b", Colour{RGB: [3]uint8{0x87, 0xaf, 0xd7}, Index: 33, Word: Word16{Colour: 4, Bold: true}}},
		{"none", Colour{Inherit: true, Word: Word16{Colour: -1}}},
		{"12+reverse", Colour{Own: true, Word: Word16{Colour: 12, Reverse: true}}},
		{"def+bold", Colour{Own: true, Inherit: true, Word: Word16{Colour: -1, Bold: true}}},
	} {
		theme, err := Parse("x.toml", []byte("[dark]\naccent = \""+test.text+"\"\n"))
		if err != nil {
			t.Errorf("%q: %v", test.text, err)
			continue
		}
		if got := theme.Dark[Accent]; got != test.want {
			t.Errorf("%q is %+v, want %+v", test.text, got, test.want)
		}
		if got, err := parseSpec(theme.Dark[Accent].String()); err != nil || got.Colour != theme.Dark[Accent] {
			t.Errorf("%q is written as %q", test.text, theme.Dark[Accent])
		}
	}
}

func TestByteOrderMark(t *testing.T) {
	theme, err := Parse("x.toml", []byte("\ufeffabout = \"mine\"\n"))
	if err != nil || theme.About != "mine" {
		t.Errorf("%v", err)
	}
}

// The nearest of the 256 colours is the colour itself where it is one of them.
func TestNearest256(t *testing.T) {
	for i := 16; i < 256; i++ {
		if got := nearest256(rgb256(uint8(i))); rgb256(got) != rgb256(uint8(i)) {
			t.Errorf("%d is nearest to %d", i, got)
		}
	}
}

func TestUserThemes(t *testing.T) {
	user := fstest.MapFS{
		"mine.toml":   {Data: []byte("about = \"mine\"\nbase = \"gruvbox\"\n[dark]\nbackground = \"none\"\n")},
		"nord.toml":   {Data: []byte("only = \"dark\"\nabout = \"my nord\"\n")},
		"broken.toml": {Data: []byte("[dark]\n\ntext = \"red\"\n")},
		"faint.toml":  {Data: []byte("[light]\nmuted = \"#999999\"\n")},
		"notes.txt":   {Data: []byte("no theme")},
	}
	list := List(user)
	by := map[string]Info{}
	for _, info := range list {
		by[info.Name] = info
	}
	if len(by) != len(Names(nil))+3 || len(list) != len(by) {
		t.Errorf("listed %d", len(list))
	}
	gruvbox := mustLoad(t, "gruvbox")
	if m := by["mine"]; m.IsOwn || m.Theme.Dark[Text] != gruvbox.Dark[Text] || !m.Theme.Dark[Background].Inherit || m.Theme.About != "mine" {
		t.Errorf("mine: %+v", m)
	}
	if n := by["nord"]; n.IsOwn || n.Theme.About != "my nord" {
		t.Errorf("the user's nord is not taken: %+v", n)
	}
	var file *FileError
	if b := by["broken"]; b.Theme != nil || !errors.As(b.Err, &file) || file.Line != 3 || file.Key != "dark.text" {
		t.Errorf("broken: %+v", b)
	}
	problems := by["faint"].Theme.Check()
	if len(problems) == 0 || problems[0].Token != Muted || problems[0].Side != "light" || !strings.Contains(problems[0].String(), "light.muted") {
		t.Errorf("faint: %v", problems)
	}
	if ps := by["mine"].Theme.Check(); len(ps) != 0 {
		t.Errorf("what the terminal decides was measured: %v", ps)
	}
}

func TestBadThemeFiles(t *testing.T) {
	for _, test := range []struct {
		data, key, reason string
		line              int
	}{
		{"base = \"mine\"\n", "base", "gruvbox", 1},
		{"base = 3\n", "base", "quotes", 1},
		{"\nonly = \"both\"\n", "only", `"dark" or "light"`, 2},
		{"only = \"dark\"\n[light]\ntext = \"#000000\"\n", "light.text", "never used", 3},
		{"[light]\ntext = \"#000000\"\n[extra]\nonly = \"dark\"\n", "extra.only", "unknown key", 4},
		{"colour = \"x\"\n", "colour", "unknown key", 1},
		{"dark = \"x\"\n", "dark", "[dark]", 1},
		{"about = \"a\\u001b[31m\"\n", "about", "can be seen", 1},
		{"about = '''a\nb'''\n", "about", "can be seen", 1},
		{"[dark]\nglow = \"#000000\"\n", "dark.glow", "selection", 2},
		{"[dark.text]\nred = \"#000000\"\n", "dark.text.red", "unknown token", 2},
		{"dark = { text = \"14\", accent = 5 }\n", "dark.accent", "want", 1},
		{"[dark]\ntext = [\"#000000\"]\n", "dark.text", "want", 2},
		{"[dark]\ntext = \"#000\"\n", "dark.text", "six hex digits", 2},
		{"[dark]\ntext = \"\"\n", "dark.text", "none", 2},
		{"[dark]\ntext = \"14 15\"\n", "dark.text", "hex", 2},
		{"[dark]\ntext = \"#000000 1 2 3\"\n", "dark.text", "want", 2},
		{"[dark]\ntext = \"14\"\ntext = \"15\"\n", "", "", 3},
		{"\xff\n", "", "", 1},
	} {
		_, err := Parse("x.toml", []byte(test.data))
		var got *FileError
		if !errors.As(err, &got) || got.Line != test.line || test.key != "" && got.Key != test.key || !strings.Contains(got.Reason, test.reason) {
			t.Errorf("%q: %v", test.data, err)
		}
	}
}
