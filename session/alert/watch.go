package alert

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"perfdeck/session"
)

// Watch runs an engine over live hosts: it asks their samplers for what the rules
// need, lets time pass, and hands events to those who keep and deliver them. Any
// goroutine may call its methods. What Run's goroutine alone has is a loop; what it
// shares has its lock: the engine, the roster, each host, what lets events out.
type Watch struct {
	o      Options
	engine *Engine
	hosts  roster
	woken  chan struct{}
	beats  atomic.Uint64

	telling sync.Mutex // held by who lets events out, in their order
	folder  *Folder
	told    uint64 // version of the engine of the last flush
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

// NewWatch makes a watch. It follows nothing until Run.
func NewWatch(o Options) *Watch {
	w := &Watch{o: o, engine: NewEngine(o.Rules, o.Every, o.Zone, o.Memory), woken: make(chan struct{}, 1), folder: NewFolder()}
	w.engine.SetLooks(o.Looks)
	if o.Around {
		w.engine.own.trace = newTrace()
		w.engine.own.trace.around = map[uint64]*Past{}
	}
	return w
}

// Add follows a host. A host of the same name takes the place of the old one.
func (w *Watch) Add(name string, s *session.Sampler) {
	w.Drop(name)
	w.hosts.add(&watched{name: name, sampler: s, feeds: map[time.Duration]*session.Feed{}})
	w.wake()
}

// Opens says how a command line names a host that is followed, for who is told of its alerts.
func (w *Watch) Opens(name, open string) {
	e := w.engine.lock()
	defer w.engine.unlock()
	e.opens[name] = open
}

// Drop stops following a host.
func (w *Watch) Drop(name string) {
	for _, h := range w.hosts.drop(name) {
		h.close()
	}
	w.engine.Unbind(name, w.o.Clock.Now())
	w.flush()
}

// Leave stops following hosts for good: their alerts end.
func (w *Watch) Leave(left func(host string) bool) {
	for _, h := range w.hosts.list() {
		if left(h.name) {
			for _, h := range w.hosts.drop(h.name) {
				h.close()
			}
		}
	}
	w.engine.Leave(left, w.o.Clock.Now())
	w.flush()
}

// SetRules replaces the rules that users did not make, as after a reload.
func (w *Watch) SetRules(rules []Rule) {
	w.engine.SetRules(rules, w.o.Clock.Now())
	w.flush()
	w.wake()
}

// SetAside names the hosts that only rules which name them are meant for.
func (w *Watch) SetAside(hosts []string) {
	w.engine.SetAside(hosts, w.o.Clock.Now())
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
	e := w.engine.lock()
	defer w.engine.unlock()
	if e.trace == nil || e.trace.around[event] == nil {
		return p, false
	}
	return *e.trace.around[event], true
}

// Every is the interval of rules without one.
func (w *Watch) Every() time.Duration { return w.engine.own.every }

// Board returns the newest states; the same pointer as long as nothing changed.
func (w *Watch) Board() *Board { return w.engine.Board() }

// Run follows the hosts until the context ends. What was folded is told then.
func (w *Watch) Run(ctx context.Context) {
	l := loop{Watch: w}
	for ctx.Err() == nil {
		l.beat()
		l.sleep(ctx)
	}
	w.flush()
	w.telling.Lock()
	defer w.telling.Unlock()
	w.deliver(w.folder.Rest())
}

// Beats counts how often time passed for the rules: about each second while Run runs and there are any.
func (w *Watch) Beats() uint64 { return w.beats.Load() }

func (w *Watch) wake() {
	session.Wake(w.woken)
}

// flush keeps and delivers the events that wait.
func (w *Watch) flush() {
	if w.letOut() && w.o.Changed != nil {
		w.o.Changed()
	}
}

// letOut does that. news tells whether the board changed since the flush before.
func (w *Watch) letOut() (news bool) {
	w.telling.Lock()
	defer w.telling.Unlock()
	events := w.engine.Take()
	own := slices.DeleteFunc(slices.Clone(events), func(ev Event) bool { return ev.Foreign })
	if len(own) > 0 && w.o.Keep != nil {
		if err := w.o.Keep(own); err != nil {
			w.report(err)
		}
	}
	w.deliver(w.folder.Fold(events, w.o.Clock.Now().Mono))
	version := w.engine.isAt()
	news, w.told = version != w.told, version
	return news
}

func (w *Watch) deliver(notices []Notice) {
	for _, n := range notices {
		if w.o.Deliver != nil {
			w.o.Deliver(n)
		}
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
