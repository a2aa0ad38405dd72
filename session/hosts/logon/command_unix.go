//go:build unix

package logon

import (
	"os/exec"
	"syscall"
)

// detach gives a command a session of its own: it has no terminal to ask on,
// and what it started ends with it.
func detach(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
}
