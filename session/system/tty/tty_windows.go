// Package tty is the console that the program runs on, and the pipe in its place.
package tty

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// Open opens the console that the program runs on.
func Open() (*os.File, error) { return os.OpenFile("CONIN$", os.O_RDWR, 0) }

// Discard does nothing: a console keeps nothing on its way.
func Discard(int) error { return nil }

// MuteEcho switches the echo of a console off; lines are read as before.
func MuteEcho(fd int) error {
	var mode uint32
	if err := windows.GetConsoleMode(windows.Handle(fd), &mode); err != nil {
		return err
	}
	return windows.SetConsoleMode(windows.Handle(fd), mode&^windows.ENABLE_ECHO_INPUT)
}

// IsGone tells whether the reader of a pipe went away.
func IsGone(err error) bool {
	return errors.Is(err, windows.ERROR_BROKEN_PIPE) || errors.Is(err, windows.ERROR_NO_DATA) || errors.Is(err, windows.ERROR_PIPE_NOT_CONNECTED)
}
