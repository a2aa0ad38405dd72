package replay

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sort"
	"sync"
	"time"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/files/eventlist"
	"perfdeck/session/files/formats"
	"perfdeck/session/files/logs"
)

// Events are what a host of a recording wrote down of itself, up to the moment that is shown. They
// stand in for those of a host that is watched.
type Events struct {
	host *Host

	mu    sync.Mutex
	all   []session.HostEvent // in order of time
	kept  bool                // the recording has them
	read  bool
	round uint64
}

var (
	errEventsUnread = errors.New("the recording is still read")
	errEventsLack   = errors.New("the recording has none")
)

// Events are those of the host.
func (h *Host) Events() *Events { return &h.told }

// Want is nothing to be done for: the recording has what it has.
func (e *Events) Want(time.Duration, func([]session.HostEvent)) (stop func()) { return func() {} }

// State is what was known at the moment that is shown.
func (e *Events) State() session.EventState {
	at := e.host.player.Position()
	first, _ := e.host.player.Bounds()
	e.mu.Lock()
	defer e.mu.Unlock()
	s := session.EventState{Since: first}
	switch {
	case !e.read:
		s.Since, s.Err = time.Time{}, errEventsUnread
	case !e.kept:
		s.Since, s.Err = time.Time{}, errEventsLack
	}
	n := sort.Search(len(e.all), func(i int) bool { return e.all[i].Time.After(at) })
	s.Events, s.Round = e.all[:n:n], e.round<<32+uint64(n)
	for i := range s.Events {
		if e.all[i].Until.After(at) { // more of it was to come
			if &s.Events[0] == &e.all[0] {
				s.Events = slices.Clone(s.Events)
			}
			s.Events[i] = e.all[i].UpTo(at)
			s.Round += uint64(s.Events[i].Count) << 16 // above how many there are
		}
	}
	return s
}

// Recorded are those of the whole recording, read now if they were not yet; nil: it keeps none.
func (e *Events) Recorded(ctx context.Context) []session.HostEvent {
	e.host.player.ReadEvents(ctx)
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.kept {
		return nil
	}
	return append([]session.HostEvent{}, e.all...)
}

// All are those of the whole recording, as far as they were read; not to be written to.
func (e *Events) All() []session.HostEvent {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.all
}

// ReadEvents reads the events of all hosts, unless they were. What could not be read is in damaged.
func (p *Player) ReadEvents(ctx context.Context) (damaged []error) {
	for _, h := range p.hosts {
		if !h.told.isRead() {
			damaged = append(damaged, p.readEvents(ctx, h.tape)...)
		}
	}
	return damaged
}

func (e *Events) isRead() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.read
}

// readEvents reads the events of the hosts of a tape.
func (p *Player) readEvents(ctx context.Context, t *tape) (damaged []error) {
	s := t.source
	if p.options.Unwritten {
		return nil
	}
	events, kept, damaged := formats.Events(ctx, s.files, logs.Common(s.lines).Place, time.Time{}, time.Time{})
	if ctx.Err() != nil {
		return nil
	}
	for i := range events {
		e := &events[i]
		e.Time, e.Until = e.Time.Add(s.shift), e.Until.Add(s.shift)
	}
	for _, h := range p.hosts {
		if h.tape != t {
			continue
		}
		var of []session.HostEvent
		said := 0 // that they were not read
		for i := range events {
			if h.track.columns.own == s.unnamed || paths.EqualFold(events[i].Host, h.track.columns.own) {
				of = append(of, events[i])
				of[len(of)-1].Host = h.Name()
				if eventlist.IsUnread(&events[i]) {
					said++
				}
			}
		}
		h.told.take(of, kept && (len(of) == 0 || len(of) > said))
	}
	p.tell()
	return damaged
}

func (e *Events) take(all []session.HostEvent, kept bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.all, e.kept, e.read = all, kept, true
	e.round++
}

// sayDamaged says that some of what was to be read could not be.
func (p *Player) sayDamaged(all []error) {
	if len(all) == 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.said = cmp.Or(p.said, all[0].Error())
}
