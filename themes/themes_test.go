package themes

import (
	"errors"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"perfdeck/session/system/sharedtest"
)

func mustLoad(t *testing.T, name string) *Theme {
	t.Helper()
	theme, err := Load(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	return theme
}

func TestEmbeddedThemesLoad(t *testing.T) {
	names := Names(nil)
	if len(names) < 2 {
		t.Fatalf("Names = %v", names)
	}
	for _, name := range names {
		if theme := mustLoad(t, name); theme.Name != name {
			t.Errorf("Name = %q, want %q", theme.Name, name)
		}
	}
}

// The default theme is the tables of the screens and of the deck, value for value.
func TestDefaultIsTheTableOfTheScreens(t *testing.T) {
	theme := mustLoad(t, Default)
	seen := 0
	for _, table := range []struct {
		file string
		row  string // name, dark, light
	}{
		{"screens.md", `(?m)^\|(\w+)\|([0-9a-f]{6})\|[^|]*\|(\d+)\|([^|]+)\|([0-9a-f]{6})\|[^|]*\|(\d+)\|([^|]+)\|`},
		{"deck.md", `(?m)^\| ([ab]\d) \| ([0-9a-f]{6}) \|[^|]*\| (\d+) ()\| ([0-9a-f]{6}) \|[^|]*\| (\d+) ()\|`},
	} {
		data := sharedtest.Read(t, table.file)
		for _, m := range regexp.MustCompile(table.row).FindAllStringSubmatch(data, -1) {
			for token := range tokenCount {
				if token.String() != m[1] {
					continue
				}
				seen++
				for i, palette := range []*Palette{&theme.Dark, &theme.Light} {
					want, err := parseSpec("#" + strings.Join(m[2+3*i:5+3*i], " "))
					if err != nil {
						t.Fatal(err)
					}
					if !want.hasWord { // of a ramp that of the token it stands for
						want.Word = palette[map[byte]Token{'a': Spark, 'b': OK}[m[1][0]]].Word
					}
					if token == Rule { // fainter than text where its colour cannot be
						want.Word.Faint = true
					}
					if got := palette[token]; got != want.Colour {
						t.Errorf("%s (side %d) = %+v, want %+v", m[1], i, got, want)
					}
				}
			}
		}
	}
	if seen != int(tokenCount) {
		t.Errorf("compared %d tokens, want %d", seen, tokenCount)
	}
}

func TestUserThemeFillsGapsFromDefault(t *testing.T) {
	user := fstest.MapFS{"mine.toml": {Data: []byte("[dark]\nbackground = \"none\"\naccent = \"#010203 4 5+b\"\n")}}
	theme, err := Load("mine", user)
	if err != nil {
		t.Fatal(err)
	}
	base := mustLoad(t, Default)
	if got := theme.Dark[Accent]; got.RGB != [3]uint8{1, 2, 3} || got.Index != 4 || got.Word != (Word16{Colour: 5, Bold: true}) {
		t.Errorf("accent = %+v", got)
	}
	if theme.Dark[Focus] != base.Dark[Focus] || theme.Light != base.Light {
		t.Error("tokens left out are not the default's")
	}
	sheet := theme.Sheet(TrueColour, true)
	if got := string(sheet.AppendChange(nil, Pen{}, sheet.Pen(Text))); strings.Contains(got, "48;") {
		t.Errorf("background none sends %q", got)
	}
}

func TestThemeErrorsNameFileLineAndKey(t *testing.T) {
	tests := []struct{ name, data, key string }{
		{"unknown token", "[dark]\ntexxt = \"#000000 1 1\"\n", "dark.texxt"},
		{"bad hex", "[dark]\ntext = \"#00000g 1 1\"\n", "dark.text"},
		{"no hash", "[light]\ntext = \"000000 1 1\"\n", "light.text"},
		{"word colour", "[dark]\ntext = \"red\"\n", "dark.text"},
		{"index", "[dark]\ntext = \"#000000 256 1\"\n", "dark.text"},
		{"word", "[dark]\ntext = \"#000000 255 16\"\n", "dark.text"},
		{"number", "[dark]\ntext = 7\n", "dark.text"},
		{"syntax", "[dark]\ntext = = 7\n", ""},
	}
	for _, test := range tests {
		_, err := Load("x", fstest.MapFS{"x.toml": {Data: []byte(test.data)}})
		var got *FileError
		if !errors.As(err, &got) {
			t.Errorf("%s: err = %v", test.name, err)
			continue
		}
		if got.File != "x.toml" || got.Line != 2 || got.Key != test.key || got.Reason == "" {
			t.Errorf("%s: %+v", test.name, got)
		}
	}
}

func TestLoadStaysInItsDirectory(t *testing.T) {
	for _, name := range []string{"", ".", "..", "../default", "a/b", `a\b`, "nope", "C:x"} {
		_, err := Load(name, fstest.MapFS{})
		var missing *NotFoundError
		if !errors.As(err, &missing) || len(missing.Known) == 0 {
			t.Errorf("Load(%q) = %v", name, err)
		}
	}
}

func TestLargeFileIsRefused(t *testing.T) {
	data := strings.Repeat("#", maxFileBytes+1)
	_, err := Load("big", fstest.MapFS{"big.toml": {Data: []byte(data)}})
	if _, ok := errors.AsType[*FileError](err); !ok {
		t.Errorf("err = %v", err)
	}
}

func TestStylePacksAndUnpacks(t *testing.T) {
	if s := Style(0); s.Foreground() != Text || s.Background() != Background {
		t.Errorf("zero style is %v on %v", s.Foreground(), s.Background())
	}
	for fg := range tokenCount {
		for bg := range tokenCount {
			s := fg.On(bg).Bold().Reverse()
			if s.Foreground() != fg || s.Background() != bg {
				t.Fatalf("%v on %v became %v on %v", fg, bg, s.Foreground(), s.Background())
			}
			if in := s.In(Spark); in.Foreground() != Spark || in.Background() != bg {
				t.Fatalf("In lost the background of %v on %v", fg, bg)
			}
		}
	}
}

func TestSequences(t *testing.T) {
	theme := mustLoad(t, Default)
	value := Strong.Bold()
	tests := []struct {
		name    string
		profile Profile
		from    Style
		to      Style
		want    string
	}{
		{"true colour", TrueColour, 0, Accent, "\x1b[38;2;108;184;240m"},
		{"256", Colours256, 0, Accent.On(Header), "\x1b[38;5;74;48;5;235m"},
		{"16: muted is text", Colours16, 0, Muted, ""},
		{"16: values are bold", Colours16, 0, Strong, "\x1b[1m"},
		{"16: critical is reversed", Colours16, 0, Critical, "\x1b[7;91m"},
		{"16: rules are faint", Colours16, 0, Rule, "\x1b[2m"},
		{"16: faint goes, bold comes", Colours16, Rule, Strong, "\x1b[0;1m"},
		{"16: bold goes, faint comes", Colours16, Strong, Rule, "\x1b[0;2m"},
		{"16: bold goes before faint", Colours16, 0, Rule.Bold(), "\x1b[1m"},
		{"16: back to plain", Colours16, Critical, 0, "\x1b[m"},
		{"16: header is reversed", Colours16, 0, Text.On(Header), "\x1b[7m"},
		{"none: critical is reversed", NoColour, 0, Critical, "\x1b[7m"},
		{"none: rules are faint", NoColour, 0, Rule, "\x1b[2m"},
		{"none: accent is text", NoColour, 0, Accent, ""},
		{"bold goes", TrueColour, value, Strong, "\x1b[22m"},
	}
	for _, test := range tests {
		s := theme.Sheet(test.profile, true)
		got := string(s.AppendChange(nil, s.Pen(test.from), s.Pen(test.to)))
		if got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

// Whatever path of styles a terminal is taken along, it ends in the last pen.
func TestChangesComposeToTheirTarget(t *testing.T) {
	theme := mustLoad(t, Default)
	for _, profile := range []Profile{NoColour, Colours16, Colours256, TrueColour} {
		for _, dark := range []bool{false, true} {
			s := theme.Sheet(profile, dark)
			pen, state := Pen{}, newSGRState()
			for i := range 4000 {
				to := s.Pen(Style(uint16(i * 40503)))
				change := s.AppendChange(nil, pen, to)
				if got := s.ChangeLen(pen, to); got != len(change) {
					t.Fatalf("ChangeLen = %d of %q", got, change)
				}
				state.apply(t, string(change))
				want := newSGRState()
				want.apply(t, string(s.AppendChange(nil, Pen{}, to)))
				if state != want {
					t.Fatalf("profile %d: after style %d the terminal has %+v, want %+v", profile, i, state, want)
				}
				pen = to
			}
		}
	}
}

func TestSheetsAllocateNothingPerChange(t *testing.T) {
	s := mustLoad(t, Default).Sheet(TrueColour, true)
	buf := make([]byte, 0, 64)
	a, b := s.Pen(Accent), s.Pen(Critical.On(Header).Bold())
	if n := testing.AllocsPerRun(100, func() { buf = s.AppendChange(buf[:0], a, b) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("[dark]\ntext = \"#000000 1 1+b\"\n"))
	f.Add([]byte("[light]\nbackground = \"none\"\n"))
	f.Add([]byte("base = \"nord\"\nonly = \"dark\"\ndark = { text = \"14+b\", accent = \"#010203\" }\nabout = 'x'\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		theme, err := Parse("x.toml", data)
		if (theme == nil) == (err == nil) {
			t.Fatal("neither a theme nor an error, or both")
		}
	})
}
