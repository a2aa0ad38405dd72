package local

import (
	"os"
	"os/exec"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// used is the CPU time of this process by getrusage(2).
func used(t *testing.T) time.Duration {
	t.Helper()
	var r unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &r); err != nil {
		t.Fatal(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

func TestProcessClock(t *testing.T) {
	before := used(t)
	ns, ok := processClock(uint32(os.Getpid()))
	after := used(t)
	const cut = time.Millisecond // getrusage adds parts of microseconds up otherwise
	if at := time.Duration(ns); !ok || at < before-cut || at > after+cut {
		t.Errorf("the clock says %v (%v), getrusage %v and %v", at, ok, before, after)
	}
}

func TestProcessClockOfNobody(t *testing.T) {
	c := exec.Command("true")
	if err := c.Run(); err != nil {
		t.Skip(err)
	}
	if ns, ok := processClock(uint32(c.Process.Pid)); ok {
		t.Errorf("a process that ended has a clock: %d", ns)
	}
}

func TestNumbersOfAnotherNamespaceHaveNoClocks(t *testing.T) {
	if !hasProcessClocks("/proc") {
		t.Error("our own /proc has none")
	}
	proc := t.TempDir()
	if err := os.Symlink("1", proc+"/self"); err != nil {
		t.Fatal(err)
	}
	if hasProcessClocks(proc) {
		t.Error("where we have another number, clocks are read")
	}
}
