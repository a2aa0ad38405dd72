//go:build unix

package files

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// Lock locks an open file against other programs, or fails at once: with ErrLocked
// if one of them has it. The lock ends with the program.
func Lock(f *os.File) error {
	err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return ErrLocked
	}
	return err
}

// Unlock ends Lock.
func Unlock(f *os.File) { _ = unix.Flock(int(f.Fd()), unix.LOCK_UN) }

// NoLocks tells that a file system does not lock.
func NoLocks(err error) bool {
	return errors.Is(err, unix.ENOLCK) || errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.ENOSYS)
}

// SyncDir makes sure that names that are new in a folder are on the disk.
func SyncDir(name string) error {
	d, err := os.Open(name)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

func replace(rename func() error) error { return rename() }
