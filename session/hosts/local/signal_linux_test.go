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

// A process that runs another program than the one which was chosen gets no signal,
// though its number and start are the same.
func TestSignalOfAnotherProgram(t *testing.T) {
	c := exec.CommandContext(t.Context(), "sh", "-c", "read x; exec sleep 60")
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Skipf("no process to signal: %v", err)
	}
	pid := c.Process.Pid
	key := session.InstanceKey{Name: "sh", ID: processID(startOf(t, pid), uint32(pid))}
	if _, err := in.Write([]byte("\n")); err != nil {
		t.Fatal(err)
	}
	for name := ""; name != "sleep\n"; {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
		if err != nil {
			t.Fatal(err)
		}
		name = string(b)
	}
	if err := Signal(key, "SIGKILL"); !errors.Is(err, ErrProcessOther) {
		t.Errorf("another program: %v", err)
	}
	if err := c.Process.Signal(unix.Signal(0)); err != nil {
		t.Fatalf("the process was touched: %v", err)
	}
	key.Name = "sleep"
	if err := Signal(key, "SIGKILL"); err != nil {
		t.Error(err)
	}
	_ = c.Wait()
}

func TestIsCalled(t *testing.T) {
	for _, c := range []struct {
		comm, name string
		want       bool
	}{
		{"sleep", "sleep", true}, {"sleep", "sleep2", false}, {"sleep", "sh", false}, {"", "17", true},
		{"(sd-pam)", "[sd-pam]", true}, {"systemd-journal", "systemd-journald", true}, {"systemd-journal", "systemd-journal", true},
		{"systemd-journal", "systemd-logind", false}, {"fünfzehnbytex\xc3", "fünfzehnbytexüü", true}, {"a\xff", "a\uFFFD", true},
	} {
		if got := isCalled([]byte(c.comm), c.name); got != c.want {
			t.Errorf("%q is called %q: %v", c.comm, c.name, got)
		}
	}
}
