//go:build unix

package osfile

import (
	"fmt"
	"io/fs"
)

// checkSecret refuses a file that others can use, or that is somebody else's.
func checkSecret(name string, info fs.FileInfo) error {
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		return &SecretError{name, fmt.Sprintf("others can use the file (mode %04o)", mode), "chmod 600 " + name}
	}
	if IsAnothers(info) {
		return &SecretError{name, "it " + AnothersOwn, "use a file of your own"}
	}
	return nil
}
