//go:build darwin || freebsd

package tty

import "golang.org/x/sys/unix"

const (
	getTermios = unix.TIOCGETA
	setTermios = unix.TIOCSETA
)

// Mode is the mode of a terminal as stty(1) takes it: a usual one.
func Mode(int) string { return "sane" }
