// Package runner runs data collector sets: it begins and ends their recordings and
// alerts as the set says, begins the next segment, and lets the data manager remove what
// is too much. MS-PLA 3.2.4.1 and 3.2.4.2; where they say nothing the set's page of this
// project's choices stands.
package runner

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/files/formats"
	"perfdeck/session/recording/collector"
	"perfdeck/session/recording/collectorset"
	"perfdeck/session/recording/collectorset/store"
	"perfdeck/session/system/failure"
	"perfdeck/session/text/printable"
)

// Recording is a recording that was begun.
type Recording interface {
	Done() <-chan struct{}
	Stop(ctx context.Context, note string) error
	Status() collector.Status
}

// Alerts are the alerts of a set at work.
type Alerts interface {
	// Done is closed when none is left to judge.
	Done() <-chan struct{}
	Stop()
}

// Options say what a set is run with.
type Options struct {
	Name  string
	Store *store.Store
	Root  string // folder of the set's own folders; it is made if it is not there
	// MustExist: the user named the root, which is not made.
	MustExist bool
	Binary    *formats.Format // of binary files; nil: SQLite
	Computer  string          // in names

	// Hosts are those that paths of a collector mean; what cannot be is reported.
	Hosts func(questions []session.Question) ([]collector.Host, error)
	// Record begins a recording.
	Record func(collector.Options) (Recording, error)
	// Judge begins alerts; nil: there are none here.
	Judge func(rules []alert.Rule) (Alerts, error)

	// Ended tells that the files of a segment are complete; goes tells whether another
	// segment follows. Nil: nobody wants to know.
	Ended func(files []string, goes bool)

	Clock  session.Clock
	Zone   *time.Location // nil: time.Local
	Report func(error)
	Ready  func() // it runs; may be nil
}

// The numbers of Windows' own errors.
const (
	codePathNotFound uint32 = 0x80070003
	codeFileExists   uint32 = 0x800700B7
	codeInvalid      uint32 = 0x80070057
)

var (
	errRefused = errors.New("it cannot be run as it is")
	errSpent   = errors.New("its serial numbers are used up")
	errNoRoot  = errors.New("its folder is not there")
	errNothing = errors.New("none of its collectors can run")
)

// run is a run of a set.
type run struct {
	o    Options
	hold *store.Hold
	set  *collectorset.Set
	root *os.Root

	began   time.Duration // monotonic
	segment time.Duration // when this segment began
	folder  string        // in use
	open    []*recording
	files   []string // of this segment
	alerts  Alerts
	changed chan struct{} // a recording has more

	mu   sync.Mutex
	news []string // files that were begun and are not written down
}

// recording is a recording of this segment.
type recording struct {
	Recording
	name string // of its collector
	full bool   // it reached a limit
}

// Run runs a set until it ends: because it is over, the context ends, somebody asked for
// it, or something failed. What was collected is complete then.
func Run(ctx context.Context, o Options) error {
	hold, err := o.Store.Hold("start", o.Name)
	if err != nil {
		return err
	}
	defer hold.Release()
	if o.Zone == nil {
		o.Zone = time.Local
	}
	r := &run{o: o, hold: hold, changed: make(chan struct{}, 1)}
	if err := r.prepare(); err != nil {
		return err
	}
	defer r.root.Close() //nolint:errcheck // it was only held
	err = r.begin()
	if err == nil {
		if o.Ready != nil {
			o.Ready()
		}
		err = r.stay(ctx)
	}
	if r.folder == "" { // nothing was begun
		return err
	}
	return errors.Join(err, r.finish(err))
}

// prepare reads the set and sees that it may run. It changes nothing but for empty folders.
func (r *run) prepare() error {
	e, err := r.o.Store.Load(r.o.Name)
	if err != nil {
		return err
	}
	r.set = e.Set
	r.o.Name = e.Set.Name
	for _, f := range append(slices.Clone(e.Findings), r.set.Check(collectorset.Place{})...) {
		if f.Refuses {
			return r.fail("start", codeInvalid, fmt.Errorf("%w: %s", errRefused, f), "perfdeck collect check tells all that is wrong")
		}
	}
	if !e.State.Began.IsZero() && e.State.Ended.IsZero() {
		r.o.Report(fmt.Errorf("the set %s: its last run, which began %s, did not end as it should; what it collected is as it left it", r.o.Name, e.State.Began.In(r.o.Zone).Format(time.DateTime)))
	}
	if r.root, err = openRoot(r.o.Root, !r.o.MustExist); err != nil {
		return r.fail("start", codePathNotFound, err, "make the folder, or name another with --root")
	}
	r.tidy() // a run that was killed did not
	if err := r.set.Manager.CheckStart(r.disk(&e.State)); err != nil {
		_ = r.root.Close()
		return r.fail("start", 0, err, failure.Hint(err))
	}
	return nil
}

func (r *run) fail(op string, code uint32, err error, hint string) error {
	return &collectorset.OpError{Op: op, Name: r.o.Name, Code: code, Err: err, Advice: hint}
}

// openRoot opens a folder, and nothing that a link leads to.
func openRoot(name string, made bool) (*os.Root, error) {
	if made {
		if err := os.MkdirAll(name, 0o700); err != nil {
			return nil, err
		}
	}
	before, err := os.Lstat(name)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, fmt.Errorf("%w: %s", errNoRoot, name)
	case err != nil:
		return nil, err
	case !before.IsDir():
		return nil, fmt.Errorf("%w: %s is a link or a file", errNoRoot, name)
	}
	root, err := os.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	if now, err := root.Stat("."); err != nil || !os.SameFile(before, now) {
		_ = root.Close()
		return nil, fmt.Errorf("%w: %s changed just now", errNoRoot, name)
	}
	return root, nil
}

// begin begins alerts and the first segment.
func (r *run) begin() error {
	r.began = r.o.Clock.Now().Mono
	if err := r.beginSegment("start"); err != nil {
		return err
	}
	rules := Rules(r.set)
	if len(rules) == 0 || r.o.Judge == nil {
		return nil
	}
	var err error
	r.alerts, err = r.o.Judge(rules)
	return err
}

// outcome is what a look at a run finds.
type outcome uint8

const (
	goesOn outcome = iota
	rolls          // the next segment begins
	isOver
)

// looks is how often somebody may ask for the end.
const looks = 500 * time.Millisecond

// stay stays with the run until it ends. The error is why it ended by itself.
func (r *run) stay(ctx context.Context) error {
	for ctx.Err() == nil {
		r.know(false)
		what, err := r.look()
		if err != nil {
			return err
		}
		switch what {
		case isOver:
			return nil
		case rolls:
			if err := r.roll(ctx); err != nil {
				return err
			}
		case goesOn:
		}
		session.Await(ctx, r.o.Clock, looks, r.changed)
	}
	return nil
}

// isRunning tells whether any recording went on when it was looked at: one that ended since
// may be what the next segment waits for.
func (r *run) isRunning() bool {
	return slices.ContainsFunc(r.open, func(one *recording) bool { return !one.full })
}

// look tells how things stand.
func (r *run) look() (outcome, error) {
	now := r.o.Clock.Now().Mono
	if r.hold.IsWanted() || r.set.Duration > 0 && now-r.began >= seconds(r.set.Duration) {
		return isOver, nil
	}
	limit := r.set.SegmentMaxDuration > 0 && now-r.segment >= seconds(r.set.SegmentMaxDuration)
	for _, one := range r.open {
		full, err := r.isFull(one)
		if err != nil {
			return isOver, err
		}
		limit = limit || full && r.set.Segment
	}
	switch {
	case limit && (!r.set.Segment || r.set.StopOnCompletion):
		return isOver, nil
	case limit:
		return rolls, nil
	case len(r.open) > 0 && !r.isRunning() && r.alerts == nil:
		return isOver, nil
	case !r.isRunning() && r.alerts != nil && session.IsClosed(r.alerts.Done()):
		return isOver, nil
	}
	return goesOn, nil
}

func seconds(n uint32) time.Duration { return time.Duration(n) * time.Second }

// isFull tells whether a recording reached a limit of its file. The error is why it ended
// by itself.
func (r *run) isFull(one *recording) (bool, error) {
	s := one.Status()
	switch size := int64(r.set.SegmentMaxSize) << 20; {
	case one.full:
	case s.Ended && s.Err != nil:
		return false, r.fail("run", 0, fmt.Errorf("%s ended: %w", one.name, s.Err), failure.Hint(s.Err))
	case s.Ended:
		one.full = true
	case size > 0 && s.Bytes >= size && !r.isCircular(one.name):
		one.full = true
		if !r.set.Segment { // the others go on
			return true, r.end(context.Background(), one)
		}
	}
	return one.full, nil
}

func (r *run) isCircular(name string) bool {
	return !r.set.Segment && slices.ContainsFunc(r.set.Collectors, func(c collectorset.Collector) bool { return c.Name == name && c.LogCircular })
}

// closing is how long a disk may take to write down what was collected.
const closing = 30 * time.Second

func (r *run) end(ctx context.Context, one *recording) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closing)
	defer cancel()
	return one.Stop(ctx, "")
}

// endSegment ends all recordings. What cannot be written is reported.
func (r *run) endSegment(ctx context.Context, goes bool) {
	for _, one := range r.open {
		if one.Status().Ended {
			continue
		}
		if err := r.end(ctx, one); err != nil {
			r.o.Report(fmt.Errorf("end %s of the set %s: %w", one.name, r.o.Name, err))
		}
	}
	r.know(true)
	if r.o.Ended != nil && len(r.files) > 0 && !r.isEmpty(r.folder) {
		r.o.Ended(r.files, goes)
	}
	r.open, r.files = nil, nil
}

// roll ends this segment and begins the next one.
func (r *run) roll(ctx context.Context) error {
	r.endSegment(ctx, true)
	if err := r.beginSegment("go on with"); err != nil {
		return err
	}
	r.manage()
	return nil
}

// finish ends the run and writes down how it ended.
func (r *run) finish(why error) error {
	r.endSegment(context.Background(), false)
	if r.alerts != nil {
		r.alerts.Stop()
	}
	const compiling = 2
	r.folder = ""
	r.tidy()
	if m := r.set.Manager; m != nil && m.Enabled {
		if err := r.keep(func(e *store.Entry) { e.Set.Status = compiling }); err != nil {
			r.o.Report(err)
		}
		r.manage()
	}
	return r.keep(func(e *store.Entry) {
		e.Set.Status, e.State.Ended, e.State.Process, e.State.Why = 0, r.o.Clock.Now().Wall, 0, ""
		if why != nil {
			e.State.Why = printable.Text(why.Error())
		}
	})
}

// keep changes what is kept of the set.
func (r *run) keep(change func(*store.Entry)) error {
	return r.o.Store.Change("run", r.o.Name, func(e *store.Entry) error {
		change(e)
		r.set = e.Set
		return nil
	})
}

// Rules are the alerts of a set: its collectors' thresholds that can be read.
func Rules(s *collectorset.Set) (rules []alert.Rule) {
	for i := range s.Collectors {
		c := &s.Collectors[i]
		if c.Kind != collectorset.Alerts {
			continue
		}
		for n, text := range c.Alerts {
			rule, err := alert.ParseRule(text)
			if err != nil || rule.Kind != alert.Threshold {
				continue
			}
			rule.Name, rule.Origin = fmt.Sprintf("%s/%s[%d]", s.Name, c.Name, n+1), "data collector set "+s.Name
			rule.Interval = alert.Once
			if c.SampleInterval != collectorset.OneSample {
				rule.Interval = min(seconds(c.SampleInterval), math.MaxInt64)
			}
			rule.Text = c.TaskUserTextArguments
			rule.Actions = []alert.Action{{Do: alert.Log}}
			rules = append(rules, rule)
		}
	}
	return rules
}

// CollectorOf is the collector that a rule of Rules is of.
func CollectorOf(s *collectorset.Set, rule string) *collectorset.Collector {
	for i := range s.Collectors {
		c := &s.Collectors[i]
		for n := range c.Alerts {
			if rule == fmt.Sprintf("%s/%s[%d]", s.Name, c.Name, n+1) {
				return c
			}
		}
	}
	return nil
}

// path is a name below the root, as systems write it.
func (r *run) path(name string) string { return filepath.Join(r.o.Root, filepath.FromSlash(name)) }
