//go:build !windows

package terminal

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/term"
)

// childKey makes the test program play one part on a terminal of its own.
const childKey = "PERFDECK_TERMINAL_TEST"

func TestMain(m *testing.M) {
	if os.Getenv(childKey) != "" {
		os.Exit(suspendedChild())
	}
	os.Exit(m.Run())
}

func suspendedChild() int {
	t, err := Open(os.Stdin, os.Stdout, Options{})
	for _, step := range []func() error{func() error { return err }, t.Enter, func() error { return t.Lend(StopJob) }, t.Leave} {
		if err := step(); err != nil {
			println(err.Error())
			return 1
		}
	}
	return 0
}

// openPTY returns a terminal and what is written to it, which is complete once
// finish was called.
func openPTY(t *testing.T) (tty *os.File, finish func() string) {
	t.Helper()
	master, tty, err := pty.Open()
	if err != nil {
		t.Skipf("no pseudo terminal: %v", err)
	}
	return tty, collect(t, master, tty)
}

func collect(t *testing.T, master, tty *os.File) func() string {
	var got strings.Builder
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(&got, master) // ends with EIO when the other side closes
	}()
	finish := sync.OnceValue(func() string {
		if tty != nil {
			tty.Close()
		}
		<-done
		master.Close()
		return got.String()
	})
	t.Cleanup(func() { finish() })
	return finish
}

func TestEnterAndLeave(t *testing.T) {
	tty, finish := openPTY(t)
	before, err := term.GetState(int(tty.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	options := Options{Title: "perfdeck", Mouse: true, Focus: true, Paste: true, Query: true}
	terminal, err := Open(tty, tty, options)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := terminal.Write([]byte("early")); !errors.Is(err, ErrLeft) {
		t.Errorf("Write before Enter: %v", err)
	}
	for range 2 {
		for range 2 {
			if err := terminal.Enter(); err != nil {
				t.Fatal(err)
			}
		}
		if err := terminal.Reenter(); err != nil {
			t.Fatal(err)
		}
		inside, _ := term.GetState(int(tty.Fd()))
		if reflect.DeepEqual(before, inside) {
			t.Error("not in raw mode")
		}
		if _, err := terminal.Write([]byte("frame")); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if err := terminal.Leave(); err != nil {
				t.Fatal(err)
			}
		}
		after, _ := term.GetState(int(tty.Fd()))
		if !reflect.DeepEqual(before, after) {
			t.Error("the mode was not restored")
		}
	}
	if _, err := terminal.Write([]byte("late")); !errors.Is(err, ErrLeft) {
		t.Errorf("Write after Leave: %v", err)
	}
	once := options.begin() + options.begin() + "frame" + options.end()
	if got := finish(); got != once+once {
		t.Errorf("wrote %q", got)
	}
}

// A line that takes nothing more must not keep the program from ending.
func TestLeaveWhileAWriteIsStalled(t *testing.T) {
	master, tty, err := pty.Open()
	if err != nil {
		t.Skipf("no pseudo terminal: %v", err)
	}
	before, _ := term.GetState(int(tty.Fd()))
	terminal, err := Open(tty, tty, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := terminal.Enter(); err != nil {
		t.Fatal(err)
	}
	written := make(chan struct{})
	go func() {
		defer close(written)
		_, _ = terminal.Write(make([]byte, 4<<20)) // nobody reads: this waits
	}()
	for terminal.mu.TryLock() {
		terminal.mu.Unlock()
		time.Sleep(time.Millisecond)
	}
	if err := terminal.Leave(); err != nil {
		t.Error(err)
	}
	if after, _ := term.GetState(int(tty.Fd())); !reflect.DeepEqual(before, after) {
		t.Error("the mode was not restored")
	}
	finish := collect(t, master, nil)
	<-written
	tty.Close()
	finish()
}

func TestOpenWantsTerminals(t *testing.T) {
	file, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	tty, _ := openPTY(t)
	for _, pair := range [][2]*os.File{{file, tty}, {tty, file}, {nil, tty}} {
		if _, err := Open(pair[0], pair[1], Options{}); !errors.Is(err, ErrNoTerminal) {
			t.Errorf("err = %v", err)
		}
	}
}

func TestSize(t *testing.T) {
	tty, _ := openPTY(t)
	if err := pty.Setsize(tty, &pty.Winsize{Rows: 7, Cols: 33}); err != nil {
		t.Fatal(err)
	}
	terminal, err := Open(tty, tty, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if w, h, err := terminal.Size(); w != 33 || h != 7 || err != nil {
		t.Errorf("%d x %d, %v", w, h, err)
	}
}

func TestWatch(t *testing.T) {
	tty, _ := openPTY(t)
	terminal, err := Open(tty, tty, Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	events, ended := make(chan Event, 8), make(chan struct{})
	go func() {
		defer close(ended)
		terminal.Watch(ctx, func(e Event) { events <- e })
	}()
	for signal, want := range map[syscall.Signal]Event{syscall.SIGWINCH: Resized, syscall.SIGCONT: Continued} {
		for received := false; !received; {
			_ = syscall.Kill(os.Getpid(), signal) // again until Watch listens
			select {
			case e := <-events:
				received = e == want
			case <-time.After(20 * time.Millisecond):
			}
		}
	}
	cancel()
	<-ended
}

// The child leads a session of its own, so no shell could continue it: the stop
// is dropped by the system and Suspend has to come back by itself.
func TestSuspendWithoutJobControlReturns(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	child := exec.CommandContext(t.Context(), self)
	child.Env = append(os.Environ(), childKey+"=1")
	master, err := pty.Start(child)
	if err != nil {
		t.Skipf("no pseudo terminal: %v", err)
	}
	finish := collect(t, master, nil)
	if err := child.Wait(); err != nil {
		t.Errorf("child: %v", err)
	}
	got := finish()
	if strings.Count(got, altScreenOn) != 2 || strings.Count(got, altScreenOff) != 2 {
		t.Errorf("the child wrote %q", got)
	}
}
