package config

// InsecureError says why a file must not name programs to run: that is checked, by insecure, before a program is run that it
// names. Nobody but the user, and root, may write it. It is asked of the open file, whose info is given, not of its path, so
// that what was checked is what is read.
//
// On Windows it is the owner and the access list that tell; SYSTEM and administrators are as root.
type InsecureError struct {
	File   string // its name without the directory
	Reason string
	hint   string
}

func (e *InsecureError) Error() string { return "trust " + e.File + ": " + e.Reason }

// Hint says how to make the file trusted.
func (e *InsecureError) Hint() string { return e.hint }
