//go:build !windows

package terminal

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// readable waits until a terminal has something to read.
func readable(file *os.File, wait time.Duration) bool {
	fd := int(file.Fd())
	if fd >= unix.FD_SETSIZE {
		return wait == 0
	}
	for end := time.Now().Add(wait); ; {
		var set unix.FdSet
		set.Set(fd)
		left := unix.NsecToTimeval(max(0, int64(time.Until(end))))
		n, err := unix.Select(fd+1, &set, nil, nil, &left)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		return n > 0 || err != nil
	}
}
