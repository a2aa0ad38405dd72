// Package fake is a scripted source: a host that exists in a table only. It
// serves tests and the demo, and it is the template for anyone who writes a
// source. script.go is what a script can say, source.go and query.go are the
// two interfaces that every source fills, cell.go turns intended values into
// raw ones.
package fake

import (
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
)

// Script describes a host: what it offers, how its values move, what goes
// wrong. The same script, seed and clock give the same readings.
type Script struct {
	Name   string
	Seed   uint64
	Sets   []Set
	Faults []Fault
	Events []Event
	// Up is how long the host ran before the script began; its counters have
	// grown as long. 0 means an hour.
	Up time.Duration
}

// Set is a counterset of a script.
type Set struct {
	Name        string
	GUID        string // with braces, lower case; empty for a V1 object
	V1Index     uint32
	Description string
	Instances   session.InstanceType
	Facts       []string // keys of the text facts of its rows
	Counters    []Counter
	// Rows are its instances in order. A set of a single instance may leave
	// them out.
	Rows []Row
}

// Counter is a counter of a set. Numbers are given in order, and a counter
// whose type divides by a companion gets one, hidden, named "<Name> Base".
type Counter struct {
	Name        string
	Type        cooker.CounterType
	Scale       int
	Detail      session.DetailLevel // 0 means DetailNovice
	Attributes  cooker.Attributes
	Description string
	Absent      string // as session.Counter

	// Is is the value that cooking is to give. Nil gives 0, for an elapsed time
	// the age of the row.
	Is Motion
	// Of, instead of Is, gives the value by the instance, as a process number.
	Of func(*session.Instance) float64
	// Text is the value of a text counter at a time. Nil gives an empty one.
	Text func(*session.Instance, time.Duration) string
	// Per is what it is divided by: operations per second for averages and
	// sample fractions, the base itself for raw fractions, the number of
	// components for multi timers. Nil means 100, 10,000 and 1.
	Per Motion
	// Mean makes rows with FlagTotal show the mean of the others instead of
	// their sum.
	Mean bool
	// Loose counters do not say how their instances are combined.
	Loose bool
}

// Row is an instance of a set.
type Row struct {
	Parent, Name  string
	ID            uint64 // 0: its place in the script
	Number, Owner uint64
	Flags         session.InstanceFlags
	Facts         []string // as Set.Facts
	// Is overrides the motion of counters by name. A row with FlagTotal sums
	// up the rows without it where it has no motion of its own.
	Is map[string]Motion
	// Times multiplies the motions of the set; 0 means 1.
	Times float64
	// Alive is when the row is there. Each time it comes again it has a new ID
	// and, if it has one, a new Number.
	Alive Window
}

// Window is a span of a script's time, from From up to To; To 0 is for ever.
// With Every it comes again in each such period.
type Window struct{ From, To, Every time.Duration }

// at tells whether the window is open, and how often it was opened before.
func (w Window) at(t time.Duration) (open bool, round int) {
	if w.Every > 0 && t >= 0 {
		round = int(t / w.Every)
		t %= w.Every
	}
	return t >= w.From && (w.To == 0 || t < w.To), round
}

// began counts how often the window opened until t.
func (w Window) began(t time.Duration) int {
	if t < w.From {
		return 0
	}
	if w.Every <= 0 {
		return 1
	}
	return int((t-w.From)/w.Every) + 1
}

// opened is the time at which round n of the window begins.
func (w Window) opened(round int) time.Duration { return time.Duration(round)*w.Every + w.From }
