package osfile

import (
	"fmt"
	"io/fs"
	"os"
)

// SecretError says why a file must not hold secrets, or say who may do what.
type SecretError struct {
	Name   string
	Reason string
	hint   string
}

func (e *SecretError) Error() string { return fmt.Sprintf("open %s: %s", e.Name, e.Reason) }

// Hint says how to make it trusted.
func (e *SecretError) Hint() string { return e.hint }

// OpenSecret opens a file with secrets: a plain one of the user, or of root, that
// nobody else can use, in a folder in which nobody else can put another in its
// place. An access list may give it to this user, as systemd gives credentials. The error is a *SecretError where that is not so.
//
// On Windows it is the kind alone that is looked at: a file has the rights of its
// folder there, which for a user's own are the user's.
func OpenSecret(name string) (*os.File, error) {
	file, err := openKind(name, func(fs.FileInfo) bool { return false })
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil {
		err = checkSecret(file, info)
	}
	if reason, hint := Replaceable(name); err == nil && reason != "" {
		err = &SecretError{name, reason, hint}
	}
	if err != nil {
		_ = file.Close()
		return nil, err
	}
	return file, nil
}
