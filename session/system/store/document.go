package store

import (
	"bytes"
	"errors"
	"io"
	"io/fs"

	"perfdeck/session/system/osfile"
)

// Document is a file that is replaced whole. A new one is for the user alone; one that is there
// keeps its owner and its mode. Errors are of *Error, or of who changes it.
type Document struct {
	Name string // of the file
	Lock string // of the file that is locked while this one is changed; empty: none is
	Most int64  // bytes
	Form string // the line that it begins with, which ends in the version of its form; empty: it does not say any
	// Cheap is one that a power cut may cost.
	Cheap bool
}

// ErrLarge says that a file has more bytes than it may.
var ErrLarge = errors.New("it is too large")

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
		err = ErrLarge
	}
	var head int64
	if err == nil {
		head, err = form(bytes.NewReader(text), d.Form)
	}
	if err != nil {
		return nil, Fail(readOp, d.Name, err)
	}
	return text[head:], nil
}

// Write puts a text in the place of the file: all of it or nothing.
func (d *Document) Write(text []byte) error {
	if d.Form != "" {
		text = append([]byte(d.Form+"\n"), text...)
	}
	if int64(len(text)) > d.Most { // it would not be read
		return Fail(writeOp, d.Name, ErrLarge)
	}
	if err := mayReplace(d.Name, d.Form); err != nil {
		return Fail(writeOp, d.Name, err)
	}
	return Fail(writeOp, d.Name, osfile.Write(d.Name, text, !d.Cheap))
}

// Change replaces the file by what change makes of it, while no other process does.
func (d *Document) Change(change func(text []byte) ([]byte, error)) error {
	unlock, err := Lock(d.Lock, 0)
	if err != nil {
		return err
	}
	defer unlock()
	text, err := d.Read()
	if err == nil {
		text, err = change(text)
	}
	if err != nil {
		return err
	}
	return d.Write(text)
}
