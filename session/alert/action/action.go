// Package action does what alerts ask for: it runs programs, sends webhooks,
// writes to files and to the system's log, starts recordings, and hands to the
// owner of the terminal what only that may do.
//
// Nothing here makes those wait who deliver notices: each target has a queue of
// its own, which is bounded, and workers that end when it is empty.
package action

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/config"
)

// Options are what a Runner needs. Only Go must be set.
type Options struct {
	Go         func(func()) // starts a goroutine
	Tasks      map[string]Task
	Webhooks   map[string]Webhook
	Recordings Recordings
	// Terminal gets what the owner of the terminal is to do. It must not block.
	Terminal func(Request)
	// Log gets every notice, whatever its actions are. It must not block.
	Log func(alert.Notice)
	// Report gets what went wrong. It may be called by any goroutine.
	Report  func(error)
	Environ []string // of which programs see a part
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
	desk     *pool         // files, the system's log, recordings
	tasks    map[string]*pool
	hooks    map[string]*pool
}

// Error says which action failed, and why.
type Error struct {
	Action alert.Action
	Err    error
	Advice string
}

func (e *Error) Error() string {
	return session.Printable(fmt.Sprintf("alert action %s: %v", e.Action, e.Err))
}

func (e *Error) Unwrap() error { return e.Err }

// Hint says what can be done about it; it may be empty.
func (e *Error) Hint() string { return e.Advice }

var (
	errUnknown = errors.New("the config has no such table")
	errNone    = errors.New("there are no recordings here")
	errFull    = errors.New("too many wait: the oldest was dropped")
	errClosed  = errors.New("the program ends")
)

// New makes a runner. Close ends it.
func New(o Options) *Runner {
	r := &Runner{o: o, programs: make(chan struct{}, mostPrograms), tasks: map[string]*pool{}, hooks: map[string]*pool{}}
	r.ctx, r.cancel = context.WithCancel(context.Background())
	r.desk = r.pool(1, r.doDesk)
	for name, t := range o.Tasks {
		r.tasks[name] = r.pool(max(t.Most, 1), func(j job) { r.runTask(t, j) })
	}
	for name, h := range o.Webhooks {
		c := newCaller(h)
		r.hooks[name] = r.pool(1, func(j job) { r.callHook(c, j) })
	}
	return r
}

// Deliver does what a notice asks for. It returns at once.
func (r *Runner) Deliver(n alert.Notice) {
	if r.o.Log != nil {
		r.o.Log(n)
	}
	if request, ok := requestOf(&n); ok && r.o.Terminal != nil {
		r.o.Terminal(request)
	}
	for _, a := range n.Actions {
		var p *pool
		switch a.Do {
		case alert.Log, alert.Bell, alert.Title, alert.Desktop:
			continue
		case alert.Task:
			p = r.tasks[a.Name]
		case alert.Webhook:
			p = r.hooks[a.Name]
		case alert.File, alert.Syslog, alert.Record, alert.StopRecord:
			p = r.desk
		}
		if p == nil {
			r.fail(a, errUnknown)
			continue
		}
		if dropped := p.put(job{a, n, 0}); dropped != nil {
			r.fail(dropped.action, errFull)
		}
	}
}

func (r *Runner) fail(a alert.Action, err error) {
	if err == nil || r.o.Report == nil {
		return
	}
	e := &Error{Action: a, Err: err}
	var hinted interface{ Hint() string }
	if errors.As(err, &hinted) {
		e.Advice = hinted.Hint()
	}
	r.o.Report(e)
}

// Close lets what waits be done, but for no longer than a time. What runs then is
// ended, what waits then is reported. No notice may be delivered any more.
func (r *Runner) Close(patience time.Duration) {
	defer r.cancel()
	end := time.NewTimer(patience)
	defer end.Stop()
	pools := r.pools()
	for i := 0; i < len(pools); {
		select {
		case <-pools[i].whenIdle():
			i++
		case <-end.C:
			if r.ctx.Err() != nil {
				return // something does not end
			}
			for _, p := range pools {
				if a, n := p.clear(); n > 0 {
					r.fail(a, fmt.Errorf("%w: %d were not done", errClosed, n))
				}
			}
			r.cancel()
			end.Reset(2 * grace)
		}
	}
}

func (r *Runner) pools() []*pool {
	all := []*pool{r.desk}
	for _, p := range r.tasks {
		all = append(all, p)
	}
	for _, p := range r.hooks {
		all = append(all, p)
	}
	return all
}

// doDesk does what is done in an instant.
func (r *Runner) doDesk(j job) {
	switch j.action.Do {
	case alert.File:
		r.fail(j.action, appendLine(j.action.Name, &j.notice))
	case alert.Syslog:
		r.fail(j.action, logToSystem(&j.notice))
	case alert.Record, alert.StopRecord:
		r.fail(j.action, r.record(j.action))
	default:
	}
}

func (r *Runner) record(a alert.Action) error {
	switch {
	case r.o.Recordings == nil:
		return errNone
	case a.Do == alert.Record:
		return r.o.Recordings.Start(a.Name)
	}
	return r.o.Recordings.Stop(a.Name)
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
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(n.Time.Format(time.RFC3339) + " " + n.Line() + "\n")
	return errors.Join(err, f.Close())
}

var errNotFile = errors.New("it is no ordinary file")
