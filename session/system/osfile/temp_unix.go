//go:build unix

package osfile

import (
	"io/fs"
	"os"
	"syscall"
)

// clearsTemp: a lock goes with its process, and a folder with open files can be removed.
const clearsTemp = true

// isOwn tells a file of this user.
func isOwn(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}
