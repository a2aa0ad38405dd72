package tty

import (
	"fmt"
	"strings"

	"golang.org/x/sys/unix"
)

const (
	getTermios = unix.TCGETS
	setTermios = unix.TCSETS
)

// Discard drops what was written to a terminal and is still on its way.
func Discard(fd int) error { return unix.IoctlSetInt(fd, unix.TCFLSH, unix.TCOFLUSH) }

// sttyControls is how many control characters stty(1) writes: those of the C library.
const sttyControls = 32

// Mode is the mode of a terminal as stty(1) takes it; "" if it has none.
func Mode(fd int) string {
	t, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%x:%x:%x:%x", t.Iflag, t.Oflag, t.Cflag, t.Lflag)
	for i := range sttyControls {
		c := uint8(0)
		if i < len(t.Cc) {
			c = t.Cc[i]
		}
		fmt.Fprintf(&b, ":%x", c)
	}
	return b.String()
}
