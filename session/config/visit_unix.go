//go:build unix

package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"perfdeck/session/system/failure"
	"perfdeck/session/system/osfile"
)

// mostLooked is how deep files of the state folder are looked at: those in it, and those in the
// folders there.
const mostLooked = 2

// stateOfOthers tells why others than this user and root can write what is in a folder, or
// could put one in its place; empty: they cannot. Folders that nobody else can enter are not
// looked into.
func stateOfOthers(dir string) (reason, hint string) {
	if reason, hint = osfile.Replaceable(filepath.Join(dir, product)); reason != "" {
		return reason, hint
	}
	_ = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // it has gone
		}
		info, err := d.Info()
		if err != nil || info.Mode()&fs.ModeSymlink != 0 { // where it leads is the user's own affair
			return nil //nolint:nilerr // as above
		}
		if e, is := errors.AsType[*InsecureError](insecure(nil, info)); is {
			reason, hint = name+": "+e.Reason, "chmod go-w "+name
			return fs.SkipAll
		}
		below, _ := filepath.Rel(dir, name)
		if d.IsDir() && (info.Mode().Perm()&0o055 == 0 || strings.Count(below, "/") >= mostLooked-1 && below != ".") {
			return fs.SkipDir
		}
		return nil
	})
	return reason, hint
}

// VisitState opens a state folder, or without one that of the user, which may be that of
// others: root lists what is kept there, and adds acts of users. It enters their folder and
// becomes them until back is called, so that what is written is theirs, and links lead nowhere
// that they may not go themselves. dir is . then, and shown the folder. Who only reads a folder
// that is named may do so as far as the system lets him, and nothing is made for him.
func VisitState(folder string, writes bool) (dir, shown string, back func(), err error) {
	none := func() {}
	dir, err = trustedState(folder, writes)
	e, others := errors.AsType[*StateError](err)
	if !others {
		return dir, dir, none, err
	}
	at := e.Dir
	info, statErr := os.Stat(at)
	for errors.Is(statErr, fs.ErrNotExist) && at != filepath.Dir(at) {
		at = filepath.Dir(at)
		info, statErr = os.Stat(at)
	}
	switch {
	case statErr != nil || !osfile.IsAnothers(info):
		return "", "", none, err
	case os.Geteuid() != 0 && folder == "":
		return "", "", none, err
	case os.Geteuid() != 0 && writes:
		return "", "", none, failure.WithHint(err, "its user and root may: sudo perfdeck")
	case os.Geteuid() != 0:
		return e.Dir, e.Dir, none, nil
	}
	back, err = enter(at)
	if err != nil {
		return "", "", none, &DirError{e.Dir, err}
	}
	dir, _ = filepath.Rel(at, e.Dir)
	if dir != "." && writes {
		if err = os.MkdirAll(dir, 0o700); err == nil {
			err = os.Chdir(dir)
		}
		if err != nil {
			back()
			return "", "", none, &DirError{e.Dir, err}
		}
		dir = "."
	}
	return dir, e.Dir, back, nil
}

// MayVisit tells whether VisitState lets this user write in a folder.
func MayVisit(folder string) bool {
	info, err := os.Stat(folder)
	return err == nil && (os.Geteuid() == 0 || !osfile.IsAnothers(info))
}

// OwnerOf names whose a folder is, empty where that is not known.
func OwnerOf(folder string) string {
	info, err := os.Stat(folder)
	if err != nil {
		return ""
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	number := strconv.FormatUint(uint64(stat.Uid), 10)
	if u, err := user.LookupId(number); err == nil {
		return u.Username
	}
	return number
}

// enter goes into a folder, and becomes whose it is. That is looked up from within, so that no
// other folder can come in its place meanwhile.
func enter(folder string) (back func(), err error) {
	was, err := os.Open(".")
	if err != nil {
		return nil, err
	}
	groups, err := syscall.Getgroups()
	if err != nil {
		return nil, err
	}
	back = func() {
		_ = syscall.Setreuid(-1, 0)
		_ = syscall.Setregid(-1, os.Getgid())
		_ = syscall.Setgroups(groups)
		_ = was.Chdir()
		_ = was.Close()
	}
	if err = os.Chdir(folder); err == nil {
		err = become()
	}
	if err != nil {
		back()
		return nil, fmt.Errorf("act as its owner: %w", err)
	}
	return back, nil
}

// become takes the user and the group of the current folder, and no other group.
func become() error {
	info, err := os.Stat(".")
	if err != nil {
		return err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return errors.ErrUnsupported
	}
	if err := syscall.Setgroups(nil); err != nil {
		return err
	}
	if err := syscall.Setregid(-1, int(stat.Gid)); err != nil {
		return err
	}
	return syscall.Setreuid(-1, int(stat.Uid))
}
