// Package listing is how things stand with data collector sets and recordings, of this
// computer, whichever process runs them, and of hosts, as data: sets fill it
// in, commands print it, screens draw it.
package listing

import (
	"time"

	"perfdeck/session/text/field"
)

// Record is a data collector set, or a recording.
type Record struct {
	ID    string // unlike that of all others
	Name  string
	Host  string // whose set it is; empty: this computer's
	Kind  Kind
	State State
	Off   bool // it has schedules, which are switched off

	Next   time.Time // when it starts; zero: when it is told to
	Began  time.Time // its last run; zero: never
	Ended  time.Time // zero: it runs, or died
	Limits []Limit
	Bytes  int64  // of all its files that are there
	Output string // the newest file that is there; empty: none
	Root   string // where its files go: a folder, of recordings a file
	Why    string // its last run ended by itself
	Err    error  // it cannot be read

	Findings []Finding
	Facts    []Fact // what it does
}

// Kind is what a record is.
type Kind uint8

// The kinds.
const (
	CollectorSet Kind = iota
	HostSet           // of a host, or the host where it does not tell of any
	NamedRecording
	OtherRecording // of the screens, or of record
	MadeRecording  // one that is over: a file
)

func (k Kind) String() string {
	return [...]string{"set", "host set", "config", "recording", "recording"}[k]
}

// State is how things stand with a record.
type State uint8

// The states.
const (
	Stopped State = iota
	Running
	Tidying // its data manager works
	Ended   // it is over for good
	Failed  // its last run ended by a mistake
	Died    // its process is gone
	Damaged // it cannot be read
	Unasked // its host has not answered yet
	Silent  // its host did not tell
)

func (s State) String() string {
	return [...]string{"stopped", "running", "tidying", "ended", "failed", "died", "damaged", "asked", "unread"}[s]
}

// Limit is how far a record came on the way to a limit.
type Limit struct {
	What  string  // "run", "file"
	Share float64 // of the limit, 0 to 1
	Text  string  // "2 h of 8 h"
}

// Level is how much a finding matters.
type Level uint8

// The levels, from good to bad.
const (
	Note Level = iota
	LeftOut
	Wrong
	Refused
)

// Finding is something that is wrong with a record, or worth to know.
type Finding struct {
	Level Level
	Text  string
}

// Fact is what is known of a record.
type Fact struct{ Label, Text string }

// Doomed is what goes when a record is removed.
type Doomed struct {
	Text    string // for people, in sentences
	Folders int    // of what it collected; 0: nothing of it can be removed here
	Files   string // "3 folders, 12.0 MB, below /srv/logs"
}

// Form is what can be changed of a set.
type Form struct {
	Title  string
	Fields []field.Line
	// Judge tells what values would mean. It does not wait. The error is why they cannot
	// be taken.
	Judge func(field.Answers) (findings []string, err error)
	// Save waits.
	Save func(field.Answers) error
}
