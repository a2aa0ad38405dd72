//go:build !windows

package main

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"perfdeck/themes"
)

// onTerminal runs the program with its output on a terminal of 80 columns and
// returns what is written there.
func onTerminal(t *testing.T, environ []string, args ...string) string {
	t.Helper()
	text, code := seenOn(t, 80, environ, args...)
	if code != 0 {
		t.Errorf("%v: exit code %d", args, code)
	}
	return text
}

// On a terminal each theme is shown in its own colours, a line for each of its
// palettes, within the width.
func TestThemesOnATerminal(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	environ := []string{"TERM=xterm-256color", "COLORTERM=truecolor", "LANG=C.UTF-8"}
	text := onTerminal(t, environ, "themes")
	want := 0
	for _, info := range themes.List(nil) {
		want++
		if info.Theme.Only == "" {
			want++
		}
	}
	lines := strings.Split(strings.TrimSpace(text), "\r\n")
	if len(lines) != want {
		t.Errorf("%d lines, want %d:\n%s", len(lines), want, text)
	}
	for _, line := range lines {
		if w := ansi.StringWidth(line); w > 80 {
			t.Errorf("%d cells: %q", w, line)
		}
		if !strings.Contains(ansi.Strip(line), "○▲■~ 71.3 ▁▂▃▄ ABCDEFGH") {
			t.Errorf("no swatch: %q", line)
		}
	}
	if !strings.Contains(text, "48;2;46;52;64m") { // Nord's background
		t.Error("nord is not shown in its colours")
	}
	plain := onTerminal(t, append(environ, "NO_COLOR=1"), "themes")
	if strings.Contains(plain, "\x1b") || !strings.Contains(plain, "nord\r\n") {
		t.Errorf("without colours: %q", plain)
	}
}
