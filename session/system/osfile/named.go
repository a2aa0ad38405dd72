package osfile

import (
	"errors"
	"fmt"
	"os"

	"perfdeck/session/system/failure"
)

// IsDevice tells a device or a pipe, which is written to as it is.
func IsDevice(name string) bool {
	info, err := os.Stat(name)
	return err == nil && !info.Mode().IsRegular() && !info.IsDir()
}

// WriteNamed writes a text to a file that a user named for it: to a new one, in the place of the one
// that is there where that is said, or to a device or a pipe as it is. A file is whole, or not there.
// Errors say what can be done.
func WriteNamed(output string, text []byte, overwrite bool) error {
	err := writeNamed(output, text, overwrite)
	switch {
	case errors.Is(err, os.ErrExist):
		return failure.WithHint(fmt.Errorf("write %s: it is there already", output), "--yes overwrites it")
	case err != nil:
		return failure.WithHint(fmt.Errorf("write %s: %w", output, failure.Bare(err)), "-o names a file in a folder that is there and may be written to")
	}
	return nil
}

func writeNamed(output string, text []byte, overwrite bool) error {
	if !IsDevice(output) {
		return Save(output, text, overwrite)
	}
	f, err := os.OpenFile(output, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}
