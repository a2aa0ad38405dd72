//go:build darwin || freebsd

package tty

import "golang.org/x/sys/unix"

const (
	getTermios = unix.TIOCGETA
	setTermios = unix.TIOCSETA
)

// Discard drops what was written to a terminal and is still on its way.
func Discard(fd int) error {
	const written = 2 // FWRITE of sys/fcntl.h
	return unix.IoctlSetPointerInt(fd, unix.TIOCFLUSH, written)
}

// Mode is the mode of a terminal as stty(1) takes it: a usual one.
func Mode(int) string { return "sane" }
