package config

import "io/fs"

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
// a program is run that it names. info must be that of the open file, not of
// its path, so that what was checked is what is read. The error is an
// *InsecureError.
//
// On Windows nothing is checked: mode bits say nothing there about others.
func Insecure(info fs.FileInfo) error { return insecure(info) }
