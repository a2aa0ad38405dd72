package relog

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/term"

	"perfdeck/session"
	"perfdeck/session/record/logs"
	"perfdeck/session/system/osfile"
)

// OutputOptions say how an output is opened.
type OutputOptions struct {
	Append, Overwrite bool                             // what to do with a file that is there
	Set               string                           // of an SQLite file; empty: by the name of the file
	Stdout            *os.File                         // what the name - means
	Half              func(name string) (whole func()) // told of files that are to be removed unless they become whole
}

// Output is what is written to.
type Output struct {
	logs.Writer

	Left    string // what is left when it is given up, in words
	Finish  func() error
	Discard func()
}

// Create opens an output. A new file gets its name when it is complete, so that
// nobody takes a part for the whole, and an old one stays until then.
func Create(name string, format *logs.Format, h *logs.Header, options OutputOptions) (*Output, error) {
	o := logs.WriteOptions{Buffered: true, Overwrite: true, Set: options.Set}
	old, err := os.Stat(name)
	there := err == nil
	switch {
	case name == "-":
		return stream(format, options.Stdout, h, o, func() error { return nil })
	case there && !old.Mode().IsRegular(): // a device, a pipe
		file, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return nil, fmt.Errorf("relog: %w", err)
		}
		return stream(format, file, h, o, file.Close)
	case there && options.Append:
		w, _, err := logs.Append(name, format, h, o)
		if err != nil {
			return nil, fmt.Errorf("relog: append: %w", err)
		}
		return &Output{w, "what was appended stays", w.Close, func() { _ = w.Close() }}, nil
	case there && !options.Overwrite:
		return nil, session.WithHint(fmt.Errorf("relog: write %s: it is there already", name), "--yes overwrites it, --append appends")
	}
	if err := logs.Orphan(name); err != nil && !options.Overwrite {
		return nil, fmt.Errorf("relog: write: %w", err)
	}
	if o.Set == "" {
		o.Set = strings.TrimSuffix(filepath.Base(name), filepath.Ext(name))
	}
	if name, err = osfile.Target(name); err != nil {
		return nil, fmt.Errorf("relog: write: %w", err)
	}
	part := name + ".part"
	var whole []func()
	for _, suffix := range append([]string{""}, journals...) {
		whole = append(whole, options.Half(part+suffix))
	}
	done := func() {
		for _, f := range whole {
			f()
		}
	}
	w, err := logs.Create(part, format, h, o)
	if err != nil {
		done()
		return nil, fmt.Errorf("relog: write: %w", err)
	}
	finish := func() error {
		defer done()
		return complete(w, part, name, options.Overwrite)
	}
	return &Output{w, "nothing was written", finish, func() {
		defer done()
		_ = w.Close()
		removeAll(part)
	}}, nil
}

// complete gives the file its name.
func complete(w logs.Writer, part, name string, overwrite bool) error {
	if err := cmp.Or(w.Sync(), w.Close()); err != nil {
		removeAll(part)
		return err
	}
	if !overwrite {
		switch err := os.Link(part, name); {
		case err == nil:
			return os.Remove(part)
		case errors.Is(err, fs.ErrExist): // it came in the meantime
			removeAll(part)
			return err
		}
	}
	removeJournals(name) // they would be taken for those of the new file
	return osfile.Replace(part, name)
}

// removeAll removes a file that was given up.
func removeAll(name string) {
	_ = os.Remove(name)
	removeJournals(name)
}

// journals are what SQLite keeps beside a file.
var journals = []string{"-wal", "-shm", "-journal"}

// removeJournals removes the journals of an SQLite file, if there are any.
func removeJournals(name string) {
	for _, suffix := range journals {
		_ = os.Remove(name + suffix)
	}
}

// stream writes to what is no file.
func stream(format *logs.Format, to *os.File, h *logs.Header, o logs.WriteOptions, done func() error) (*Output, error) {
	buffer := bufio.NewWriterSize(to, 64<<10)
	o.Screen = term.IsTerminal(int(to.Fd()))
	w, err := logs.Stream(buffer, format, h, o)
	if err != nil {
		return nil, &StreamError{err}
	}
	finish := func() error { return cmp.Or(w.Close(), buffer.Flush(), done()) }
	return &Output{w, "a part was written", finish, func() { _ = finish() }}, nil
}

// StreamError is that a format can be written to a file alone.
type StreamError struct{ Err error }

func (e *StreamError) Error() string { return "relog: " + e.Err.Error() }

// Unwrap is what the format says.
func (e *StreamError) Unwrap() error { return e.Err }

// Hint is what can be done.
func (e *StreamError) Hint() string { return "-o FILE" }
