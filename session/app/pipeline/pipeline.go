// Package pipeline is alerts at work: a watch judges, a journal keeps what came of it and what
// is to be delivered, and a runner delivers. Of the processes that share a
// state folder one leads, and acts; when it is gone another takes over what it left.
package pipeline

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/deliver/action"
	"perfdeck/session/deliver/journal"
	"perfdeck/session/hosts/pla"
	"perfdeck/session/system/lifetime"
	"perfdeck/session/text/english"
)

// Options say what is judged, where it is kept, and how it is told of. Functions may be
// called by any goroutine.
type Options struct {
	Clock  session.Clock
	Go     func(func()) // starts a goroutine
	Report func(error)

	Rules   []alert.Rule
	Every   time.Duration // of rules without an interval; 0: the default
	Looks   session.Looks // of values in events
	Around  bool          // the values around events are kept, for screens
	Changed func()        // the board has something new; must not block; may be nil

	Dir   string // of what is kept; empty: nothing is
	Leads bool   // it acts even where another process leads
	// Invented tells that the hosts are: nobody but who looks is told of them.
	Invented bool

	Targets    action.Targets
	Environ    []string                            // of programs that alerts run
	Recordings action.Recordings                   // nil: there are none
	Sets       func(host string) (pla.Sets, error) // of hosts of the config; nil: none can be reached
	Log        func(alert.Notice)                  // must not block; nil: nobody wants to know
	Terminal   func(action.Request)                // must not block; nil: there is none
	Tell       func(string)                        // what is well again; nil: nobody wants to know
}

// Pipeline is what events go through. Its methods may be called by many goroutines.
type Pipeline struct {
	watch   *alert.Watch
	runner  *action.Runner
	journal *journal.Journal // nil: nothing is kept
	taken   sync.Once        // what is to be delivered, when this process leads first
	leads   bool
	shows   bool // it does nothing but log, and ring its own bell
	report  func(error)
}

// New makes a pipeline. Nothing is judged until it runs. That nothing can be kept is
// reported, and no more.
func New(o Options) *Pipeline {
	p := &Pipeline{leads: o.Leads, shows: o.Invented, report: o.Report}
	p.runner = action.New(action.Options{
		Go: o.Go, Log: o.Log, Terminal: o.Terminal, Report: o.Report, Tell: o.Tell, Environ: o.Environ,
		Recordings: o.Recordings, Sets: o.Sets, Fires: p.fires, Dir: o.Dir, Targets: o.Targets, Done: p.done, Waits: p.isKept,
	})
	judges := alert.Options{
		Clock: o.Clock, Every: o.Every, Rules: o.Rules, Looks: o.Looks, Around: o.Around,
		Deliver: p.Deliver, Report: o.Report, Changed: o.Changed,
	}
	if o.Dir != "" && !o.Invented {
		j, memory, err := OpenJournal(o.Dir, o.Report)
		if err != nil {
			o.Report(NotKept(err))
		} else {
			p.journal, judges.Memory, judges.Keep, judges.Acts = j, memory, p.keep, p.others
		}
	}
	p.watch = alert.NewWatch(judges)
	p.runner.Repeat(p.firing)
	return p
}

// NotKept says why nothing is kept of alerts.
func NotKept(err error) error { return fmt.Errorf("alerts are not kept: %w", err) }

// OpenJournal opens what is kept of alerts in a folder. What of it is damaged is reported.
func OpenJournal(dir string, report func(error)) (*journal.Journal, *alert.Memory, error) {
	j, memory, damaged, err := journal.Open(dir, time.Now())
	reportDamage(dir, damaged, report)
	return j, memory, err
}

// ReadJournal is OpenJournal for who only looks: nothing is written.
func ReadJournal(dir string, report func(error)) (*alert.Memory, error) {
	memory, damaged, err := journal.Read(dir, time.Now())
	reportDamage(dir, damaged, report)
	return memory, err
}

func reportDamage(dir string, damaged int, report func(error)) {
	if damaged > 0 {
		report(fmt.Errorf("read the history of alerts in %s: %s could not be read and were left out", dir, english.Count(damaged, "line", "lines")))
	}
}

// Watch is what judges: it is told of hosts and rules, and of what users do.
func (p *Pipeline) Watch() *alert.Watch { return p.watch }

// Run judges until the context ends. Close is for afterwards.
func (p *Pipeline) Run(ctx context.Context) { p.watch.Run(ctx) }

// SetTargets takes those of a config that changed. What waits for those of before is
// done by the new ones.
func (p *Pipeline) SetTargets(t action.Targets) { p.runner.SetTargets(t) }

// IsSecond tells whether another process leads, on the same state folder.
func (p *Pipeline) IsSecond() bool { return p.journal != nil && !p.journal.Lead() }

// acts tells whether this process runs actions. The first time that it leads it takes
// over what another one, or an earlier run, did not deliver.
func (p *Pipeline) acts() bool {
	if p.journal == nil {
		return true
	}
	leads := p.journal.Lead()
	if leads {
		p.taken.Do(p.takeOver)
	}
	return leads || p.leads
}

// takeOver delivers what an earlier run left, before anything new.
func (p *Pipeline) takeOver() {
	pending, err := p.journal.Take(time.Now())
	if err != nil {
		p.report(fmt.Errorf("what alerts had to deliver is not known: %w", err))
	}
	if pending.Old > 0 {
		p.report(fmt.Errorf("%s could not be delivered within a day and are given up", english.Count(pending.Old, "event", "events")))
	}
	for _, n := range pending.Notices {
		p.runner.Resume(n)
	}
	fold := alert.NewFolder()
	for _, n := range append(fold.Fold(pending.Events, 0), fold.Rest()...) {
		p.form(&n)
		p.runner.Deliver(n)
	}
}

// isKept tells whether all that is to be delivered is on the disk.
func (p *Pipeline) isKept() bool { return p.journal != nil && p.journal.IsKept() }

// form notes which events are told together.
func (p *Pipeline) form(n *alert.Notice) {
	if p.journal == nil {
		return
	}
	if err := p.journal.Form(n); err != nil {
		p.report(err)
	}
}

// firing is what this process has told Alertmanagers of, and what fires still.
func (p *Pipeline) firing() []alert.Event {
	if p.shows || !p.acts() {
		return nil
	}
	return p.watch.Engine().Firing(alert.Alertmanager)
}

// fires tells whether other alerts of a rule fire still of which this process told.
func (p *Pipeline) fires(rule string, do alert.Do, but ...alert.ID) bool {
	return p.watch.Engine().Fires(rule, do, but...)
}

// others gives what users did in other processes. It is called each second: when the
// process that led is gone this one leads.
func (p *Pipeline) others() ([]alert.Event, error) {
	p.acts()
	return p.journal.Acts()
}

// keep writes events down. What values did is kept by the process that acts, what users did
// by all.
func (p *Pipeline) keep(events []alert.Event) error {
	if !p.acts() {
		events = slices.DeleteFunc(slices.Clone(events), func(ev alert.Event) bool { return !ev.Kind.IsAct() })
	}
	if len(events) == 0 {
		return nil
	}
	return p.journal.Keep(events)
}

// Deliver does what a notice asks for: all of it if this process acts, otherwise what
// concerns its own terminal. It returns at once.
func (p *Pipeline) Deliver(n alert.Notice) {
	var only []alert.Do
	switch {
	case p.shows:
		only = []alert.Do{alert.Log, alert.Bell}
	case !p.acts():
		only = []alert.Do{alert.Bell, alert.Title, alert.Desktop}
	}
	if only != nil {
		n.Actions = slices.DeleteFunc(slices.Clone(n.Actions), func(do alert.Action) bool { return !slices.Contains(only, do.Do) })
	}
	p.form(&n)
	p.runner.Deliver(n)
}

// done notes that an action is done, or given up.
func (p *Pipeline) done(do alert.Action, n *alert.Notice) {
	if p.journal == nil {
		return
	}
	if err := p.journal.Done(do, n); err != nil {
		p.report(err)
	}
}

// Closing is how long the end of a program waits for actions, closingSoon when a signal ends
// it: see lifetime.EndWithin. What was not done then waits for the next run.
const (
	Closing     = 5 * time.Second
	closingSoon = lifetime.EndWithin / 2
)

// Patience is how long alerts may take to end: little when a signal ended the context.
func Patience(ctx context.Context) time.Duration {
	if ctx.Err() != nil {
		return closingSoon
	}
	return Closing
}

// Close ends the actions, after Run. What was not done within the patience is reported,
// and waits for the next run.
func (p *Pipeline) Close(patience time.Duration) {
	p.runner.Close(patience)
	if p.journal != nil {
		p.journal.Close()
	}
}
