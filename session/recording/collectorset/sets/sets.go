// Package sets is what is done with the data collector sets of a user, and with what
// processes record for them: they are listed, made, changed, started and ended, whichever
// process runs them. Commands and screens do it by one type.
package sets

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"perfdeck/session"
	"perfdeck/session/recording/collectorset"
	"perfdeck/session/recording/collectorset/store"
	"perfdeck/session/system/failure"
)

// Options are what Sets need.
type Options struct {
	// StateDir is where sets are kept, and files that have no other place; it is made.
	StateDir func() (string, error)
	// Recordings is where recordings are described.
	Recordings func() (string, error)
	Place      collectorset.Place // what sets find here
	Clock      session.Clock
	// Self is this program with other arguments, HostFlags those that open hosts.
	Self      func(args ...string) (*exec.Cmd, error)
	HostFlags []string
	Go        func(func()) // starts a goroutine
}

// Sets is the sets and recordings of a user. Any goroutine may use it: it keeps nothing but
// its options.
type Sets struct{ o Options }

// New makes them.
func New(o Options) *Sets { return &Sets{o} }

// Set is a set as it was read.
type Set struct {
	*store.Entry

	Root string // where its folders are
}

func (d *Sets) store() (*store.Store, error) {
	dir, err := d.o.StateDir()
	if err != nil {
		return nil, err
	}
	return store.Open(filepath.Join(dir, "sets")), nil
}

// Names are those of all sets, in order.
func (d *Sets) Names() ([]string, error) {
	s, err := d.store()
	if err != nil {
		return nil, err
	}
	return s.Names()
}

// Read reads a set.
func (d *Sets) Read(name string) (*Set, error) {
	s, err := d.store()
	if err != nil {
		return nil, err
	}
	e, err := s.Load(name)
	if err != nil {
		return nil, err
	}
	return &Set{e, s.Root(e)}, nil
}

// IsRunning tells whether a process runs a set.
func (d *Sets) IsRunning(name string) bool {
	s, err := d.store()
	return err == nil && s.Running(name)
}

// Decode is a set that stands in a file.
func (d *Sets) Decode(file string, data []byte) (*Set, error) {
	set, found, err := collectorset.Decode(data)
	if err != nil {
		return nil, fmt.Errorf("read the set %s: %w", file, err)
	}
	s, err := d.store()
	if err != nil {
		return nil, err
	}
	e := &store.Entry{Set: set, Encoding: collectorset.EncodingOf(data), Findings: found}
	return &Set{e, s.Root(e)}, nil
}

// Export is the set as a template that perfmon and logman import.
func (s *Set) Export() []byte {
	set := *s.Set
	set.Status = 0
	return set.Encode(s.Encoding)
}

// Findings are all that is found in a set.
func (d *Sets) Findings(s *Set) []collectorset.Finding {
	return append(slices.Clone(s.Findings), s.Set.Check(d.o.Place)...)
}

// judge tells what is found in a set that was changed, and why it is not taken.
func (d *Sets) judge(s *collectorset.Set) (found []error, refused error) {
	for _, f := range s.Check(d.o.Place) {
		if refused == nil && (f.Refuses || f.Code == collectorset.Invalid) {
			refused = failure.Usage(errors.New(f.String()))
			continue
		}
		found = append(found, errors.New(f.String()))
	}
	if why := d.needsWatch(); why != "" && refused == nil {
		if at, ok := s.Next(d.o.Clock.Now().Wall.In(time.Local)); ok {
			found = append(found, fmt.Errorf("%s: its start on %s %s", s.Name, at.Format("Mon 2006-01-02 at 15:04:05"), why))
		}
	}
	return found, refused
}

// NewestOutputs are the files of the newest segment of a set of which any is there and
// holds something.
func (s *Set) NewestOutputs() (out []string) {
	for _, f := range slices.Backward(s.State.Folders) {
		for _, name := range s.files(&f) {
			if fileBytes(name) > 0 {
				out = append(out, name)
			}
		}
		if len(out) > 0 {
			break
		}
	}
	return out
}

// files are those of a folder, by their whole names.
func (s *Set) files(f *store.Folder) (names []string) {
	for _, name := range f.Files {
		names = append(names, filepath.Join(s.Root, filepath.FromSlash(name)))
	}
	for _, w := range f.Known { // circular ones have others after the first
		if name := filepath.Join(s.Root, filepath.FromSlash(w.Name)); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// Watches tells whether sets may ask a computer.
func (d *Sets) Watches(computer string) bool {
	return d.o.Place.Watched == nil || d.o.Place.Watched(computer)
}
