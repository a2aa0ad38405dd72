// Package files is what systems do differently with files: replacing one that is
// open, locking one against other programs.
package files

import (
	"errors"
	"os"
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
