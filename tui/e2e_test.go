//go:build !windows

package tui_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"perfdeck/session"
	"perfdeck/session/clocktest"
	"perfdeck/session/hosts/fake"
	"perfdeck/session/system/guard"
	"perfdeck/session/system/sharedtest"
	"perfdeck/tui"
	"perfdeck/tui/pane"
	"perfdeck/tui/panetest"
)

// renderers are the two ways to the terminal.
func renderers(t *testing.T, test func(t *testing.T, stock bool)) {
	for name, stock := range map[string]bool{"own": false, "bubbletea": true} {
		t.Run(name, func(t *testing.T) { test(t, stock) })
	}
}

func TestQuitGivesTheTerminalBack(t *testing.T) {
	renderers(t, func(t *testing.T, stock bool) {
		for _, keys := range []string{"q", "\x03"} {
			c := newConsole(t, 100, 30)
			r := c.start(func(o *tui.Options) { o.Stock = stock })
			c.awaitText("Processor Information")
			if !c.isAlt {
				t.Error("not on the alternate screen")
			}
			c.write(keys)
			if r.wait(); r.err != nil {
				t.Error(r.err)
			}
			c.isGivenBack()
		}
	})
}

func TestStopGivesTheTerminalBack(t *testing.T) {
	renderers(t, func(t *testing.T, stock bool) {
		broken := errors.New("broken")
		c := newConsole(t, 100, 30)
		r := c.start(func(o *tui.Options) { o.Stock = stock })
		c.awaitText("Processor Information")
		r.session.Stop(broken)
		if r.wait(); !errors.Is(r.err, broken) {
			t.Errorf("Run returns %v", r.err)
		}
		c.isGivenBack()
	})
}

// breaking is a source that panics in its collections when told so.
type breaking struct {
	session.Source
	now *atomic.Bool
}

func (b breaking) Open(ctx context.Context) (session.Query, error) {
	q, err := b.Source.Open(ctx)
	return breakingQuery{q, b.now}, err
}

type breakingQuery struct {
	session.Query
	now *atomic.Bool
}

func (q breakingQuery) Collect(ctx context.Context, b *session.Batch) error {
	if q.now.Load() {
		panic("the sampler broke")
	}
	return q.Query.Collect(ctx, b)
}

// breakKey makes the test program a session that breaks at SIGUSR1: where.
const breakKey = "PERFDECK_TUI_BREAKS"

func TestMain(m *testing.M) {
	if where := os.Getenv(breakKey); where != "" {
		os.Exit(breakingChild(where))
	}
	os.Exit(m.Run())
}

func breakingChild(where string) int {
	var broken atomic.Bool
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGUSR1)
	go func() {
		<-signals
		if strings.Contains(where, "library") {
			panic("a library broke")
		}
		broken.Store(true)
	}()
	var s *tui.Session
	guarded := guard.New(func(e *guard.PanicError) {
		s.Restore()
		fmt.Println("told:", e)
		os.Exit(1)
	})
	s, err := prepare(context.Background(), os.Stdin, guarded, func(o *tui.Options) {
		o.Stock = strings.Contains(where, "bubbletea")
		if strings.Contains(where, "update") {
			o.Now = func() time.Time {
				if broken.Load() {
					panic("the screen broke")
				}
				return time.Now()
			}
			return
		}
		clock := session.NewSystemClock()
		o.Hosts = []*pane.Host{hostOf("h", breaking{fake.Demo(clock)[0].Source, &broken}, clock)}
	})
	if err != nil {
		fmt.Println(err)
		return 2
	}
	guarded.Run(func() { _ = s.Run(context.Background()) })
	return 0
}

// A panic in any goroutine gives the terminal back before it is told.
func TestPanicGivesTheTerminalBack(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, renderer := range []string{"own", "bubbletea"} {
		for _, where := range []string{"update", "sampler"} {
			t.Run(renderer+"/"+where, func(t *testing.T) {
				c := newConsole(t, 100, 30)
				child := exec.CommandContext(t.Context(), self)
				child.Env = append(panetest.CatchRaces(t, os.Environ()), breakKey+"="+renderer+" "+where)
				child.Stdin, child.Stdout, child.Stderr = c.tty, c.tty, c.tty
				child.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
				if err := child.Start(); err != nil {
					t.Fatal(err)
				}
				c.awaitText("Processor Information")
				_ = child.Process.Signal(syscall.SIGUSR1)
				if err := child.Wait(); err == nil {
					t.Error("the child ended as if nothing had happened")
				}
				c.isGivenBack()
				// Where the cursor then stands, and so where a line ends, is the terminal's affair.
				c.await("the panic to be told", func(string) bool { return strings.Contains(c.written(), "broke") })
				if all := c.written(); strings.LastIndex(all, "\x1b[?1049l") > strings.Index(all, "told:") {
					t.Errorf("the terminal is given back after the panic is told: %q", all[max(0, len(all)-500):])
				}
			})
		}
	}
}

// What no code of ours sees leaves the terminal as it was, too: a panic in a goroutine of a
// library, whose words can be read then, and the end of the process by force. One that is
// stopped has given it back before.
func TestTheTerminalIsGivenBackForTheProgram(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, renderer := range []string{"own", "bubbletea"} {
		for how, end := range map[string]func(*os.Process){
			"library": func(p *os.Process) { _ = p.Signal(syscall.SIGUSR1) },
			"killed":  func(p *os.Process) { _ = p.Kill() },
		} {
			t.Run(renderer+"/"+how, func(t *testing.T) {
				c := newConsole(t, 100, 30)
				// A shell leads the session, and stays: its end would hang the terminal up. It
				// lends the terminal to another program first, as for a prompt.
				child := exec.CommandContext(t.Context(), "/bin/sh", "-c", `set -m; "$0"; sleep 0.3; set +m; sleep 100`, self)
				child.Env = append(panetest.CatchRaces(t, os.Environ()), breakKey+"="+renderer+" "+how)
				child.Stdin, child.Stdout, child.Stderr = c.tty, c.tty, c.tty
				child.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
				if err := child.Start(); err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = child.Process.Kill(); _ = child.Wait() })
				c.awaitText("Processor Information")
				pid := childOf(t, child.Process.Pid, func(line string) bool { return !strings.Contains(line, "sleep") })
				watcher := childOf(t, pid, func(line string) bool { return strings.HasPrefix(line, "perfdeck-terminal") })
				p, _ := os.FindProcess(pid)
				end(p)
				c.isGivenBack()
				if how == "library" {
					c.awaitText("a library broke")
				}
				sharedtest.Until(t, "the end of the watcher", func() bool { return syscall.Kill(watcher, 0) != nil || isZombie(watcher) })
			})
		}
	}
}

// childOf is a process that another one started, when it is there.
func childOf(t *testing.T, parent int, is func(line string) bool) int {
	t.Helper()
	for end := time.Now().Add(waitLimit); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		list, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", parent, parent))
		if err != nil {
			t.Skip("this system does not tell the children of a process")
		}
		all, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", parent))
		for _, name := range all {
			text, _ := os.ReadFile(name)
			list = append(list, text...)
		}
		for _, f := range strings.Fields(string(list)) {
			pid, _ := strconv.Atoi(f)
			if line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)); len(line) > 0 && is(string(line)) {
				return pid
			}
		}
	}
	t.Fatal("there is no such process")
	return 0
}

func isZombie(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || strings.Contains(string(text), ") Z ")
}

// When the terminal goes away the session ends, also without a signal.
func TestHangUp(t *testing.T) {
	c := newConsole(t, 100, 30)
	r := c.start(func(*tui.Options) {})
	c.awaitText("Processor Information")
	_ = c.master.Close()
	if r.wait(); r.err == nil {
		t.Error("Run tells nothing")
	}
}

func TestResize(t *testing.T) {
	renderers(t, func(t *testing.T, stock bool) {
		c := newConsole(t, 100, 30)
		r := c.start(func(o *tui.Options) { o.Stock = stock })
		c.awaitText("Processor Information")
		for _, size := range [][2]int{{40, 12}, {1, 1}, {20, 2}, {300, 100}, {1, 1}, {80, 24}} {
			c.resize(size[0], size[1])
			wink(c)
			switch {
			case size[0] >= 40:
				c.await(fmt.Sprint("the screen at ", size), func(text string) bool {
					lines := strings.Split(text, "\n")
					return strings.Contains(lines[size[1]-1], "? help") && strings.Contains(lines[0], "[1")
				})
			case size[0] >= 20:
				c.awaitText("too small")
			}
		}
		c.write("q")
		r.wait()
		c.isGivenBack()
	})
}

// wink tells this process that its terminal changed: the console is not its
// controlling terminal.
func wink(*console) { _ = syscall.Kill(os.Getpid(), syscall.SIGWINCH) }

// Both ways to the terminal show the same screen.
func TestRenderersAgree(t *testing.T) {
	start := time.Date(2026, 3, 2, 14, 7, 32, 0, time.UTC)
	var runs [2]*run
	for i, stock := range []bool{false, true} {
		var clock *clocktest.Clock
		clock = clocktest.New(start, func() { clock.Rest(1) })
		c := newConsole(t, 100, 30)
		runs[i] = c.start(func(o *tui.Options) {
			o.Stock = stock
			o.Now = func() time.Time { return clock.Now().Wall }
			o.Hosts = []*pane.Host{hostOf("sql01", fake.Demo(prompt{clock})[0].Source, clock)}
		})
		for n, step := range []time.Duration{0, 250 * time.Millisecond, 750 * time.Millisecond, time.Second, time.Second, time.Second} {
			clock.Advance(step) // to each reading, as what screens ask for goes by what they saw
			c.await("a sample", func(string) bool {
				return runs[i].session.Sampled(runs[i].ended) == int(clock.Now().Wall.UnixMilli())
			})
			if n == 0 {
				c.awaitText("svchost") // both sort their tables for the first time now, and each 2 s from then on
			}
		}
		c.awaitText(start.Add(4 * time.Second).Format("15:04:05"))
	}
	for _, k := range []struct{ press, await string }{
		{"", "MsMpEng"}, {"j", "User Time"}, {"x", "formula"}, {"\x1b", "Queue Len"},
		{"3", "[3 Top]"}, {"?", "Help: Top"}, {"\x1b", "sqlservr"}, {"1", "Queue Len"}, {"a", "Add a counter"},
	} {
		for _, r := range runs {
			r.write(k.press)
		}
		var shown [2]string
		same := 0
		agree := runs[0].comes(func(text string) bool { // and rest
			now := [2]string{text, runs[1].text()}
			if same++; now != shown {
				same = 0
			}
			shown = now
			return same >= 10 && strings.Contains(shown[0], k.await) && shown[0] == shown[1]
		})
		if !agree {
			t.Fatalf("after %q, with %q: ours\n%s\nbubbletea's\n%s", k.press, k.await, shown[0], shown[1])
		}
	}
}

var troubles = regexp.MustCompile(`trouble \d\d`)

// What goes wrong outside the screens is in the Log in the order in which it did, and
// of several texts that are copied the last one is on the clipboard.
func TestOrderOutside(t *testing.T) {
	renderers(t, func(t *testing.T, stock bool) {
		c := newConsole(t, 100, 30)
		r := c.start(func(o *tui.Options) { o.Stock = stock })
		c.awaitText("Processor Information")
		for i := range 20 {
			r.session.Note(fmt.Errorf("trouble %02d", i))
		}
		c.write("8")
		var got []string
		c.await("the Log", func(text string) bool {
			got = troubles.FindAllString(text, 20)
			return strings.Contains(text, "follows the end") && len(got) == 20
		})
		if !slices.IsSorted(got) {
			t.Errorf("the Log has %q", got)
		}
		before := len(c.written())
		c.write(strings.Repeat("kyjy", 10) + "GykyGy")
		c.await("the copies", func(string) bool { return strings.Count(c.written()[before:], "\x1b]52;") == 23 })
		all := c.written()
		last, _, _ := strings.Cut(all[strings.LastIndex(all, "\x1b]52;c;")+len("\x1b]52;c;"):], "\x07")
		text, err := base64.StdEncoding.DecodeString(last)
		words := strings.Fields(string(text))
		if err != nil || len(words) == 0 {
			t.Fatalf("the clipboard has %q (%v)", text, err)
		}
		c.await("what was copied last is selected", func(text string) bool {
			_, selected, _ := strings.Cut(text, "►")
			selected, _, _ = strings.Cut(selected, "\n")
			return strings.HasSuffix(strings.TrimSpace(selected), words[len(words)-1])
		})
	})
}
