//go:build !windows

package tui_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"reflect"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
	"golang.org/x/term"

	"perfdeck/session"
	"perfdeck/session/hosts/fake"
	"perfdeck/session/system/guard"
	"perfdeck/session/system/sharedtest"
	"perfdeck/themes"
	"perfdeck/tui"
	"perfdeck/tui/canvas"
	"perfdeck/tui/pane"
)

// console is a terminal: a pseudo terminal with an emulator at its far end.
type console struct {
	testing.TB
	master, tty *os.File
	screen      *vt.SafeEmulator
	before      *term.State

	mu       sync.Mutex
	raw      bytes.Buffer // all that was written to it
	shows    string       // the text of the screen, by what was written and its size
	shownAt  [3]int
	isAlt    bool
	isHidden bool // the cursor
	modes    map[int]bool
}

// newConsole opens a terminal of w x h cells.
func newConsole(t testing.TB, w, h int) *console {
	master, tty, err := pty.Open()
	if err != nil {
		t.Skipf("no pseudo terminal: %v", err)
	}
	c := &console{TB: t, master: master, tty: tty, screen: vt.NewSafeEmulator(w, h), modes: map[int]bool{}}
	c.resize(w, h)
	if c.before, err = term.GetState(int(tty.Fd())); err != nil {
		t.Fatal(err)
	}
	note := func(on bool) func(ansi.Mode) {
		return func(m ansi.Mode) { c.modes[m.Mode()] = on }
	}
	c.screen.SetCallbacks(vt.Callbacks{
		AltScreen:        func(on bool) { c.isAlt = on },
		CursorVisibility: func(on bool) { c.isHidden = !on },
		EnableMode:       note(true), DisableMode: note(false),
	})
	// Both end some time after the files are closed.
	screen := c.screen
	go func() { _, _ = io.Copy(master, screen) }() // what the terminal answers
	go func() {
		buf := make([]byte, 64<<10)
		for {
			n, err := master.Read(buf)
			if err != nil {
				return
			}
			c.mu.Lock()
			c.raw.Write(buf[:n])
			if c.screen != nil {
				_, _ = c.screen.Write(buf[:n])
			}
			c.mu.Unlock()
		}
	}()
	t.Cleanup(func() {
		_ = tty.Close()
		_ = master.Close()
		_ = c.screen.InputPipe().(io.Closer).Close()
		c.mu.Lock()
		c.screen = nil // has megabytes, and a read that began may never end
		c.mu.Unlock()
	})
	return c
}

func (c *console) resize(w, h int) {
	c.mu.Lock()
	c.screen.Resize(w, h)
	c.mu.Unlock()
	_ = pty.Setsize(c.tty, &pty.Winsize{Cols: uint16(w), Rows: uint16(h)})
}

// text is what the screen shows.
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
			cell := c.screen.CellAt(x, y)
			switch {
			case cell == nil || cell.Content == "":
				b.WriteByte(' ')
			default:
				b.WriteString(cell.Content)
			}
		}
		b.WriteByte('\n')
	}
	c.shows, c.shownAt = b.String(), at
	return c.shows
}

// writtenLength is how many bytes were written to it.
func (c *console) writtenLength() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.raw.Len()
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

// await waits until the screen is as it should be.
func (c *console) await(what string, is func(text string) bool) {
	c.Helper()
	if !c.comes(is) {
		c.Fatalf("waited for %s in vain; the screen is\n%s", what, c.text())
	}
}

// comes tells whether the screen is as it should be, in the end.
func (c *console) comes(is func(text string) bool) bool {
	for end := time.Now().Add(waitLimit); time.Now().Before(end); time.Sleep(3 * time.Millisecond) {
		if is(c.text()) {
			return true
		}
	}
	return false
}

func (c *console) awaitText(text string) {
	c.Helper()
	c.await(text, func(all string) bool { return strings.Contains(all, text) })
}

// isGivenBack checks that the terminal is as it was before.
func (c *console) isGivenBack() {
	c.Helper()
	c.await("the alternate screen to end", func(string) bool { c.mu.Lock(); defer c.mu.Unlock(); return !c.isAlt })
	after, err := term.GetState(int(c.tty.Fd()))
	if err != nil || !reflect.DeepEqual(c.before, after) {
		c.Errorf("the mode of the terminal was %v, is %v %v", c.before, after, err)
	}
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

// run is a session of the screens on a console.
type run struct {
	*console
	session *tui.Session
	ended   chan struct{}
	err     error // of Run, once ended
}

// start shows the first host of the demo, or what change makes of it.
func (c *console) start(change func(*tui.Options)) *run {
	c.Helper()
	r := &run{console: c, ended: make(chan struct{})}
	ctx, cancel := context.WithCancel(context.Background())
	guarded := guard.New(func(e *guard.PanicError) { panic(e) })
	var err error
	r.session, err = prepare(ctx, c.duplicate(), guarded, change)
	if err != nil {
		c.Fatal(err)
	}
	go func() {
		defer close(r.ended)
		r.err = r.session.Run(ctx)
	}()
	c.Cleanup(func() {
		r.session.Stop(nil)
		r.wait()
		cancel()
	})
	return r
}

// duplicate is the terminal as a file of its own, which nobody closes: the
// library may look at it still after it was stopped.
func (c *console) duplicate() *os.File {
	fd, err := syscall.Dup(int(c.tty.Fd()))
	if err != nil {
		c.Fatal(err)
	}
	return os.NewFile(uintptr(fd), c.tty.Name())
}

// prepare makes a session on a terminal, its samplers running.
func prepare(ctx context.Context, tty *os.File, guarded *guard.Guard, change func(*tui.Options)) (*tui.Session, error) {
	theme, err := themes.Load(themes.Default, nil)
	if err != nil {
		return nil, err
	}
	o := tui.Options{
		Settings: tui.Settings{Interval: time.Second, Theme: theme, Dark: true, FixedBackground: true, Glyphs: canvas.Full},
		Runtime:  tui.Runtime{Guard: guarded, Now: time.Now},
		Display: tui.Display{
			Profile: themes.TrueColour,
			Caps:    canvas.CapsOf("xterm-256color"),
			Mouse:   true,
			In:      tty,
			Out:     tty,
			Environ: []string{"TERM=xterm-256color", "COLORTERM=truecolor", "LANG=C.UTF-8"},
		},
	}
	change(&o)
	if len(o.Hosts) == 0 {
		clock := session.NewSystemClock()
		o.Hosts = []*pane.Host{hostOf("sql01", fake.Demo(clock)[0].Source, clock)}
	}
	s := new(tui.Session)
	if err := s.Open(o); err != nil {
		return nil, err
	}
	for _, h := range o.Hosts {
		guarded.Go(func() { h.Sampler.(*session.Sampler).Run(ctx) })
	}
	return s, nil
}

func hostOf(name string, source session.Source, clock session.Clock) *pane.Host {
	s := session.NewSampler(name, source, clock)
	return &pane.Host{Name: name, Sampler: s, Feed: s.Feed(session.FeedOptions{Every: time.Second, History: time.Minute})}
}

// wait waits for the end.
func (r *run) wait() {
	r.Helper()
	select {
	case <-r.ended:
	case <-time.After(waitLimit):
		r.Fatalf("the session does not end; the screen is\n%s", r.text())
	}
}
