package formats

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"perfdeck/session"
	"perfdeck/session/files/eventlist"
	"perfdeck/session/files/logs"
	"perfdeck/session/text/english"
)

// WriteEvents writes down what hosts wrote of themselves, with the times at which rows are written,
// where the format keeps that. None is said, too: that they were read. The file has eventlist.Most of them in the end, of which the least
// severe and oldest go first.
func WriteEvents(w logs.Writer, events []session.HostEvent) error {
	if r, ok := w.(*resumed); ok {
		w = r.Writer
	}
	if keeper, ok := w.(eventWriter); ok {
		return keeper.WriteEvents(events)
	}
	return nil
}

type eventWriter interface {
	WriteEvents(events []session.HostEvent) error
}

// KeepsEvents tells whether files of the format keep events of hosts.
func (f *Format) KeepsEvents() bool { return f.events != nil }

// NoEvents says that a file of the format cannot have events that are there; nil: it can.
func (f *Format) NoEvents(file string) error {
	if f.KeepsEvents() {
		return nil
	}
	return &logs.FileError{File: file, Err: fmt.Errorf("%w %s cannot keep", errEvents, f.Title), Advice: ".db and .json files keep them"}
}

var errEvents = errors.New("the host's events are left out, which")

// Events are what recordings have of their hosts' own events, from a time on and up to another, in
// order of time. Zero times are no limits. place makes times those of a recording's line, in the
// order in which they were written; nil: they are what they are. kept tells that some recording
// keeps them, be it none. What could not be read is in damaged, and the rest is there.
func Events(ctx context.Context, recordings []string, place func(times ...*time.Time), begin, end time.Time) (events []session.HostEvent, kept bool, damaged []error) {
	var lists [][]session.HostEvent
	for _, name := range recordings {
		set := ""
		if file, behind, ok := strings.Cut(name, "!"); ok {
			if _, err := os.Stat(name); err != nil {
				name, set = file, behind
			}
		}
		f, err := Detect(name)
		if err != nil || f.events == nil {
			continue // its counters tell that it cannot be read
		}
		read, err := f.events(ctx, name, set)
		if err == nil && read.Left > 0 {
			err = &logs.FileError{File: name, Err: fmt.Errorf("%s could not be read", english.Count(read.Left, "event of a host", "events of hosts"))}
		}
		if err != nil {
			damaged = append(damaged, err)
		}
		if place != nil {
			eventlist.Move(read.List, place)
		}
		lists, kept = append(lists, read.List), kept || read.Kept || len(read.List) > 0
	}
	return eventlist.Within(eventlist.Merge(lists...), begin, end), kept, damaged
}
