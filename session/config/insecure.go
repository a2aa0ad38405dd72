package config

import (
	"io/fs"
	"os"
)

// InsecureError says why a file must not name programs to run.
type InsecureError struct {
	File   string // its name without the directory
	Reason string
	hint   string
}

func (e *InsecureError) Error() string { return "trust " + e.File + ": " + e.Reason }

// Hint says how to make the file trusted.
func (e *InsecureError) Hint() string { return e.hint }

// Insecure checks that nobody but the user, and root, may write a file, before
// a program is run that it names. It is asked of the open file, whose info is
// given, not of its path, so that what was checked is what is read. The error is
// an *InsecureError.
//
// On Windows it is the owner and the access list that tell; SYSTEM and
// administrators are as root.
func Insecure(f *os.File, info fs.FileInfo) error { return insecure(f, info) }
