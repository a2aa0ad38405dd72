package session

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"perfdeck/session/text/printable"
)

// Phase is how things stand with a host.
type Phase uint8

// The phases of a host.
const (
	Connecting Phase = iota
	Live
	Stale    // an answer is overdue
	Retrying // it failed; the next attempt has a time
	Refused  // it refused the log-on or the access
)

// String is the word that screens show.
func (p Phase) String() string {
	switch p {
	case Connecting:
		return "connecting"
	case Live:
		return "ok"
	case Stale:
		return "stale"
	case Retrying:
		return "retrying"
	case Refused:
		return "denied"
	}
	return fmt.Sprintf("phase %d", uint8(p))
}

// HostState is how things stand with a host, and since when.
type HostState struct {
	Phase      Phase
	Since      time.Time
	Latency    time.Duration // of the last answer
	LastAnswer time.Time
	Missed     uint64 // beats missed since the start
	// BytesPerSecond went over the line lately, both ways; 0 where the source
	// does not count: see Meter.
	BytesPerSecond float64
	Waits          time.Time // since when an answer is overdue that was asked for; zero: none is
	Tries          int       // failed attempts in a row
	NextTry        time.Time
	Err            error // the last failure while Phase is Retrying or Refused
	// Notes are what is wrong with what the host offers though it answers: see
	// Warner.
	Notes []error
}

// HostError tells what was tried with a host and why it failed.
type HostError struct {
	Host, Op string
	At       string // where it was looked for, with scheme and port; empty: not known
	Err      error
	Advice   string // what the user can do; may be empty
}

func (e *HostError) Error() string {
	return printable.Text(fmt.Sprintf("%s: %s: %v", called(e.Host, e.At), e.Op, e.Err))
}

// called is a host by its name and where it was looked for, as one where one tells
// the other.
func called(name, address string) string {
	if name == "" || strings.HasSuffix(address, name) {
		return address
	}
	if address == "" || strings.HasPrefix(name, address) {
		return name
	}
	return name + " (" + address + ")"
}

func (e *HostError) Unwrap() error { return e.Err }

// Hint says what can be done about the failure.
func (e *HostError) Hint() string { return e.Advice }

// ErrNotThere marks failures to find a host, or anything that listens where it is.
var ErrNotThere = errors.New("not there")

// NoAccountError is that hosts cannot be logged on to: nobody said by which account, or its
// password.
type NoAccountError struct {
	Names   []string // as they were asked for
	Account string   // that was meant, or is likely; may be empty
	Err     error    // of the first
}

func (e *NoAccountError) Error() string { return e.Err.Error() }
func (e *NoAccountError) Unwrap() error { return e.Err }

// ErrDenied marks failures of log-on or access: trying again soon does not help.
var ErrDenied = errors.New("access denied")

// ErrNotRecorded is why what a recording does not have has no values at a moment that it has.
var ErrNotRecorded = errors.New("it was not recorded")

// ErrAgain is that what was told to fail is well again.
var ErrAgain = errors.New("it answers again")

// meterSpan is how long bytes are counted before they make a rate.
const meterSpan = 5 * time.Second

// meter makes bytes per second of the count of a Meter.
type meter struct {
	bytes   uint64 // at the last mark
	at      time.Duration
	started bool
	last    float64
}

// rate is that of the last whole span; before there is one, what was counted so
// far.
func (m *meter) rate(bytes uint64, now time.Duration) float64 {
	if !m.started || bytes < m.bytes {
		m.bytes, m.at, m.started = bytes, now, true
		return m.last
	}
	span := now - m.at
	if span <= 0 {
		return m.last
	}
	rate := float64(bytes-m.bytes) / span.Seconds()
	switch {
	case span >= meterSpan:
		m.bytes, m.at, m.last = bytes, now, rate
	case m.last == 0:
		return rate
	}
	return m.last
}
