// Package osfile is what systems do differently with files: replacing one that is
// open, locking one against other programs.
package osfile

import (
	"cmp"
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"time"
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

// ErrNotPlain says that a name is that of a device, a pipe or a folder, which no file
// takes the place of.
var ErrNotPlain = errors.New("it is no plain file")

// mostLinks is how many links are followed, as Linux does (path_resolution(7)).
const mostLinks = 40

// IsNamed tells whether an open file still has the name by which it was opened.
func IsNamed(f *os.File) bool {
	open, err := f.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(f.Name())
	return err == nil && os.SameFile(open, named)
}

// Target is where a file has to go that is to have a name, or to take the place of what has
// it: where symbolic links lead, so that they stay, even if nothing is there yet. What is
// there and is no plain file is refused with an *os.PathError of ErrNotPlain.
func Target(name string) (string, error) {
	at := name
	for range mostLinks {
		info, err := os.Lstat(at)
		switch {
		case errors.Is(err, os.ErrNotExist):
			return at, nil
		case err != nil:
			return "", err
		case info.Mode().IsRegular():
			return at, nil
		case info.Mode()&os.ModeSymlink == 0:
			return "", &os.PathError{Op: "replace", Path: name, Err: ErrNotPlain}
		}
		to, err := os.Readlink(at)
		if err != nil {
			return "", err
		}
		if !filepath.IsAbs(to) {
			dir, err := filepath.EvalSymlinks(filepath.Dir(at)) // .. is of where it leads
			if err != nil {
				return "", err
			}
			to = filepath.Join(dir, to)
		}
		at = to
	}
	return "", &os.PathError{Op: "replace", Path: name, Err: errLinks}
}

var errLinks = errors.New("too many symbolic links")

// Write makes a file of a text for the user alone, or puts it in the place of the one that is there,
// whose owner and mode it gets then: all of it or nothing, which nobody ever reads half. With durable that
// holds through a power cut too. Links are followed, and devices and pipes refused, as Target does.
func Write(name string, text []byte, durable bool) error {
	return write(name, text, 0o600, durable, true)
}

// Save is Write for what a user named, which others may read. Without replace nothing may have that
// name: fs.ErrExist is that something has.
func Save(name string, text []byte, replace bool) error {
	return write(name, text, forOthers, false, replace)
}

func write(name string, text []byte, mode os.FileMode, durable, replace bool) error {
	name, err := Target(name)
	if err != nil {
		return err
	}
	f, err := aside(name, mode)
	if err != nil {
		return err
	}
	if old, e := os.Lstat(name); e == nil {
		err = inherit(f, name, old)
	}
	_, failed := f.Write(text)
	err = cmp.Or(err, failed)
	if durable && err == nil {
		err = f.Sync()
	}
	if err = cmp.Or(err, f.Close()); err != nil {
		_ = os.Remove(f.Name())
		return err
	}
	err = Place(f.Name(), name, replace)
	if durable && err == nil {
		_ = SyncDir(filepath.Dir(name)) // not every file system can
	}
	return err
}

// Place gives a file that is whole the name that it was written for, or removes it. Without
// replace nothing may have that name: fs.ErrExist is that something has.
func Place(whole, name string, replace bool) (err error) {
	defer func() {
		if err != nil {
			_ = os.Remove(whole)
		}
	}()
	if !replace {
		switch err := os.Link(whole, name); {
		case err == nil:
			return os.Remove(whole)
		case errors.Is(err, os.ErrExist):
			return err
		}
		if _, err := os.Lstat(name); err == nil { // there are no links here
			return &os.PathError{Op: "write", Path: name, Err: os.ErrExist}
		}
	}
	return Replace(whole, name)
}

// forOthers is the mode of what users name: others may read it, as far as the umask lets them.
const forOthers = 0o644

// Aside makes a file in the folder of a name, that is written to before it has it: see Place.
func Aside(name string) (*os.File, error) { return aside(name, forOthers) }

func aside(name string, mode os.FileMode) (*os.File, error) {
	return os.OpenFile(filepath.Join(filepath.Dir(name), ".perfdeck-"+rand.Text()+".tmp"), os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
}

// noRoom is below how many free bytes a write that failed is taken to have failed
// for them: some who write have errors of their own.
const noRoom = 256 << 10

// IsCrowded tells whether the disk of a folder has hardly any room. What is no disk, as /proc, has
// none at all: that tells nothing.
func IsCrowded(folder string) bool {
	free, all, err := Space(folder)
	return err == nil && all > 0 && free < noRoom
}

// lockPause is between two tries to lock a file.
const lockPause = 10 * time.Millisecond

// LockWithin locks an open file as Lock does, and waits for others so long.
func LockWithin(f *os.File, patience time.Duration) error {
	for end := time.Now().Add(patience); ; time.Sleep(lockPause) {
		err := Lock(f)
		if !errors.Is(err, ErrLocked) || time.Now().After(end) {
			return err
		}
	}
}

// IsLocked tells whether a program has a lock of a file, which is only read. The error is why that cannot be known, as
// where there is no such file, or no locks.
func IsLocked(name string) (bool, error) {
	f, err := os.Open(name)
	if err != nil {
		return false, err
	}
	defer f.Close() // the lock ends
	if err = Lock(f); errors.Is(err, ErrLocked) {
		return true, nil
	}
	return false, err
}

// Take makes a file and locks it, as long as this process has it open, or fails: with ErrLocked where
// another one has it for so long. Where nothing can be locked it is this one's.
func Take(name string, patience time.Duration) (*os.File, error) {
	return take(name, func(f *os.File) error { return LockWithin(f, patience) })
}

func take(name string, lock func(*os.File) error) (*os.File, error) {
	const often = 1000
	for range often {
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return nil, err
		}
		if err = lock(f); err != nil && !NoLocks(err) {
			_ = f.Close()
			return nil, err
		}
		if IsNamed(f) {
			return f, nil
		}
		_ = f.Close() // who had it removed it just now
	}
	return nil, ErrLocked
}

// Release ends a lock, and closes its file.
func Release(f *os.File) {
	Unlock(f)
	_ = f.Close()
}

// Discard ends a lock, and removes its file. It goes before the lock does, where the system allows
// that: who waits for it sees that it is gone.
func Discard(f *os.File) {
	err := os.Remove(f.Name())
	Release(f)
	if err != nil {
		_ = os.Remove(f.Name()) // Windows removes no open file
	}
}
