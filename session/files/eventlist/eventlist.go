// Package eventlist is lists of host events as files have them: made fit for any sink, in the
// order of time, bounded. It is pure.
package eventlist

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"perfdeck/session"
	"perfdeck/session/text/printable"
)

// Most is how many events a recording has.
const Most = 20_000

// AppendJSON appends an event as an object.
func AppendJSON(b []byte, e *session.HostEvent) []byte {
	text, err := json.Marshal(e)
	if err != nil { // of a time that HostEvent.Settle refuses
		return append(b, "null"...)
	}
	return append(b, printable.EscapeJSON(text)...)
}

// Compare orders events by time; those of one moment by what they say.
func Compare(a, b *session.HostEvent) int {
	return cmp.Or(a.Time.Compare(b.Time), cmp.Compare(a.Host, b.Host), cmp.Compare(b.Level, a.Level), cmp.Compare(a.Log, b.Log), cmp.Compare(a.Source, b.Source),
		cmp.Compare(a.ID, b.ID), cmp.Compare(a.Unit, b.Unit), cmp.Compare(a.PID, b.PID), cmp.Compare(a.Known, b.Known), slices.Compare(a.Names, b.Names),
		cmp.Compare(a.Text, b.Text), a.Until.Compare(b.Until), cmp.Compare(a.Count, b.Count))
}

// Merge puts events of several places into one order. What stands in several of them is one event,
// though each had the host's clock to stand to ours as it measured that, and folded as it read.
func Merge(lists ...[]session.HostEvent) []session.HostEvent {
	var all []placed
	for i, list := range lists {
		for k := range list {
			all = append(all, place(&list[k], i))
		}
	}
	slices.SortStableFunc(all, func(a, b placed) int {
		return cmp.Or(cmp.Compare(a.own, b.own), cmp.Compare(b.lasted, a.lasted), cmp.Compare(b.Count, a.Count))
	})
	kept := all[:0]
	var out []session.HostEvent
	for _, e := range all {
		if !e.isIn(kept[max(0, len(kept)-mostBeside):]) {
			kept, out = append(kept, e), append(out, *e.HostEvent)
		}
	}
	slices.SortStableFunc(out, func(a, b session.HostEvent) int { return Compare(&a, &b) })
	return Bound(slices.CompactFunc(out, func(a, b session.HostEvent) bool { return Compare(&a, &b) == 0 }), Most)
}

// Without are those of events that another place has not told, each in order.
func Without(events, told []session.HostEvent) (out []session.HostEvent) {
	var there []placed
	for i := range told {
		there = append(there, place(&told[i], 0))
	}
	for i := range events {
		if e := place(&events[i], 1); !e.isIn(there) {
			out = append(out, events[i])
		}
	}
	return out
}

// Unread says that from a moment on events of a host were not read, for how long is not known.
func Unread(host string, at time.Time) session.HostEvent {
	e := session.GapOf("", time.Time{}, at)
	e.Host = host
	return e
}

// IsUnread tells of such an event.
func IsUnread(e *session.HostEvent) bool {
	return e.Known == session.EventGap && e.Log == "" && !e.Until.After(e.Time)
}

// mostBeside is how many events before one are looked at for the same: a host has 64 kinds a minute.
const mostBeside = 200

// placed is an event with the place it is of.
type placed struct {
	*session.HostEvent

	place       int
	own, lasted int64 // when the host says it was, and how long it went on, in nanoseconds
}

func place(e *session.HostEvent, of int) placed {
	own := e.Own
	if own.IsZero() {
		own = e.Time
	}
	return placed{e, of, own.UnixNano(), int64(e.Until.Sub(e.Time))}
}

// isIn tells whether another place has told an event, alone or with others of its kind.
func (e *placed) isIn(others []placed) bool {
	const measured = int64(50 * time.Millisecond) // ends are by two measures of the host's clock
	for _, of := range others {
		after := e.own - of.own
		over := after + e.lasted - of.lasted
		if e.place != of.place && e.Count <= of.Count && after >= 0 && (over <= 0 || over <= measured && after+measured < of.lasted) && e.Same(of.HostEvent) {
			return true
		}
	}
	return false
}

// severity is how severe an event is among those of which some go: one that tells of the log itself, and
// so what is not there, is no less than an error.
func severity(e *session.HostEvent) session.EventLevel {
	if e.IsOfLog() {
		return max(e.Level, session.EventError)
	}
	return e.Level
}

// Bound leaves so many of ordered events: the least severe and oldest go.
func Bound(events []session.HostEvent, most int) []session.HostEvent {
	over := len(events) - most
	if over <= 0 {
		return events
	}
	var of [session.EventCritical + 1]int
	for i := range events {
		of[severity(&events[i])]++
	}
	for level := range of {
		of[level] = min(of[level], over)
		over -= of[level]
	}
	return slices.DeleteFunc(events, func(e session.HostEvent) bool {
		level := severity(&e)
		of[level]--
		return of[level] >= 0
	})
}

// Within are those of ordered events that end at a time or after it, and begin up to another, both
// included. A zero time is no limit.
func Within(events []session.HostEvent, begin, end time.Time) (out []session.HostEvent) {
	for _, e := range events {
		if (begin.IsZero() || !e.Until.Before(begin)) && (end.IsZero() || !e.Time.After(end)) {
			out = append(out, e)
		}
	}
	return out
}

// Times are the times of events, in the order in which these began.
func Times(events []session.HostEvent) []*time.Time {
	times := make([]*time.Time, len(events))
	for i := range events {
		times[i] = &events[i].Time
	}
	return times
}

// Move has times of events moved, by their beginnings: their ends go along.
func Move(events []session.HostEvent, move func(times ...*time.Time)) {
	lasted := make([]time.Duration, len(events))
	for i := range events {
		lasted[i] = events[i].Until.Sub(events[i].Time)
	}
	move(Times(events)...)
	for i := range events {
		events[i].Until = events[i].Time.Add(lasted[i])
	}
}
