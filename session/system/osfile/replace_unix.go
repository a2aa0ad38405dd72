//go:build unix

package osfile

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// AnothersOwn ends the reasons of what belongs neither to this user nor to root.
const AnothersOwn = "belongs to another user"

// IsAnothers tells what belongs neither to this user nor to root.
func IsAnothers(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Uid != 0 && int(stat.Uid) != os.Geteuid()
}

// SameOwner tells that two files belong to one user, as far as that is known.
func SameOwner(a, b fs.FileInfo) bool {
	one, known := a.Sys().(*syscall.Stat_t)
	other, both := b.Sys().(*syscall.Stat_t)
	return !known || !both || one.Uid == other.Uid
}

// inherit gives a file the owner, the mode and the access list of the one whose place it takes, as far
// as this user may.
func inherit(f *os.File, name string, old fs.FileInfo) error {
	mode := old.Mode().Perm()
	if stat, ok := old.Sys().(*syscall.Stat_t); ok && !isOf(f, stat) {
		if f.Chown(int(stat.Uid), int(stat.Gid)) != nil && f.Chown(-1, int(stat.Gid)) != nil {
			mode &^= 0o070 // its group is another one
		}
	}
	if inheritList(f, name) != nil {
		mode &^= 0o070 // what the list gave at most is no right of the group
	}
	return f.Chmod(mode)
}

// isOf tells that a file has an owner and a group already: a service may be ended for asking.
func isOf(f *os.File, owner *syscall.Stat_t) bool {
	info, err := f.Stat()
	if err != nil {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Uid == owner.Uid && stat.Gid == owner.Gid
}

// Replaceable tells why others than this user and root can put something else in the place
// of what has a name, and what cures that: by a folder on the way to it, or to where links
// lead, that is theirs or that they may write. It is empty where they cannot. Of what is not
// there the folders count that are.
func Replaceable(name string) (reason, hint string) {
	whole, err := filepath.Abs(name)
	if err != nil {
		return err.Error(), ""
	}
	at, rest := "/", strings.Split(whole, "/")
	for links := 0; len(rest) > 0; rest = rest[1:] {
		if rest[0] == "" || rest[0] == "." {
			continue
		}
		folder, err := os.Lstat(at)
		if err != nil {
			return err.Error(), ""
		}
		if reason, hint = changeable(at, folder); reason != "" {
			return reason, hint
		}
		next := filepath.Join(at, rest[0])
		info, err := os.Lstat(next)
		switch {
		case err != nil:
			return "", "" // it is not there, or nobody gets at it this way
		case info.Mode()&fs.ModeSymlink == 0:
			at = next
			continue
		case IsAnothers(info): // in a sticky folder
			return "the link " + next + " " + AnothersOwn, "use a file of your own"
		}
		to, err := os.Readlink(next)
		if links++; err != nil || links > mostLinks {
			return "nobody knows where the link " + next + " leads", ""
		}
		if filepath.IsAbs(to) {
			at = "/"
		}
		rest = append([]string{""}, append(strings.Split(to, "/"), rest[1:]...)...)
	}
	return "", ""
}

// changeable tells why others can put things into a folder in the place of those of this
// user. Where it is sticky they cannot.
func changeable(folder string, info fs.FileInfo) (reason, hint string) {
	mode := info.Mode()
	switch {
	case IsAnothers(info):
		return "the folder " + folder + " " + AnothersOwn, "use a folder of your own"
	case mode.Perm()&0o022 != 0 && mode&fs.ModeSticky == 0:
		return fmt.Sprintf("others can write to the folder %s (mode %04o)", folder, mode.Perm()), "chmod go-w " + folder
	}
	return "", ""
}
