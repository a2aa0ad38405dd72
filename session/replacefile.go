package session

import "os"

// ReplaceFile renames a file to a name that another may have, which is gone then.
// The error is an *os.LinkError.
//
// On Windows no file can be replaced while somebody has it open without sharing
// its removal, as most programs and virus scanners do for a moment: it is tried
// for a second.
func ReplaceFile(from, to string) error {
	return replaceFile(func() error { return os.Rename(from, to) })
}
