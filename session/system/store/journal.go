// Package store keeps what outlives a process. A Journal is a file of lines to which all
// processes of a user add, a Document a file that is replaced whole. Of what is written in
// either a crash or a power cut costs at most what was being written.
package store

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"perfdeck/session/system/failure"
	"perfdeck/session/system/osfile"
)

// Error says what could not be done with a file.
type Error struct {
	Op, File string
	Err      error
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s %s: %v", e.Op, e.File, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

// Hint says what to do.
func (e *Error) Hint() string {
	switch {
	case errors.Is(e.Err, osfile.ErrLocked):
		return "another perfdeck holds it: is one stopped?"
	case errors.Is(e.Err, ErrForm):
		return "use the perfdeck that wrote it, or move the file away"
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

// patience is how long another process may hold a file, which takes milliseconds.
const patience = 3 * time.Second

// Lock keeps other processes from what a lock is of, until unlock is called. Where nothing can be
// locked, or the lock is a file of another user, nobody is kept: what is written is worth more than
// what two processes write in one moment.
func Lock(name string, within time.Duration) (unlock func(), err error) {
	f, err := osfile.Take(name, cmp.Or(within, patience))
	if name == "" || errors.Is(err, fs.ErrPermission) && isFile(name) {
		return func() {}, nil
	}
	return func() { osfile.Release(f) }, Fail(lockOp, name, err)
}

// isFile tells a file that is no link.
func isFile(name string) bool {
	info, err := os.Lstat(name)
	return err == nil && info.Mode().IsRegular()
}

// LockToRead is Lock for who writes nothing. Where nobody wrote yet, or who does hangs, what is
// there is better than nothing.
func LockToRead(name string) (unlock func()) {
	f, err := os.Open(name)
	if err != nil {
		return func() {}
	}
	_ = osfile.LockWithin(f, patience)
	return func() { osfile.Release(f) }
}

// Journal is a file of lines, as of JSON. A line that is damaged costs that line, and no reader
// waits long for one that writes. However large a file became, of its lines one is in memory. Its methods
// may be called by many goroutines. Errors are of *Error.
type Journal struct {
	Name     string        // of the file
	Mode     fs.FileMode   // of a new one; 0: it is for the user alone
	Lock     string        // of the file that is locked while this one is written; empty: none is
	Patience time.Duration // for that; 0: 3 s
	Form     string        // as that of a Document
	// From twice so many bytes on, or twice what lived when it was done last, the file is
	// written anew with what Live makes of its lines; 0: never.
	Roomy int64
	Live  func(lines iter.Seq[[]byte]) ([]byte, error)
	// Late is how many bytes wait, the newest, where they cannot be written; 0: none do.
	Late int

	sync func(*os.File) error // nil: to the disk
	line int                  // bytes of one; 0: mostLine

	mu   sync.Mutex
	last fs.FileInfo // the file as it was read last
	read int64       // up to here
	late []byte      // lines that wait
	owed bool        // some of them are to be on the disk
}

// mostLine is how many bytes of a line are read: the rest is left out.
const mostLine = 64 << 20

func (j *Journal) locked(f func() error) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	unlock, err := Lock(j.Lock, j.Patience)
	if err != nil {
		return err
	}
	defer unlock()
	return f()
}

// ErrDropped says that of the lines that wait the oldest were dropped, as they are too many.
var ErrDropped = errors.New("too much waits: the oldest is dropped")

// Append adds lines, and those that wait: all of them or, with an error, none. With durable they
// are on the disk then.
func (j *Journal) Append(lines []byte, durable bool) error {
	if j.Late > 0 {
		j.mu.Lock()
		j.late, j.owed = append(j.late, lines...), j.owed || durable
		j.mu.Unlock()
		lines = nil
	}
	err := j.locked(func() error { return j.append(lines, durable) })
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.late) > j.Late {
		j.late = last(j.late, j.Late)
		err = errors.Join(err, Fail(writeOp, j.Name, ErrDropped))
	}
	return err
}

// append adds what waits, and lines.
func (j *Journal) append(lines []byte, durable bool) error {
	if lines = append(j.late, lines...); len(lines) == 0 {
		return nil
	}
	size, err := j.add(lines, durable || j.owed)
	if err != nil {
		return Fail(writeOp, j.Name, err)
	}
	j.late, j.owed = nil, false
	if j.Live == nil || size < 2*j.Roomy {
		return nil
	}
	return j.rewrite()
}

// add adds lines in one go, on a line of their own where the last one was torn. size is that of the
// file. Lines that do not get as far as they are to are taken away again.
func (j *Journal) add(lines []byte, durable bool) (size int64, err error) {
	f, err := os.OpenFile(j.Name, os.O_RDWR|os.O_CREATE|os.O_APPEND, cmp.Or(j.Mode, 0o600))
	if err != nil {
		return 0, err
	}
	defer func() { err = cmp.Or(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	before := info.Size()
	if before == 0 && j.Form != "" {
		lines = append([]byte(j.Form+"\n"), lines...)
	}
	if before > 0 {
		if _, err := form(f, j.Form); err != nil {
			return 0, err
		}
		var end [1]byte
		if _, err := f.ReadAt(end[:], before-1); err != nil {
			return 0, err
		}
		if end[0] != '\n' {
			lines = append([]byte{'\n'}, lines...)
		}
	}
	n, err := f.Write(lines)
	if sync := j.sync; err == nil && durable {
		if sync == nil {
			sync = (*os.File).Sync
		}
		err = sync(f)
	}
	if err != nil {
		if now, e := f.Stat(); e == nil && n > 0 && now.Size() == before+int64(n) { // nobody added more meanwhile
			_ = f.Truncate(before)
		}
		return 0, err
	}
	if durable && before == 0 { // its name may be new
		_ = osfile.SyncDir(filepath.Dir(j.Name)) // not every file system can
	}
	return before + int64(n), nil
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
func (j *Journal) rewrite() error {
	var text []byte
	var failed error
	_, _, err := j.all(beginning, func(lines iter.Seq[[]byte]) { text, failed = j.Live(lines) })
	if err = cmp.Or(err, failed); err != nil {
		return err
	}
	j.Roomy = max(j.Roomy, int64(len(text)))
	return (&Document{Name: j.Name, Form: j.Form, Most: math.MaxInt64}).Write(text)
}

// Look gives all lines of the file, while nobody writes it. What look tells is whether it is to be
// written anew. Lines goes on behind it.
func (j *Journal) Look(look func(lines iter.Seq[[]byte]) (anew bool)) error {
	return j.locked(func() (err error) {
		anew := false
		j.last, j.read, err = j.all(beginning, func(lines iter.Seq[[]byte]) { anew = look(lines) })
		if err != nil || !anew {
			return err
		}
		return j.rewrite()
	})
}

// Read gives all lines of the file, for who writes nothing. The last one may be torn.
func (j *Journal) Read(read func(lines iter.Seq[[]byte])) error {
	defer LockToRead(j.Lock)()
	_, _, err := j.all(beginning, read)
	return err
}

// all gives the lines of the file from a place on, each until the next one comes. One that is too
// long, is being written or is torn has no end. read is where the last whole one ends.
func (j *Journal) all(from func(fs.FileInfo) int64, do func(lines iter.Seq[[]byte])) (info fs.FileInfo, read int64, err error) {
	f, err := osfile.OpenPlain(j.Name)
	if errors.Is(err, fs.ErrNotExist) {
		do(func(func([]byte) bool) {})
		return nil, 0, nil
	}
	if err == nil {
		defer f.Close()
		info, err = f.Stat()
	}
	if err != nil {
		return nil, 0, Fail(readOp, j.Name, err)
	}
	if read = from(info); read == 0 {
		if read, err = form(f, j.Form); err != nil {
			return nil, 0, Fail(readOp, j.Name, err)
		}
	}
	r, at, most := bufio.NewReader(io.NewSectionReader(f, read, info.Size()-read)), read, cmp.Or(j.line, mostLine)
	do(func(yield func([]byte) bool) {
		var line, part []byte
		for {
			part, err = r.ReadSlice('\n')
			at += int64(len(part))
			line = append(line, part[:min(len(part), most-len(line))]...)
			switch {
			case errors.Is(err, bufio.ErrBufferFull):
				continue
			case err == nil:
				read = at
			case !errors.Is(err, io.EOF) || len(line) == 0:
				return
			}
			if !yield(line) || err != nil {
				return
			}
			line = line[:0]
		}
	})
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return info, read, Fail(readOp, j.Name, err)
}

func beginning(fs.FileInfo) int64 { return 0 }

// Lines gives the whole lines that were added since it, or Look, was called last; all of them where the
// file was written anew. Where nothing came that costs a look at the file.
func (j *Journal) Lines(do func(line []byte)) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.lines(do)
}

func (j *Journal) lines(do func(line []byte)) error {
	info, err := os.Stat(j.Name)
	if err == nil && j.last != nil && os.SameFile(info, j.last) && info.Size() == j.read {
		return nil
	}
	j.last, j.read, err = j.all(func(info fs.FileInfo) int64 {
		if j.last == nil || !os.SameFile(info, j.last) || info.Size() < j.read {
			return 0
		}
		return j.read
	}, func(lines iter.Seq[[]byte]) {
		for line := range lines {
			if line[len(line)-1] == '\n' {
				do(line)
			}
		}
	})
	return err
}

// Newest is what lives of a file of which the last lines do: at most so many bytes.
func Newest(most int) func(iter.Seq[[]byte]) ([]byte, error) {
	return func(lines iter.Seq[[]byte]) (text []byte, _ error) {
		for line := range lines {
			if text = append(text, line...); len(text) > 2*most {
				text = last(text, most)
			}
		}
		return last(text, most), nil
	}
}

// last are the last lines of a text, of at most so many bytes.
func last(text []byte, most int) []byte {
	if over := len(text) - most; over > 0 {
		return slices.Delete(text, 0, over+bytes.IndexByte(text[over:], '\n')+1)
	}
	return text
}
