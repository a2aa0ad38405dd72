package alert

import (
	"context"
	"reflect"
	"slices"
	"sync"
	"time"

	"perfdeck/session"
)

// Watch runs an engine over live hosts: it asks their samplers for what the rules
// need, lets time pass, and hands events to those who keep and deliver them.
type Watch struct {
	o      Options
	engine *Engine
	woken  chan struct{}

	mu    sync.Mutex // guards hosts
	hosts []*watched

	flushing sync.Mutex // keeps events in their order
	folder   *Folder
	told     uint64 // version of the engine that Changed was called for
}

// Options are what a Watch needs.
type Options struct {
	Clock  session.Clock
	Zone   *time.Location // of quiet hours; nil: the local one
	Every  time.Duration  // interval of rules without one; 0: DefaultInterval
	Rules  []Rule
	Looks  session.Looks // of values in events
	Memory *Memory       // of an earlier run; nil: none

	// Around keeps the values around events, for screens.
	Around bool

	// Keep writes events down before anybody is told of them. Acts of users are
	// kept before their method returns. nil: they are not kept.
	Keep func([]Event) error
	// Acts gives what users did in other processes since the last call.
	Acts func() ([]Event, error)
	// Deliver tells of what happened. It must not block.
	Deliver func(Notice)
	// Report gets what went wrong.
	Report func(error)
	// Changed is called when Board has something new. It must not block.
	Changed func()
}

// watched is a host with its feeds, one for each interval.
type watched struct {
	name    string
	sampler Sampler
	feeds   map[time.Duration]*session.Feed
	renewed <-chan struct{} // Run's own: closed when it has another catalogue
	dropped bool
}

// Sampler is what a Watch needs of the reader of a host. *session.Sampler is one.
type Sampler interface {
	session.FollowedSampler
	State() session.HostState
}

// NewWatch makes a watch. It follows nothing until Run.
func NewWatch(o Options) *Watch {
	w := &Watch{
		o: o, engine: NewEngine(o.Rules, o.Every, o.Zone, o.Memory),
		woken: make(chan struct{}, 1), folder: NewFolder(),
	}
	w.engine.looks = o.Looks
	if o.Around {
		w.engine.trace = newTrace()
		w.engine.trace.around = map[uint64]*Past{}
	}
	return w
}

// Add follows a host. A host of the same name takes the place of the old one.
func (w *Watch) Add(name string, s Sampler) {
	w.Drop(name)
	w.mu.Lock()
	w.hosts = append(w.hosts, &watched{name: name, sampler: s, feeds: map[time.Duration]*session.Feed{}})
	w.mu.Unlock()
	w.wake()
}

// Drop stops following a host.
func (w *Watch) Drop(name string) {
	w.mu.Lock()
	for _, h := range w.hosts {
		if h.name == name {
			h.dropped = true
			for _, f := range h.feeds {
				f.Close()
			}
		}
	}
	w.hosts = slices.DeleteFunc(w.hosts, func(h *watched) bool { return h.dropped })
	w.mu.Unlock()
	w.engine.Unbind(name, w.o.Clock.Now())
	w.flush()
}

// SetRules replaces the rules that users did not make, as after a reload.
func (w *Watch) SetRules(rules []Rule) {
	w.engine.SetRules(rules, w.o.Clock.Now())
	w.flush()
	w.wake()
}

// SetLooks says how values are written in events from now on.
func (w *Watch) SetLooks(l session.Looks) { w.engine.SetLooks(l) }

// Engine is what judges.
func (w *Watch) Engine() *Engine { return w.engine }

// Around are the values that were judged around an event of this run, by its Seq;
// ok is false if they are not kept.
func (w *Watch) Around(event uint64) (p Past, ok bool) {
	e := w.engine
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.trace == nil || e.trace.around[event] == nil {
		return p, false
	}
	found := e.trace.around[event]
	return Past{Nanos: slices.Clone(found.Nanos), Values: slices.Clone(found.Values)}, true
}

// Every is the interval of rules without one.
func (w *Watch) Every() time.Duration { return w.engine.every }

// Board returns the newest states; the same pointer as long as nothing changed.
func (w *Watch) Board() *Board { return w.engine.Board() }

// Run follows the hosts until the context ends. What was folded is told then.
func (w *Watch) Run(ctx context.Context) {
	for ctx.Err() == nil {
		w.beat()
		w.sleep(ctx)
	}
	w.flushing.Lock()
	rest := w.folder.Rest()
	w.flushing.Unlock()
	w.flush()
	w.deliver(rest)
}

// tick is how often time is looked at.
const tick = time.Second

// sleep waits for the next tick, for a host that has another catalogue, or until
// something changes; without rules there are no ticks.
func (w *Watch) sleep(ctx context.Context) {
	var c <-chan time.Time
	if w.engine.isBusy() {
		timer, stop := w.o.Clock.Timer(tick)
		defer stop()
		c = timer
	}
	cases := []reflect.SelectCase{receive(c), receive(w.woken), receive(ctx.Done())}
	w.mu.Lock()
	for _, h := range w.hosts {
		cases = append(cases, receive(h.renewed))
	}
	w.mu.Unlock()
	reflect.Select(cases)
}

func receive[T any](c <-chan T) reflect.SelectCase {
	return reflect.SelectCase{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(c)}
}

// isBusy tells whether time means anything: there are rules, or mutes.
func (e *Engine) isBusy() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.rules) > 0 || len(e.mutes) > 0
}

func (w *Watch) wake() {
	select {
	case w.woken <- struct{}{}:
	default:
	}
}

// beat binds hosts that changed, lets time pass and tells what came of it.
func (w *Watch) beat() {
	w.takeActs()
	w.mu.Lock()
	hosts := slices.Clone(w.hosts)
	w.mu.Unlock()
	samplers := make(map[string]Sampler, len(hosts))
	for _, h := range hosts {
		w.bind(h)
		samplers[h.name] = h.sampler
	}
	w.engine.Tick(w.o.Clock.Now(), func(host string) (state session.HostState) {
		if s := samplers[host]; s != nil {
			state = s.State()
		}
		return state
	})
	w.flush()
}

// bind asks a host for what the rules need, if that changed.
func (w *Watch) bind(h *watched) {
	var cat *session.Catalogue
	cat, h.renewed = session.Newest(h.sampler)
	if w.engine.IsBound(h.name, cat) {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if h.dropped {
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
				w.engine.Observe(h.name, every, s, w.o.Clock.Now())
				if w.engine.hasEvents() {
					w.wake()
				}
			}})
		}
		h.feeds[every].Ask(list)
	}
}

func (e *Engine) hasEvents() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.queue) > 0
}

// takeActs does what users did in other processes.
func (w *Watch) takeActs() {
	if w.o.Acts == nil {
		return
	}
	acts, err := w.o.Acts()
	if err != nil {
		w.report(err)
	}
	for _, ev := range acts {
		w.engine.Apply(ev, w.o.Clock.Now())
	}
}

// flush keeps and delivers the events that wait.
func (w *Watch) flush() {
	w.flushing.Lock()
	events := w.engine.Take()
	own := slices.DeleteFunc(slices.Clone(events), func(ev Event) bool { return ev.Foreign })
	if len(own) > 0 && w.o.Keep != nil {
		if err := w.o.Keep(own); err != nil {
			w.report(err)
		}
	}
	w.deliver(w.folder.Take(events, w.o.Clock.Now().Mono))
	version := w.engine.isAt()
	news := version != w.told
	w.told = version
	w.flushing.Unlock()
	if news && w.o.Changed != nil {
		w.o.Changed()
	}
}

// isAt is the version of what Board shows.
func (e *Engine) isAt() uint64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.version
}

func (w *Watch) deliver(notices []Notice) {
	if w.o.Deliver == nil {
		return
	}
	for _, n := range notices {
		w.o.Deliver(n)
	}
}

func (w *Watch) report(err error) {
	if w.o.Report != nil {
		w.o.Report(err)
	}
}

// Acknowledge notes that somebody has seen alerts. It returns how many fired
// until then.
func (w *Watch) Acknowledge(by string, ids ...ID) int {
	defer w.flush()
	return w.engine.Acknowledge(by, w.o.Clock.Now(), ids...)
}

// Mute keeps everybody from being told of what is in the scope, until a time. A
// time that is past unmutes.
func (w *Watch) Mute(by string, scope Scope, until time.Time) {
	defer w.flush()
	w.engine.Mute(by, scope, until, w.o.Clock.Now())
}

// Enable switches a rule on or off. What it fired ends when it is switched off.
func (w *Watch) Enable(by, rule string, on bool) error {
	defer w.wakeAfter()
	return w.engine.Enable(by, rule, on, w.o.Clock.Now())
}

// Put adds a rule, or replaces the one of its name. The error is a *RuleError.
func (w *Watch) Put(by string, r Rule) error {
	defer w.wakeAfter()
	return w.engine.Put(by, r, w.o.Clock.Now())
}

// Remove takes back what Put did. The error is a *RuleError.
func (w *Watch) Remove(by, rule string) error {
	defer w.wakeAfter()
	return w.engine.Remove(by, rule, w.o.Clock.Now())
}

// wakeAfter keeps what was done and lets the hosts be bound anew.
func (w *Watch) wakeAfter() {
	w.flush()
	w.wake()
}
