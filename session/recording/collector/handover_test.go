package collector

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"perfdeck/session"
	"perfdeck/session/files/formats"
	"perfdeck/session/hosts/fake"
)

// successorVariable makes the test binary the second process of a hand-over: how far it
// comes before it ends, and what it says then.
const successorVariable = "PERFDECK_TEST_SUCCESSOR"

// actSuccessor says what steps names, and ends. "row" lives on until it is killed.
func actSuccessor(steps string) {
	in := bufio.NewReader(os.Stdin)
	_, _ = in.ReadString('\n')
	for step := range strings.FieldsSeq(steps) {
		switch step {
		case "ready":
			fmt.Print(readyLine)
			_, _ = io.Copy(io.Discard, in) // until the first process lets go
		case "taken":
			fmt.Print(takenLine)
		case "row":
			fmt.Print(wroteLine)
			time.Sleep(time.Minute)
		case "reports":
			fmt.Fprintln(os.Stderr, "perfdeck: something that is no matter\nhint: none")
		case "panics":
			fmt.Fprintln(os.Stderr, "perfdeck: internal error: boom\ngoroutine 1 [running]:")
		case "fails":
			fmt.Fprintln(os.Stderr, "perfdeck: the disk is full")
		}
	}
	os.Exit(1)
}

// TestHandOverDies: when the second process ends as soon as it has the recording
// the user is told so and why, and so is the next start.
func TestHandOverDies(t *testing.T) {
	for _, c := range []struct {
		steps string
		state State // of what is left
		why   string
	}{
		{"fails", Ended, "the disk is full"},
		{"ready panics", Interrupted, "internal error: boom"},
		{"ready taken reports panics reports", Interrupted, "internal error: boom"},
		{"ready taken fails", Interrupted, "the disk is full"},
		{"ready taken", Interrupted, "did not say"},
	} {
		t.Run(c.steps, func(t *testing.T) {
			dir, err := handOverTo(t, c.steps, nil)
			if err == nil || !strings.Contains(err.Error(), c.why) {
				t.Errorf("it says %v, want %q", err, c.why)
			}
			var hinted interface{ Hint() string }
			if c.state == Interrupted && (!errors.As(err, &hinted) || !strings.Contains(hinted.Hint(), "--resume")) {
				t.Errorf("nothing says what to do: %v", err)
			}
			list, _ := List(dir, time.Now())
			if len(list) != 1 || list[0].State != c.state || !strings.Contains(list[0].Reason, c.why) {
				t.Fatalf("left: %+v", list)
			}
			if c.state == Interrupted {
				if _, err := list[0].Restore(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	t.Run("lives", func(t *testing.T) {
		if _, err := handOverTo(t, "ready taken row", nil); err != nil {
			t.Error(err)
		}
	})
}

// TestHandOverUnclosed: when the files cannot be closed the recording is ended:
// nobody goes on with it, and what is kept of it says why, whoever looks on.
func TestHandOverUnclosed(t *testing.T) {
	for _, attended := range []bool{false, true} {
		var successor *exec.Cmd
		dir, err := handOverTo(t, "ready taken row", func(o *Options, cmd *exec.Cmd) creator {
			o.Attended, successor = attended, cmd
			return by(&faulty{close: syscall.ENOSPC})
		})
		if !errors.Is(err, ErrDiskFull) {
			t.Errorf("it says %v", err)
		}
		if list, _ := List(dir, time.Now()); len(list) != 1 || list[0].State != Ended || !strings.Contains(list[0].Reason, ErrDiskFull.Error()) {
			t.Errorf("attended %v, left: %+v", attended, list)
		}
		if successor.ProcessState == nil {
			t.Error("the second process lives on")
		}
	}
}

// TestHandOverLess: a host whose own file ended before keeps nobody from going on
// with the others.
func TestHandOverLess(t *testing.T) {
	inBubble(t, start0, func(r *rig) {
		o := r.described("n.csv", r.host(plain("a"), `\Memory\Seconds`), r.host(plain("b"), `\Memory\Seconds`))
		o.PerHost = true
		rec := r.start(o)
		r.clock.Advance(5 * time.Second)
		r.remove(filepath.Join(r.dir, "b_n.csv"))
		r.clock.Advance(5 * time.Second)
		err := make(chan error, 1)
		go func() { err <- rec.stop(r.ctx, ending{hand: true}) }()
		r.clock.Advance(0)
		if err := <-err; err != nil {
			t.Errorf("it cannot be handed over: %v", err)
		}
		if list := r.list(o.Dir); len(list) != 1 || list[0].State != Interrupted || list[0].PID != 0 {
			t.Errorf("left: %+v", list)
		}
	})
}

// handOverTo hands a recording to a second process that does as it is told.
// change, if set, changes the recording.
func handOverTo(t *testing.T, steps string, change func(*Options, *exec.Cmd) creator) (dir string, err error) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	clock := session.NewSystemClock()
	sampler := session.NewSampler("a", fake.New(plain("a"), clock), clock)
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	go sampler.Run(ctx)
	folder := t.TempDir()
	dir = filepath.Join(folder, "state")
	cmd := &exec.Cmd{Path: self, Args: []string{self}, Env: append(os.Environ(), successorVariable+"="+steps)}
	o := Options{
		Subject:   Subject{Hosts: []Host{{Name: "a", Sampler: sampler, Paths: []string{`\Memory\Seconds`}}}, Every: session.MinInterval},
		Files:     Files{File: filepath.Join(folder, "n.csv")},
		Keeping:   Keeping{MinFree: -1},
		Runtime:   Runtime{Clock: clock, Go: func(f func()) { go f() }},
		Announced: Announced{Dir: dir},
		Listeners: Listeners{Report: func(err error) { t.Error(err) }},
	}
	create := creator{formats.Create, formats.Append}
	if change != nil {
		create = change(&o, cmd)
	}
	wrote := make(chan struct{})
	o.Wrote = func() { close(wrote) }
	w, err := start(o, create)
	if err != nil {
		t.Fatal(err)
	}
	<-wrote // there is a file to be closed
	t.Cleanup(func() {
		if cmd.Process != nil {
			_ = cmd.Process.Kill()
		}
	})
	return dir, HandOver(ctx, w.Recording, cmd, nil)
}

// TestExitReason: a recorder that panicked long after anybody looked left why; one
// that was killed left nothing but what it lived with.
func TestExitReason(t *testing.T) {
	for log, want := range map[string]string{
		"": "",
		"perfdeck: n.csv: 3 counters have no column\nhint: x\n":                         "",
		"perfdeck: n.csv: no column\nperfdeck: internal error: nil map\ngoroutine 7:\n": "internal error: nil map",
		"fatal error: concurrent map writes\n":                                          "fatal error: concurrent map writes",
	} {
		inBubble(t, start0, func(r *rig) {
			o := r.described("n.csv", r.host(plain("a"), `\Memory\Seconds`))
			rec := r.start(o)
			r.clock.Advance(2 * time.Second)
			r.kill(rec)
			name := LogFile(o.Dir, rec.Status().ID)
			if err := os.WriteFile(name, []byte(log), 0o600); err != nil {
				t.Fatal(err)
			}
			if list := r.list(o.Dir); len(list) != 1 || list[0].State != Interrupted || list[0].Reason != want {
				t.Errorf("%q: %+v", log, list)
			}
			r.stop(r.resume(o.Dir, nil, o.Hosts...))
			if _, err := os.Stat(name); !isGone(err) {
				t.Errorf("the log of the dead stays: %v", err)
			}
		})
	}
}
