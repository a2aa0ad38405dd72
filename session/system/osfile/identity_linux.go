package osfile

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// Identity tells a file from every other one, also from those that come to its name and
// number later. Empty: it is not known.
func Identity(f *os.File) string {
	var s unix.Statx_t
	if err := unix.Statx(int(f.Fd()), "", unix.AT_EMPTY_PATH, unix.STATX_INO|unix.STATX_BTIME, &s); err != nil {
		return ""
	}
	return fmt.Sprintf("%x:%x-%x-%x.%x", s.Dev_major, s.Dev_minor, s.Ino, s.Btime.Sec, s.Btime.Nsec)
}
