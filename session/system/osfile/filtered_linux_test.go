package osfile

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A service whose unit leaves out the system calls of privileged programs ends at the first of them:
// who replaces a file of his own needs none.
func TestReplacingOnesOwnNeedsNoPrivilegedCall(t *testing.T) {
	name := os.Getenv("PERFDECK_TEST_FILTERED")
	if name == "" {
		name = filepath.Join(t.TempDir(), "file")
		if err := Write(name, []byte("old"), false); err != nil {
			t.Fatal(err)
		}
		c := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
		c.Env = append(os.Environ(), "PERFDECK_TEST_FILTERED="+name)
		if said, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, said)
		}
		if text, err := os.ReadFile(name); err != nil || string(text) != "new" {
			t.Errorf("it has %q, %v", text, err)
		}
		return
	}
	runtime.LockOSThread()
	filter := []unix.SockFilter{{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS}} // the number of the call
	for _, call := range []uint32{unix.SYS_FCHOWN, unix.SYS_FCHOWNAT} {
		filter = append(filter, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: 1, K: call},
			unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_KILL_PROCESS})
	}
	filter = append(filter, unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW})
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		t.Skip(err)
	}
	if err := unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&program)), 0, 0); err != nil {
		t.Skip(err)
	}
	if err := Write(name, []byte("new"), false); err != nil {
		t.Fatal(err)
	}
}

// What is no disk has no room, and is not full.
func TestNoDiskIsNotFull(t *testing.T) {
	if _, all, err := Space("/proc"); err == nil && all == 0 && IsCrowded("/proc") {
		t.Error("/proc is full")
	}
}
