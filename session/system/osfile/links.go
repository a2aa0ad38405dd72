package osfile

import (
	"errors"
	"io/fs"
	"os"
)

// NoLink refuses a name that is there and leads elsewhere, or is no plain file. Who opens it behind that adds NoFollow.
func NoLink(name string) error {
	info, err := os.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && !info.Mode().IsRegular() {
		err = notPlain(name, info.Mode())
	}
	return err
}
