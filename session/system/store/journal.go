// Package store keeps what outlives a process. A Journal is a file of lines to which all
// processes of a user add, a Document a file that is replaced whole. Of what is written in
// either a crash or a power cut costs at most what was being written.
package store

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"perfdeck/session/system/failure"
	"perfdeck/session/system/osfile"
	"perfdeck/session/text/printable"
)

// Error says what could not be done with a file.
type Error struct {
	Op, File string
	Err      error
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s %s: %v", e.Op, printable.Text(e.File), e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

// Hint says what to do.
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
	readOp  = "read"
	writeOp = "write"
	lockOp  = "lock"
)

// Fail says what could not be done with a file; nil where err is.
func Fail(op, file string, err error) error {
	if err == nil {
		return nil
	}
	return &Error{op, file, failure.Bare(err)}
}

// ErrLarge says that a file has more bytes than it may.
var ErrLarge = errors.New("it is too large")

// patience is how long another process may hold a file, which takes milliseconds.
const patience = 3 * time.Second

// lock runs f while no other process uses what a lock is of. Where nothing can be locked, or the lock
// is a file of another user, f runs all the same: what is written is worth more than what two
// processes write in one moment.
func lock(name string, within time.Duration, f func() error) error {
	unlock, err := osfile.LockNamed(name, within)
	switch {
	case err == nil:
		defer unlock()
	case !osfile.NoLocks(err) && (!errors.Is(err, fs.ErrPermission) || !isFile(name)):
		return Fail(lockOp, name, err)
	}
	return f()
}

// isFile tells a file that is no link.
func isFile(name string) bool {
	info, err := os.Lstat(name)
	return err == nil && info.Mode().IsRegular()
}

// Journal is a file of lines, as of JSON, for the user alone. A line that is damaged costs
// that line, and no reader waits for one that writes. Its methods may be called by many
// goroutines. Errors are of *Error.
type Journal struct {
	Name     string        // of the file
	Lock     string        // of the file that is locked while this one is written
	Patience time.Duration // for that; 0: 3 s
	Most     int64         // bytes that are read
	// From twice so many bytes on, or twice what lived when it was done last, the file is
	// written anew with what Live makes of its lines.
	Roomy int64
	Live  func(text []byte) ([]byte, error)
	// Late is how many bytes wait, the newest, where they cannot be written; 0: none do.
	Late int

	sync func(*os.File) error // nil: to the disk

	mu   sync.Mutex
	last fs.FileInfo // the file as it was read last
	read int64       // up to here
	late []byte      // lines that wait
	owed bool        // some of them are to be on the disk
}

func (j *Journal) locked(f func() error) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	within := j.Patience
	if within == 0 {
		within = patience
	}
	return lock(j.Lock, within, f)
}

// ErrDropped says that of the lines that wait the oldest were dropped, as they are too many.
var ErrDropped = errors.New("too much waits: the oldest is dropped")

// Append adds lines, and those that wait. With durable they are on the disk then.
func (j *Journal) Append(lines []byte, durable bool) error {
	if j.Late > 0 {
		j.mu.Lock()
		j.late, j.owed = append(j.late, lines...), j.owed || durable
		j.mu.Unlock()
	}
	err := j.locked(func() error {
		if j.Late > 0 {
			lines, durable = j.late, j.owed
		}
		return j.append(lines, durable)
	})
	j.mu.Lock()
	defer j.mu.Unlock()
	if cut := len(j.late) - j.Late; cut > 0 {
		j.late = bytes.Clone(j.late[cut+bytes.IndexByte(j.late[cut:], '\n')+1:])
		err = errors.Join(err, Fail(writeOp, j.Name, ErrDropped))
	}
	return err
}

func (j *Journal) append(lines []byte, durable bool) error {
	if len(lines) == 0 {
		return nil
	}
	sync := j.sync
	if sync == nil {
		sync = (*os.File).Sync
	}
	if !durable {
		sync = nil
	}
	size, err := osfile.AppendLines(j.Name, lines, 0o600, sync)
	if size > 0 {
		j.late, j.owed = nil, false
	}
	if err == nil && durable && size == int64(len(lines)) { // it is new
		_ = osfile.SyncDir(filepath.Dir(j.Name)) // not every file system can
	}
	if err != nil || size < 2*j.Roomy {
		return Fail(writeOp, j.Name, err)
	}
	text, _, err := j.all()
	if err != nil {
		return err
	}
	return j.rewrite(text)
}

// AppendAfter adds the lines of more, which is called when all that others added was read, before
// anybody adds another one.
func (j *Journal) AppendAfter(do func(line []byte), more func() ([]byte, error), durable bool) error {
	return j.locked(func() error {
		err := j.lines(do)
		if err != nil {
			return err
		}
		lines, err := more()
		if err != nil {
			return err
		}
		return j.append(lines, durable)
	})
}

// CatchUp writes lines that wait. The error is that some do still.
func (j *Journal) CatchUp() error {
	j.mu.Lock()
	late := len(j.late) > 0
	j.mu.Unlock()
	if !late {
		return nil
	}
	return j.Append(nil, true)
}

// rewrite puts a file in the place of the old one that has what lives of its lines.
func (j *Journal) rewrite(text []byte) error {
	text, err := j.Live(text)
	if err != nil {
		return err
	}
	j.Roomy = max(j.Roomy, int64(len(text)))
	return write(j.Name, text)
}

// write replaces a file whole, through a power cut too.
func write(name string, text []byte) error {
	if err := osfile.Write(name, text, 0o600, true); err != nil {
		return Fail(writeOp, name, err)
	}
	_ = osfile.SyncDir(filepath.Dir(name)) // not every file system can
	return nil
}

// Look gives all of the file, while nobody writes it. What look tells is whether it is to be
// written anew. Lines goes on behind it.
func (j *Journal) Look(look func(text []byte) (anew bool)) error {
	return j.locked(func() error {
		text, info, err := j.all()
		if err != nil {
			return err
		}
		j.last, j.read = info, int64(bytes.LastIndexByte(text, '\n')+1)
		if !look(text) {
			return nil
		}
		return j.rewrite(text)
	})
}

// Read is all of the file, for who writes nothing.
func (j *Journal) Read() ([]byte, error) {
	if unlock, err := osfile.LockToRead(j.Lock, patience); err == nil {
		defer unlock()
	} // else nobody wrote here, or who does hangs: what is there is better than nothing
	text, _, err := j.all()
	return text, err
}

func (j *Journal) all() (text []byte, info fs.FileInfo, err error) {
	f, err := osfile.OpenPlain(j.Name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err == nil {
		defer f.Close()
		info, err = f.Stat()
	}
	if err == nil && info.Size() > j.Most {
		err = ErrLarge
	}
	if err == nil {
		text, err = io.ReadAll(io.LimitReader(f, info.Size()))
	}
	return text, info, Fail(readOp, j.Name, err)
}

// Lines gives the lines that were added since it, or Look, was called last; all of them where the
// file was written anew. Where nothing came that costs a look at the file.
func (j *Journal) Lines(do func(line []byte)) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.lines(do)
}

func (j *Journal) lines(do func(line []byte)) error {
	info, err := os.Stat(j.Name)
	if errors.Is(err, fs.ErrNotExist) {
		j.last = nil
		return nil
	}
	if err == nil && j.last != nil && os.SameFile(info, j.last) && info.Size() == j.read {
		return nil
	}
	var f *os.File
	if err == nil {
		f, err = osfile.OpenPlain(j.Name)
	}
	if err != nil {
		return Fail(readOp, j.Name, err)
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil {
		return Fail(readOp, j.Name, err)
	}
	if j.last == nil || !os.SameFile(info, j.last) || info.Size() < j.read {
		j.read = 0
	}
	j.last, j.read = info, max(j.read, info.Size()-j.Most)
	text, err := io.ReadAll(io.NewSectionReader(f, j.read, info.Size()-j.read))
	whole := bytes.LastIndexByte(text, '\n') + 1 // the rest is being written, or torn
	j.read += int64(whole)
	for line := range bytes.Lines(text[:whole]) {
		do(line)
	}
	return Fail(readOp, j.Name, err)
}

// Newest is what lives of a file of which the last lines do: at most so many bytes.
func Newest(most int) func([]byte) ([]byte, error) {
	return func(text []byte) ([]byte, error) {
		if len(text) > most {
			text = text[len(text)-most:]
			text = text[bytes.IndexByte(text, '\n')+1:]
		}
		return text, nil
	}
}
