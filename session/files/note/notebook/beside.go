// Package notebook keeps notes on disk: those of a user in the state folder, and those of
// recordings beside them.
package notebook

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"perfdeck/session/files/note"
	"perfdeck/session/system/failure"
	"perfdeck/session/system/osfile"
	"perfdeck/session/system/store"
)

// mostBytes bounds what is read of a file of notes.
const mostBytes = 64 << 20

// Beside is the file with the notes of a recording.
func Beside(recording string) string { return recording + note.Suffix }

// IsBeside tells such a file, of a recording that is there: patterns of a shell name it too.
func IsBeside(name string) bool {
	recording, is := strings.CutSuffix(name, note.Suffix)
	if !is {
		return false
	}
	info, err := os.Stat(recording)
	return err == nil && info.Mode().IsRegular()
}

// DamageError says that not all notes of a file could be read.
type DamageError struct {
	File string
	Left int   // out
	Err  error // of the disk; nil: only lines
}

func (e *DamageError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("read notes %s: %v", e.File, e.Err)
	}
	return fmt.Sprintf("read notes %s: %d lines are no notes, or too many, and were left out", e.File, e.Left)
}

func (e *DamageError) Unwrap() error { return e.Err }

// Of are the notes of recordings, from a time on and up to another, in order of time. Zero times
// are no limits. place makes the times of notes those of a recording's line, in the order in which
// they were written; nil: they are what they are. What could not be read is in damaged, and the
// rest is there.
func Of(recordings []string, place func(times ...*time.Time), begin, end time.Time) (notes []note.Note, damaged []error) {
	var lists [][]note.Note
	for _, name := range recordings {
		if file, _, ok := strings.Cut(name, "!"); ok {
			if _, err := os.Stat(name); err != nil {
				name = file // what is behind it is a set
			}
		}
		list, err := read(Beside(name))
		if place != nil {
			place(note.Times(list)...)
		}
		lists = append(lists, list)
		if err != nil {
			damaged = append(damaged, err)
		}
	}
	return note.Within(note.Merge(lists...), begin, end), damaged
}

// read reads a file of notes. One that is not there has none.
func read(name string) ([]note.Note, error) {
	f, err := osfile.OpenPlain(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, &DamageError{File: name, Err: failure.Bare(err)}
	}
	defer f.Close()
	notes, left, err := note.Read(io.LimitReader(f, mostBytes))
	if left > 0 || err != nil {
		return notes, &DamageError{name, left, failure.Bare(err)}
	}
	return notes, nil
}

// AddBeside writes notes down beside a recording: those that are not there yet. Who may
// read the recording may read them.
func AddBeside(recording string, notes ...note.Note) error {
	name := Beside(recording)
	if err := osfile.NoLink(name); err != nil {
		return store.Fail("write", name, err)
	}
	known, err := read(name)
	known = note.Merge(known)
	if damage, ok := errors.AsType[*DamageError](err); ok && damage.Err != nil {
		return err
	}
	notes = slices.DeleteFunc(slices.Clone(notes), func(n note.Note) bool {
		_, there := slices.BinarySearchFunc(known, n, note.Compare)
		return there
	})
	if len(notes) == 0 {
		return nil
	}
	mode := fs.FileMode(0o600)
	if info, err := os.Stat(recording); err == nil {
		mode = info.Mode().Perm() | 0o200
	}
	return (&store.Journal{Name: name, Mode: mode}).Append(note.Lines(notes), true)
}

// holdsNotes tells a file of notes that is no link.
func holdsNotes(name string) bool {
	notes, err := read(name)
	return osfile.NoLink(name) == nil && (err == nil || len(notes) > 0)
}

// RemoveBeside removes the notes of a recording that is removed, or replaced. A file that has
// their name and holds none is somebody's, and stays.
func RemoveBeside(recording string) error {
	name := Beside(recording)
	if !holdsNotes(name) {
		return nil
	}
	err := os.Remove(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
