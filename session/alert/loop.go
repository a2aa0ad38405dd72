package alert

import (
	"context"
	"reflect"
	"slices"
	"sync"
	"time"

	"perfdeck/session"
	"perfdeck/session/system/failure"
	"perfdeck/session/text/printable"
)

// loop is what the goroutine of Run alone has.
type loop struct {
	*Watch

	renewed []<-chan struct{} // of each host: closed when it has another catalogue
}

// tick is how often time is looked at.
const tick = time.Second

// beat binds hosts that changed, lets time pass and tells what came of it.
func (l *loop) beat() {
	l.applyActs()
	hosts := l.hosts.list()
	samplers := make(map[string]*session.Sampler, len(hosts))
	l.renewed = l.renewed[:0]
	for _, h := range hosts {
		cat, renewed := session.Newest(h.sampler)
		l.renewed = append(l.renewed, renewed)
		samplers[h.name] = h.sampler
		if !l.engine.IsBound(h.name, cat) {
			h.bind(l.Watch, cat)
		}
		h.knowEvents(l.Watch)
	}
	l.engine.Tick(l.o.Clock.Now(), func(host string) (state session.HostState) {
		if s := samplers[host]; s != nil {
			state = s.State()
		}
		return state
	})
	l.flush()
	l.beats.Add(1)
}

// sleep waits for the next tick, for a host that has another catalogue, or until
// something changes; without rules there are no ticks.
func (l *loop) sleep(ctx context.Context) {
	var c <-chan time.Time
	if l.engine.isBusy() {
		timer, stop := l.o.Clock.Timer(tick)
		defer stop()
		c = timer
	}
	cases := []reflect.SelectCase{receive(c), receive(l.woken), receive(ctx.Done())}
	for _, renewed := range l.renewed {
		cases = append(cases, receive(renewed))
	}
	reflect.Select(cases)
}

func receive[T any](c <-chan T) reflect.SelectCase {
	return reflect.SelectCase{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(c)}
}

// applyActs does what users did in other processes.
func (l *loop) applyActs() {
	if l.o.Acts == nil {
		return
	}
	acts, err := l.o.Acts()
	if err != nil {
		l.report(err)
	}
	for _, ev := range acts {
		l.engine.Apply(ev, l.o.Clock.Now())
	}
}

// roster is the hosts that are watched.
type roster struct {
	mu    sync.Mutex
	hosts []*watched
	named map[string]int // how many have a name
}

func (r *roster) add(h *watched) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.named == nil {
		r.named = map[string]int{}
	}
	r.hosts, r.named[h.name] = append(r.hosts, h), r.named[h.name]+1
}

// drop takes hosts of a name out, and returns them.
func (r *roster) drop(name string) (gone []*watched) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.named[name] == 0 {
		return nil
	}
	delete(r.named, name)
	r.hosts = slices.DeleteFunc(r.hosts, func(h *watched) bool {
		if h.name == name {
			gone = append(gone, h)
		}
		return h.name == name
	})
	return gone
}

func (r *roster) list() []*watched {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.hosts)
}

// watched is a host with its feeds.
type watched struct {
	name    string
	sampler *session.Sampler

	mu     sync.Mutex
	feeds  map[time.Duration]*session.Feed // by interval
	closed bool

	events map[*series]func() // ends that its events are read for a rule
}

// bind asks a host for what the rules need of its catalogue. The lock is held over the
// engine's part: who drops the host closes it first, and then has the engine forget it.
func (h *watched) bind(w *Watch, cat *session.Catalogue) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return
	}
	asks := w.engine.Bind(h.name, cat, w.o.Clock.Now())
	for every, f := range h.feeds {
		if len(asks[every]) == 0 {
			f.Close()
			delete(h.feeds, every)
		}
	}
	for every, list := range asks {
		if h.feeds[every] == nil {
			h.feeds[every] = h.sampler.Feed(session.FeedOptions{Every: every, Each: func(s *session.Snapshot) {
				w.engine.Observe(h.name, every, s, s.Moment(w.o.Clock.Now()))
				if w.engine.hasEvents() {
					w.wake()
				}
			}})
		}
		h.feeds[every].Ask(list)
	}
	h.wantEvents(w)
}

// wantEvents has the events of the host read for the rules that ask for them, as long as they do.
func (h *watched) wantEvents(w *Watch) {
	before := h.events
	h.events = map[*series]func(){}
	for _, wanted := range w.engine.wantsEvents(h.name) {
		by := wanted.by
		if h.events[by] = before[by]; h.events[by] == nil {
			h.events[by] = h.sampler.Events().Want(wanted.back, func(events []session.HostEvent) {
				w.engine.observeEvents(h.name, by, events, w.o.Clock.Now())
				if w.engine.hasEvents() {
					w.wake()
				}
			})
		}
		delete(before, by)
	}
	for _, stop := range before {
		stop()
	}
}

// knowEvents tells the rules whether the events of the host are read.
func (h *watched) knowEvents(w *Watch) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.events) == 0 {
		return
	}
	are, err := h.sampler.Events().Reads()
	why := ""
	if err != nil {
		why = printable.Text(failure.Told(err))
	}
	w.engine.KnowEvents(h.name, are, why, w.o.Clock.Now())
}

// close ends the feeds.
func (h *watched) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	for _, f := range h.feeds {
		f.Close()
	}
	for _, stop := range h.events {
		stop()
	}
}
