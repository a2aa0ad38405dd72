package osfile

import (
	"os"

	"golang.org/x/sys/unix"
)

// mostACL bounds an access list in bytes: beyond it has over 8000 entries, and is as good as none.
const mostACL = 64 << 10

// accessList is the access list of an open file as the kernel gives it, nil where it has none.
func accessList(file *os.File) []byte {
	list := make([]byte, mostACL)
	n, err := unix.Fgetxattr(int(file.Fd()), "system.posix_acl_access", list)
	if err != nil {
		return nil
	}
	return list[:n]
}
