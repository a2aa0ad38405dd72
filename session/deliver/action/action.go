// Package action does what alerts ask for: it runs programs, sends webhooks,
// writes to files and to the system's log, starts recordings and collector sets of
// hosts, and hands to the owner of the terminal what only that may do.
//
// Nothing here makes those wait who deliver notices: each target has a queue of
// its own, which is bounded, and workers that end when it is empty.
package action

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"sync"
	"time"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/config"
	"perfdeck/session/hosts/pla"
	"perfdeck/session/system/failure"
	"perfdeck/session/system/store"
)

// Options are what a Runner needs. Only Go must be set.
type Options struct {
	Go func(func()) // starts a goroutine
	Targets
	Recordings Recordings
	// Sets opens the collector sets of a host of the config; nil: none can be reached.
	Sets func(host string) (pla.Sets, error)
	// Fires tells whether other alerts of a rule fire still of which an action told; nil: none do.
	Fires func(rule string, do alert.Do, but ...alert.ID) bool
	// Dir is where it is kept which sets rules began; empty: it is forgotten at the end.
	Dir string
	// Terminal gets what the owner of the terminal is to do. It must not block.
	Terminal func(Request)
	// Log gets every notice, whatever its actions are. It must not block.
	Log func(alert.Notice)
	// Report gets what went wrong. It may be called by any goroutine.
	Report func(error)
	// Tell is told in words what is well again; nil: nobody wants to know. It may be called
	// by any goroutine.
	Tell    func(string)
	Environ []string // of which programs see a part
	// Done is told when something is delivered for a notice, or given up; nil: nobody
	// wants to know. It may be called by any goroutine. Programs are done when they
	// begin: none is run twice.
	Done func(alert.Action, *alert.Notice)
	// Waits tells whether what is not done at the end is done by the next run; nil: no.
	Waits func() bool
}

// Targets are what the config says of those that actions name.
type Targets struct {
	config.Alerts
	Fetch Secrets
}

// Secrets fetches what a config refers to; what tells the user what it is for.
type Secrets func(ctx context.Context, what, account string, ref config.PasswordRef) ([]byte, error)

// secret fetches one that is referred to; nil: none is.
func (s Secrets) secret(what, account string, ref config.PasswordRef) func(context.Context) ([]byte, error) {
	if ref.IsZero() {
		return nil
	}
	return func(ctx context.Context) ([]byte, error) { return s(ctx, what, account, ref) }
}

// Recordings starts and stops recordings by name.
type Recordings interface {
	Start(name string) error
	Stop(name string) error
}

// Runner does the actions of notices.
type Runner struct {
	o      Options
	ctx    context.Context
	cancel context.CancelFunc

	programs chan struct{} // one for each that runs

	firing  func() []alert.Event // nil: nothing is repeated
	closing context.Context      // ends when nothing is repeated any more
	close   context.CancelFunc
	changed chan struct{} // told that targets did
	mu      sync.Mutex
	targets Targets
	round   int // grows when they change
	pools   map[target]*pool
	begun   begun
}

// target is what has a queue of its own: a task, a webhook, a set, or, without a name, all
// that is done in an instant.
type target struct {
	do   alert.Do
	name string
}

// targetOf is that of an action, and whether the config knows it. Starts and stops of a set go
// through one queue.
func (r *Runner) targetOf(a alert.Action) (t target, known bool) {
	switch a.Do {
	case alert.Task:
		_, known = r.targets.Tasks[a.Name]
	case alert.Webhook:
		_, known = r.targets.Webhooks[a.Name]
	case alert.Alertmanager:
		_, known = r.targets.Alertmanager(a.Name)
		a.Name = paths.Fold(a.Name)
	case alert.StartSet, alert.StopSet:
		var set config.HostSet
		set, known = r.targets.Set(a.Name)
		a.Do, a.Name = alert.StartSet, setKey(set)
	default:
		return target{}, true
	}
	return target{a.Do, a.Name}, known
}

// Error says which action failed, and why.
type Error struct {
	Action alert.Action
	Err    error
	Advice string
}

func (e *Error) Error() string {
	return fmt.Sprintf("alert action %s: %v", e.Action, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

// Hint says what can be done about it; it may be empty.
func (e *Error) Hint() string { return e.Advice }

var (
	errUnknown = errors.New("the config has no such table")
	errNone    = errors.New("there are no recordings here")
	errFull    = errors.New("too many wait: the oldest was dropped")
	errClosed  = errors.New("the program ends")
	errLater   = errors.New("the next perfdeck that watches alerts does it")
)

// New makes a runner. Close ends it.
func New(o Options) *Runner {
	r := &Runner{
		o: o, programs: make(chan struct{}, mostPrograms), pools: map[target]*pool{},
		changed: make(chan struct{}, 1), begun: newBegun(o.Dir),
	}
	r.ctx, r.cancel = context.WithCancel(context.Background())
	r.closing, r.close = context.WithCancel(r.ctx)
	r.SetTargets(o.Targets)
	return r
}

// SetTargets takes the targets of a config that changed. What waits for those of before
// is done by the new ones of the same name, in its order.
func (r *Runner) SetTargets(t Targets) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.targets = t
	r.round++
	for of, p := range r.pools {
		if of.do == alert.Task {
			p.setMost(max(t.Tasks[of.name].Most, 1))
		}
	}
	session.Wake(r.changed)
}

// poolOf is the queue of an action; nil if nothing is known of its name.
func (r *Runner) poolOf(a alert.Action) *pool {
	r.mu.Lock()
	defer r.mu.Unlock()
	t, known := r.targetOf(a)
	if !known {
		return nil
	}
	p := r.pools[t]
	if p != nil {
		return p
	}
	switch t.do {
	case alert.Task:
		p = r.pool(max(r.targets.Tasks[t.name].Most, 1), r.runTask)
	case alert.Webhook:
		c := &caller{}
		p = r.pool(1, func(j job) { r.callHook(c, j) })
	case alert.Alertmanager:
		c := &cluster{name: t.name}
		p = r.pool(1, func(j job) { r.tellCluster(c, j) })
	case alert.StartSet:
		o := &outage{}
		p = r.pool(1, func(j job) { r.changeSet(o, j) })
	default:
		p = r.pool(1, func(j job) { r.finish(j, inTurn[j.action.Do](r, j)) })
	}
	r.pools[t] = p
	return p
}

// Deliver does what a notice asks for. It returns at once.
func (r *Runner) Deliver(n alert.Notice) {
	if r.o.Log != nil {
		r.o.Log(n)
	}
	if request, ok := requestOf(&n); ok && r.o.Terminal != nil {
		r.o.Terminal(request)
	}
	r.Resume(n)
}

// Resume does what a notice of an earlier run still asks for. It returns at once.
func (r *Runner) Resume(n alert.Notice) {
	for _, a := range n.Actions {
		if a.Do.Place() == alert.OnTerminal {
			continue
		}
		j := job{action: a, notice: n}
		p := r.poolOf(a)
		if p == nil {
			r.finish(j, errUnknown)
			continue
		}
		if dropped := p.put(j); dropped != nil {
			r.finish(*dropped, errFull)
		}
	}
}

// finish is told when a job is done, or given up.
func (r *Runner) finish(j job, err error) {
	r.done(j)
	r.fail(j.action, err)
}

func (r *Runner) done(j job) {
	if r.o.Done != nil && !j.again {
		r.o.Done(j.action, &j.notice)
	}
}

// leave is told when the program ends before a job, or n of them, is done.
func (r *Runner) leave(a alert.Action, n int, err error) {
	if a.Do.IsKept() && r.o.Waits != nil && r.o.Waits() {
		r.fail(a, fmt.Errorf("%w: %d not done yet: %w", err, n, errLater))
		return
	}
	r.fail(a, fmt.Errorf("%w: %d were not done", err, n))
}

func (r *Runner) fail(a alert.Action, err error) {
	if err == nil || r.o.Report == nil {
		return
	}
	r.o.Report(&Error{Action: a, Err: err, Advice: failure.Hint(err)})
}

// Close lets what waits be done, but for no longer than a time. What runs then is
// ended, what waits then is reported. No notice may be delivered any more.
func (r *Runner) Close(patience time.Duration) {
	defer r.cancel()
	r.close()
	end := time.After(patience)
	pools := r.all()
	for i := 0; i < len(pools); {
		select {
		case <-pools[i].whenIdle():
			i++
		case <-end:
			if r.ctx.Err() != nil {
				return // something does not end
			}
			for _, p := range pools {
				if a, n := p.clear(); n > 0 {
					r.leave(a, n, errClosed)
				}
			}
			r.cancel()
			end = time.After(2 * grace)
		}
	}
}

func (r *Runner) all() []*pool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Collect(maps.Values(r.pools))
}

// inTurn is how the actions are done that take an instant. A new one is a row here.
var inTurn = map[alert.Do]func(*Runner, job) error{
	alert.File:       func(_ *Runner, j job) error { return appendLine(j.action.Name, &j.notice) },
	alert.Syslog:     func(_ *Runner, j job) error { return logToSystem(&j.notice) },
	alert.Record:     func(r *Runner, j job) error { return r.record(Recordings.Start, j) },
	alert.StopRecord: func(r *Runner, j job) error { return r.record(Recordings.Stop, j) },
}

func (r *Runner) record(do func(Recordings, string) error, j job) error {
	if r.o.Recordings == nil {
		return errNone
	}
	return do(r.o.Recordings, j.action.Name)
}

// appendLine adds a line to a file. A pipe or a device is refused: it could block.
func appendLine(name string, n *alert.Notice) error {
	name, err := config.BelowHome(name)
	if err != nil {
		return err
	}
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return errNotFile
	}
	return (&store.Journal{Name: name}).Append([]byte(n.Time.Format(time.RFC3339)+" "+n.Line()+"\n"), false)
}

var errNotFile = errors.New("it is no ordinary file")
