//go:build !unix

package osfile

import (
	"io/fs"
	"os"
)

// AnothersOwn ends the reasons of what belongs neither to this user nor to root.
const AnothersOwn = "belongs to another user"

// IsAnothers tells what belongs neither to this user nor to root, which only access lists do here.
func IsAnothers(fs.FileInfo) bool { return false }

// SameOwner tells that two files belong to one user, as far as that is known.
func SameOwner(fs.FileInfo, fs.FileInfo) bool { return true }

// inherit gives a file the mode of the one whose place it takes; its owner is of the folder.
func inherit(f *os.File, _ string, old fs.FileInfo) error { return f.Chmod(old.Mode().Perm()) }

// Replaceable tells why others can put something else in the place of what has a name. It is
// not looked at here: a file has the rights of its folder, which for a user's own are the user's.
func Replaceable(string) (reason, hint string) { return "", "" }
