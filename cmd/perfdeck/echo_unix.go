//go:build unix

package main

import "golang.org/x/sys/unix"

// muteEcho switches the echo of a terminal off; lines are read as before.
func muteEcho(fd int) error {
	t, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil {
		return err
	}
	t.Lflag &^= unix.ECHO
	return unix.IoctlSetTermios(fd, setTermios, t)
}
