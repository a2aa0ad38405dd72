package osfile

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// mostACL bounds an access list in bytes: beyond it has over 8000 entries, and is as good as none.
const mostACL = 64 << 10

const accessListName = "system.posix_acl_access"

// accessList is the access list of an open file as the kernel gives it, nil where it has none.
func accessList(file *os.File) []byte {
	list := make([]byte, mostACL)
	n, err := unix.Fgetxattr(int(file.Fd()), accessListName, list)
	if err != nil {
		return nil
	}
	return list[:n]
}

// inheritList gives a file the access list of the one whose place it takes, if that has one.
func inheritList(f *os.File, name string) error {
	list := make([]byte, mostACL)
	n, err := unix.Lgetxattr(name, accessListName, list)
	if errors.Is(err, unix.ENODATA) || errors.Is(err, unix.ENOTSUP) {
		return nil
	}
	if err == nil {
		err = unix.Fsetxattr(int(f.Fd()), accessListName, list[:n], 0)
	}
	return err
}
