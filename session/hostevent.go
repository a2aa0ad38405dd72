package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// HostEvent is something that a host wrote down of itself: a line of its journal, a record of one
// of its logs. Those that say the same are folded into one. What is foreign is printable, of one line and bounded.
type HostEvent struct {
	Time    time.Time // on our clock, as samples are; of the first
	Until   time.Time // of the last; Time where there is one
	Own     time.Time // Time as the host's clock had it; zero: how that stands to ours is not known
	Count   int       // how many there were
	AtLeast bool      // there may have been more, in a gap
	Host    string
	Level   EventLevel
	Log     string   // where it stood: journal, kernel, System, Application
	Source  string   // who wrote it: a program, a provider
	ID      string   // what the writer calls this kind: a number, a MESSAGE_ID; may be empty
	Unit    string   // the service that it tells of, or whose program wrote it, as Service names instances; may be empty
	PID     uint64   // of the process that it tells of; 0: none
	Known   string   // key of our sentence (session/text/eventtext); empty: there is none
	Names   []string // what that sentence names, in its order
	Text    string   // as the host has it
}

// EventLevel is how bad a host says an event is.
type EventLevel uint8

// The levels.
const (
	EventInformation EventLevel = iota
	EventWarning
	EventError
	EventCritical
)

// Same tells whether two events say the same, so that one stands for both.
func (e *HostEvent) Same(as *HostEvent) bool {
	return e.Host == as.Host && e.Level == as.Level && e.Log == as.Log && e.Source == as.Source && e.ID == as.ID && e.Unit == as.Unit &&
		e.Known == as.Known && slices.Equal(e.Names, as.Names)
}

// Add folds another one in, which says the same.
func (e *HostEvent) Add(other *HostEvent) {
	e.Count += other.Count
	e.AtLeast = e.AtLeast || other.AtLeast
	if other.Until.After(e.Until) {
		e.Until = other.Until
	}
	if other.Time.Before(e.Time) {
		e.Time, e.Own, e.Text = other.Time, other.Own, other.Text
	}
}

// Keys of events that tell of the log itself: from Time to Until events were not read, or the log
// was cleared.
const (
	EventGap     = "gap"
	EventCleared = "cleared"
)

// EventSource is a Source whose host writes down what happens on it. It may be asked by any
// goroutine, beside its other uses.
type EventSource interface {
	// Events begins to read. What the host refuses is an error with the right, or the group, that
	// opens it as its hint (failure.Hint).
	Events(ctx context.Context, from EventsFrom) (EventReader, error)
}

// ErrNoEvents is why a host of some kinds tells none.
var ErrNoEvents = fmt.Errorf("hosts of this kind tell no events: %w", errors.ErrUnsupported)

// EventsOf asks the first of the sources of a host that tells events.
func EventsOf(ctx context.Context, from EventsFrom, of ...Source) (EventReader, error) {
	for _, s := range of {
		if s, ok := s.(EventSource); ok {
			return s.Events(ctx, from)
		}
	}
	return nil, ErrNoEvents
}

// EventsFrom is where reading begins.
type EventsFrom struct {
	Cursor string    // EventReader.Cursor of an earlier reader of this host; else empty, or no longer known there:
	Time   time.Time // the oldest that is wanted, on our clock
}

// EventReader reads the events of a host in the order in which they were written there. It is
// used by one goroutine at a time.
type EventReader interface {
	// Read gives what came since the last Read, folded by what says the same, within bounds; more
	// tells that there is more already. It waits for answers of the host, never for events.
	Read(ctx context.Context) (events []HostEvent, more bool, err error)
	// Every is how often it is worth to read.
	Every() time.Duration
	// Cursor is where the last Read ended.
	Cursor() string
	Close() error
}
