package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"perfdeck/session"
	"perfdeck/session/record/note"
	"perfdeck/session/record/note/notebook"
	"perfdeck/tui"
)

// screenNotes are the notes that screens draw and write, of this user or of recordings. Its
// methods may be called by many goroutines.
type screenNotes struct {
	program *program
	changed atomic.Pointer[tui.Session]

	mu  sync.Mutex
	all []note.Note

	book *notebook.Book // of the user; nil: those of a recording are shown
	file string         // of a recording: where new ones go; empty: nowhere
}

// All are those that are known.
func (s *screenNotes) All() []note.Note {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all
}

func (s *screenNotes) add(news ...note.Note) {
	if len(news) == 0 {
		return
	}
	s.mu.Lock()
	s.all = note.Merge(s.all, news)
	s.mu.Unlock()
	if screens := s.changed.Load(); screens != nil {
		screens.NotesChanged()
	}
}

// errNoPlace says why a note cannot be written.
var errNoPlace = errors.New("write note: what came through a pipe or in an archive keeps none: unpack it, and open its files")

// Write writes a note down: for all of this user, or with the recording that is played.
func (s *screenNotes) Write(n note.Note) error {
	switch {
	case s.book != nil:
		_, err := s.program.writeNote(s.program.context(), n)
		s.add(n)
		return err
	case s.file == "":
		return errNoPlace
	}
	if err := addBeside(s.program.context(), s.file, n); err != nil {
		return err
	}
	s.add(n)
	return nil
}

// follow looks for notes of others until the context ends.
func (s *screenNotes) follow(ctx context.Context) {
	defer s.book.Close()
	looks := time.NewTicker(noteEvery)
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
	if screens := s.changed.Load(); err != nil && screens != nil {
		screens.Note(err)
	}
	s.add(news...)
}

// liveNotes are those of this user; nil where there is no place for them.
func (p *program) liveNotes() *screenNotes {
	book, err := p.userNotes()
	if err != nil {
		return nil // the journal of alerts told why
	}
	s := &screenNotes{program: p, book: book}
	s.look()
	return s
}

// recordedNotes are those of recordings that are played. Of those that are laid over the
// first the times are others.
func (p *program) recordedNotes(names []string, overlay bool) (s *screenNotes, damaged []error) {
	if overlay {
		names = names[:1]
	}
	s = &screenNotes{program: p}
	s.all, damaged = notebook.Of(names, time.Time{}, time.Time{})
	for i, err := range damaged {
		damaged[i] = fmt.Errorf("%s", session.Printable(p.shown(err.Error()))) // a folder of ours says nothing to the user
	}
	file := names[0]
	if _, err := os.Stat(file); err != nil {
		file, _, _ = strings.Cut(file, "!") // what is behind it is a set
	}
	for _, temporary := range p.spooled {
		if strings.HasPrefix(file, temporary.folder) {
			return s, damaged
		}
	}
	s.file = file
	return s, damaged
}
