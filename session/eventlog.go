package session

import (
	"context"
	"slices"
	"sync"
	"time"

	"perfdeck/session/system/backoff"
)

// EventLog is what a host wrote down while somebody wanted to know it: read only then, kept in
// memory within bounds, folded.
type EventLog struct {
	host   string
	source EventSource
	clock  Clock
	woken  chan struct{}

	mu    sync.Mutex
	wants []*eventWant
	kept  []HostEvent // in the order of time; not written to once it was given away
	err   error
	since time.Time // from when on it was read; zero: it was not
	round uint64    // counts what changed
}

type eventWant struct {
	back time.Duration
	each func([]HostEvent)
}

// keptEvents bounds what is kept of a host.
const keptEvents = 20_000

func newEventLog(host string, source Source, clock Clock) *EventLog {
	of, ok := source.(EventSource)
	if !ok {
		return nil
	}
	return &EventLog{host: host, source: of, clock: clock, woken: make(chan struct{}, 1)}
}

// Want has the events read until it is stopped: those of a time before now, and what comes. Each
// is handed what was read, in order, by the goroutine that reads; it may be nil.
func (l *EventLog) Want(back time.Duration, each func([]HostEvent)) (stop func()) {
	w := &eventWant{back: back, each: each}
	l.mu.Lock()
	l.wants = append(l.wants, w)
	l.mu.Unlock()
	l.wake()
	return func() {
		l.mu.Lock()
		l.wants = slices.DeleteFunc(l.wants, func(x *eventWant) bool { return x == w })
		l.mu.Unlock()
		l.wake()
	}
}

func (l *EventLog) wake() {
	select {
	case l.woken <- struct{}{}:
	default:
	}
}

// EventState is what is known of a host's events, and why there are no more.
type EventState struct {
	Events []HostEvent // in the order of time; not to be written to
	Since  time.Time   // from when on they are known; zero: they were not read yet
	Err    error       // why they cannot be read
	Round  uint64      // another one tells that something changed
}

// State is what is known now.
func (l *EventLog) State() EventState {
	l.mu.Lock()
	defer l.mu.Unlock()
	return EventState{Events: l.kept, Since: l.since, Err: l.err, Round: l.round}
}

// run reads while somebody wants it, until the context ends.
func (l *EventLog) run(ctx context.Context) {
	var reader EventReader
	pauses := backoff.Pauses{First: time.Second, Most: time.Minute, Spread: true}
	cursor := ""
	for ctx.Err() == nil {
		back, wanted := l.wanted()
		if !wanted {
			if reader != nil {
				cursor = reader.Cursor()
				_ = reader.Close()
				reader = nil
			}
			l.pause(ctx, -1)
			continue
		}
		var err error
		if reader == nil {
			reader, err = l.source.Events(ctx, EventsFrom{Cursor: cursor, Time: l.clock.Now().Wall.Add(-back)})
		}
		wait := time.Duration(0)
		if err == nil {
			var events []HostEvent
			var more bool
			if events, more, err = reader.Read(ctx); err == nil {
				l.add(events, l.clock.Now().Wall.Add(-back))
				pauses.Reset()
				if !more {
					wait = reader.Every()
				}
			}
		}
		if err != nil {
			l.failed(err)
			if reader != nil {
				cursor = reader.Cursor()
				_ = reader.Close()
				reader = nil
			}
			wait = pauses.Next()
		}
		l.pause(ctx, wait)
	}
	if reader != nil {
		_ = reader.Close()
	}
}

func (l *EventLog) wanted() (back time.Duration, wanted bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, w := range l.wants {
		back = max(back, w.back)
	}
	return back, len(l.wants) > 0
}

// pause waits so long, less than zero without end; at the latest until wants change.
func (l *EventLog) pause(ctx context.Context, d time.Duration) {
	var after <-chan time.Time
	if d >= 0 {
		c, stop := l.clock.Timer(d)
		defer stop()
		after = c
	}
	select {
	case <-after:
	case <-l.woken:
	case <-ctx.Done():
	}
}

func (l *EventLog) failed(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.err = err
	l.round++
}

// add keeps what was read, and hands it on.
func (l *EventLog) add(events []HostEvent, since time.Time) {
	l.mu.Lock()
	if l.err != nil || l.since.IsZero() || len(events) > 0 {
		l.round++
	}
	if l.since.IsZero() {
		l.since = since
	}
	l.err = nil
	for i := range events {
		events[i].Host = l.host
	}
	l.kept = append(slices.Clip(l.kept), events...)
	if more := len(l.kept) - keptEvents; more > 0 {
		l.kept = slices.Clone(l.kept[more:])
	}
	wants := slices.Clone(l.wants)
	l.mu.Unlock()
	for _, w := range wants {
		if w.each != nil && len(events) > 0 {
			w.each(events)
		}
	}
}
