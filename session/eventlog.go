package session

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"perfdeck/session/system/backoff"
)

// EventLog is what a host wrote down while somebody wanted to know it: read only then, kept in
// memory within bounds, folded.
type EventLog struct {
	host   string
	source EventSource // nil: there are none
	least  EventLevel
	waker

	mu    sync.Mutex
	wants []*eventWant
	kept  HostEvents
	err   error
	since time.Time // from when on it was read; zero: it was not
	round uint64    // counts what changed
	tryAt time.Duration

	reading // of the goroutine
}

// reading is where the reading stands.
type reading struct {
	reader          EventReader
	cursor          string
	upTo            Instant     // it was read before
	skipped         []HostEvent // the gap between that and what is read next, if there is one
	begins          bool        // the reader has told nothing yet
	denied          []HostEvent // of logs that cannot be read
	pauses, refused backoff.Pauses
}

type eventWant struct {
	back  time.Duration
	each  func([]HostEvent)
	fresh bool // it was not handed yet what is kept
}

func newEventLog(host string, source Source, clock Clock) *EventLog {
	l := &EventLog{host: host, waker: newWaker(clock)}
	l.pauses = backoff.Pauses{First: time.Second, Most: time.Minute, Spread: true}
	l.refused = backoff.Pauses{First: 10 * time.Minute, Most: 10 * time.Minute, Spread: true}
	of, ok := source.(EventSource)
	if !ok {
		l.err = ErrNoEvents
		return l
	}
	l.source = of
	return l
}

// Want has the events read until it is stopped: those of a time before now, and what comes. Each
// is handed them as they are read, in order, by the goroutine that reads; it may be nil.
func (l *EventLog) Want(back time.Duration, each func([]HostEvent)) (stop func()) {
	w := &eventWant{back: back, each: each, fresh: true}
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

// Retry has a host that refused, or failed, asked again now.
func (l *EventLog) Retry() {
	l.mu.Lock()
	l.tryAt = 0
	l.mu.Unlock()
	l.wake()
}

// EventState is what is known of a host's events, and why there are no more.
type EventState struct {
	Events []HostEvent // in the order of time, or that of the host, where its clock was set; not to be written to
	Since  time.Time   // from when on they are known; zero: they were not read yet
	Err    error       // why they cannot be read
	Round  uint64      // another one tells that something changed
}

// State is what is known now.
func (l *EventLog) State() EventState {
	l.mu.Lock()
	defer l.mu.Unlock()
	return EventState{Events: l.kept.All(), Since: l.since, Err: l.err, Round: l.round}
}

// ErrEventsOff is why nothing is known of the events of a host that are not to be read.
var ErrEventsOff = errors.New("events of this host are off: events = [] of its [[host]]")

// Only takes no events that are less severe than all of these; of no levels none at all. It is called before the first wish.
func (l *EventLog) Only(levels []EventLevel) {
	if len(levels) == 0 {
		l.source, l.err = nil, ErrEventsOff
		return
	}
	l.least = slices.Min(levels)
}

// Reads tells whether they are read, or why they are not.
func (l *EventLog) Reads() (are bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err == nil && !l.since.IsZero(), l.err
}

// run reads while somebody wants it, until the context ends.
func (l *EventLog) run(ctx context.Context) {
	defer l.close()
	for ctx.Err() == nil {
		back, wait, wanted := l.wanted()
		switch {
		case !wanted:
			l.close()
			wait = -1
		case wait <= 0:
			var err error
			if wait, err = l.read(ctx, l.clock.Now().Wall.Add(-back)); err != nil && ctx.Err() == nil {
				l.failed(err)
				l.close()
				continue
			}
		}
		l.pause(ctx, wait)
	}
}

// wanted tells whether events are, how far back, and how long it is until a host is tried again.
func (l *EventLog) wanted() (back, wait time.Duration, wanted bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, w := range l.wants {
		back = max(back, w.back)
	}
	return back, l.tryAt - l.clock.Now().Mono, len(l.wants) > 0
}

func (l *EventLog) close() {
	if l.reader != nil {
		l.cursor = l.reader.Cursor()
		_ = l.reader.Close()
		l.reader = nil
	}
}

// read reads what came, and what was from a time on if that is not known yet. It returns how long there is nothing to do.
func (l *EventLog) read(ctx context.Context, from time.Time) (wait time.Duration, err error) {
	l.clockWasSet()
	if l.reader == nil {
		if err := l.open(ctx, from); err != nil {
			return 0, err
		}
	}
	if err := l.readEarlier(ctx, from); err != nil {
		return 0, err
	}
	l.handKept()
	now := l.clock.Now()
	events, more, err := l.reader.Read(ctx)
	if err != nil {
		return 0, err
	}
	l.upTo = now
	l.add(append(l.skipped, l.newlyDenied(slices.DeleteFunc(events, l.isLess), now.Wall)...), from)
	l.skipped = nil
	l.pauses.Reset()
	l.refused.Reset()
	if more {
		return 0, nil
	}
	return l.reader.Every(), nil
}

// clockWasSet has what is known end, and begin where it has to, at times of the clock as it is now: of one
// that was set back the new times would pass for known.
func (l *EventLog) clockWasSet() {
	now := l.clock.Now()
	upTo := now.Wall.Add(l.upTo.Mono - now.Mono)
	if !upTo.Before(l.upTo.Wall) {
		return
	}
	l.upTo.Wall = upTo
	l.mu.Lock()
	defer l.mu.Unlock()
	l.since = Earlier(l.since, upTo)
}

// goesOn is for how long a host may have been out of reach, or of no interest: reading goes on where
// it ended, however little of the past is wanted.
const goesOn = time.Hour

// open begins where reading ended, or at a time, if that was too long before it: what is between is a gap.
func (l *EventLog) open(ctx context.Context, from time.Time) (err error) {
	upTo := l.upTo.Wall
	if !upTo.IsZero() {
		from = Earlier(from, l.clock.Now().Wall.Add(-goesOn))
	}
	begin := EventsFrom{Cursor: l.cursor, Time: from}
	l.skipped = nil
	switch {
	case upTo.IsZero():
	case from.After(upTo):
		begin.Cursor = ""
		l.skipped = []HostEvent{GapOf("", upTo, from)}
	default:
		begin.Time = upTo
	}
	l.reader, err = l.source.Events(ctx, begin)
	l.begins = true
	return err
}

// newlyDenied leaves of what a reader tells at first which logs cannot be read those that could be, and tells
// of others that now they can.
func (l *EventLog) newlyDenied(events []HostEvent, now time.Time) []HostEvent {
	if !l.begins {
		return events
	}
	before := l.denied
	l.begins, l.denied = false, nil
	isAmong := func(all []HostEvent, e *HostEvent) bool {
		return slices.ContainsFunc(all, func(one HostEvent) bool { return one.Log == e.Log })
	}
	events = slices.DeleteFunc(events, func(e HostEvent) bool {
		if e.Known == EventDenied {
			l.denied = append(l.denied, e)
		}
		return e.Known == EventDenied && isAmong(before, &e)
	})
	for i := range before {
		if e := &before[i]; !isAmong(l.denied, e) {
			events = append(events, GapOf(e.Log, e.Time, now))
		}
	}
	return events
}

// readEarlier reads what was before that which is known, where that is wanted.
func (l *EventLog) readEarlier(ctx context.Context, from time.Time) error {
	const (
		alike = time.Second
		most  = 64 // that a host may say that there is more
	)
	since := l.known()
	if since.IsZero() || since.Sub(from) < alike {
		return nil
	}
	r, err := l.source.Events(ctx, EventsFrom{Time: from})
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }()
	var earlier HostEvents
	more, behind, last := true, false, from
	for n := 0; more && !behind && n < most; n++ {
		var events []HostEvent
		if events, more, err = r.Read(ctx); err != nil {
			return err
		}
		for _, e := range events {
			if l.isLess(e) || e.Known == EventDenied {
				continue
			}
			if e.Time.Before(since) {
				e.Host = l.host
				e = e.UpTo(since) // as far as it is not known
				earlier.Add(e)
				last = Later(last, e.Until)
			} else {
				behind = true
			}
		}
	}
	if more && !behind {
		gap := GapOf("", last, since)
		gap.Host = l.host
		earlier.Add(gap)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.kept.Before(earlier.All())
	l.since = from
	l.round++
	return nil
}

func (l *EventLog) isLess(e HostEvent) bool { return e.Level < l.least && !e.IsOfLog() }

func (l *EventLog) known() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.since
}

// handKept hands to who is new what is known already.
func (l *EventLog) handKept() {
	l.mu.Lock()
	now := l.clock.Now().Wall
	var hand []func()
	for _, w := range l.wants {
		if !w.fresh {
			continue
		}
		w.fresh = false
		from := now.Add(-w.back)
		events := slices.DeleteFunc(slices.Clone(l.kept.All()), func(e HostEvent) bool { return e.Until.Before(from) || e.Known == EventDenied })
		for _, e := range l.denied {
			e.Host, e.Time, e.Until = l.host, now, now
			events = append(events, e)
		}
		if w.each != nil && len(events) > 0 {
			hand = append(hand, func() { w.each(events) })
		}
	}
	l.mu.Unlock()
	for _, do := range hand {
		do()
	}
}

// failed notes why, and when it is tried again.
func (l *EventLog) failed(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	pauses := &l.pauses
	if errors.Is(err, ErrDenied) || errors.Is(err, errors.ErrUnsupported) {
		pauses = &l.refused
	}
	l.err, l.tryAt = err, l.clock.Now().Mono+pauses.Next()
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
	l.kept.Add(events...)
	var wants []*eventWant
	for _, w := range l.wants {
		if !w.fresh && w.each != nil && len(events) > 0 {
			wants = append(wants, w)
		}
	}
	l.mu.Unlock()
	for _, w := range wants {
		w.each(events)
	}
}
