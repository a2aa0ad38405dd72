//go:build unix

package subprocess

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
	"testing"
)

// What a program left behind ends with it; once the program was waited for nothing is killed,
// as its number may be another's.
func TestEndsWithItsProgram(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	c := exec.CommandContext(t.Context(), "sh", "-c", "sleep 600 & exit 3")
	c.Stdout = w
	wait, end, err := Start(c)
	_ = w.Close()
	if err != nil {
		t.Fatal(err)
	}
	if e, ok := errors.AsType[*exec.ExitError](wait()); !ok || e.ExitCode() != 3 {
		t.Errorf("%v", e)
	}
	if n, _ := r.Read(make([]byte, 1)); n != 0 { // the end: nobody has it open any more
		t.Error("something is read")
	}
	if err := c.Cancel(); !errors.Is(err, os.ErrProcessDone) {
		t.Errorf("a group was killed whose number may be another's: %v", err)
	}
	end()
}

// A program that is ended before it ends takes all along.
func TestEnd(t *testing.T) {
	c := exec.CommandContext(t.Context(), "sh", "-c", "sleep 600 & sleep 600")
	wait, end, err := Start(c)
	if err != nil {
		t.Fatal(err)
	}
	end()
	if e, ok := errors.AsType[*exec.ExitError](wait()); !ok || e.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Errorf("%v", e)
	}
}
