//go:build unix

package collector

import (
	"errors"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// isProcess tells whether there is a process of this number.
func isProcess(pid int) bool {
	err := unix.Kill(pid, 0)
	return err == nil || errors.Is(err, unix.EPERM)
}

// detach lets a command outlive the terminal and the session of this process.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
}

// isFull and isReadOnly tell why nothing could be written.
func isFull(err error) bool {
	return errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) || errors.Is(err, unix.EFBIG)
}

func isReadOnly(err error) bool { return errors.Is(err, unix.EROFS) }
