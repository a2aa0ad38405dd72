package pane

import (
	"time"
)

// Entry is one thing that happened.
type Entry struct {
	Time  time.Time
	Level Level
	Host  string // empty: it concerns no host
	Text  string // made printable where it is drawn
}

// Level says how much an entry matters. The order is that of urgency.
type Level uint8

// The levels of entries.
const (
	Info Level = iota
	Careful
	Warning
	Critical
)

var levelWords = [...]string{Info: "info", Careful: "careful", Warning: "warning", Critical: "critical"}

// String is the word for it.
func (l Level) String() string { return levelWords[min(l, Critical)] }

// Journal keeps the last things that happened: what the Log screen shows.
type Journal struct {
	Keep func(Entry) // is called with what is added; nil: nobody keeps it

	entries []Entry
	added   uint64
}

// mostEntries bounds a journal.
const mostEntries = 10_000

// Add adds an entry. The same thing of the same host within a second is told
// once.
func (j *Journal) Add(e Entry) {
	if n := len(j.entries); n > 0 {
		last := j.entries[n-1]
		if last.Host == e.Host && last.Text == e.Text && e.Time.Sub(last.Time) < time.Second {
			return
		}
	}
	if len(j.entries) >= mostEntries {
		j.entries = append(j.entries[:0], j.entries[mostEntries/10:]...)
	}
	j.entries = append(j.entries, e)
	j.added++
	if j.Keep != nil {
		j.Keep(e)
	}
}

// Entries are what is kept, oldest first; do not change. Added counts all that
// ever came.
func (j *Journal) Entries() (kept []Entry, added uint64) { return j.entries, j.added }
