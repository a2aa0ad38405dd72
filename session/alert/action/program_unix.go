//go:build unix

package action

import (
	"os/exec"
	"syscall"
)

// runInGroup starts a program in a session of its own: it has no terminal, and
// finish ends whatever it started and left behind.
func runInGroup(c *exec.Cmd) (finish func(), err error) {
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	end := func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
	c.Cancel = end
	return func() { _ = end() }, c.Start()
}
