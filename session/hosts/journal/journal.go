// Package journal reads what Linux writes down of itself: journald's lines, by journalctl, and the
// kernel's own where there is no journald. Elsewhere it says why there is nothing to read.
package journal

import (
	"errors"
	"fmt"
	"time"

	"perfdeck/session"
	"perfdeck/session/system/failure"
)

// Options say where this computer's lines are. The zero Options read it as it is.
type Options struct {
	Run, Var string           // roots of what journald keeps; empty: /run, /var
	Program  string           // journalctl; empty: it is looked for where systems have it
	Kernel   string           // the kernel's lines; empty: /dev/kmsg
	Now      func() time.Time // nil: time.Now
}

// every is how often it is worth to read.
const every = time.Second

// Bounds of a second, beyond which a host is not read for a time: what it writes then costs more
// than it tells.
const (
	mostBytesRead = 1 << 20
	pause         = 4 * time.Second
)

// How far back a first look goes, in lines; and one that goes on where another ended.
const (
	mostFirst = 200
	mostAgain = 2000
)

// gap tells that nothing was read between two moments.
func gap(log string, from, to time.Time) session.HostEvent {
	e := session.GapOf(log, from, to)
	e.Own = from
	return e
}

// folded are events of which those that say the same are one.
func folded(events []session.HostEvent) []session.HostEvent {
	var out session.HostEvents
	out.Add(events...)
	return out.All()
}

// spoilt tells of a line that could not be read, behind others of a time.
func spoilt(err error, at time.Time) session.HostEvent {
	return session.HostEvent{Time: at, Until: at, Own: at, Count: 1, Level: session.EventWarning, Log: logJournal, Source: "perfdeck", Text: err.Error()}
}

// noSource is why there is nothing to read. Asking again does not help.
func noSource(format string, args ...any) error {
	return failure.Worded(fmt.Sprintf(format, args...), errors.ErrUnsupported)
}
