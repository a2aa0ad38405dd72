package terminal

import (
	"runtime"
	"strings"
	"testing"

	"perfdeck/session"
	"perfdeck/themes"
)

func TestProfile(t *testing.T) {
	tests := []struct {
		environ string
		want    themes.Profile
	}{
		{"TERM=xterm-256color", themes.Colours256},
		{"TERM=xterm-256color COLORTERM=truecolor", themes.TrueColour},
		{"TERM=xterm-256color COLORTERM=truecolor NO_COLOR=yes", themes.NoColour},
		{"TERM=xterm-256color NO_COLOR=0", themes.NoColour},
		{"TERM=xterm-256color NO_COLOR=", themes.Colours256},
		{"TERM=linux COLORTERM=truecolor", themes.Colours16},
		{"TERM=dumb", themes.NoColour},
	}
	for _, test := range tests {
		if got := Profile(strings.Fields(test.environ)); got != test.want {
			t.Errorf("%s: %d, want %d", test.environ, got, test.want)
		}
	}
}

func TestLocale(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the console has no locale variables")
	}
	for environ, want := range map[string]bool{
		"":                             false,
		"LANG=C":                       false,
		"LANG=en_US.UTF-8":             true,
		"LANG=C.utf8":                  true,
		"LC_ALL=C LANG=en_US.UTF-8":    false,
		"LC_CTYPE=UTF-8 LANG=C":        true,
		"LC_ALL= LANG=de_DE.UTF-8":     true,
		"LANG=en_US.ISO8859-1":         false,
		"LANG=C LANG=en_US.UTF-8 X=yy": true,
	} {
		if got := IsUTF8(strings.Fields(environ)); got != want {
			t.Errorf("IsUTF8(%q) = %v", environ, got)
		}
	}
	for environ, want := range map[string]bool{"": true, "TERM=dumb": true, "TERM=vt100": false} {
		if got := IsDumb(strings.Fields(environ)); got != want {
			t.Errorf("IsDumb(%q) = %v", environ, got)
		}
	}
}

func TestTitleCannotEscape(t *testing.T) {
	got := TitleSequence("db07\x07\x1b]52;c;x\x1b\\\u009c\n\u202e\xff" + strings.Repeat("é", 500))
	body := strings.TrimSuffix(strings.TrimPrefix(got, "\x1b]2;"), "\x07")
	if session.Printable(body) != body {
		t.Errorf("%q steers the terminal", body)
	}
	if n := len([]rune(body)); n > maxTitleRunes || !strings.HasPrefix(body, "db07") {
		t.Errorf("%d runes: %q", n, body)
	}
}

// Whatever is switched on is switched off again.
func TestEndUndoesBegin(t *testing.T) {
	all := Options{Title: "perfdeck", Mouse: true, Focus: true, Paste: true, Query: true}
	for _, options := range []Options{{}, all, {Mouse: true}} {
		begin, end := options.begin(), options.end()
		for _, mode := range []string{"1049", "1002", "1006", "1004", "2004"} {
			if strings.Contains(begin, "?"+mode+"h") != strings.Contains(end, "?"+mode+"l") {
				t.Errorf("%+v: mode %s is not undone", options, mode)
			}
		}
		if !strings.HasSuffix(end, altScreenOff) || !strings.Contains(end, cursorOn) || !strings.Contains(end, wrapOn) {
			t.Errorf("%+v ends with %q", options, end)
		}
	}
}
