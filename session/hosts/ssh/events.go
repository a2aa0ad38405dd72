package ssh

import (
	"context"
	"errors"
	"fmt"
	"time"

	"perfdeck/session"
	"perfdeck/session/system/failure"
	"perfdeck/session/wire/rpc"
	"perfdeck/session/wire/sidechannel"
)

// errNoEvents is why a host tells none.
var errNoEvents = failure.WithHint(fmt.Errorf("the perfdeck on the host tells no events: %w", errors.ErrUnsupported), "install this version of perfdeck there, or let it be copied (--deploy)")

// Events implements session.EventSource: the perfdeck of the other side reads them. They go over
// the connection of the counters.
func (s *Source) Events(ctx context.Context, from session.EventsFrom) (session.EventReader, error) {
	lease, err := s.shared.Connect(ctx, rpc.MSPCQ)
	if err != nil {
		return nil, rpc.HostError(s.o.Name(), "connect", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.about == nil || !s.about.Events {
		_ = lease.Close()
		return nil, errNoEvents
	}
	s.readers++
	return &events{host: s.o.Name(), lease: lease, number: s.readers, from: from, cursor: from.Cursor, every: leastEvery}, nil
}

// events reads those of a host.
type events struct {
	host   string
	lease  *rpc.Lease
	number uint32
	from   session.EventsFrom
	cursor string
	every  time.Duration

	isSet bool
	ahead time.Duration // how much our clock is ahead of the host's
}

// Bounds of how often a host is asked, and of how long it may take to begin.
const (
	leastEvery = 2 * time.Second
	mostEvery  = time.Minute
	again      = 100 * time.Millisecond
	patience   = time.Minute
	leaves     = 2 * time.Second // without a word to the other side then
	mostParts  = 64              // of what it read at once
)

// Read implements session.EventReader. What the other side read at once is told as a whole: its cursor
// is behind all of it, and who goes on at the one before is given all of it.
func (e *events) Read(ctx context.Context) (all []session.HostEvent, more bool, err error) {
	for began, parts := time.Now(), 0; ; {
		a, err := e.ask(ctx, false)
		switch {
		case err != nil:
			return nil, false, err
		case !a.Pending:
			all = append(all, a.Events...)
			if parts++; !a.More || a.Cursor != "" || parts == mostParts {
				return all, a.More, nil
			}
			continue
		case time.Since(began) > patience:
			return nil, false, rpc.HostError(e.host, "read events", context.DeadlineExceeded)
		}
		if !session.Sleep(ctx, again) {
			return nil, false, context.Cause(ctx)
		}
	}
}

// ask asks once. What comes is put onto our clock.
func (e *events) ask(ctx context.Context, end bool) (*sidechannel.EventsAnswer, error) {
	began := time.Now()
	q := &sidechannel.EventsQuestion{Reader: e.number, Cursor: e.cursor, Back: began.Sub(e.from.Time), End: end}
	got, err := e.lease.ReadEvents(ctx, sidechannel.Encode(q), rpc.MaxEvents)
	if err == nil && got.Code != rpc.CodeOK {
		err = &rpc.Error{Op: "read events", Code: got.Code}
	}
	if err != nil {
		return nil, rpc.HostError(e.host, "read events", err)
	}
	a, err := sidechannel.ParseEventsAnswer(got.Data)
	switch {
	case err != nil:
		return nil, rpc.HostError(e.host, "read events", err)
	case a.Failure != nil:
		return nil, a.Failure.Err()
	}
	e.settle(a, began, time.Now())
	if a.Cursor != "" {
		e.cursor = a.Cursor
	}
	e.every = min(max(a.Every, leastEvery), mostEvery)
	return a, nil
}

// settle puts what came onto our clock: the host's was asked for between two moments.
func (e *events) settle(a *sidechannel.EventsAnswer, asked, told time.Time) {
	const drift = 200 * time.Millisecond // the line may take as long: order is kept
	if ahead := asked.Add(told.Sub(asked) / 2).Sub(a.Now); !e.isSet || (ahead-e.ahead).Abs() > drift {
		e.ahead, e.isSet = ahead, true
	}
	for i := range a.Events {
		event := &a.Events[i]
		event.Own, event.Time, event.Until = event.Time, event.Time.Add(e.ahead), event.Until.Add(e.ahead)
	}
}

// Every implements session.EventReader.
func (e *events) Every() time.Duration { return e.every }

// Cursor implements session.EventReader.
func (e *events) Cursor() string { return e.cursor }

// Close implements session.EventReader.
func (e *events) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), leaves)
	defer cancel()
	_, _ = e.ask(ctx, true) // with the connection it ends, too
	return e.lease.Close()
}
