//go:build unix

// Package tty is the terminal that the program runs on, and the pipe in its place.
package tty

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// Open opens the terminal that the program runs on.
func Open() (*os.File, error) { return os.OpenFile("/dev/tty", os.O_RDWR, 0) }

// MuteEcho switches the echo of a terminal off; lines are read as before.
func MuteEcho(fd int) error {
	t, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil {
		return err
	}
	t.Lflag &^= unix.ECHO
	return unix.IoctlSetTermios(fd, setTermios, t)
}

// IsGone tells whether the reader of a pipe went away.
func IsGone(err error) bool { return errors.Is(err, syscall.EPIPE) }
