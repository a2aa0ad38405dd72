package collector

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"perfdeck/session"
	"perfdeck/session/files/eventlist"
	"perfdeck/session/files/formats"
)

// ErrUnheard is of events that are not recorded, as was asked for.
var ErrUnheard = errors.New("events of the host are not recorded")

// heard are the events of a host that are not written yet. The goroutine that reads them adds to
// them.
type heard struct {
	log  *session.EventLog // nil: none are recorded
	stop func()
	told bool   // why they cannot be read
	lack string // the file that says that they were not

	mu   sync.Mutex
	news session.HostEvents
}

// noEvents says that the format cannot keep what was asked for.
func (o *Options) noEvents() error {
	if !o.Events {
		return nil
	}
	return o.Format.NoEvents(o.File)
}

// hear has the events of a host read, if they are to be recorded.
func (r *Recording) hear(m *member) {
	if !r.o.Events || r.o.Stream != nil || !r.o.Format.KeepsEvents() {
		return
	}
	h := &heard{log: m.host.Sampler.Events()}
	h.stop = h.log.Want(m.output.r.started.Wall.Sub(m.output.eventsSince()), func(events []session.HostEvent) {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.news.Add(events...)
	})
	m.heard = h
}

// close lets a host go.
func (m *member) close() {
	m.follower.Close()
	if m.heard != nil {
		m.heard.stop()
	}
}

// take takes what was heard from a time on, as hosts tell of the time before, too.
func (h *heard) take(since time.Time) (out []session.HostEvent) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, e := range h.news.All() {
		if !e.Time.Before(since) {
			out = append(out, e)
		}
	}
	h.news = session.HostEvents{}
	return out
}

// mostMissed is how far back events are read that nobody recorded.
const mostMissed = time.Hour

// mostUnread is how much of what was before its last row a process may leave unread: hosts are asked
// for events less often than for counters.
const mostUnread = time.Minute

// eventsSince is from when on events are recorded: from where the process before this one ended, if
// there was one.
func (l *output) eventsSince() time.Time {
	back := l.r.o.EventsBack
	if !l.resumed.IsZero() {
		back = max(back, mostMissed)
	}
	return session.Later(l.r.started.Wall.Add(-back), l.resumed.Add(-mostUnread))
}

// writeEvents writes what was heard into the file that is open. Before the first one it waits. Of a host
// that does not tell its events the file says so, rather than that there were none.
func (l *output) writeEvents() error {
	if !l.r.o.Events || l.files.w == nil {
		return nil
	}
	for _, m := range l.r.hosts {
		if m.heard == nil || m.output != l {
			continue
		}
		read, err := m.heard.log.Reads()
		if err != nil && !m.heard.told && !errors.Is(err, session.ErrNoEvents) {
			m.heard.told = true
			l.r.o.Report(fmt.Errorf("%s: %w: %w", m.host.Name, ErrUnheard, err))
		}
		events := eventlist.Without(m.heard.take(l.eventsSince()), l.had)
		if !read && len(events) == 0 {
			if !isRefusal(err) || m.heard.lack == l.files.file {
				continue
			}
			m.heard.lack = l.files.file
			events = []session.HostEvent{eventlist.Unread(m.host.Name, l.r.o.now().Wall)}
		}
		if err := formats.WriteEvents(l.files.w, events); err != nil {
			return stopped(l.files.file, err)
		}
	}
	return nil
}

// isRefusal tells whether a host does not tell its events, rather than not yet.
func isRefusal(err error) bool {
	return errors.Is(err, session.ErrDenied) || errors.Is(err, errors.ErrUnsupported) || errors.Is(err, session.ErrEventsOff)
}
