//go:build !windows

package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/creack/pty"
)

// seenOn is what a command line prints on a terminal of some columns.
func seenOn(t *testing.T, columns uint16, environ []string, args ...string) (string, int) {
	t.Helper()
	master, slave, err := pty.Open()
	if err != nil {
		t.Skipf("no terminal: %v", err)
	}
	defer master.Close()
	if err := pty.Setsize(master, &pty.Winsize{Rows: 50, Cols: columns}); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	read := make(chan struct{})
	go func() {
		defer close(read)
		_, _ = b.ReadFrom(master) // ends with an error when the slave is closed
	}()
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	code := run(args, null, slave, slave, environ)
	slave.Close()
	<-read
	return progress.ReplaceAllString(b.String(), ""), code
}

// progress is what is seen of work that takes a while, as everything does on a busy machine.
var progress = regexp.MustCompile(`\r(\[#*\.*\] +\d+ %[a-z\d, ]*)?\x1b\[K`)

var sgrs = regexp.MustCompile("\x1b\\[[0-9;]*m")

// Commands print in the theme's colours on a terminal, and names of rules, hosts, instances
// and files steer nothing there: no colour, title or row is theirs.
func TestPrintedOnATerminal(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", "")
	t.Setenv("XDG_STATE_HOME", "")
	folder := filepath.Join(home, ".config", "perfdeck")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	rules := ""
	for i, when := range []string{`\\Memory\\Available MBytes < 50`, `\\Process(*)\\% Processor Time > 5`} {
		rules += fmt.Sprintf("[[alert]]\nname = \"\u00fcber  rule %d\"\nwhen = \"%s\"\nseverity = \"critical\"\n", i, when)
	}
	if err := os.WriteFile(filepath.Join(folder, "config.toml"), []byte(rules), 0o600); err != nil {
		t.Fatal(err)
	}
	recording, other := filepath.Join(home, "r.csv"), filepath.Join(home, "other.csv")
	text := `"(PDH-CSV 4.0) (UTC)(0)","\\h` + "\x1b[35m" + `x\Process(a` + "\x1b]0;t\x07" + `b)\% Processor Time","\\h` + "\x1b[35m" + `x\Memory\Available MBytes"` + "\n"
	for i := range 60 {
		text += fmt.Sprintf("\"11/26/2026 13:%02d:30.000\",\"%d\",\"%d\"\n", i, 40+i%7, 10+i)
	}
	for name, text := range map[string]string{recording: text, other: strings.ReplaceAll(text, `,"4`, `,"9`)} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	environ := append(os.Environ(), "TERM=xterm-256color", "COLORTERM=truecolor")
	for _, line := range [][]string{
		{"alerts", "list"}, {"collect", "list"}, {"keys"}, {"themes"}, {"help"}, {"record", "--help"}, {"nonsense\x1b[35m"},
		{"report", recording}, {"watch", "--replay", recording}, {"compare", recording, other},
		{"explain", `\System\System Up Time`}, {"doctor", "local"}, {"doctor", "tcp://h\x1b[35m:1"}, {"path", "x\x1b[35m("},
	} {
		for _, columns := range []uint16{60, 120} {
			got, _ := seenOn(t, columns, environ, line...)
			if !strings.Contains(got, "8;2;") && line[0] != "collect" && !strings.HasPrefix(line[0], "path") {
				t.Errorf("%q: no colours: %q", line, got)
			}
			if line[0] != "themes" && strings.Contains(got, "\x1b[35m") {
				t.Errorf("%q: a name has its own colour: %q", line, got)
			}
			plain := sgrs.ReplaceAllString(strings.ReplaceAll(got, "\r\n", "\n"), "")
			if c := steers(strings.ReplaceAll(plain, "\n", " ")); c != 0 {
				t.Errorf("%q: %q in %q", line, c, plain)
			}
			if strings.Contains("\n"+plain, "\nforged") {
				t.Errorf("%q: a name makes a row: %q", line, plain)
			}
		}
		if got, _ := seenOn(t, 80, append(environ, "TERM=dumb"), line...); sgrs.MatchString(got) && line[0] != "themes" {
			t.Errorf("%q: colours on a dumb terminal", line)
		}
		if got, _ := seenOn(t, 80, append(environ, "NO_COLOR=1"), line...); strings.Contains(got, "8;2;") {
			t.Errorf("%q: colours in spite of NO_COLOR: %q", line, got)
		}
	}
}
