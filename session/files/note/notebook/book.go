package notebook

import (
	"bytes"
	"encoding/json"
	"errors"
	"iter"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"perfdeck/session/files/note"
	"perfdeck/session/system/store"
	"perfdeck/session/text/printable"
)

// The files in the state folder, which are the user's alone.
const (
	fileName = "notes.jsonl"
	lockName = "notes.lock" // held while it is written
)

// From twice so many bytes on the file is written anew, with the last notes.
const roomyBytes = 4 << 20

// Notebook is one reader's hold of the notes of a user: all processes of that user add to
// one file and see what the others added. It is the one way of notes: who records or
// shows something has a book, and asks it what is new. Its methods may be called by many
// goroutines.
type Notebook struct {
	file store.Journal

	mu        sync.Mutex
	files     []string // to which other programs append
	seen      map[note.Note]bool
	news      []note.Note // that nobody took
	followed  map[string]*followed
	positions map[string]position // in the files of other programs
}

// New makes ready to use the notes in a folder, and those that other programs append to
// files; nothing is read or written yet.
func New(dir string, follow ...string) *Notebook {
	b := &Notebook{files: follow, seen: map[note.Note]bool{}, followed: map[string]*followed{}, positions: map[string]position{}}
	b.file = store.Journal{
		Name: filepath.Join(dir, fileName), Lock: filepath.Join(dir, lockName),
		Roomy: roomyBytes, Live: b.live, Form: store.FormJSON,
	}
	return b
}

// Add writes notes down. When it returns they are on the disk.
func (b *Notebook) Add(notes ...note.Note) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.file.Append(note.Lines(notes), true)
}

// live are the last notes of a file, and all positions.
func (b *Notebook) live(lines iter.Seq[[]byte]) ([]byte, error) {
	var notes []note.Note
	for line := range lines {
		b.readLine(line)
		if n, ok := note.Parse(line); ok {
			notes = append(notes[max(0, len(notes)-note.MostRead/2+1):], n)
		}
	}
	text := note.Lines(notes)
	for _, name := range slices.Sorted(maps.Keys(b.positions)) {
		text = append(text, b.positions[name].line()...)
	}
	return text, nil
}

// LookEvery is how often News is asked for.
const LookEvery = 3 * time.Second

// News are the notes that came since the last call; the first call gives all that are
// kept. Without news it costs one look at each file. With an error, which is told once,
// what could be read is there.
func (b *Notebook) News() ([]note.Note, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	err := errors.Join(b.followAll(), b.file.Lines(b.readLine))
	news := b.news
	b.news = nil
	slices.SortFunc(news, note.Compare)
	return news, err
}

// SetFiles says to which files other programs append now.
func (b *Notebook) SetFiles(names []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.files = names
	for name, f := range b.followed {
		if !slices.Contains(names, name) {
			f.close()
			delete(b.followed, name)
		}
	}
}

// readLine reads a note, or a position. One that is damaged says nothing.
func (b *Notebook) readLine(line []byte) {
	if p, ok := parsePosition(line); ok {
		b.positions[p.File] = p
		return
	}
	n, ok := note.Parse(line)
	if !ok || b.seen[n] {
		return
	}
	b.seen[n] = true
	if b.news = append(b.news, n); len(b.news) == 2*note.MostRead { // nobody takes them, or very many came
		for _, n := range b.news[:note.MostRead] {
			delete(b.seen, n)
		}
		b.news = slices.Delete(b.news, 0, note.MostRead)
	}
}

// position is how far the file of another program was read, by whichever process of the
// user: a line among the notes, so that it is written together with those.
type position struct {
	File string `json:"file"`
	At   int64  `json:"at"`
	Head string `json:"head"` // how the file begins, by its sum
}

func (p position) line() []byte {
	text, _ := printable.JSONLine(p) // of texts and a number
	return text
}

const mostPositionLine = 16 << 10

func parsePosition(line []byte) (p position, ok bool) {
	if len(line) > mostPositionLine || !bytes.Contains(line, []byte(`"file"`)) {
		return p, false
	}
	return p, json.Unmarshal(line, &p) == nil && p.File != "" && p.At >= 0
}

// Board is notes that are known, for who shows them. Any goroutine may use it.
type Board struct {
	mu      sync.Mutex
	all     []note.Note
	changed atomic.Pointer[func()]
}

// All are those that are known, in order of time; do not change.
func (b *Board) All() []note.Note {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.all
}

// Add adds notes.
func (b *Board) Add(news ...note.Note) {
	if len(news) == 0 {
		return
	}
	b.mu.Lock()
	b.all = note.Merge(b.all, news)
	b.mu.Unlock()
	if changed := b.changed.Load(); changed != nil {
		(*changed)()
	}
}

// OnChange names who is told that there are more.
func (b *Board) OnChange(changed func()) { b.changed.Store(&changed) }
