package pane

import "time"

// Recorder records what decks show. It is there whether something is recorded
// or not.
type Recorder interface {
	Status() Recording
	// Propose is a name for the file of the next recording.
	Propose() string
	// Start records the counters of hosts to a file, until Stop or the end of the
	// program. Errors are for people.
	Start(file string, what []RecordHost) error
	// Lacking says, for people, what of hosts the recording that goes on does not
	// have; empty: it has all. Extend lets it have that too, and Stop closes it; both
	// wait for its disk. What becomes of it later, its end too, is told elsewhere.
	Lacking(what []RecordHost) string
	Extend(what []RecordHost) error
	Stop() error
	// Leave says what becomes of the recording when the screens end: it goes on
	// without them, or is closed.
	Leave(goesOn bool)
}

// Recording is how things stand with a recording; to ask for it never waits.
type Recording struct {
	On              bool
	File            string
	Bytes           int64
	Samples, Missed int64
	Started         time.Time
}

// RecordHost is what is recorded of a host: paths without computer.
type RecordHost struct {
	Host  *Host
	Paths []string
}
