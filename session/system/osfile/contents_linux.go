package osfile

import "golang.org/x/sys/unix"

// setLock makes locks of open files: those of the process, as SQLite's, and the end of
// other descriptors do not touch them (fcntl_locking(2), "Open file description locks").
const setLock = unix.F_OFD_SETLK
