// Package daybook keeps what the Log of the screens told on disk, for the user alone: a
// line of JSON each, the last ones. Several processes may write into one.
package daybook

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"perfdeck/session"
	"perfdeck/session/system/osfile"
)

// Entry is a line of the log.
type Entry struct {
	Time  time.Time `json:"time"`
	Level string    `json:"level"`          // one of Levels
	Host  string    `json:"host,omitempty"` // empty: it concerns none
	Text  string    `json:"text"`
}

// Levels are the words for how much an entry matters, the mildest first.
var Levels = []string{"info", "careful", "warning", "critical"}

// The files: the newer lines, and those before them.
const (
	fileName = "log.jsonl"
	oldName  = "log.old.jsonl"
)

// The limits: of each file, of what waits for a disk that does not answer, and of a text.
const (
	mostBytes   = 1 << 20
	mostWaiting = 1000
	mostText    = 4000 // characters
)

// Log writes entries. Its methods may be called by many goroutines, and none of them
// waits for a disk but Close.
type Log struct {
	dir  string
	come chan struct{}

	mu      sync.Mutex
	waiting []Entry
	closed  bool
	done    chan struct{}
}

// Open begins to write into a folder. run starts a goroutine.
func Open(dir string, run func(func())) *Log {
	b := &Log{dir: dir, come: make(chan struct{}, 1), done: make(chan struct{})}
	run(b.run)
	return b
}

// Add has an entry written. What comes while a thousand wait is left out.
func (b *Log) Add(e Entry) {
	b.mu.Lock()
	if !b.closed && len(b.waiting) < mostWaiting {
		b.waiting = append(b.waiting, e)
	}
	b.mu.Unlock()
	b.wake()
}

func (b *Log) wake() {
	select {
	case b.come <- struct{}{}:
	default:
	}
}

// Close writes what waits, or gives up after so long.
func (b *Log) Close(within time.Duration) {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	b.wake()
	select {
	case <-b.done:
	case <-time.After(within):
	}
}

// run writes until the book is closed. Where nothing can be written the log is on the
// screens alone.
func (b *Log) run() {
	defer close(b.done)
	for range b.come {
		b.mu.Lock()
		list, closed := b.waiting, b.closed
		b.waiting = nil
		b.mu.Unlock()
		_ = b.write(list)
		if closed {
			return
		}
	}
}

func (b *Log) write(list []Entry) error {
	if len(list) == 0 {
		return nil
	}
	var text []byte
	for _, e := range list {
		e.Text = session.Shorten(e.Text, mostText)
		line, err := json.Marshal(e)
		if err != nil {
			continue // of a time that JSON has not
		}
		text = append(append(text, session.EscapeJSON(line)...), '\n')
	}
	name := filepath.Join(b.dir, fileName)
	if info, err := os.Stat(name); err == nil && info.Size()+int64(len(text)) > mostBytes {
		_ = osfile.Replace(name, filepath.Join(b.dir, oldName))
	}
	_, err := osfile.AppendLines(name, text, 0o600, false)
	return err
}

// Read are the entries of a time, oldest first; zero times are no limits. Lines that are
// none are left out.
func Read(dir string, begin, end time.Time) (list []Entry, err error) {
	for _, name := range []string{oldName, fileName} {
		text, failed := osfile.ReadPlain(filepath.Join(dir, name), 4*mostBytes)
		if failed != nil && !errors.Is(failed, fs.ErrNotExist) {
			err = errors.Join(err, failed)
		}
		for line := range bytes.Lines(text) {
			var e Entry
			if json.Unmarshal(line, &e) != nil || e.Text == "" || !slices.Contains(Levels, e.Level) {
				continue
			}
			if !e.Time.Before(begin) && (end.IsZero() || !e.Time.After(end)) {
				list = append(list, e)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b Entry) int { return a.Time.Compare(b.Time) })
	return list, err
}
