//go:build unix

package collector

import (
	"errors"

	"golang.org/x/sys/unix"
)

// isProcess tells whether there is a process of this number.
func isProcess(pid int) bool {
	err := unix.Kill(pid, 0)
	return err == nil || errors.Is(err, unix.EPERM)
}

// isReadOnly tells why nothing could be written.
func isReadOnly(err error) bool { return errors.Is(err, unix.EROFS) }
