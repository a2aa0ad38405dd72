// Package files is what systems do differently with files: replacing one that is
// open, locking one against other programs.
package files

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
)

// ErrLocked says that another program has locked a file.
var ErrLocked = errors.New("locked by another program")

// lockedByte is what LockContents locks: beyond what any file is long, and beyond the
// bytes that SQLite locks, at 1 GiB (sqlite.org/fileformat2.html#the_lock_byte_page).
const lockedByte = 1 << 62

// Replace renames a file to a name that another may have, which is gone then.
// The error is an *os.LinkError.
//
// On Windows no file can be replaced while somebody has it open without sharing
// its removal, as most programs and virus scanners do for a moment: it is tried
// for a second.
func Replace(from, to string) error {
	return replace(func() error { return os.Rename(from, to) })
}

// Write makes a file of a text, or puts it in the place of the one that is there: all of
// it or nothing, which nobody ever reads half. With durable that holds through a power
// cut too.
func Write(name string, text []byte, mode os.FileMode, durable bool) error {
	f, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*.tmp") // mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if mode != 0o600 {
		err = cmp.Or(err, f.Chmod(mode))
	}
	if durable && err == nil {
		err = f.Sync()
	}
	err = cmp.Or(err, f.Close())
	if err == nil {
		err = Replace(f.Name(), name)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}
