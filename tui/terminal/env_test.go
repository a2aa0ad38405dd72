package terminal

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"perfdeck/session/text/printable"
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

// True colour where terminfo or tmux says so, and nobody waits for a tmux that
// does not answer.
func TestFullProfile(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no tmux, no terminfo")
	}
	dir := t.TempDir()
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	tmux := func(script string) {
		if err := os.WriteFile(filepath.Join(dir, "tmux"), []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	inTmux := "TERM=tmux-256color TMUX=/tmp/tmux-0/default,1,0 TMUX_PANE=%0 PATH=" + os.Getenv("PATH")
	for _, c := range []struct {
		environ, tmux string
		want          themes.Profile
	}{
		{"TERM=xterm-256color", "exit 1", themes.Colours256},
		{inTmux, "echo bpaste,RGB,title", themes.TrueColour},
		{inTmux, "echo bpaste,title", themes.Colours256},
		{inTmux, "echo noRGB", themes.Colours256},
		{inTmux, "exit 1", themes.Colours256},
		{inTmux, "exec sleep 60", themes.Colours256},
		{inTmux + " NO_COLOR=1", "echo RGB", themes.NoColour},
		{"TERM=linux TMUX=x", "echo RGB", themes.Colours16},
	} {
		tmux(c.tmux)
		if got := FullProfile(strings.Fields(c.environ)); got != c.want {
			t.Errorf("%s, tmux %q: %d, want %d", c.environ, c.tmux, got, c.want)
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
	if printable.Text(body) != body {
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
