package store

import (
	"errors"
	"io"
	"io/fs"

	"perfdeck/session/system/osfile"
)

// Document is a file that is replaced whole, for the user alone. Errors are of *Error, or of who
// changes it.
type Document struct {
	Name string // of the file
	Lock string // of the file that is locked while this one is changed; empty: one process uses it
	Most int64  // bytes
}

// Read is the file; nil: there is none.
func (d *Document) Read() ([]byte, error) {
	f, err := osfile.OpenPlain(d.Name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, Fail(readOp, d.Name, err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, d.Most+1))
	if err == nil && int64(len(text)) > d.Most {
		return nil, Fail(readOp, d.Name, ErrLarge)
	}
	return text, Fail(readOp, d.Name, err)
}

// Write puts a text in the place of the file.
func (d *Document) Write(text []byte) error {
	if int64(len(text)) > d.Most { // it would not be read
		return Fail(writeOp, d.Name, ErrLarge)
	}
	return write(d.Name, text)
}

// Change replaces the file by what change makes of it, while no other process does, or where one
// does not end. What it is given is nil where the file cannot be read.
func (d *Document) Change(change func(text []byte) ([]byte, error)) error {
	replace := func() error {
		text, _ := d.Read()
		text, err := change(text)
		if err != nil {
			return err
		}
		return d.Write(text)
	}
	err := lock(d.Lock, patience/3, replace)
	if errors.Is(err, osfile.ErrLocked) {
		return replace()
	}
	return err
}
