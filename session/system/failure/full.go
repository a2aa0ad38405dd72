package failure

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
)

// What systems say of a disk without room, of a quota, and of a limit of the size of files.
var (
	fullDisk        = []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG}
	fullDiskWindows = []error{syscall.Errno(112), syscall.Errno(39)} // ERROR_DISK_FULL, ERROR_HANDLE_DISK_FULL
)

// IsFull tells of a failure to write that there was no room for more.
func IsFull(err error) bool {
	says := func(why error) bool { return errors.Is(err, why) }
	return slices.ContainsFunc(fullDisk, says) || runtime.GOOS == "windows" && slices.ContainsFunc(fullDiskWindows, says)
}

const makeRoom = "make room"

// RoomHint is what can be done about a disk without room, that of a file.
func RoomHint(file string) string {
	if file == os.Stdout.Name() || file == os.Stderr.Name() {
		return makeRoom + " on the disk that " + map[bool]string{true: "standard output", false: "standard error"}[file == os.Stdout.Name()] + " goes to"
	}
	return makeRoom + " on the disk of " + folderOf(file)
}

func folderOf(file string) string {
	folder := filepath.Dir(file)
	if whole, err := filepath.Abs(folder); err == nil {
		return whole
	}
	return folder
}

// fileHint is what can be done about a file that is not there, or that may not be opened.
func fileHint(err error) string {
	e, ok := errors.AsType[*fs.PathError](err)
	switch {
	case ok && errors.Is(e, fs.ErrNotExist):
		return "is the name right? It was looked for in " + folderOf(e.Path)
	case ok && errors.Is(e, fs.ErrPermission):
		return "its owner or an administrator can give this account the right"
	}
	return ""
}

// fullHint is what can be done where a disk was full, whatever else the one who wrote would
// say of a failure; empty: it was not, or it is said.
func fullHint(err error, said string) string {
	if !IsFull(err) || strings.HasPrefix(said, makeRoom) {
		return ""
	}
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return RoomHint(e.Path)
	}
	if e, ok := errors.AsType[*os.LinkError](err); ok {
		return RoomHint(e.New)
	}
	return makeRoom + " on the disk"
}

// Bare is an error without the name of the file, where that is said beside it.
func Bare(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return Worded(e.Err.Error(), err)
	}
	if e, ok := errors.AsType[*os.LinkError](err); ok {
		return Worded(e.Err.Error(), err)
	}
	return err
}
