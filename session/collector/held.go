package collector

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Hold keeps recorders from a file until release is called, which is never nil:
// for what replaces the file, or writes to it, without being a recording. The
// error is *BusyError when a recorder has it. Where no lock can be made, as in a
// folder that may not be written, and none is there, nobody has one.
func Hold(file string) (release func(), err error) {
	var locks []*lock
	release = func() {
		for _, l := range locks {
			l.release()
		}
		locks = nil
	}
	names := []string{file}
	if info, err := os.Lstat(file); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		if target, err := filepath.EvalSymlinks(file); err == nil {
			names = append(names, target)
		}
	}
	for _, name := range names {
		l, err := lockRecording(name)
		if busy, ok := errors.AsType[*BusyError](err); ok {
			release()
			busy.File = file
			return release, busy
		}
		if err != nil {
			if _, none := os.Lstat(lockName(name)); errors.Is(none, fs.ErrNotExist) {
				continue
			}
			release()
			return release, err
		}
		locks = append(locks, l)
	}
	return release, nil
}
