//go:build unix

package osfile

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// checkSecret refuses a file that others can use, or that is somebody else's.
func checkSecret(name string, info fs.FileInfo) error {
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		return &SecretError{name, fmt.Sprintf("others can use the file (mode %04o)", mode), "chmod 600 " + name}
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok && stat.Uid != 0 && int(stat.Uid) != os.Geteuid() {
		return &SecretError{name, "it belongs to another user", "use a file of your own"}
	}
	return nil
}

// checkFolder refuses a folder in which others can put another file in the place of
// this one. Where it is sticky they cannot.
func checkFolder(name, folder string, info fs.FileInfo) error {
	if mode := info.Mode(); mode.Perm()&0o022 != 0 && mode&fs.ModeSticky == 0 {
		return &SecretError{name, fmt.Sprintf("others can write to its folder %s (mode %04o)", folder, mode.Perm()), "chmod go-w " + folder}
	}
	return nil
}
