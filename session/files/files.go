// Package files is what systems do differently with files: replacing one that is
// open, locking one against other programs.
package files

import (
	"errors"
	"os"
)

// ErrLocked says that another program has locked a file.
var ErrLocked = errors.New("locked by another program")

// Replace renames a file to a name that another may have, which is gone then.
// The error is an *os.LinkError.
//
// On Windows no file can be replaced while somebody has it open without sharing
// its removal, as most programs and virus scanners do for a moment: it is tried
// for a second.
func Replace(from, to string) error {
	return replace(func() error { return os.Rename(from, to) })
}
