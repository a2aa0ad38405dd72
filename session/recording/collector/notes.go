package collector

import (
	"os"
	"slices"
	"time"

	"perfdeck/session/files/note"
	"perfdeck/session/files/note/notebook"
)

const (
	mostBegun = 1000          // files of an output that late notes still find
	mostNotes = note.MostRead // of an output, that wait for its first file, or for room on the disk
)

// begun is a file that was begun, and when.
type begun struct {
	file string
	at   time.Time
}

// noted takes a file that was begun.
func (l *output) noted() {
	l.begun = append(l.begun, begun{l.files.file, l.files.begunAt})
	if len(l.begun) > mostBegun {
		l.begun = l.begun[1:]
	}
}

// collectNotes writes new notes beside the files of their times: those of the time of the
// recording, which a process before this one may have begun.
func (r *writer) collectNotes() {
	if r.o.Notes == nil || r.o.Stream != nil || !r.released {
		return
	}
	news, err := r.o.Notes.News()
	if err != nil {
		r.o.Report(err)
	}
	since := r.started.Wall
	if !r.before.Started.IsZero() {
		since = r.before.Started
	}
	now := r.o.now().Wall
	for _, l := range r.outputs {
		for _, n := range news {
			if n.IsOf(since, now) && len(l.notes) < mostNotes {
				l.notes = append(l.notes, n)
			}
		}
		l.writeNotes()
	}
}

// writeNotes writes the notes that wait. What a disk does not take waits on.
func (l *output) writeNotes() {
	if len(l.notes) == 0 || len(l.begun) == 0 {
		return
	}
	byFile := map[string][]note.Note{}
	for _, n := range l.notes {
		file := l.fileOf(n)
		byFile[file] = append(byFile[file], n)
	}
	l.notes = l.notes[:0]
	for file, notes := range byFile {
		if _, err := os.Stat(file); err != nil {
			continue // it was removed, and takes its notes along
		}
		err := notebook.AddBeside(file, notes...)
		if err == nil {
			l.noteErr = ""
			continue
		}
		l.notes = append(l.notes, notes...)
		if err.Error() != l.noteErr {
			l.noteErr = err.Error()
			l.r.o.Report(err)
		}
	}
}

// fileOf is the file that was written at the time of a note; before the first it is that.
func (l *output) fileOf(n note.Note) string {
	now := l.r.o.now().Wall
	for _, b := range slices.Backward(l.begun) {
		if n.IsOf(b.at, now) {
			return b.file
		}
	}
	return l.begun[0].file
}
