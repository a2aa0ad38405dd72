// Package notes is the notes of screens and commands: a note is kept for all processes of the
// user and beside the recordings that go on, or with the recording that is played; what
// others write is seen.
package notes

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"sync/atomic"
	"time"

	"perfdeck/session"
	"perfdeck/session/files/note"
	"perfdeck/session/files/note/notebook"
	"perfdeck/session/recording/collector"
	"perfdeck/session/system/failure"
	"perfdeck/session/system/guard"
)

// Write keeps a note for all processes of the user whose state is in a folder, and beside
// the recordings that go on, whatever becomes of their processes. with are the names of
// those.
func Write(ctx context.Context, dir string, n note.Note) (with []string, err error) {
	if err := notebook.New(dir).Add(n); err != nil {
		return nil, err
	}
	now := time.Now()
	list, _ := collector.List(collector.RecordingsDir(dir), now)
	var failed []error
	for _, e := range list {
		if e.State != collector.Running || !n.IsOf(e.Started, now) {
			continue
		}
		for _, file := range e.Files {
			if file.Begun.IsZero() || !n.IsOf(file.Begun, now) {
				continue // its recorder finds the right one
			}
			err := addBeside(ctx, file.Name, n)
			if errors.Is(err, fs.ErrPermission) { // its recorder may, and does: folders above that of a service are root's
				continue
			}
			if err != nil {
				failed = append(failed, failure.WithHint(fmt.Errorf("the note is kept, but not with a recording: %w", err), "is there room on its disk?"))
				continue
			}
			with = append(with, filepath.Base(file.Name))
		}
	}
	return with, errors.Join(failed...)
}

// patience is how long the disk of a recording may take for a note.
const patience = 10 * time.Second

// errSlowDisk says why a note was not written.
var errSlowDisk = errors.New("its disk does not answer")

// addBeside writes a note beside a recording, whose disk may not answer.
func addBeside(ctx context.Context, file string, n note.Note) error {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("write note to %s: %w", notebook.Beside(file), errSlowDisk))
	defer cancel()
	written := make(chan error, 1)
	if err := guard.Await(ctx, func() { written <- notebook.AddBeside(file, n) }); err != nil {
		return err
	}
	return <-written
}

// Live are the notes of the user, as screens draw and write them. Any goroutine may use
// it, and one follows.
type Live struct {
	notebook.Board

	ctx   context.Context //nolint:containedctx // that of the screens: their notes are written while it lasts
	dir   string
	book  *notebook.Notebook // of Follow
	looks chan struct{}

	begun  time.Time
	looked atomic.Int64 // when Look asked for it last, ns since then
}

// NewLive are the notes of a user whose state is in a folder. report is told what of them
// cannot be read.
func NewLive(ctx context.Context, dir string, book *notebook.Notebook, report func(error)) *Live {
	l := &Live{ctx: ctx, dir: dir, book: book, looks: make(chan struct{}, 1), begun: time.Now()}
	l.look(report)
	return l
}

// Write writes a note down for all of this user.
func (l *Live) Write(n note.Note) error {
	_, err := Write(l.ctx, l.dir, n)
	l.Add(n)
	return err
}

// Follow looks for notes of others, whenever Look asks for it, until the context ends.
func (l *Live) Follow(ctx context.Context, report func(error)) {
	defer l.book.Close()
	for {
		select {
		case <-ctx.Done():
			return
		case <-l.looks:
			l.look(report)
		}
	}
}

// Look lets Follow look for notes where that is due. It does not block.
func (l *Live) Look() {
	now := int64(time.Since(l.begun))
	if last := l.looked.Load(); now-last < int64(notebook.LookEvery) || !l.looked.CompareAndSwap(last, now) {
		return
	}
	session.Wake(l.looks)
}

func (l *Live) look(report func(error)) {
	news, err := l.book.News()
	if err != nil {
		report(err)
	}
	l.Add(news...)
}

// Played are the notes of recordings that are played. Any goroutine may use it.
type Played struct {
	notebook.Board

	ctx  context.Context //nolint:containedctx // as that of Live
	file string          // where new ones go; empty: nowhere
	// written makes moments those of the clock by which the recording was made.
	written func(moments ...*time.Time)
}

// NewPlayed are notes of recordings; new ones go beside a file, as they are written there.
func NewPlayed(ctx context.Context, file string, all []note.Note, written func(moments ...*time.Time)) *Played {
	p := &Played{ctx: ctx, file: file, written: written}
	p.Add(all...)
	return p
}

// errNoPlace says why a note cannot be written.
var errNoPlace = errors.New("write note: what came through a pipe or in an archive keeps none: unpack it, and open its files")

// Write writes a note down with the recording.
func (p *Played) Write(n note.Note) error {
	if p.file == "" {
		return errNoPlace
	}
	beside := n
	p.written(&beside.Time)
	if err := addBeside(p.ctx, p.file, beside); err != nil {
		return err
	}
	p.Add(n)
	return nil
}
