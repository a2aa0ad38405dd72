package notebook

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"perfdeck/session"
	"perfdeck/session/record/note"
	"perfdeck/session/system/osfile"
)

// The files in the state folder, which are the user's alone.
const (
	fileName = "notes.jsonl"
	lockName = "notes.lock" // held while it is written
)

const (
	patience   = 3 * time.Second // for the lock
	roomyBytes = 8 << 20         // from here on the file is written anew, with the last notes
)

// Notebook is one reader's hold of the notes of a user: all processes of that user add to
// one file and see what the others added. It is the one way of notes: who records or
// shows something has a book, and asks it what is new. Its methods may be called by many
// goroutines.
type Notebook struct {
	dir string

	mu        sync.Mutex
	files     []string    // to which other programs append
	info      os.FileInfo // the file as it was read last
	read      int64       // up to here
	seen      map[note.Note]bool
	news      []note.Note // that nobody took
	followed  map[string]*followed
	positions map[string]position // in the files of other programs
}

// New makes ready to use the notes in a folder, and those that other programs append to
// files; nothing is read or written yet.
func New(dir string, follow ...string) *Notebook {
	return &Notebook{dir: dir, files: follow, seen: map[note.Note]bool{}, followed: map[string]*followed{}, positions: map[string]position{}}
}

// Error says what could not be done with a file of notes.
type Error struct {
	Op, File string
	Err      error
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s %s: %v", e.Op, session.Printable(e.File), e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

// Hint says what can be done about it.
func (e *Error) Hint() string {
	switch {
	case errors.Is(e.Err, osfile.ErrLocked):
		return "another perfdeck holds it: is one stopped?"
	case e.Op == readOp:
		return ""
	}
	return "is there room on the disk, and may you write there?"
}

const (
	readOp  = "read notes"
	writeOp = "write note to"
)

func (b *Notebook) file() string { return filepath.Join(b.dir, fileName) }

func fail(op, file string, err error) error {
	if err == nil {
		return nil
	}
	return &Error{op, file, session.Bare(err)}
}

// Add writes notes down. When it returns they are on the disk.
func (b *Notebook) Add(notes ...note.Note) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.locked(func() error { return b.append(note.Lines(notes)) })
}

// append adds lines to the file, which is locked.
func (b *Notebook) append(lines []byte) error {
	size, err := osfile.AppendLines(b.file(), lines, 0o600, true)
	if err == nil && size == int64(len(lines)) { // it is new
		err = osfile.SyncDir(b.dir)
	}
	if err == nil && size > roomyBytes {
		err = b.rewrite()
	}
	return fail(writeOp, b.file(), err)
}

// locked runs f while no other process writes to the file.
func (b *Notebook) locked(f func() error) error {
	unlock, err := osfile.LockNamed(filepath.Join(b.dir, lockName), patience)
	if err == nil {
		defer unlock()
	} else if !osfile.NoLocks(err) {
		return fail(writeOp, b.file(), err)
	}
	return f()
}

// rewrite puts a file in the place of the old one that has the last notes and all
// positions. A crash leaves either of them.
func (b *Notebook) rewrite() error {
	if err := b.catchUp(); err != nil {
		return err
	}
	data, err := osfile.ReadPlain(b.file(), mostBytes)
	if err != nil {
		return err
	}
	notes, _, err := note.Read(bytes.NewReader(data))
	if err != nil {
		return err
	}
	text := note.Lines(notes[max(0, len(notes)-note.MostRead/2):])
	for _, name := range slices.Sorted(maps.Keys(b.positions)) {
		text = append(text, b.positions[name].line()...)
	}
	return osfile.Write(b.file(), text, 0o600, true)
}

// LookEvery is how often News is asked for.
const LookEvery = 3 * time.Second

// News are the notes that came since the last call; the first call gives all that are
// kept. Without news it costs one look at each file. With an error, which is told once,
// what could be read is there.
func (b *Notebook) News() ([]note.Note, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	err := errors.Join(b.followAll(), b.catchUp())
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

// catchUp reads what others added.
func (b *Notebook) catchUp() error {
	info, err := os.Stat(b.file())
	if errors.Is(err, fs.ErrNotExist) {
		b.info, b.read = nil, 0
		return nil
	}
	if err != nil {
		return fail(readOp, b.file(), err)
	}
	if b.info == nil || !os.SameFile(info, b.info) || info.Size() < b.read {
		b.read = 0 // it was written anew
	} else if info.Size() == b.read {
		return nil
	}
	f, err := osfile.OpenPlain(b.file())
	if err != nil {
		return fail(readOp, b.file(), err)
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil {
		return fail(readOp, b.file(), err)
	}
	b.info = info
	if info.Size()-b.read > mostBytes {
		b.read = info.Size() - mostBytes
	}
	data, err := io.ReadAll(io.NewSectionReader(f, b.read, info.Size()-b.read))
	whole := bytes.LastIndexByte(data, '\n') + 1 // the rest is being written, or torn
	b.read += int64(whole)
	b.readLines(data[:whole])
	return fail(readOp, b.file(), err)
}

// readLines reads notes and positions.
func (b *Notebook) readLines(data []byte) {
	var notes bytes.Buffer
	for line := range bytes.Lines(data) {
		if p, ok := parsePosition(line); ok {
			b.positions[p.File] = p
			continue
		}
		notes.Write(line)
	}
	list, _, _ := note.Read(&notes) // a line that is damaged says nothing
	for _, n := range list {
		if !b.seen[n] {
			b.seen[n] = true
			b.news = append(b.news, n)
		}
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
	text, err := json.Marshal(p)
	if err != nil {
		return nil // of texts and a number
	}
	return append(session.EscapeJSON(text), '\n')
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
