//go:build unix

package osfile

import (
	"fmt"
	"io/fs"
	"os"
)

// checkSecret refuses a file that others can use, or that is somebody else's. Where it has an
// access list the mode's group is what that may give at most, to whom it tells.
func checkSecret(file *os.File, info fs.FileInfo) error {
	name, mode := file.Name(), info.Mode().Perm()
	const group, others = 0o070, 0o007
	list := accessList(file)
	switch {
	case mode&others != 0 || mode&group != 0 && list == nil:
		return &SecretError{name, fmt.Sprintf("others can use the file (mode %04o)", mode), "chmod 600 " + name}
	case mode&group != 0 && aclOthers(list, os.Geteuid()):
		return &SecretError{name, "its access list lets others use the file", "setfacl -b " + name + "; chmod 600 " + name}
	case IsAnothers(info):
		return &SecretError{name, "it " + AnothersOwn, "use a file of your own"}
	}
	return nil
}
