package windowscli

import (
	"errors"
	"fmt"
	"os"

	"perfdeck/session/system/failure"
	"perfdeck/session/system/osfile"
)

// OpenOutput opens the file that what the commands print goes to; nil: it goes to none. One
// that is replaced stays until CloseOutput.
func (t *Translation) OpenOutput() (*os.File, error) {
	switch {
	case t.Output == "":
		return nil, nil
	case osfile.IsDevice(t.Output):
		return os.OpenFile(t.Output, os.O_WRONLY, 0)
	case t.Replace:
		name, err := osfile.Target(t.Output)
		if err != nil {
			return nil, err
		}
		return osfile.Aside(name)
	}
	f, err := os.OpenFile(t.Output, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644) //nolint:gosec // a list of counters is no secret
	if errors.Is(err, os.ErrExist) {
		return nil, failure.WithHint(fmt.Errorf("%s is there already", t.Output), "-y replaces it")
	}
	return f, err
}

// CloseOutput closes that file, which is not there if it is not whole.
func (t *Translation) CloseOutput(f *os.File, whole bool) error {
	err := f.Close()
	switch {
	case osfile.IsDevice(f.Name()):
		return err
	case err != nil || !whole:
		return errors.Join(err, os.Remove(f.Name()))
	case f.Name() == t.Output:
		return nil
	}
	name, err := osfile.Target(t.Output)
	if err != nil {
		return err
	}
	return osfile.Place(f.Name(), name, true)
}
