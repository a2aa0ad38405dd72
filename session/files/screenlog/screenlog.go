// Package screenlog keeps what the Log of the screens told on disk, for the user alone: a
// line of JSON each, the last ones. Several processes may write into one.
package screenlog

import (
	"encoding/json"
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"perfdeck/session"
	"perfdeck/session/system/store"
	"perfdeck/session/text/printable"
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

const (
	fileName = "log.jsonl"
	lockName = "log.lock" // held while it is written
)

// The limits: of what stays when the file is written anew, of what waits for a disk that does
// not answer, and of a text.
const (
	roomyBytes  = 1 << 20
	mostWaiting = 1000
	mostText    = 4000 // characters
)

// Log writes entries. Its methods may be called by many goroutines, and none of them
// waits for a disk but Close.
type Log struct {
	file   store.Journal
	failed func(error)
	come   chan struct{}

	mu      sync.Mutex
	waiting []Entry
	closed  bool
	done    chan struct{}
}

// Open begins to write into a folder. run starts a goroutine, and failed hears once that the file cannot be
// written; what is known of that now is an error, too.
func Open(dir string, run func(func()), failed func(error)) (*Log, error) {
	b := &Log{file: file(dir), failed: failed, come: make(chan struct{}, 1), done: make(chan struct{})}
	err := unkept(b.file.Read(func(iter.Seq[[]byte]) {}))
	if err != nil {
		b.failed = nil
	}
	run(b.run)
	return b, err
}

func unkept(err error) error {
	if err != nil {
		err = fmt.Errorf("the Log is on the screens alone, and is not kept: %w", err)
	}
	return err
}

func file(dir string) store.Journal {
	return store.Journal{
		Name: filepath.Join(dir, fileName), Lock: filepath.Join(dir, lockName),
		Roomy: roomyBytes, Live: store.Newest(roomyBytes), Form: store.FormJSON,
	}
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
	session.Wake(b.come)
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
		if err := unkept(b.write(list)); err != nil && b.failed != nil {
			b.failed(err)
			b.failed = nil
		}
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
		e.Text = printable.Shorten(e.Text, mostText)
		if line, err := printable.JSONLine(e); err == nil { // else of a time that JSON has not
			text = append(text, line...)
		}
	}
	return b.file.Append(text, false)
}

// Read are the entries of a time, oldest first; zero times are no limits. Lines that are
// none are left out.
func Read(dir string, begin, end time.Time) (list []Entry, err error) {
	of := file(dir)
	read := func(lines iter.Seq[[]byte]) {
		for line := range lines {
			var e Entry
			if json.Unmarshal(line, &e) != nil || e.Text == "" || !slices.Contains(Levels, e.Level) {
				continue
			}
			if !e.Time.Before(begin) && (end.IsZero() || !e.Time.After(end)) {
				list = append(list, e)
			}
		}
	}
	err = of.Read(read)
	slices.SortStableFunc(list, func(a, b Entry) int { return a.Time.Compare(b.Time) })
	return list, err
}
