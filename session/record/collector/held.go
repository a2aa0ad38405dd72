package collector

import (
	"errors"
	"io/fs"
	"os"
)

// Hold keeps recorders from a file until release is called, which is never nil: for
// what replaces the file, or with inPlace writes to it, without being a recording. The
// error is *BusyError when a recorder has it. Where no lock can be made, as in a
// folder that may not be written, and none is there, nobody has one.
func Hold(file string, inPlace bool) (release func(), err error) {
	l, err := lockRecording(file)
	if _, busy := errors.AsType[*BusyError](err); err != nil && !busy {
		if _, none := os.Lstat(lockName(realName(file))); errors.Is(none, fs.ErrNotExist) {
			err = nil
		}
	}
	if !inPlace {
		l.disown() // Windows replaces no open file
	}
	return l.release, err
}
