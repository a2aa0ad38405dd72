package main

import (
	"bytes"
	"encoding/base64"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"perfdeck/session/text/printable"
)

// pasteTrap is the name of a process that would run a command where it is pasted:
// it ends the bracketed paste of the shell, and then the line.
const pasteTrap = "z\x1b[201~\nid\n;"

// sleeper runs a process of a name until the test ends.
func sleeper(t *testing.T, name string) *exec.Cmd {
	t.Helper()
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Skip(err)
	}
	program, err := os.ReadFile(sleep)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, program, 0o700); err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), file, "600")
	c.Args[0] = "sleep" // for those that are several programs in one
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	})
	return c
}

var clipboard = regexp.MustCompile("\x1b\\]52;[^;]*;([A-Za-z0-9+/=]*)(?:\x07|\x1b\\\\)")

// copied is what was put on the clipboard, in order.
func (c *console) copied() (texts []string) {
	for _, m := range clipboard.FindAllStringSubmatch(c.written(), -1) {
		text, err := base64.StdEncoding.DecodeString(m[1])
		if err != nil {
			c.Errorf("the clipboard gets %q: %v", m[1], err)
		}
		texts = append(texts, string(text))
	}
	return texts
}

// What is copied cannot run a command where it is pasted, whatever a process is
// called, whichever screen and renderer it is copied from; the path still means
// the process.
func TestPasteRunsNothing(t *testing.T) {
	t.Parallel()
	trapped := sleeper(t, pasteTrap)
	comm, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(trapped.Process.Pid), "comm"))
	if err != nil || !bytes.HasPrefix(comm, []byte(pasteTrap)) {
		t.Fatalf("the process is called %q, %v", comm, err)
	}
	for _, renderer := range []string{"own", "bubbletea"} {
		for screen, keys := range map[string]struct{ press, await string }{
			"Deck":    {"", "Thr ▼"}, // a table, sorted by it
			"Chart":   {"c", "Chart]"},
			"Explain": {"x", "formula"},
		} {
			t.Run(renderer+"/"+screen, func(t *testing.T) {
				c := onConsole(t, nil, "--renderer="+renderer, `\Process(z*)\Thread Count`)
				c.awaitText("z?[201~?id?;")
				c.write(keys.press)
				c.awaitText(keys.await)
				c.write("y")
				c.await("the clipboard", func(string) bool { return len(c.copied()) > 0 })
				text := c.copied()[0]
				if printable.Text(text) != text {
					t.Errorf("the clipboard gets %q", text)
				}
				c.awaitText("copied")
				c.awaitText("cannot be printed")
				c.write("q")
				out, stderr, code := runs(t, plainEnviron, "sample", "-n1", "-i0.1", "-fjson", text)
				if code != exitDone || !strings.Contains(out, `"value":1,`) {
					t.Errorf("%s is not the process: exit code %d, %s%s", text, code, out, stderr)
				}
			})
		}
	}
}
