//go:build unix

package subprocess

import (
	"os"
	"os/exec"
	"sync"
	"syscall"
)

// Start starts a program in a session of its own: it has no terminal. wait waits for it, and
// ends whatever it started and left behind; end ends all of that before.
func Start(c *exec.Cmd) (wait func() error, end func(), err error) {
	if c.SysProcAttr == nil {
		c.SysProcAttr = &syscall.SysProcAttr{}
	}
	c.SysProcAttr.Setsid = true
	var mu sync.Mutex
	over := false // its number may be another's by now
	kill := func(last bool) error {
		mu.Lock()
		defer mu.Unlock()
		if over {
			return os.ErrProcessDone
		}
		over = last
		return syscall.Kill(-c.Process.Pid, syscall.SIGKILL)
	}
	c.Cancel = func() error { return kill(false) }
	wait = func() error {
		if awaitEnd(c.Process.Pid) {
			_ = kill(true)
			return c.Wait()
		}
		defer kill(true) //nolint:errcheck // there may be nothing left
		return c.Wait()
	}
	return wait, func() { _ = kill(false) }, c.Start()
}

// Detach lets a command outlive the terminal and the session of this process.
func Detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
}
