//go:build unix

package collector

import (
	"errors"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// isProcess tells whether there is a process of this number.
func isProcess(pid int) bool {
	err := unix.Kill(pid, 0)
	return err == nil || errors.Is(err, unix.EPERM)
}

// diskSpace is how many bytes of a folder's disk a user may still write, and how
// many it has.
func diskSpace(folder string) (free, all int64, err error) {
	var s unix.Statfs_t
	if err := unix.Statfs(folder, &s); err != nil {
		return 0, 0, &os.PathError{Op: "statfs", Path: folder, Err: err}
	}
	block := int64(s.Bsize) //nolint:unconvert // its type differs from system to system
	return int64(s.Bavail) * block, int64(s.Blocks) * block, nil
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
