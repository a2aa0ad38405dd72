package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"perfdeck/session"
	"perfdeck/session/record/note"
	"perfdeck/session/record/note/notebook"
	"perfdeck/tui"
)

// screenNotes are the notes that screens draw and write, of this user or of recordings. Its
// methods may be called by many goroutines.
type screenNotes struct {
	notebook.Board

	program *program
	screens *tui.Handle

	book *notebook.Notebook // of the user; nil: those of a recording are shown
	file string             // of a recording: where new ones go; empty: nowhere
}

// shownOn names the screens that show them.
func (s *screenNotes) shownOn(screens *tui.Session) {
	s.screens.Set(screens)
	s.OnChange(screens.NotesChanged)
}

// errNoPlace says why a note cannot be written.
var errNoPlace = errors.New("write note: what came through a pipe or in an archive keeps none: unpack it, and open its files")

// Write writes a note down: for all of this user, or with the recording that is played.
func (s *screenNotes) Write(n note.Note) error {
	switch {
	case s.book != nil:
		_, err := s.program.writeNote(s.program.context(), n)
		s.Add(n)
		return err
	case s.file == "":
		return errNoPlace
	}
	if err := addBeside(s.program.context(), s.file, n); err != nil {
		return err
	}
	s.Add(n)
	return nil
}

// follow looks for notes of others until the context ends.
func (s *screenNotes) follow(ctx context.Context) {
	defer s.book.Close()
	looks := time.NewTicker(notebook.LookEvery)
	defer looks.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-looks.C:
			s.look()
		}
	}
}

func (s *screenNotes) look() {
	news, err := s.book.News()
	if err != nil {
		s.screens.Note(err)
	}
	s.Add(news...)
}

// liveNotes are those of this user; nil where there is no place for them.
func (p *program) liveNotes() *screenNotes {
	book, err := p.userNotes()
	if err != nil {
		return nil // the journal of alerts told why
	}
	s := &screenNotes{program: p, screens: new(tui.Handle), book: book}
	s.look()
	return s
}

// recordedNotes are those of recordings that are played. Of those that are laid over the
// first the times are others.
func (p *program) recordedNotes(names []string, overlay bool) (s *screenNotes, damaged []error) {
	if overlay {
		names = names[:1]
	}
	s = &screenNotes{program: p, screens: new(tui.Handle)}
	all, damaged := notebook.Of(names, time.Time{}, time.Time{})
	s.Add(all...)
	for i, err := range damaged {
		damaged[i] = fmt.Errorf("%s", session.Printable(p.shown(err.Error()))) // a folder of ours says nothing to the user
	}
	file := names[0]
	if _, err := os.Stat(file); err != nil {
		file, _, _ = strings.Cut(file, "!") // what is behind it is a set
	}
	if !p.spooled().IsMade(file) {
		s.file = file
	}
	return s, damaged
}
