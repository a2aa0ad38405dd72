package joined

import (
	"context"
	"slices"
	"sort"
	"sync"
	"time"

	"perfdeck/session"
	"perfdeck/session/files/eventlist"
)

// LiveEvents are what a host wrote down of itself, read while somebody wants that.
type LiveEvents interface {
	Want(back time.Duration, each func([]session.HostEvent)) (stop func())
	State() session.EventState
}

// Events are those of a host that is watched, before them what recordings kept of the time that is
// looked at.
type Events struct {
	LiveEvents

	feed *Feed
	name string // of the host

	mu    sync.Mutex
	round [2]uint64 // that all is of: its own, and that of recordings
	all   []session.HostEvent
}

// Events joins what recordings kept to what a host of a name tells.
func (f *Feed) Events(name string, live LiveEvents) *Events {
	return &Events{LiveEvents: live, feed: f, name: name}
}

// State is what is known.
func (e *Events) State() session.EventState {
	s := e.LiveEvents.State()
	e.feed.mu.Lock()
	kept, round := e.feed.seen.events, e.feed.rounds
	e.feed.mu.Unlock()
	if len(kept) == 0 {
		return s
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if of := [2]uint64{s.Round, round}; e.all == nil || of != e.round {
		e.round, e.all = of, nil
		for _, one := range kept {
			if one.Host = e.name; s.Since.IsZero() {
				e.all = append(e.all, one)
			} else if one.Time.Before(s.Since) {
				e.all = append(e.all, one.UpTo(s.Since))
			}
		}
		from, to := after(e.all, s.Since.Add(-seam)), after(s.Events, s.Since.Add(seam))
		e.all = slices.Concat(e.all[:from], eventlist.Merge(e.all[from:], s.Events[:to]), s.Events[to:])
	}
	s.Events, s.Round = e.all, s.Round+round<<32
	return s
}

// seam is how far from the moment from which on a host tells of itself it may tell again what recordings
// kept: for as long events are folded.
const seam = time.Minute

// after is the place of the first of events in order that is after a moment.
func after(events []session.HostEvent, at time.Time) int {
	return sort.Search(len(events), func(i int) bool { return events[i].Time.After(at) })
}

// kept are the events that recordings have of a look.
func (l *look) kept(ctx context.Context, pieces []Piece) []session.HostEvent {
	var lists [][]session.HostEvent
	for i := range pieces {
		p := &pieces[i]
		lists = append(lists, eventlist.Within(p.of.Events().Recorded(ctx), session.Later(l.from, p.From), session.Earlier(l.to, p.To)))
	}
	return eventlist.Merge(lists...)
}
