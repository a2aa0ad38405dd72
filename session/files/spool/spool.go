// Package spool makes recordings that come through pipes, in archives, out of the past of an
// engine, or as standard input, files of their own: recordings are read from any place, and
// more than once.
package spool

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"perfdeck/paths"
	"perfdeck/session/files/bundle"
	"perfdeck/session/files/formats"
	"perfdeck/session/files/note/notebook"
	"perfdeck/session/files/zips"
	"perfdeck/session/system/failure"
	"perfdeck/session/system/osfile"
	"perfdeck/session/text/english"
	"perfdeck/session/text/printable"
)

// Stdin is how the standard input is named in place of a file.
const Stdin = "-"

// Options say where recordings come from.
type Options struct {
	Context func() context.Context // of what is read now
	// Stdin is the standard input; done is called when it was read.
	Stdin func() (in io.Reader, done func())
	// Half marks a folder that is to be removed should the program be ended.
	Half func(folder string) (whole func())
	// Past tells whether a name means the past of an engine, and reads that into a folder.
	Past   func(name string) (read func(folder string) (file string, err error), is bool)
	Report func(error)
}

// Spool is the recordings of a run. Files is called by one goroutine at a time, the others by
// any.
type Spool struct {
	o Options

	mu      sync.Mutex
	folders []folder
	bundles []*bundle.Bundle
	said    []error
}

// folder holds what was read from elsewhere; shown stands in its place in what is told.
type folder struct {
	name, shown string
	from        string // as the user named it
	once        bool   // it cannot be read from there again
}

// temporary begins the names of folders that hold what was read from elsewhere.
const temporary = "perfdeck-"

// Clear removes what a run that was killed had read from elsewhere.
func Clear() { osfile.ClearTemp(os.TempDir(), temporary) }

// New is a spool without recordings.
func New(o Options) *Spool { return &Spool{o: o} }

// Tell reports what is to be known of a recording that is read.
func (s *Spool) Tell(err error) {
	s.mu.Lock()
	s.said = append(s.said, err)
	s.mu.Unlock()
	s.o.Report(err)
}

// Said is what was to be known.
func (s *Spool) Said() []error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.said)
}

// Files are the files of recordings that are named: of a plain one itself, perhaps with the
// name of a set behind it. done removes those that were made.
func (s *Spool) Files(names []string) (files []string, done func(), err error) {
	if err := checkFiles(names); err != nil {
		return nil, nil, err
	}
	var made []func()
	done = func() {
		for _, remove := range made {
			remove()
		}
	}
	for _, name := range names {
		if notebook.IsBeside(name) && len(names) > 1 {
			continue
		}
		read := s.reader(name)
		if read == nil {
			files = append(files, name)
			continue
		}
		folder, remove, err := osfile.MakeTemp(os.TempDir(), temporary)
		if err != nil {
			done()
			return nil, nil, fmt.Errorf("read a recording: %w", err)
		}
		s.o.Half(folder)
		made = append(made, remove)
		found, err := read(folder)
		if err != nil {
			done()
			return nil, nil, err
		}
		files = append(files, found...)
	}
	return files, done, nil
}

// checkFiles refuses counter paths in the place of recordings: what was meant to be chosen would
// be left out as a file that is not there.
func checkFiles(names []string) error {
	for _, name := range names {
		_, isFormat := formats.ByExtension(name)
		if _, err := os.Stat(name); err == nil || isFormat || !strings.HasPrefix(name, `\`) {
			continue
		}
		if _, err := paths.Parse(name); err == nil {
			return failure.Usage(fmt.Errorf("%s is a counter path, no recording", printable.Text(name)), "a counter of recordings is --counter PATH, for commands that choose some")
		}
	}
	return nil
}

// reader is what reads a recording into files of a folder; nil: it is a file.
func (s *Spool) reader(name string) func(folder string) ([]string, error) {
	past, isPast := s.o.Past(name)
	info, err := os.Stat(name)
	from, base := filepath.Split(name)
	switch {
	case isPast:
		return func(made string) ([]string, error) {
			file, err := past(made)
			if err != nil {
				return nil, fmt.Errorf("read the past: %w", err)
			}
			s.show(folder{file, name, name, false})
			return []string{file}, nil
		}
	case name == Stdin:
		return s.into(name, "", func(folder string) ([]string, error) { return s.copy(name, filepath.Join(folder, "standard input")) })
	case err != nil || info.IsDir():
		return nil
	case !info.Mode().IsRegular():
		return s.into(name, from, func(folder string) ([]string, error) { return s.copy(name, filepath.Join(folder, base)) })
	case !zips.Is(name):
		return nil
	case bundle.IsNamed(name):
		return s.into(name, name+"/", func(folder string) ([]string, error) { return s.open(name, folder) })
	}
	return s.into(name, from, func(folder string) ([]string, error) { return zips.Unpack(name, folder) })
}

// into has a folder shown as where it was read from.
func (s *Spool) into(name, from string, read func(folder string) ([]string, error)) func(folder string) ([]string, error) {
	return func(made string) ([]string, error) {
		info, err := os.Stat(name)
		s.show(folder{made + string(filepath.Separator), from, name, err != nil || !info.Mode().IsRegular()})
		files, err := read(made)
		if err != nil {
			return nil, fmt.Errorf("read a recording: %w", err)
		}
		return files, nil
	}
}

// copy copies what is read from front to back into a file.
func (s *Spool) copy(name, to string) ([]string, error) {
	var from io.Reader
	if name == Stdin {
		in, done := s.o.Stdin()
		defer done()
		from = in
	} else {
		in, err := osfile.Open(s.o.Context(), name)
		if err != nil {
			return nil, err
		}
		defer in.Close() //nolint:errcheck // it was only read
		from = in
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	_, err = io.Copy(out, from)
	return []string{to}, cmp.Or(err, out.Close())
}

// open unpacks a bundle. Its notes lie beside its first recording, as those of any other.
func (s *Spool) open(name, folder string) ([]string, error) {
	b, err := bundle.Open(s.o.Context(), name, folder)
	if err != nil {
		return nil, err
	}
	if len(b.Notes) > 0 {
		if err := notebook.AddBeside(b.Files[0], b.Notes...); err != nil {
			return nil, fmt.Errorf("open %s: %w", printable.Text(name), err)
		}
	}
	if b.Damaged > 0 {
		s.o.Report(fmt.Errorf("open %s: %s beside its recordings could not be read and %s left out", printable.Text(name), english.Count(b.Damaged, "line", "lines"), english.Plural(b.Damaged, "was", "were")))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bundles = append(s.bundles, b)
	return b.Files, nil
}

// Bundles are those that were opened.
func (s *Spool) Bundles() []*bundle.Bundle {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bundles
}

func (s *Spool) show(f folder) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.folders = append(s.folders, f)
}

// Named is a recording as the user named it, which may be an archive with others; again tells
// whether it can be read by that name once more.
func (s *Spool) Named(file string) (name string, again bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.folders {
		if strings.HasPrefix(file, f.name) {
			return f.from, !f.once
		}
	}
	return file, true
}

// Shown is a text with the names that the user knows in it, in place of those of folders
// that hold what was read.
func (s *Spool) Shown(text string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.folders {
		text = strings.ReplaceAll(text, f.name, f.shown)
	}
	return text
}

// IsMade tells whether a file is one that was made, and goes when the run ends.
func (s *Spool) IsMade(file string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.folders {
		if strings.HasPrefix(file, f.name) {
			return true
		}
	}
	return false
}
