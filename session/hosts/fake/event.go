package fake

import (
	"context"
	_ "embed" // what hosts write down
	"slices"
	"strconv"
	"strings"
	"time"

	"perfdeck/session"
	"perfdeck/session/text/sheet"
)

// Event is what a host writes down of itself, at a time of the script or again and again, before it
// began, too.
type Event struct {
	session.HostEvent

	At, Every time.Duration
	For       time.Duration // Count times in so long
}

// eventText has the events of the demo.
//
//go:embed events.txt
var eventText string

// eventsOf are those of a host of the demo.
func eventsOf(host string) (out []Event) {
	for r := range sheet.Rows(eventText) {
		if r.Part != host {
			continue
		}
		fields := strings.Split(r.After(0), "|")
		for i := range fields {
			fields[i] = strings.TrimSpace(fields[i])
		}
		var e Event
		for i, to := range []*time.Duration{&e.At, &e.Every, &e.For} {
			*to, _ = time.ParseDuration(fields[i])
		}
		e.Count, _ = strconv.Atoi(fields[3])
		_ = e.Level.UnmarshalText([]byte(fields[4]))
		e.Log, e.Source, e.ID, e.Unit, e.Known, e.Text = fields[5], fields[6], fields[7], fields[8], fields[10], fields[12]
		e.PID, _ = strconv.ParseUint(fields[9], 10, 64)
		e.Names = strings.Split(fields[11], ",")
		out = append(out, e)
	}
	return out
}

// Events implements session.EventSource.
func (s *Source) Events(ctx context.Context, from session.EventsFrom) (session.EventReader, error) {
	if err := s.answer(ctx); err != nil {
		return nil, err
	}
	r := &eventReader{source: s, upTo: s.now() - s.clock.Now().Wall.Sub(from.Time)}
	if at, err := strconv.ParseInt(from.Cursor, 10, 64); err == nil {
		r.upTo = time.Duration(at)
	}
	return r, nil
}

// eventReader reads what a script says.
type eventReader struct {
	source *Source
	upTo   time.Duration // of the script, that was read
}

// Read gives what was written down since the last Read.
func (r *eventReader) Read(ctx context.Context) (out []session.HostEvent, more bool, err error) {
	s := r.source
	if err := s.answer(ctx); err != nil {
		return nil, false, err
	}
	began, now := s.clock.Now().Wall.Add(-s.now()), s.now()
	for i := range s.script.Events {
		said := &s.script.Events[i]
		for end := said.ends(r.upTo); end < now; end += said.Every {
			e := said.HostEvent
			e.Until = began.Add(end)
			e.Time, e.Count = e.Until.Add(-said.For), max(1, e.Count)
			e.Own = e.Time
			out = append(out, e)
			if said.Every <= 0 {
				break
			}
		}
	}
	r.upTo = now
	slices.SortStableFunc(out, func(a, b session.HostEvent) int { return a.Time.Compare(b.Time) })
	return out, false, nil
}

// ends is when it was said for the last time, for the first time not before another time.
func (e *Event) ends(from time.Duration) time.Duration {
	at := e.At + e.For
	if e.Every > 0 {
		if at += (from - at).Truncate(e.Every); at < from {
			at += e.Every
		}
	}
	if at < from {
		return forever
	}
	return at
}

// Every implements session.EventReader, as do the others.
func (r *eventReader) Every() time.Duration { return time.Second }

// Cursor is the time of the script.
func (r *eventReader) Cursor() string { return strconv.FormatInt(int64(r.upTo), 10) }

// Close has nothing to give back.
func (r *eventReader) Close() error { return nil }
