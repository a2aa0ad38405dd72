package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/system/failure"
	"perfdeck/session/text/printable"
)

const wholeFile = `
interval = 0.5
history = "1h"
theme = "nord"
background = "light"
ascii = true
color = false
mouse = false
renderer = "bubbletea"
keep_recording = false

[numbers]
grouping = " "
units = "iec"
scaled_values = true

[[counter]]
path = '\Memory\Available MBytes'
scale = -2

[[counter]]
path = '\Physical*(*)\*sec/*'
units = "plain"
digits = 0

[[deck]]
name = "web"
host = "www1"
panes = [
  {paths = ['\Memory\Cache Bytes', '\memory\Available MBytes']}, # two
  {paths = ['\Process(*)\% Processor Time'], busiest = 5, host = "www2:445"},
]

[[deck]]
name = "db"
[[deck.panes]]
paths = ['\System\Threads']
[[deck.panes]]
paths = ['\Memory\Cache Bytes', '\Memory\Available MBytes']
kind = "meters"
also = ['\System\Processes', '\Paging File(*)\% Usage']
limit = '\Memory\Physical Bytes'
[[deck.panes]]
paths = ['\System\Processes']
limit = 2.5e3
`

func TestParse(t *testing.T) {
	for name, text := range map[string]string{
		"lines":         wholeFile,
		"windows lines": strings.ReplaceAll(wholeFile, "\n", "\r\n"),
		"mark":          "\ufeff" + wholeFile,
	} {
		t.Run(name, func(t *testing.T) {
			c, warnings, err := Parse("f", []byte(text))
			if err != nil || len(warnings) > 0 {
				t.Fatal(err, warnings)
			}
			want := Settings{
				Interval: 500 * time.Millisecond, History: time.Hour, HistoryMemory: 1 << 20, Theme: "nord", Background: BackgroundLight,
				ASCII: true, Renderer: RendererBubbletea, Grouping: " ", Units: cooker.UnitIEC, ScaledValues: true,
			}
			if got := Merge(c.Settings); got != want {
				t.Errorf("settings %+v, want %+v", got, want)
			}
			decks := []session.Deck{
				{Name: "web", Panes: []session.DeckPane{
					{Host: "www1", Paths: []string{`\Memory\Cache Bytes`, `\memory\Available MBytes`}, AsNamed: true},
					{Host: "www2:445", Paths: []string{`\Process(*)\% Processor Time`}, Busiest: 5, AsNamed: true},
				}},
				{Name: "db", Panes: []session.DeckPane{
					{Paths: []string{`\System\Threads`}, AsNamed: true},
					{
						Paths: []string{`\Memory\Cache Bytes`, `\Memory\Available MBytes`}, Kind: "meters",
						Also: []string{`\System\Processes`, `\Paging File(*)\% Usage`}, Limit: `\Memory\Physical Bytes`, AsNamed: true,
					},
					{Paths: []string{`\System\Processes`}, Limit: "2500", AsNamed: true},
				}},
			}
			if !reflect.DeepEqual(c.Decks, decks) {
				t.Errorf("decks %+v, want %+v", c.Decks, decks)
			}
			if o, ok := c.Counters.For("MEMORY", "available mbytes"); !ok || *o.Scale != -2 || o.Units != nil || o.Digits != nil {
				t.Errorf("override %+v, %v", o, ok)
			}
		})
	}
}

func TestBrokenFiles(t *testing.T) {
	const counter, deck = "[[counter]]\n", "[[deck]]\nname = 'a'\n"
	for _, c := range []struct {
		text         string
		line, column int
		key          string
	}{
		{"interval = ", 1, 11, ""},
		{"theme = 'é' é", 1, 13, ""},
		{"interval = 1\ninterval = 2", 2, 1, "interval"},
		{"[numbers]\n[numbers]", 2, 2, "numbers"},
		{"\ntheme = \"\xff\"", 2, 10, ""},
		{"\xff\xfei\x00n\x00", 1, 1, ""},
		{"numbers.units.x = 1\nnumbers.units = 'si'", 2, 1, "numbers.units"},
		{"interval = 'fast'", 1, 12, "interval"},
		{"# 1\n\n  interval = '50ms'", 3, 14, "interval"},
		{"interval = 0.05", 1, 12, "interval"},
		{"interval = nan", 1, 12, "interval"},
		{"interval = inf", 1, 12, "interval"},
		{"interval = '25h'", 1, 12, "interval"},
		{"interval = true", 1, 12, "interval"},
		{"interval = [1]", 1, 1, "interval"},
		{"interval = 1979-05-27", 1, 12, "interval"},
		{"history = -1", 1, 11, "history"},
		{"history = '200h'", 1, 11, "history"},
		{"theme = ''", 1, 9, "theme"},
		{"theme = '../etc/passwd'", 1, 9, "theme"},
		{"theme = 'nord.toml'", 1, 9, "theme"},
		{`theme = "a\u001bb"`, 1, 9, "theme"},
		{"background = 'Dark'", 1, 14, "background"},
		{"ascii = 'true'", 1, 9, "ascii"},
		{"color = 1", 1, 9, "color"},
		{"mouse = {}", 1, 9, "mouse"},
		{"renderer = 'mine'", 1, 12, "renderer"},
		{"numbers = 5", 1, 11, "numbers"},
		{"[numbers]\ngrouping = '.'", 2, 12, "numbers.grouping"},
		{"[numbers]\ngrouping = ',,'", 2, 12, "numbers.grouping"},
		{"[numbers]\ngrouping = '1'", 2, 12, "numbers.grouping"},
		{"[numbers]\ngrouping = '，'", 2, 12, "numbers.grouping"},
		{"[numbers]\nunits = 'metric'", 2, 9, "numbers.units"},
		{"numbers = {units = 'si', scaled_values = 'no'}", 1, 42, "numbers.scaled_values"},
		{"numbers.units = 3", 1, 17, "numbers.units"},
		{"counter = 1", 1, 11, "counter"},
		{"counter = [1]", 1, 12, "counter[1]"},
		{"[counter]\npath = 'x'", 1, 2, "counter"},
		{"[[counter]]\nscale = 1", 1, 3, "counter[1].path"},
		{counter + "path = 1", 2, 8, "counter[1].path"},
		{counter + "path = 'Processor'", 2, 8, "counter[1].path"},
		{counter + `path = '\Process(\x'`, 2, 8, "counter[1].path"},
		{counter + `path = '\\HOST\Memory\x'`, 2, 8, "counter[1].path"},
		{counter + `path = '\Process(a)\x'`, 2, 8, "counter[1].path"},
		{counter + `path = "\Object\x"`, 2, 9, ""},
		{counter + `path = "\network\x"`, 2, 17, ""},
		{counter + "path = '\\A\\b'\n" + counter + "path = '\\A\\b'\nscale = 11", 5, 9, "counter[2].scale"},
		{counter + "path = '\\A\\b'\nscale = 1.0", 3, 9, "counter[1].scale"},
		{counter + "path = '\\A\\b'\ndigits = -1", 3, 10, "counter[1].digits"},
		{counter + "path = '\\A\\b'\nunits = ''", 3, 9, "counter[1].units"},
		{"[[deck]]\npanes = [{paths = ['\\A\\b']}]", 1, 3, "deck[1].name"},
		{deck, 1, 3, "deck[1].panes"},
		{deck + "panes = []", 3, 1, "deck[1].panes"},
		{deck + "panes = 1", 3, 9, "deck[1].panes"},
		{deck + "panes = [\n1]", 4, 1, "deck[1].panes[1]"},
		{deck + "panes = [{}]", 3, 10, "deck[1].panes[1].paths"},
		{deck + "panes = [{paths = []}]", 3, 11, "deck[1].panes[1].paths"},
		{deck + "panes = [{paths = [\n'\\A\\b',\n'b']}]", 5, 1, "deck[1].panes[1].paths"},
		{deck + "panes = [{paths = [7]}]", 3, 20, "deck[1].panes[1].paths"},
		{deck + "panes = [{paths = ['\\A\\b', '\\C\\d']}]", 3, 28, "deck[1].panes[1].paths"},
		{deck + "panes = [{paths = ['\\*\\b']}]", 3, 20, "deck[1].panes[1].paths"},
		{deck + "panes = [{paths = ['\\\\H\\A\\b']}]", 3, 20, "deck[1].panes[1].paths"},
		{deck + "panes = [{paths = ['\\A\\b'], busiest = 0}]", 3, 39, "deck[1].panes[1].busiest"},
		{deck + "panes = [{paths = ['\\A\\b', '\\A\\c'], busiest = 2}]", 3, 47, "deck[1].panes[1].busiest"},
		{deck + "panes = [{paths = ['\\A\\b'], kind = 'grap'}]", 3, 36, "deck[1].panes[1].kind"},
		{deck + "panes = [{paths = ['\\A\\b'], kind = 1}]", 3, 36, "deck[1].panes[1].kind"},
		{deck + "panes = [{paths = ['\\A\\b', '\\A\\c'], kind = 'cells'}]", 3, 44, "deck[1].panes[1].kind"},
		{deck + "panes = [{paths = ['\\A\\b'], also = []}]", 3, 29, "deck[1].panes[1].also"},
		{deck + "panes = [{paths = ['\\A\\b'], also = '\\A\\c'}]", 3, 36, "deck[1].panes[1].also"},
		{deck + "panes = [{paths = ['\\A\\b'], also = ['\\A\\c', 'b']}]", 3, 45, "deck[1].panes[1].also"},
		{deck + "panes = [{paths = ['\\A\\b'], also = ['\\\\H\\A\\c']}]", 3, 37, "deck[1].panes[1].also"},
		{deck + "panes = [{paths = ['\\A\\b'], limit = 0}]", 3, 37, "deck[1].panes[1].limit"},
		{deck + "panes = [{paths = ['\\A\\b'], limit = -1.5}]", 3, 37, "deck[1].panes[1].limit"},
		{deck + "panes = [{paths = ['\\A\\b'], limit = inf}]", 3, 37, "deck[1].panes[1].limit"},
		{deck + "panes = [{paths = ['\\A\\b'], limit = true}]", 3, 37, "deck[1].panes[1].limit"},
		{deck + "panes = [{paths = ['\\A\\b'], limit = '5 GB'}]", 3, 37, "deck[1].panes[1].limit"},
		{deck + "panes = [{paths = ['\\A\\b'], limit = '\\A\\*'}]", 3, 37, "deck[1].panes[1].limit"},
		{deck + "host = 'a b'\npanes = [{paths = ['\\A\\b']}]", 3, 8, "deck[1].host"},
		{deck + "[[deck.panes]]\npaths = ['\\A\\b']\n[[deck.panes]]\npaths = ['\\A\\b']\nhost = ''", 7, 8, "deck[1].panes[2].host"},
		{deck + "panes = [{paths = ['\\A\\b']}]\n[[deck]]\nname = 'A'\npanes = [{paths = ['\\A\\b']}]", 5, 8, "deck[2].name"},
		{"[numbers]\nunits = 'x'\n[other]\n[[deck]]\nname=1", 2, 9, "numbers.units"},
		{strings.Repeat("#", maxFileBytes+1), 0, 0, ""},
		{"a = " + strings.Repeat("[", 20_000), 1, 10_005, ""},
	} {
		t.Run(printable.Shorten(c.text, mostShown), func(t *testing.T) {
			_, _, err := Parse("perfdeck.toml", []byte(c.text))
			var e *FileError
			if !errors.As(err, &e) {
				t.Fatalf("error %v", err)
			}
			if e.Line != c.line || e.Column != c.column || e.Key != c.key {
				t.Errorf("%d:%d %q, want %d:%d %q: %v", e.Line, e.Column, e.Key, c.line, c.column, c.key, e)
			}
			if !strings.Contains(e.Error(), "perfdeck.toml") || e.Reason == "" || e.Key != "" && c.line > 0 && e.Expected == "" && !strings.Contains(e.Reason, "already") {
				t.Errorf("says too little: %v", e)
			}
		})
	}
}

func TestHintsOfErrors(t *testing.T) {
	for text, want := range map[string]string{
		"background = 'Dark'":                 "dark",
		"[numbers]\nunits = 'window'":         "windows",
		"[[counter]]\npath = \"\\Object\\c\"": "single quotes",
		"[[counter]]\npath = \"\\new\\test\"": "single quotes",
	} {
		_, _, err := Parse("f", []byte(text))
		var hinted interface{ Hint() string }
		if !errors.As(err, &hinted) || !strings.Contains(hinted.Hint(), want) {
			t.Errorf("%s: %v, hint without %q", text, err, want)
		}
	}
}

func TestPathErrorIsKept(t *testing.T) {
	_, _, err := Parse("f", []byte("[[counter]]\npath = '\\Process(\\x'"))
	var e *paths.ParseError
	if !errors.As(err, &e) || e.Input != `\Process(\x` {
		t.Errorf("error %v holds no *paths.ParseError of the path", err)
	}
}

func TestUnknownKeys(t *testing.T) {
	const text = `Interval = 1
zzzz = 1
grouping = ","
"" = 1

[number]
units = "si"
[numbers]
unit = "si"
scaled-values = true
[[counter]]
path = '\A\b'
digit = 2
[[deck]]
name = "a"
pane = 1
panes = [{paths = ['\A\b'], bussiest = 2}]
`
	want := []Warning{
		{"f", 1, 1, "Interval", "unknown key", "interval"},
		{"f", 2, 1, "zzzz", "unknown key", ""},
		{"f", 3, 1, "grouping", "unknown key", "numbers.grouping"},
		{"f", 4, 1, `""`, "unknown key", ""},
		{"f", 6, 2, "number", "unknown key", "numbers"},
		{"f", 9, 1, "numbers.unit", "unknown key", "units"},
		{"f", 10, 1, "numbers.scaled-values", "unknown key", "scaled_values"},
		{"f", 13, 1, "counter[1].digit", "unknown key", "digits"},
		{"f", 16, 1, "deck[1].pane", "unknown key", "panes"},
		{"f", 17, 29, "deck[1].panes[1].bussiest", "unknown key", "busiest"},
	}
	c, got, err := Parse("f", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("warnings\n%v, want\n%v", got, want)
	}
	if len(c.Settings) > 0 {
		t.Errorf("an unknown key had an effect: %+v", c.Settings)
	}
	_, got, err = Parse("f", []byte(text+"busiest = 1\n[x]\ncolor = 1\n[numbers.y]\nz=1\n[[deck]]"))
	if err == nil || len(got) < len(want) {
		t.Errorf("with an error %v only %d warnings", err, len(got))
	}
}

func TestWarningsAreBounded(t *testing.T) {
	var b strings.Builder
	for i := range 10_000 {
		b.WriteString("k" + strings.Repeat("x", i%5) + time.Duration(i).String() + " = 1\n")
	}
	text := strings.ReplaceAll(b.String(), "µ", "u")
	text = strings.ReplaceAll(text, ".", "_")
	_, got, err := Parse("f", []byte(text))
	if err != nil || len(got) != maxWarnings || got[maxWarnings-1].Line != maxWarnings {
		t.Errorf("%d warnings, error %v", len(got), err)
	}
}

func TestLoad(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("AppData", home)
	t.Setenv("XDG_CONFIG_HOME", home)
	if c, warnings, err := Load(t.Context(), ""); err != nil || len(warnings) > 0 || !reflect.DeepEqual(c, new(Config)) {
		t.Errorf("no default file: %+v, %v, %v", c, warnings, err)
	}
	named := filepath.Join(home, "other.toml")
	if _, _, err := Load(t.Context(), named); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing named file: %v", err)
	}
	if _, _, err := Load(t.Context(), home); err == nil {
		t.Error("a directory was read")
	}
	file, err := DefaultFile()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	for path, theme := range map[string]string{file: "nord", named: "other"} {
		if err := os.WriteFile(path, []byte("theme = '"+theme+"'"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for path, theme := range map[string]string{"": "nord", file: "nord", named: "other"} {
		c, _, err := Load(t.Context(), path)
		if err != nil || Merge(c.Settings).Theme != theme {
			t.Errorf("load %q: %+v, %v", path, c, err)
		}
	}
	if err := os.WriteFile(file, []byte("theme = 1"), 0o600); err != nil {
		t.Fatal(err)
	}
	var e *FileError
	if _, _, err := Load(t.Context(), ""); !errors.As(err, &e) || e.File != file {
		t.Errorf("a broken default file: %v", err)
	}
}

func TestLoadWithoutHome(t *testing.T) {
	t.Setenv("HOME", "")
	t.Setenv("AppData", "")
	t.Setenv("XDG_CONFIG_HOME", "")
	if c, _, err := Load(t.Context(), ""); err != nil || c == nil {
		t.Errorf("no home: %v, %v", c, err)
	}
	if _, err := DefaultFile(); failure.Hint(err) == "" {
		t.Errorf("config file without home: %v", err)
	}
	t.Setenv("HOME", os.DevNull) // as of users of services
	if c, _, err := Load(t.Context(), ""); err != nil || c == nil {
		t.Errorf("home is no directory: %v, %v", c, err)
	}
}

// The deck that screens begin with is written as the config reads it.
func TestFormatDeck(t *testing.T) {
	want := session.Deck{Name: "one", Panes: []session.DeckPane{
		{Paths: []string{`\Memory\Available Bytes`, `\Memory\Cache Bytes`}, Or: []string{`\Memory\Available MBytes`}, Also: []string{`\System\Threads`}, Kind: "meters", Limit: "2500"},
		{Paths: []string{`\Process(*)\% Processor Time`}, Busiest: 12, Spare: true, AsNamed: true},
	}}
	text, err := FormatDeck(want)
	if err != nil {
		t.Fatal(err)
	}
	c, _, err := Parse("deck.toml", text)
	if err != nil {
		t.Fatalf("%v:\n%s", err, text)
	}
	if len(c.Decks) != 1 || !reflect.DeepEqual(c.Decks[0], want) {
		t.Errorf("%s reads back as %+v, not %+v", text, c.Decks, want)
	}
}
