package local

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"perfdeck/session"
)

func startOf(t *testing.T, pid int) uint64 {
	t.Helper()
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	var s procStat
	if _, ok := s.parse(line); !ok {
		t.Fatalf("cannot read %q", line)
	}
	return s.start
}

func TestSignal(t *testing.T) {
	c := exec.CommandContext(t.Context(), "sleep", "60")
	if err := c.Start(); err != nil {
		t.Skipf("no process to signal: %v", err)
	}
	start := startOf(t, c.Process.Pid)
	key := session.InstanceKey{Name: "sleep", ID: processID(start, uint32(c.Process.Pid))}

	// Another process of this number is not touched.
	reused := key
	reused.ID = processID(start+1, uint32(c.Process.Pid))
	if err := Signal(reused, "SIGKILL"); !errors.Is(err, ErrProcessGone) {
		t.Errorf("a reused number: %v", err)
	}
	for _, wrong := range []struct {
		key  session.InstanceKey
		name string
	}{{key, "SIGNONE"}, {session.InstanceKey{Name: "Idle"}, "SIGTERM"}, {session.InstanceKey{Name: "x", ID: processID(0, 7)}, "SIGTERM"}} {
		if err := Signal(wrong.key, wrong.name); err == nil {
			t.Errorf("%v %s: no error", wrong.key, wrong.name)
		}
	}
	if err := c.Process.Signal(unix.Signal(0)); err != nil {
		t.Fatalf("the process was touched: %v", err)
	}

	if err := Signal(key, "SIGTERM"); err != nil {
		t.Fatal(err)
	}
	err := c.Wait()
	exit, ok := errors.AsType[*exec.ExitError](err)
	if !ok || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGTERM {
		t.Errorf("it ended with %v", err)
	}
	if err := Signal(key, "SIGTERM"); !errors.Is(err, ErrProcessGone) {
		t.Errorf("after its end: %v", err)
	}
}
