//go:build unix

package config

import (
	"io/fs"
	"os"

	"perfdeck/session/system/osfile"
)

func insecure(_ *os.File, info fs.FileInfo) error {
	const group, others = 0o020, 0o002
	switch mode := info.Mode().Perm(); {
	case mode&others != 0:
		return &InsecureError{info.Name(), "everybody may write it", "chmod go-w " + info.Name()}
	case mode&group != 0:
		return &InsecureError{info.Name(), "its group may write it", "chmod go-w " + info.Name()}
	}
	if osfile.IsAnothers(info) {
		return &InsecureError{info.Name(), "it " + osfile.AnothersOwn, "use a file of your own"}
	}
	return nil
}

func insecureName(name string) error {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return err
	}
	return insecure(nil, info)
}
