//go:build unix && !linux

package osfile

import "golang.org/x/sys/unix"

// setLock makes locks of the process: a lock ends too early where the process opens the
// file once more and closes it.
const setLock = unix.F_SETLK
