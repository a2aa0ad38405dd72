package collector

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"perfdeck/session"
	"perfdeck/session/files/logs"
	"perfdeck/session/text/printable"
)

// UnheardError says why events of a host are not recorded, as was asked for.
type UnheardError struct {
	Host string
	Err  error
}

func (e *UnheardError) Error() string {
	return fmt.Sprintf("%s: events of the host are not recorded: %v", printable.Text(e.Host), e.Err)
}

func (e *UnheardError) Unwrap() error { return e.Err }

// eventful is a sampler whose host may tell of events.
type eventful interface{ Events() *session.EventLog }

// heard are the events of a host that are not written yet. The goroutine that reads them adds to
// them.
type heard struct {
	log  *session.EventLog // nil: none are recorded
	stop func()
	told bool // why they cannot be read

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
	of, ok := m.host.Sampler.(eventful)
	if !r.o.Events || !ok || r.o.Stream != nil || !r.o.Format.KeepsEvents() {
		return
	}
	h := &heard{log: of.Events()}
	h.stop = h.log.Want(r.o.EventsBack, func(events []session.HostEvent) {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.news.Add(events...)
	})
	m.heard = h
}

// close lets a host go.
func (f *followed) close() {
	f.follower.Close()
	if f.heard != nil {
		f.heard.stop()
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

// writeEvents writes what was heard into the file that is open. Before the first one it waits.
func (l *output) writeEvents() error {
	if !l.r.o.Events || l.files.w == nil {
		return nil
	}
	since := l.r.started.Wall.Add(-l.r.o.EventsBack)
	if l.resumed.After(since) {
		since = l.resumed
	}
	for _, m := range l.r.members {
		if m.heard == nil || m.output != l {
			continue
		}
		if _, err := m.heard.log.Reads(); err != nil && !m.heard.told && !errors.Is(err, session.ErrNoEvents) {
			m.heard.told = true
			l.r.o.Report(&UnheardError{m.host.Name, err})
		}
		if err := logs.WriteEvents(l.files.w, m.heard.take(since)); err != nil {
			return stopped(l.files.file, err)
		}
	}
	return nil
}
