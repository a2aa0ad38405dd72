//go:build !windows

package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
	"golang.org/x/term"

	"perfdeck/session/system/sharedtest"
	"perfdeck/tui/panetest"
)

// binary is the program: this test program, which is perfdeck when it is called
// so.
func binary(t testing.TB) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "perfdeck")
	if err := os.Symlink(self, path); err != nil {
		t.Fatal(err)
	}
	return path
}

// console is a terminal with a program on it.
type console struct {
	testing.TB
	master, tty *os.File
	before      *term.State
	child       *exec.Cmd

	mu       sync.Mutex
	screen   *vt.SafeEmulator
	raw      bytes.Buffer
	shows    string // the text of the screen, by what was written and its size
	shownAt  [3]int
	isAlt    bool
	isHidden bool
	modes    map[int]bool
}

// plainEnviron is an environment in which nothing is special. With the race
// detector a program would wait a second before it ends.
var plainEnviron = []string{"GORACE=atexit_sleep_ms=0", "TERM=xterm-256color", "COLORTERM=truecolor", "LANG=C.UTF-8", "HOME=/dev/null", "PATH=/usr/bin:/bin"}

// onConsole starts the program, or with "sh" a shell line in which $P is the
// program, on a terminal of its own. An entry of environ without a value is
// removed.
func onConsole(t *testing.T, environ []string, args ...string) *console {
	t.Helper()
	path := binary(t)
	master, tty, err := pty.Open()
	if err != nil {
		t.Skipf("no pseudo terminal: %v", err)
	}
	c := &console{TB: t, master: master, tty: tty, modes: map[int]bool{}, screen: vt.NewSafeEmulator(100, 30)}
	note := func(on bool) func(ansi.Mode) { return func(m ansi.Mode) { c.modes[m.Mode()] = on } }
	c.screen.SetCallbacks(vt.Callbacks{
		AltScreen:        func(on bool) { c.isAlt = on },
		CursorVisibility: func(on bool) { c.isHidden = !on },
		EnableMode:       note(true), DisableMode: note(false),
	})
	_ = pty.Setsize(tty, &pty.Winsize{Cols: 100, Rows: 30})
	if c.before, err = term.GetState(int(tty.Fd())); err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = io.Copy(master, c.screen) }() // what the terminal answers
	go c.read()
	if len(args) == 2 && args[0] == "sh" {
		c.child = exec.CommandContext(t.Context(), "sh", "-c", args[1])
	} else {
		c.child = exec.CommandContext(t.Context(), path, args...)
	}
	c.child.Env = panetest.CatchRaces(t, append(slices.Clone(plainEnviron), "P="+path))
	for _, e := range environ {
		name, _, set := strings.Cut(e, "=")
		c.child.Env = deleteEnv(c.child.Env, name)
		if set {
			c.child.Env = append(c.child.Env, e)
		}
	}
	c.child.Stdin, c.child.Stdout, c.child.Stderr = tty, tty, tty
	c.child.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := c.child.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.child.Process.Kill()
		_ = tty.Close()
		_ = master.Close()
		_ = c.screen.InputPipe().(io.Closer).Close()
	})
	return c
}

func deleteEnv(environ []string, name string) (kept []string) {
	for _, e := range environ {
		if !strings.HasPrefix(e, name+"=") {
			kept = append(kept, e)
		}
	}
	return kept
}

func (c *console) read() {
	buf := make([]byte, 64<<10)
	for {
		n, err := c.master.Read(buf)
		if err != nil {
			return
		}
		c.mu.Lock()
		c.raw.Write(buf[:n])
		_, _ = c.screen.Write(buf[:n])
		c.mu.Unlock()
	}
}

func (c *console) text() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := [3]int{c.raw.Len(), c.screen.Width(), c.screen.Height()}
	if at == c.shownAt {
		return c.shows
	}
	var b strings.Builder
	for y := range c.screen.Height() {
		for x := range c.screen.Width() {
			if cell := c.screen.CellAt(x, y); cell != nil && cell.Content != "" {
				b.WriteString(cell.Content)
			} else {
				b.WriteByte(' ')
			}
		}
		b.WriteByte('\n')
	}
	c.shows, c.shownAt = b.String(), at
	return c.shows
}

func (c *console) written() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.raw.String()
}

func (c *console) write(keys string) { _, _ = c.master.WriteString(keys) }

// waitLimit is how long is waited for what only a defect keeps from coming: no test
// hangs on the machine's pace.
const waitLimit = sharedtest.Patience

func (c *console) await(what string, is func(text string) bool) {
	c.Helper()
	for end := time.Now().Add(waitLimit); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if is(c.text()) {
			return
		}
	}
	c.Fatalf("waited for %s in vain; the screen is\n%s", what, c.text())
}

func (c *console) awaitText(text string) {
	c.Helper()
	c.await(text, func(all string) bool { return strings.Contains(all, text) })
}

func (c *console) awaitAlt(on bool) {
	c.Helper()
	c.await("the other screen", func(string) bool { c.mu.Lock(); defer c.mu.Unlock(); return c.isAlt == on })
}

// ends waits for the end of the program and gives its exit code, -1 for a
// signal.
func (c *console) ends() int {
	c.Helper()
	done := make(chan struct{})
	go func() { _ = c.child.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(waitLimit):
		c.Fatalf("the program does not end; the screen is\n%s", c.text())
	}
	return c.child.ProcessState.ExitCode()
}

// isGivenBack checks that the terminal is as it was before.
func (c *console) isGivenBack() {
	c.Helper()
	c.awaitAlt(false)
	c.await(fmt.Sprintf("the mode %v of the terminal", c.before), func(string) bool { // at the latest from who watches
		after, err := term.GetState(int(c.tty.Fd()))
		return err == nil && reflect.DeepEqual(c.before, after)
	})
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.isHidden {
		c.Error("the cursor is hidden")
	}
	for _, m := range []int{1000, 1002, 1003, 1004, 1006, 2004, 2026} {
		if c.modes[m] {
			c.Errorf("mode %d is on", m)
		}
	}
}

// firstRow is on every deck, however small.
const firstRow = "Proc Time"

func TestScreensStartAndQuit(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"--demo"}, {}, {"--demo", "--renderer=bubbletea"}, {`\Memory\Available MBytes`}} {
		c := onConsole(t, []string{"XDG_STATE_HOME=" + t.TempDir()}, args...) // the hints are hidden for a while where nothing can be kept
		c.awaitText("? help")
		c.await("values", func(text string) bool {
			return regexp.MustCompile(`Memory|Queue Len +[0-9]`).MatchString(text)
		})
		c.write("q")
		if code := c.ends(); code != 0 {
			t.Errorf("%q: exit code %d:\n%s", args, code, c.text())
		}
		c.isGivenBack()
	}
}

func TestSignalsGiveTheTerminalBack(t *testing.T) {
	for _, renderer := range []string{"own", "bubbletea"} {
		for _, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT} {
			t.Run(renderer+" "+s.String(), func(t *testing.T) {
				t.Parallel()
				c := onConsole(t, nil, "--demo", "--renderer="+renderer)
				c.awaitText(firstRow)
				_ = c.child.Process.Signal(s)
				if code := c.ends(); code != exitFailed {
					t.Errorf("exit code %d", code)
				}
				c.isGivenBack()
			})
		}
	}
}

// ctrl+z gives the terminal back to the shell; fg brings the screen back.
func TestSuspend(t *testing.T) {
	t.Parallel()
	for _, renderer := range []string{"own", "bubbletea"} {
		c := onConsole(t, nil, "sh", `set -m; "$P" --demo --renderer=`+renderer+`; echo job stopped; read go; fg; echo job ended`)
		c.awaitText(firstRow)
		c.write("\x1a")
		c.awaitText("job stopped")
		c.isGivenBack()
		c.write("go\r")
		c.awaitAlt(true)
		c.awaitText(firstRow)
		c.write("3")
		c.awaitText("[3 Top]")
		c.write("q")
		c.awaitText("job ended")
		c.ends()
		c.isGivenBack()
	}
}

// Stopped by others and continued, the program takes the terminal again.
func TestStoppedFromOutside(t *testing.T) {
	t.Parallel()
	c := onConsole(t, nil, "--demo")
	c.awaitText(firstRow)
	_ = c.child.Process.Signal(syscall.SIGSTOP)
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(c.child.Process.Pid, &status, syscall.WUNTRACED, nil); err != nil || !status.Stopped() {
		t.Fatalf("it did not stop: %v, %v", status, err)
	}
	_ = term.Restore(int(c.tty.Fd()), c.before) // as a shell does
	c.mu.Lock()
	_, _ = c.screen.Write([]byte("\x1b[2J\x1b[?1049l$ prompt"))
	c.shownAt = [3]int{}
	c.mu.Unlock()
	c.await("the screen to return", func(string) bool {
		_ = c.child.Process.Signal(syscall.SIGCONT) // again until the program listens
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.isAlt
	})
	c.awaitText(firstRow)
	c.write("q")
	c.ends()
	c.isGivenBack()
}

func TestResizeOfTheTerminal(t *testing.T) {
	t.Parallel()
	c := onConsole(t, []string{"XDG_STATE_HOME=" + t.TempDir()}, "--demo")
	c.awaitText(firstRow)
	for _, size := range [][2]int{{1, 1}, {60, 15}, {20, 5}, {120, 40}} {
		c.mu.Lock()
		c.screen.Resize(size[0], size[1])
		c.mu.Unlock()
		_ = pty.Setsize(c.tty, &pty.Winsize{Cols: uint16(size[0]), Rows: uint16(size[1])})
		switch {
		case size[0] >= 40:
			c.await("the hints in the last row", func(text string) bool {
				lines := strings.Split(text, "\n")
				return len(lines) > size[1]-1 && strings.HasSuffix(strings.TrimSpace(lines[size[1]-1]), "? help")
			})
		case size[0] >= 20:
			c.awaitText("too small")
		}
	}
	c.write("q")
	c.ends()
	c.isGivenBack()
}

// Without a terminal, or with one that cannot move its cursor, the error names
// what works there.
func TestNoScreensWithoutTerminal(t *testing.T) {
	path := binary(t)
	run := func(environ ...string) string {
		cmd := exec.CommandContext(t.Context(), path, "--demo")
		cmd.Env = environ
		out, err := cmd.CombinedOutput()
		if err == nil {
			t.Errorf("%v: no error", environ)
		}
		return string(out)
	}
	if out := run(plainEnviron...); !strings.Contains(out, "perfdeck sample") || strings.Contains(out, "\x1b") {
		t.Errorf("without a terminal: %q", out)
	}
	for _, e := range []string{"TERM=dumb", "TERM"} {
		c := onConsole(t, []string{e}, "--demo")
		if code := c.ends(); code == 0 {
			t.Errorf("%s: exit code 0", e)
		}
		c.awaitText("perfdeck sample")
		if strings.Contains(c.written(), "\x1b") {
			t.Errorf("%s: %q", e, c.written())
		}
	}
}

var sgr = regexp.MustCompile(`\x1b\[([0-9;:]*)m`)

// colours are the kinds of colour that were written.
func colours(raw string) (kinds map[string]bool) {
	kinds = map[string]bool{}
	for _, m := range sgr.FindAllStringSubmatch(raw, -1) {
		params := strings.FieldsFunc(m[1], func(r rune) bool { return r == ';' || r == ':' })
		for i := 0; i < len(params); i++ {
			p := params[i]
			switch {
			case (p == "38" || p == "48") && i+1 < len(params):
				kinds[map[string]string{"2": "true", "5": "256"}[params[i+1]]] = true
				i = len(params)
			case len(p) == 2 && strings.ContainsRune("349", rune(p[0])) && p != "39" && p != "49",
				len(p) == 3 && strings.HasPrefix(p, "10"):
				kinds["16"] = true
			case p == "1" || p == "7":
				kinds["attributes"] = true
			}
		}
	}
	return kinds
}

func TestColours(t *testing.T) {
	for _, test := range []struct {
		environ []string
		args    []string
		want    string
	}{
		{nil, nil, "true"},
		{[]string{"COLORTERM"}, nil, "256"},
		{[]string{"COLORTERM", "TERM=xterm"}, nil, "16"},
		{[]string{"TERM=linux"}, nil, "16"},
		{[]string{"NO_COLOR=1"}, nil, ""},
		{[]string{"NO_COLOR=yes"}, nil, ""},
		{nil, []string{"--no-color"}, ""},
		{[]string{"NO_COLOR=1"}, []string{"--renderer=bubbletea"}, ""},
		{nil, []string{"--no-color", "--renderer=bubbletea"}, ""},
	} {
		t.Run(fmt.Sprint(test.environ, test.args), func(t *testing.T) {
			t.Parallel()
			c := onConsole(t, test.environ, append([]string{"--demo"}, test.args...)...)
			c.awaitText(firstRow)
			c.write("jq")
			c.ends()
			kinds := colours(c.written())
			if test.want == "" && !kinds["attributes"] {
				t.Error("neither bold nor reverse")
			}
			delete(kinds, "attributes")
			if test.want == "" && len(kinds) > 0 || test.want != "" && (!kinds[test.want] || len(kinds) > 1) {
				t.Errorf("colours are %v, want %q", kinds, test.want)
			}
		})
	}
}

// Where the locale is not UTF-8, or with --ascii, only ASCII is written.
func TestASCIIOnly(t *testing.T) {
	for _, test := range []struct{ environ, args []string }{
		{[]string{"LANG=C"}, nil}, {[]string{"LANG"}, nil}, {[]string{"LC_ALL=de_DE.ISO-8859-1"}, nil}, {nil, []string{"--ascii"}},
	} {
		t.Run(fmt.Sprint(test.environ, test.args), func(t *testing.T) {
			t.Parallel()
			c := onConsole(t, test.environ, append([]string{"--demo"}, test.args...)...)
			c.awaitText(firstRow)
			for _, k := range []struct{ keys, text string }{{"?", "Help: "}, {"?", ""}, {"3", "[3 Top]"}, {"/", "Filter"}} {
				c.write(k.keys)
				c.awaitText(k.text)
				c.await("the help to close", func(text string) bool { return k.text != "" || !strings.Contains(text, "Help: ") })
			}
			c.write("\x03")
			c.ends()
			if i := strings.IndexFunc(c.written(), func(r rune) bool { return r > 0x7e }); i >= 0 {
				t.Errorf("wrote %q", c.written()[i:min(i+20, len(c.written()))])
			}
		})
	}
}

// Home may be unset, absent or read-only.
func TestNoHome(t *testing.T) {
	for _, e := range []string{"HOME", "HOME=", "HOME=/proc", "XDG_CONFIG_HOME=relative"} {
		t.Run(e, func(t *testing.T) {
			t.Parallel()
			c := onConsole(t, []string{e}, "--demo")
			c.awaitText(firstRow)
			c.write("q")
			if code := c.ends(); code != 0 {
				t.Errorf("exit code %d", code)
			}
		})
	}
}
