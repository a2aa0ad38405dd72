package pane

import (
	"time"

	"perfdeck/session/record/note"
)

// Notes are what people and programs write down.
type Notes interface {
	// All are those that are known, in order of time; do not change.
	All() []note.Note
	// Write writes one down. It may take as long as a disk does.
	Write(n note.Note) error
}

// NotesIn are those of a time, both ends included.
func (d *Desk) NotesIn(from, to time.Time) []note.Note {
	if d.Notes == nil {
		return nil
	}
	return note.Within(d.Notes.All(), from, to)
}
