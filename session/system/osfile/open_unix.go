//go:build unix

package osfile

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

// openAtOnce opens a file to read it, whatever it is, without waiting.
func openAtOnce(name string) (*os.File, error) {
	file, err := os.OpenFile(name, os.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY, 0)
	switch {
	case errors.Is(err, unix.ENXIO): // open(2): a socket
		err = notPlain(name, fs.ModeSocket)
	case errors.Is(err, unix.EWOULDBLOCK): // fcntl(2): a server of files has a lease on it, and is told
		return os.Open(name)
	}
	return file, err
}

// openInput opens what a user named. A descriptor of this process is taken as it
// is: not all that stands behind one can be opened anew. A pipe without a writer
// would be empty if it were opened at once.
func openInput(ctx context.Context, name string) (*os.File, error) {
	if fd, ok := descriptor(name); ok {
		again, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
		if err != nil {
			return nil, &fs.PathError{Op: "open", Path: name, Err: err}
		}
		return os.NewFile(uintptr(again), name), nil
	}
	info, err := os.Stat(name)
	if err == nil && info.Mode()&fs.ModeNamedPipe != 0 {
		return opened(ctx, func() (*os.File, error) { return os.Open(name) })
	}
	file, err := openAtOnce(name)
	if err != nil {
		return nil, err
	}
	if info, err = file.Stat(); err == nil && info.Mode()&fs.ModeNamedPipe != 0 {
		err = &fs.PathError{Op: "open", Path: name, Err: errChanged}
	}
	if err != nil {
		_ = file.Close()
		return nil, err
	}
	return file, nil
}

var errChanged = errors.New("it was replaced while it was opened")

// descriptor is the number of a name for an open file of this process.
func descriptor(name string) (fd int, ok bool) {
	if name == "/dev/stdin" {
		return 0, true
	}
	for _, folder := range []string{"/dev/fd/", "/proc/self/fd/"} {
		if digits, found := strings.CutPrefix(name, folder); found {
			n, err := strconv.ParseUint(digits, 10, 31)
			return int(n), err == nil
		}
	}
	return 0, false
}

// isNull tells the null device, whatever its name.
func isNull(info fs.FileInfo) bool {
	null, err := os.Stat(os.DevNull)
	if err != nil || info.Mode()&fs.ModeCharDevice == 0 {
		return false
	}
	a, ok := info.Sys().(*syscall.Stat_t)
	b, same := null.Sys().(*syscall.Stat_t)
	return ok && same && a.Rdev == b.Rdev
}

func isTerminal(file *os.File) bool { return term.IsTerminal(int(file.Fd())) }
