package osfile

import (
	"errors"
	"fmt"
	"os"

	"perfdeck/session"
)

// IsDevice tells a device or a pipe, which is written to as it is.
func IsDevice(name string) bool {
	info, err := os.Stat(name)
	return err == nil && !info.Mode().IsRegular() && !info.IsDir()
}

// bareCause is why something failed, without the name of a file, which the user gave another.
func bareCause(err error) error {
	if e, ok := errors.AsType[*os.PathError](err); ok {
		return e.Err
	}
	if e, ok := errors.AsType[*os.LinkError](err); ok {
		return e.Err
	}
	return err
}

// WriteNamed writes a text to a file that a user named for it: to a new one, in the place of the one
// that is there where that is said, or to a device or a pipe as it is. Errors say what can be done.
func WriteNamed(output string, text []byte, overwrite bool) error {
	fail := func(err error) error {
		return session.WithHint(fmt.Errorf("write %s: %w", session.Printable(output), bareCause(err)), "-o names a file in a folder that is there and may be written to")
	}
	how := os.O_WRONLY
	switch {
	case IsDevice(output): // it is written to as it is
	case overwrite:
		if old, err := os.Stat(output); err == nil { // it stays until all of the new text is there
			if err := Write(output, text, old.Mode().Perm(), false); err != nil {
				return fail(err)
			}
			return nil
		}
		how |= os.O_CREATE
	default:
		how |= os.O_CREATE | os.O_EXCL
	}
	f, err := os.OpenFile(output, how, 0o644) //nolint:gosec // reports and rules are for others too
	if errors.Is(err, os.ErrExist) {
		return session.WithHint(fmt.Errorf("write %s: it is there already", output), "--yes overwrites it")
	}
	if err != nil {
		return fail(err)
	}
	_, err = f.Write(text)
	if err := errors.Join(err, f.Close()); err != nil {
		return fail(err)
	}
	return nil
}
