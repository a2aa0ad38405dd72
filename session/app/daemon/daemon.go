// Package daemon is alerts at work without screens: hosts come and go as rules and a config
// say that is read again, and recordings, pushes and notes go along.
package daemon

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/app/inventory"
	"perfdeck/session/app/pipeline"
	"perfdeck/session/app/roster"
	"perfdeck/session/deliver/action"
	"perfdeck/session/files/note"
	"perfdeck/session/files/note/notebook"
	"perfdeck/session/give/push"
	"perfdeck/session/recording/recorders"
	"perfdeck/session/system/failure"
)

// Setup is what a config and a command line ask for.
type Setup struct {
	Rules     []alert.Rule
	Looks     session.Looks
	Targets   action.Targets
	Plans     []recorders.Plan
	Pushes    []push.Entry
	NoteFiles []string         // to which other programs append notes
	Warnings  []error          // of the start: a reload takes nothing then
	Hosts     []inventory.Host // that are to be watched, opened
	All       bool             // these are all that the config watches, not those of a command line or a shard
	// Stays tells that something goes on though there is nothing to judge.
	Stays func() bool
}

// Recordings are those that alerts begin, and those that always go on.
type Recordings interface {
	roster.Follower
	action.Recordings

	SetPlans(plans []recorders.Plan)
	StartAlways()
	Files() []string
	Await(ctx context.Context)
	Close()
}

// Pushes are those of the config.
type Pushes interface {
	roster.Follower

	Set(entries []push.Entry)
	Close()
}

// Notes are what people and programs write down.
type Notes interface {
	News() ([]note.Note, error)
	SetFiles(names []string)
}

// Output is where notes go, and what tells that nobody reads.
type Output interface {
	Note(n *note.Note)
	Failed() <-chan struct{}
	HasFailed() bool
}

// Life is that of the process.
type Life interface {
	OnHangup(do func())
	Keep() (done func()) // the process is not to be ended meanwhile
}

// Options say what a daemon works with. Functions may be called by any goroutine.
type Options struct {
	Alerts  pipeline.Options // but Rules, Looks and Targets, which are of the setup, Changed and Recordings
	Records Recordings
	Pushes  Pushes
	Notes   Notes // nil: there is no place for them
	Output  Output
	Life    Life
	Beside  func(context.Context) // goes on meanwhile; nil: nothing does
	Begun   func()                // it watches now
	Judging func()                // is called every second or so while rules are judged
	// Reload reads the config again. take takes what it asks for; where it is wrong it is not called.
	Reload func(take func(*Setup))
}

// Daemon watches. One goroutine uses it.
type Daemon struct {
	o        Options
	setup    *Setup
	alerts   *pipeline.Pipeline
	hosts    *roster.Roster
	troubles map[string]*trouble // of hosts, by name
	changed  chan struct{}
	unjudged pipeline.Unjudged // since the config was read
	beats    uint64            // of judging, when it was looked at last
	reloaded bool              // a service is not ended by a config without a rule that can be judged
}

var (
	// ErrNone is that no rule can be judged.
	ErrNone = errors.New("no rule can be judged")
	// ErrSome is that some rules were judged, and others have problems that were told.
	ErrSome = errors.New("not all rules could be judged")
	// ErrSecond is that another process leads.
	ErrSecond = errors.New("another perfdeck watches alerts already")
)

// New makes a daemon that does nothing before it runs.
func New(o Options, setup *Setup) *Daemon {
	d := &Daemon{o: o, setup: setup, troubles: map[string]*trouble{}, changed: make(chan struct{}, 1)}
	o.Alerts.Rules, o.Alerts.Looks, o.Alerts.Targets = setup.Rules, setup.Looks, setup.Targets
	o.Alerts.Changed, o.Alerts.Recordings = func() { mark(d.changed) }, o.Records
	d.alerts = pipeline.New(o.Alerts)
	d.hosts = roster.New(roster.Judged(d.alerts.Watch()), o.Records, o.Pushes)
	return d
}

// mark marks that something changed.
func mark(changed chan struct{}) {
	session.Wake(changed)
}

// Run watches until the context ends, nobody reads, or nothing is left to do: ErrNone and
// ErrSome then tell of rules that could not be judged.
func (d *Daemon) Run(ctx context.Context) error {
	second := d.alerts.IsSecond()
	if second {
		d.report(failure.WithHint(ErrSecond, "rules that both have are told twice"))
	}
	for _, err := range d.setup.Warnings {
		d.report(err)
	}
	if d.o.Notes != nil {
		if _, err := d.o.Notes.News(); err != nil { // what was written before is no news
			d.report(err)
		}
	}
	d.setHosts(ctx, d.setup.Hosts, d.setup.All && !second)
	hangups := make(chan struct{}, 1)
	d.o.Life.OnHangup(func() { mark(hangups) })
	defer d.o.Life.OnHangup(nil)
	running, stop := context.WithCancel(ctx)
	judged := make(chan struct{})
	d.o.Alerts.Go(func() {
		defer close(judged)
		d.alerts.Run(running)
	})
	d.o.Records.StartAlways()
	d.o.Pushes.Set(d.setup.Pushes)
	if d.o.Beside != nil {
		d.o.Alerts.Go(func() { d.o.Beside(running) })
	}
	d.o.Begun()
	err := d.loop(ctx, hangups)
	stop()
	<-judged
	d.finish(ctx)
	d.hosts.End()
	return err
}

func (d *Daemon) report(err error) { d.o.Alerts.Report(err) }

// finishing is how long actions may take when nothing is left to judge.
const finishing = time.Minute

// finish ends actions and recordings. Recordings that alerts began go on for as long as
// they are to, unless a signal ends them.
func (d *Daemon) finish(ctx context.Context) {
	if ctx.Err() != nil { // a signal: what was recorded comes first
		d.closeRecordings()
		d.o.Pushes.Close()
		d.alerts.Close(pipeline.Patience(ctx))
		return
	}
	d.alerts.Close(finishing)
	if names := d.o.Records.Files(); len(names) > 0 && !d.o.Output.HasFailed() {
		d.o.Alerts.Tell("nothing is left to judge; what alerts began to record goes on: " + strings.Join(names, ", "))
		d.o.Records.Await(ctx)
	}
	d.closeRecordings()
	d.o.Pushes.Close()
}

// closeRecordings ends the recordings: a signal waits for them.
func (d *Daemon) closeRecordings() {
	defer d.o.Life.Keep()()
	d.o.Records.Close()
}

func (d *Daemon) loop(ctx context.Context, hangups <-chan struct{}) error {
	looks := time.NewTicker(notebook.LookEvery)
	defer looks.Stop()
	for {
		select {
		case <-looks.C:
			d.printNotes()
			d.tellTroubles(time.Now())
			if beats := d.alerts.Watch().Beats(); beats != d.beats || len(d.setup.Rules) == 0 {
				d.beats = beats
				d.o.Judging()
			}
		case <-ctx.Done():
			return nil
		case <-d.o.Output.Failed():
			return nil
		case <-hangups:
			d.o.Reload(func(s *Setup) { d.take(ctx, s) })
		case <-d.changed:
			if left, err := d.look(); !left && !d.setup.Stays() && (err == nil || !d.reloaded) {
				return err
			}
		}
	}
}

// printNotes prints what somebody wrote down since the last look.
func (d *Daemon) printNotes() {
	if d.o.Notes == nil {
		return
	}
	news, err := d.o.Notes.News()
	if err != nil {
		d.report(err)
	}
	for i := range news {
		d.o.Output.Note(&news[i])
	}
}

// take takes what a config asks for that was read again.
func (d *Daemon) take(ctx context.Context, setup *Setup) {
	d.setup, d.unjudged, d.reloaded = setup, pipeline.Unjudged{}, true
	d.alerts.SetTargets(setup.Targets)
	d.alerts.Watch().SetLooks(setup.Looks)
	d.alerts.Watch().SetRules(setup.Rules)
	d.setHosts(ctx, setup.Hosts, false)
	if d.o.Notes != nil {
		d.o.Notes.SetFiles(setup.NoteFiles)
	}
	d.o.Records.SetPlans(setup.Plans)
	d.o.Records.StartAlways()
	d.o.Pushes.Set(setup.Pushes)
}

// look tells, once, which rules no host can follow, and whether any is left to judge.
func (d *Daemon) look() (left bool, err error) {
	waits := false
	for _, h := range d.hosts.Members() {
		waits = waits || h.Sampler.Catalogue() == nil
	}
	switch d.unjudged.Look(d.alerts.Watch().Board(), waits, d.tellRule) {
	case pipeline.HadNothing:
		return false, ErrNone
	case pipeline.HadSome:
		return false, ErrSome
	case pipeline.HadAll:
		return false, nil
	case pipeline.Something:
	}
	return true, nil
}

func (d *Daemon) tellRule(rule, problem string) { d.report(fmt.Errorf("rule %s: %s", rule, problem)) }
