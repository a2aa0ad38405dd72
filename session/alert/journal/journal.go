// Package journal keeps what happened to alerts on disk, so that it survives the
// end of the program, however it ends: a file of JSON lines to which events are
// appended, and from which a Memory is made again.
//
// Several processes may use one directory. Each sees what users did in the
// others, and one of them leads: it is the one that runs actions.
package journal

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/system/osfile"
)

// The files in the directory.
const (
	fileName = "alerts.jsonl"
	lockName = "alerts.lock" // held while the file is read or written

	// LeadFile is locked by the process that judges, and runs actions.
	LeadFile = "alerts.lead"
)

// The limits.
const (
	mostBytes  = 64 << 20 // of a file that is read
	mostLine   = 64 << 10
	mostLate   = 1 << 20         // of lines that could not be written so far
	roomyBytes = 1 << 20         // from here on the file is written anew
	patience   = 3 * time.Second // for the lock
)

// Journal is one process's hold of the directory. Its methods may be called by
// many goroutines.
type Journal struct {
	dir    string
	writer string // tells this process from others

	mu   sync.Mutex
	seen map[string]uint64 // by writer: the last event that was read
	last os.FileInfo       // the file as it was read last
	read int64             // up to here
	lead *os.File          // locked while this process leads

	roomy int64 // bytes: from twice this on the file is written anew

	late []byte // lines that are not written yet, the newest of them
}

// Error says what could not be done with the journal.
type Error struct {
	Op, File string
	Err      error
}

func (e *Error) Error() string { return fmt.Sprintf("%s %s: %v", e.Op, e.File, e.Err) }

func (e *Error) Unwrap() error { return e.Err }

// Hint says what can be done about it.
func (e *Error) Hint() string {
	if errors.Is(e.Err, osfile.ErrLocked) {
		return "another perfdeck holds it: is one stopped?"
	}
	return "set XDG_STATE_HOME to a directory that can be written"
}

var errBig = fmt.Errorf("larger than %d MiB", mostBytes>>20)

// record is a line of the file.
type record struct {
	Writer string        `json:"w,omitempty"`
	Event  *alert.Event  `json:"e,omitempty"`
	Past   bool          `json:"past,omitempty"` // the event is in State already
	State  *alert.Memory `json:"state,omitempty"`
}

// Open reads what was kept in a directory and makes ready to add to it. damaged
// is how many lines could not be read and were left out.
func Open(dir string, now time.Time) (j *Journal, memory *alert.Memory, damaged int, err error) {
	var id [8]byte
	_, _ = rand.Read(id[:]) // it never fails
	j = &Journal{dir: dir, writer: hex.EncodeToString(id[:]), seen: map[string]uint64{}, roomy: roomyBytes}
	err = j.locked(func() error {
		k, err := j.readAll()
		if err != nil {
			return err
		}
		memory, damaged = k.Memory, k.damaged
		if k.size > roomyBytes || k.damaged > 0 {
			return j.rewrite(k, now)
		}
		memory.Forget(now)
		return nil
	})
	if err != nil {
		return nil, nil, 0, err
	}
	return j, memory, damaged, nil
}

// Dir is the directory.
func (j *Journal) Dir() string { return j.dir }

func (j *Journal) file(name string) string { return filepath.Join(j.dir, name) }

func (j *Journal) fail(op string, err error) error {
	if err == nil {
		return nil
	}
	return &Error{op, j.file(fileName), session.Bare(err)}
}

// locked runs f while no other process reads or writes the file.
func (j *Journal) locked(f func() error) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	unlock, err := osfile.LockNamed(j.file(lockName), patience)
	if err != nil {
		return j.fail("lock", err)
	}
	defer unlock()
	return f()
}

// kept is what the file says.
type kept struct {
	*alert.Memory
	writers []string // of the events of the history, and of those before them
	size    int
	damaged int // lines
}

// readAll reads the whole file.
func (j *Journal) readAll() (*kept, error) {
	data, err := j.readFrom(0)
	if err != nil {
		return nil, err
	}
	k := &kept{Memory: alert.NewMemory(), size: len(data)}
	for line := range bytes.Lines(data) {
		r, ok := parse(line)
		switch {
		case !ok:
			k.damaged++
			continue
		case r.State != nil:
			r.State.History = k.History
			k.Memory = r.State
			continue
		case r.Past:
			k.History = append(k.History, *r.Event)
		default:
			k.Add(*r.Event)
		}
		k.writers = append(k.writers, r.Writer)
		j.seen[r.Writer] = max(j.seen[r.Writer], r.Event.Seq)
	}
	return k, nil
}

// parse reads a line. One that does not end was torn.
func parse(line []byte) (r record, ok bool) {
	if len(line) > mostLine && !bytes.Contains(line[:64], []byte(`"state"`)) || !bytes.HasSuffix(line, []byte("\n")) {
		return record{}, false
	}
	if err := json.Unmarshal(line, &r); err != nil {
		return record{}, false
	}
	return r, r.Event != nil || r.State != nil
}

// readFrom reads the file from an offset on, and remembers how far it came.
func (j *Journal) readFrom(at int64) ([]byte, error) {
	f, err := osfile.OpenPlain(j.file(fileName))
	if errors.Is(err, fs.ErrNotExist) {
		j.last, j.read = nil, 0
		return nil, nil
	}
	if err != nil {
		return nil, j.fail("read", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, j.fail("read", err)
	}
	if info.Size()-at > mostBytes {
		return nil, j.fail("read", errBig)
	}
	data := make([]byte, max(0, info.Size()-at))
	n, err := f.ReadAt(data, at)
	if n < len(data) {
		return nil, j.fail("read", err)
	}
	j.last, j.read = info, at+int64(n)
	return data, nil
}

// Keep adds events. When it returns they are in the file; those of users are on
// the disk, too. Those that it could not write are written with the next ones, or by Acts
// or Close, when the disk has room again.
func (j *Journal) Keep(events []alert.Event) error {
	var lines bytes.Buffer
	sync := false
	for i := range events {
		line, err := json.Marshal(record{Writer: j.writer, Event: &events[i]})
		if err != nil {
			return j.fail("write", err)
		}
		lines.Write(append(session.EscapeJSON(line), '\n'))
		sync = sync || events[i].Kind.IsAct()
	}
	j.mu.Lock()
	j.late = append(j.late, lines.Bytes()...)
	j.mu.Unlock()
	err := j.locked(func() error {
		size, err := j.append(sync)
		if err != nil || size < j.roomy*2 {
			return err
		}
		k, err := j.unseen().readAll()
		if err != nil {
			return err
		}
		return j.rewrite(k, events[len(events)-1].Time)
	})
	return errors.Join(err, j.trim())
}

var errDropped = fmt.Errorf("of more than %d MiB that wait the oldest events are dropped", mostLate>>20)

// trim bounds the lines that are late.
func (j *Journal) trim() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	cut := len(j.late) - mostLate
	if cut <= 0 {
		return nil
	}
	j.late = slices.Clone(j.late[cut+bytes.IndexByte(j.late[cut:], '\n')+1:])
	return j.fail("write", errDropped)
}

// unseen is a journal that reads without taking note of it: what others did is
// still to be told.
func (j *Journal) unseen() *Journal {
	return &Journal{dir: j.dir, writer: j.writer, seen: map[string]uint64{}}
}

// append adds the lines that are late to the file.
func (j *Journal) append(sync bool) (size int64, err error) {
	size, err = osfile.AppendLines(j.file(fileName), j.late, 0o600, sync)
	if err == nil || size > 0 {
		j.late = nil
	}
	return size, j.fail("write", err)
}

// catchUp writes what could not be written before. That it still cannot was told.
func (j *Journal) catchUp() {
	j.mu.Lock()
	late := len(j.late) > 0
	j.mu.Unlock()
	if late {
		_ = j.locked(func() error { _, err := j.append(true); return err })
	}
}

// rewrite puts a file in the place of the old one that says the same in fewer
// lines. A crash leaves either of them.
func (j *Journal) rewrite(k *kept, now time.Time) error {
	k.Forget(now)
	writers := k.writers[len(k.writers)-len(k.History):]
	var text bytes.Buffer
	records := []record{{State: k.Memory}}
	for i := range k.History {
		records = append(records, record{Writer: writers[i], Event: &k.History[i], Past: true})
	}
	for _, r := range records {
		line, err := json.Marshal(r)
		if err != nil {
			return j.fail("write", err)
		}
		text.Write(append(session.EscapeJSON(line), '\n'))
	}
	err := osfile.Write(j.file(fileName), text.Bytes(), 0o600, true)
	if err == nil {
		err = osfile.SyncDir(j.dir)
	}
	j.roomy = max(j.roomy, int64(text.Len()))
	return j.fail("write", err)
}

// Acts gives what users did in other processes since the last call. Without news
// it costs one look at the file's size.
func (j *Journal) Acts() ([]alert.Event, error) {
	j.catchUp()
	j.mu.Lock()
	info, err := os.Stat(j.file(fileName))
	same := err != nil || j.last != nil && os.SameFile(info, j.last) && info.Size() == j.read
	j.mu.Unlock()
	if same {
		return nil, nil
	}
	var acts []alert.Event
	err = j.locked(func() error {
		from := j.read
		if now, err := os.Stat(j.file(fileName)); err != nil || j.last == nil || !os.SameFile(now, j.last) || now.Size() < from {
			from = 0 // it was written anew
		}
		data, err := j.readFrom(from)
		if err != nil {
			return err
		}
		for line := range bytes.Lines(data) {
			r, ok := parse(line)
			if !ok || r.Event == nil || r.Writer == j.writer || r.Event.Seq <= j.seen[r.Writer] {
				continue
			}
			j.seen[r.Writer] = r.Event.Seq
			if r.Event.Kind.IsAct() {
				acts = append(acts, *r.Event)
			}
		}
		return nil
	})
	return acts, err
}

// Lead tries to be the process that runs actions, and tells whether it is. It
// stays so until Close, or until it ends in any other way.
func (j *Journal) Lead() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.lead != nil {
		return true
	}
	f, err := os.OpenFile(j.file(LeadFile), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return false
	}
	if osfile.Lock(f) != nil {
		_ = f.Close()
		return false
	}
	j.lead = f
	return true
}

// Close lets another process lead.
func (j *Journal) Close() {
	j.catchUp()
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.lead != nil {
		osfile.Unlock(j.lead)
		_ = j.lead.Close()
		j.lead = nil
	}
}

// Read reads what was kept in a directory as Open does, and writes nothing: the
// directory need not be there, nor be one's own.
func Read(dir string, now time.Time) (memory *alert.Memory, damaged int, err error) {
	j := &Journal{dir: dir, seen: map[string]uint64{}}
	unlock, err := osfile.LockToRead(j.file(lockName), patience)
	switch {
	case err == nil:
		defer unlock()
	case errors.Is(err, osfile.ErrLocked):
		return nil, 0, j.fail("lock", err)
	} // else nobody wrote here, this user may not look, or there are no locks
	k, err := j.readAll()
	if err != nil {
		return nil, 0, err
	}
	k.Forget(now)
	return k.Memory, k.damaged, nil
}
