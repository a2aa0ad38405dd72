package pane

import (
	"context"
	"os/exec"
	"time"

	"perfdeck/session"
	"perfdeck/session/files/listing"
)

// Records are the data collector sets and recordings of this computer, whichever process
// runs them, and the sets of the hosts that HostSets shows.
type Records interface {
	// List is how things stood at the last look, which is not long ago while somebody
	// asks; it never waits. Before the first look ok is false.
	List() (list []listing.Record, ok bool)

	// What follows waits for disks, hosts and other processes: see Wait. Errors are for
	// people.
	Start(r *listing.Record) error
	Stop(r *listing.Record) error
	// Switch switches the schedules of a set on or off.
	Switch(r *listing.Record, on bool) error
	// Remove forgets a record; with files what it collected goes, too, where Doomed says
	// that it may.
	Remove(r *listing.Record, files bool) error
	// Doomed tells what goes with a record.
	Doomed(r *listing.Record) (listing.Doomed, error)
	// Form is what can be changed of a set; New that of one that is not there yet, which
	// collects what is given.
	Form(r *listing.Record) (listing.Form, error)
	New(what []RecordHost) (listing.Form, error)

	// Player shows a file in a process of its own, on the terminal of this one: at a moment
	// or, where that is zero, from its beginning.
	Player(file string, at time.Time) (*exec.Cmd, error)
}

// HostSets are the hosts whose data collector sets are among the Records: those that the config
// or the user wants to see. Nothing of it waits.
type HostSets interface {
	// Ask has those of a host shown, or no more, and tells whether they are.
	Ask(h *Host) bool
	// Running are those that run on a host, as they were at the last look, which is not long ago
	// while somebody asks; none of a host that is not shown.
	Running(h *Host) []string
	// Tell has details of a set come with a later list.
	Tell(r *listing.Record)
}

// RunningSets are the sets that run on a host, of those that are shown.
func (d *Desk) RunningSets(h *Host) []string {
	if d.HostSets == nil {
		return nil
	}
	return d.HostSets.Running(h)
}

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

// Archive is a recording, for who looks at all of its counters.
type Archive interface {
	Bounds() (first, last time.Time)
	// Recorded are the counters that have numbers, each of one instance.
	Recorded() []Recorded
	// Read reads a time of all of them; it is done beside the screens. Each gets the rows
	// in order of time, a number for each counter, NaN where there is none. Came is told
	// how much was read, 0 to 1.
	Read(ctx context.Context, from, to time.Time, each func(at time.Time, values []float64), came func(share float64)) error
}

// Recorded is a counter of an instance.
type Recorded struct {
	Target

	Instance session.Instance
	Every    time.Duration // between samples; 0: not known
}
