//go:build unix

package subprocess

import (
	"os/exec"
	"syscall"
)

// Start starts a program in a session of its own: it has no terminal, and
// finish ends whatever it started and left behind.
func Start(c *exec.Cmd) (finish func(), err error) {
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	end := func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
	c.Cancel = end
	return func() { _ = end() }, c.Start()
}

// Detach lets a command outlive the terminal and the session of this process.
func Detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
}
