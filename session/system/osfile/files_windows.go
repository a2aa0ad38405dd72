package osfile

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/windows"
)

// NoFollow keeps who opens a file from following a link that has its name: here NoLink
// alone does.
const NoFollow = 0

// Lock locks an open file against other programs, or fails at once: with ErrLocked
// if one of them has it. The lock ends with the program.
func Lock(f *os.File) error {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	err := windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, new(windows.Overlapped))
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return ErrLocked
	}
	return err
}

// Unlock ends Lock.
func Unlock(f *os.File) {
	_ = windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, new(windows.Overlapped))
}

// LockContents locks what an open file holds, whatever names lead to it, as Lock does. The
// file must be open for writing. Who reads or writes does not meet the lock: it is of
// a byte far behind the end. It ends when the file is closed.
func LockContents(f *os.File) error {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	err := windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, &windows.Overlapped{OffsetHigh: lockedByte >> 32})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return ErrLocked
	}
	return err
}

// UnlockContents ends such a lock, and closes the file.
func UnlockContents(f *os.File) { _ = Close(f) }

// NoLocks tells that a file system does not lock.
func NoLocks(err error) bool {
	return errors.Is(err, windows.ERROR_NOT_SUPPORTED) || errors.Is(err, windows.ERROR_INVALID_FUNCTION)
}

// SyncDir has nothing to do: NTFS keeps names in its own journal.
func SyncDir(string) error { return nil }

// How often, and how long, a file that others have open is tried.
const (
	replaceAgain = 20 * time.Millisecond
	replaceFor   = time.Second
)

func replace(rename func() error) error {
	for begun := time.Now(); ; time.Sleep(replaceAgain) {
		err := rename()
		isOpen := errors.Is(err, windows.ERROR_SHARING_VIOLATION) || errors.Is(err, windows.ERROR_ACCESS_DENIED)
		if !isOpen || time.Since(begun) > replaceFor {
			return err
		}
	}
}

// Space is how many bytes of a folder's disk a user may still write, and how
// many it has.
func Space(folder string) (free, all int64, err error) {
	name, err := windows.UTF16PtrFromString(folder)
	if err != nil {
		return 0, 0, err
	}
	var mine, total uint64
	if err := windows.GetDiskFreeSpaceEx(name, &mine, &total, nil); err != nil {
		return 0, 0, &os.PathError{Op: "GetDiskFreeSpaceEx", Path: folder, Err: err}
	}
	return int64(mine), int64(total), nil
}
