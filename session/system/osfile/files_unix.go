//go:build unix

package osfile

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// NoFollow keeps who opens a file from following a link that has its name.
const NoFollow = unix.O_NOFOLLOW

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

// LockContents locks what an open file holds, whatever names lead to it, as Lock does. The
// file must be open for writing. Who reads or writes does not meet the lock: it is of
// a byte far behind the end. It ends when the file is closed.
func LockContents(f *os.File) error {
	l := unix.Flock_t{Type: unix.F_WRLCK, Start: lockedByte, Len: 1}
	err := unix.FcntlFlock(f.Fd(), setLock, &l)
	if errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EACCES) {
		return ErrLocked
	}
	return err
}

// UnlockContents ends such a lock, and closes the file.
func UnlockContents(f *os.File) {
	l := unix.Flock_t{Type: unix.F_UNLCK, Start: lockedByte, Len: 1}
	_ = unix.FcntlFlock(f.Fd(), setLock, &l)
	_ = Close(f) // nothing was written by it
}

// NoLocks tells that a file system does not lock.
func NoLocks(err error) bool {
	return errors.Is(err, unix.ENOLCK) || errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EINVAL)
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

// Space is how many bytes of a folder's disk a user may still write, and how
// many it has.
func Space(folder string) (free, all int64, err error) {
	var s unix.Statfs_t
	if err := unix.Statfs(folder, &s); err != nil {
		return 0, 0, &os.PathError{Op: "statfs", Path: folder, Err: err}
	}
	block := int64(s.Bsize) //nolint:unconvert // its type differs from system to system
	return int64(s.Bavail) * block, int64(s.Blocks) * block, nil
}
