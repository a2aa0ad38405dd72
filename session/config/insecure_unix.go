//go:build unix

package config

import (
	"io/fs"
	"os"
	"syscall"
)

func insecure(_ *os.File, info fs.FileInfo) error {
	const group, others = 0o020, 0o002
	switch mode := info.Mode().Perm(); {
	case mode&others != 0:
		return &InsecureError{info.Name(), "everybody may write it", "chmod go-w " + info.Name()}
	case mode&group != 0:
		return &InsecureError{info.Name(), "its group may write it", "chmod go-w " + info.Name()}
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok && stat.Uid != 0 && int(stat.Uid) != os.Geteuid() {
		return &InsecureError{info.Name(), "it belongs to another user", "use a file of your own"}
	}
	return nil
}
