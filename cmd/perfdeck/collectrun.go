package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/alert/action"
	"perfdeck/session/alert/pipeline"
	"perfdeck/session/inventory"
	"perfdeck/session/record/collector"
	"perfdeck/session/record/collectorset"
	"perfdeck/session/record/collectorset/runner"
	"perfdeck/session/record/collectorset/store"
	"perfdeck/session/record/desk"
	"perfdeck/session/record/logs"
	"perfdeck/session/system/output"
)

// setRunFlags are those of run and start.
type setRunFlags struct {
	blg       bool
	startedBy []string // sets whose alerts led to this start
}

func (p *program) collectRunCommand() *cobra.Command {
	var f setRunFlags
	c := &cobra.Command{
		Use: "run NAME", Short: "Run a set until it ends",
		Long: `run runs a set in this terminal until it is over, stopped by perfdeck collect stop, or
interrupted. What it writes is named as files begin; alerts that fire are lines.`,
		Args: cobra.ExactArgs(1), ValidArgsFunction: p.completeSets,
		RunE: func(c *cobra.Command, args []string) error { return p.runSet(c, args[0], f) },
	}
	f.register(c)
	return c
}

func (f *setRunFlags) register(c *cobra.Command) {
	c.Flags().BoolVar(&f.blg, "blg", false, "write binary files as .blg, by experiment, in place of SQLite files")
	c.Flags().StringArrayVar(&f.startedBy, "started-by", nil, "")
	_ = c.Flags().MarkHidden("started-by")
}

func (p *program) collectStartCommand() *cobra.Command {
	var f setRunFlags
	c := &cobra.Command{
		Use: "start NAME", Short: "Start a set; it goes on without this program",
		Long: "start runs a set in a process of its own, which goes on when this program and its terminal have ended. It returns when the set runs, or says why it does not.",
		Args: cobra.ExactArgs(1), ValidArgsFunction: p.completeSets,
		RunE: func(c *cobra.Command, args []string) error {
			s, err := p.sets()
			if err != nil {
				return err
			}
			return p.startSet(c.Context(), s, args[0], openingFlags(c), f)
		},
	}
	f.register(c)
	return c
}

// startSet starts a process that runs a set, waits until it does, and says so.
func (p *program) startSet(ctx context.Context, s *store.Store, name string, hostFlags []string, f setRunFlags) error {
	into, said, err := p.beginSet(ctx, s, name, hostFlags, f)
	for _, line := range said {
		fmt.Fprintln(p.err, line)
	}
	if err == nil && into != "" {
		fmt.Fprintf(p.out, "%s: runs, into %s\n", session.Printable(name), session.Printable(into))
	}
	return err
}

// beginSet starts a process that runs a set, and waits until it does. It returns where
// the set's files go, or what the process said before the error.
func (p *program) beginSet(ctx context.Context, s *store.Store, name string, hostFlags []string, f setRunFlags) (into string, said []string, err error) {
	e, err := s.Load(name)
	if err != nil {
		return "", nil, err
	}
	name = e.Set.Name
	if s.Running(name) {
		_, err := s.Hold("start", name)
		return "", nil, err
	}
	log := s.LogFile(name)
	begun, err := p.detach(log, slices.Concat([]string{"collect", "run"}, hostFlags, f.arguments(), []string{"--", name}))
	if err != nil {
		return "", nil, fmt.Errorf("start the set %s: %w", name, err)
	}
	err = begun.await(ctx, func(pid int) bool {
		now, err := s.Load(name)
		if err != nil || now.State.Process != pid || !s.Running(name) {
			return false
		}
		into = now.Set.LatestOutputLocation
		return true
	})
	switch {
	case errors.Is(err, errDetachedEnded):
		if now, err := s.Load(name); err == nil && now.State.Began.After(e.State.Began) && now.State.Why == "" {
			return "", nil, nil // it ran, and is over
		}
		said, last := lastLines(log)
		return "", said, fmt.Errorf("start the set %s: %s", name, last)
	case err != nil:
		return "", nil, session.WithHint(fmt.Errorf("start the set %s: %w", name, err), "what it says is in "+log)
	}
	return into, nil, nil
}

func (f *setRunFlags) arguments() (args []string) {
	if f.blg {
		args = append(args, "--blg")
	}
	for _, name := range f.startedBy {
		args = append(args, "--started-by", name)
	}
	return args
}

// runSet runs a set until it ends.
func (p *program) runSet(c *cobra.Command, name string, f setRunFlags) error {
	settings, err := p.settings(c)
	if err != nil {
		return err
	}
	s, err := p.sets()
	if err != nil {
		return err
	}
	e, err := s.Load(name)
	if err != nil {
		return err
	}
	root, err := rootOf(e)
	if err != nil {
		return err
	}
	ctx := c.Context()
	r := &setRun{program: p, store: s, entry: e, flags: f, hostFlags: openingFlags(c), looks: looksOf(settings, p.config.Counters), lines: log.New(p.out, "", 0)}
	defer r.close()
	r.tasks = action.NewTurns(action.TurnsOptions{Task: p.taskOf, Report: r.report, Go: p.guard.Go})
	if err := r.open(ctx); err != nil {
		return unlessEnded(ctx, err)
	}
	o := runner.Options{
		Name: e.Set.Name, Store: s, Root: root, MustExist: e.State.Root != "", Computer: inventory.LocalName(),
		Hosts: r.hostsOf, Record: r.record, Judge: r.judge, Ended: r.segmentEnded, Clock: p.newClock(), Report: r.report,
	}
	if f.blg {
		o.Binary, _ = logs.FormatNamed("blg")
	}
	r.sayFormat(o.Binary)
	if !s.Running(e.Set.Name) {
		p.forgetRecordings(root, e)
	}
	return runner.Run(ctx, o)
}

// setRun is a run of a set in this process.
type setRun struct {
	*program
	store     *store.Store
	entry     *store.Entry
	flags     setRunFlags
	hostFlags []string
	looks     session.Looks

	queries []inventory.Query
	hosts   []inventory.Host
	stop    context.CancelFunc // of samplers
	once    *output.Once
	lines   *log.Logger   // what is printed, by many goroutines
	tasks   *action.Turns // those in [tasks] of the config that have the very names that the set says
}

func (r *setRun) report(err error) { r.once.Report(err) }

// sayFormat says, once, that binary files are written as others.
func (r *setRun) sayFormat(binary *logs.Format) {
	for i := range r.entry.Set.Collectors {
		c := &r.entry.Set.Collectors[i]
		if c.Kind == collectorset.Counters && c.LogFileFormat == collectorset.Binary {
			if binary == nil {
				fmt.Fprintln(r.err, "perfdeck: binary files are written as SQLite files, .db; --blg writes .blg, by experiment")
			} else {
				fmt.Fprintln(r.err, "perfdeck: .blg is written by experiment: it was never tried on Windows")
			}
			return
		}
	}
}

// open opens the hosts that the set's paths mean, and no others.
func (r *setRun) open(ctx context.Context) error {
	r.once = output.NewOnce(func(err error) { r.program.report(err) })
	var questions []session.Question
	for i := range r.entry.Set.Collectors {
		c := &r.entry.Set.Collectors[i]
		if c.Kind == collectorset.Counters {
			questions = append(questions, runner.Questions(c)...)
		}
	}
	for _, q := range questions {
		r.add(inventory.NewQuery(q.Text, ""))
	}
	for _, rule := range runner.Rules(r.entry.Set) {
		r.add(inventory.NewQuery(rule.When.Path.String(), ""))
	}
	if len(r.queries) == 0 {
		return session.WithHint(fmt.Errorf("start the set %s: no counter of a computer that may be asked", r.entry.Set.Name), "perfdeck collect check tells which are left out")
	}
	hosts, err := r.program.hostsOf(r.queries)
	if err != nil {
		return err
	}
	r.hosts = hosts
	var sampling context.Context
	sampling, r.stop = context.WithCancel(context.WithoutCancel(ctx))
	inventory.Start(sampling, hosts...)
	_, err = inventory.LookUp(ctx, hosts, r.queries, paths.Options{}, true, r.report)
	return err
}

// add takes a path of a computer that may be asked.
func (r *setRun) add(q inventory.Query) {
	if q.Computer != "" && !r.isWatched(q.Computer) {
		r.report(session.WithHint(fmt.Errorf("%s is left out: %s is no host of the config", q.Text, q.Computer), "add a [[host]] to the config, or name it with -H"))
		return
	}
	if !slices.ContainsFunc(r.queries, func(o inventory.Query) bool { return o.Text == q.Text }) {
		r.queries = append(r.queries, q)
	}
}

func (r *setRun) close() {
	if r.stop != nil {
		r.stop()
	}
	r.tasks.Wait()
}

// segmentEnded runs the task of the set for files that are complete: MS-PLA 3.2.4.1.
func (r *setRun) segmentEnded(files []string, goes bool) {
	s := r.entry.Set
	state := "0"
	if goes {
		state = "1"
	}
	v := map[string]string{
		"name": s.Name, "logs": strings.Join(files, " "), "state": state, "usertext": s.TaskUserTextArguments,
		"date": time.Now().Format(time.RFC3339),
	}
	r.tasks.Run(r.context(), s.Task, func(ctx context.Context, t action.Task) error { return t.Run(ctx, v, r.environ) })
}

// hostsOf are the hosts that paths of a collector mean.
func (r *setRun) hostsOf(questions []session.Question) ([]collector.Host, error) {
	var queries []inventory.Query
	for _, q := range questions {
		if i := slices.IndexFunc(r.queries, func(known inventory.Query) bool { return known.Text == q.Text }); i >= 0 {
			queries = append(queries, r.queries[i])
		}
	}
	out := slices.DeleteFunc(recordedHosts(r.hosts, queries), func(h collector.Host) bool { return len(h.Paths) == 0 })
	if len(out) == 0 {
		return nil, desk.ErrNoHost
	}
	return out, nil
}

// record begins a recording of the set.
func (r *setRun) record(o collector.Options) (runner.Recording, error) {
	o.Begun = func(file string) { r.say(session.Printable(file)) }
	rec, err := r.startRecording(o)
	if err != nil {
		return nil, err
	}
	return rec, nil
}

func (r *setRun) say(line string) { r.lines.Println(line) }

// setAlerts are the alerts of a set at work.
type setAlerts struct {
	*pipeline.Pipeline

	program *program
	stop    context.CancelFunc
	done    chan struct{}
	over    context.Context //nolint:containedctx // ends when all rules had their only sample
}

func (a *setAlerts) Done() <-chan struct{} { return a.over.Done() }

func (a *setAlerts) Stop() {
	a.stop()
	<-a.done
	a.Close(a.program.patience())
}

// judge begins the alerts of the set. One that fires is a line, is kept if its collector
// says so, and starts the set that it names.
func (r *setRun) judge(rules []alert.Rule) (runner.Alerts, error) {
	ctx, stop := context.WithCancel(context.Background())
	over, isOver := context.WithCancel(context.Background())
	a := &setAlerts{program: r.program, stop: stop, done: make(chan struct{}), over: over}
	a.Pipeline = r.newPipeline(pipeline.Options{
		Rules: rules, Looks: r.looks, Leads: true, Report: r.report, Log: r.fired,
		Changed: func() {
			if a.Pipeline != nil && allOver(a.Watch().Board()) {
				isOver()
			}
		},
	}, !r.keepsEvents())
	for _, h := range r.hosts {
		a.Watch().Add(h.Name, h.Sampler)
	}
	r.guard.Go(func() {
		defer close(a.done)
		a.Run(ctx)
	})
	return a, nil
}

// keepsEvents tells whether events of the set are kept in the log of alerts: EventLog.
func (r *setRun) keepsEvents() bool {
	return slices.ContainsFunc(r.entry.Set.Collectors, func(c collectorset.Collector) bool { return c.Kind == collectorset.Alerts && c.EventLog })
}

// allOver tells that all rules had their only sample.
func allOver(b *alert.Board) bool {
	return !slices.ContainsFunc(b.Rules, func(r alert.RuleStatus) bool { return !r.Over })
}

// fired prints what alerts tell, and starts what they start.
func (r *setRun) fired(n alert.Notice) {
	r.say(n.Time.In(time.Local).Format(time.RFC3339) + " " + session.Printable(n.Line()))
	for _, ev := range append([]alert.Event{n.Event}, n.More...) {
		c := runner.CollectorOf(r.entry.Set, ev.ID.Rule)
		if c == nil || ev.Kind != alert.Fired {
			continue
		}
		if c.Trigger != "" {
			r.trigger(c.Trigger)
		}
		one := n
		one.Event, one.More, one.ID.Rule, one.UserText = ev, nil, c.Name, c.TaskUserTextArguments
		r.tasks.Run(r.context(), c.Task, func(ctx context.Context, t action.Task) error { return t.For(ctx, &one, r.environ) })
	}
}

// trigger starts the set that an alert names. A set that led here is not started again.
func (r *setRun) trigger(name string) {
	chain := append(slices.Clone(r.flags.startedBy), r.entry.Set.Name)
	if slices.ContainsFunc(chain, func(before string) bool { return paths.EqualFold(before, name) }) {
		r.report(fmt.Errorf("the set %s is not started: its own alert led here (%s)", name, strings.Join(chain, ", then ")))
		return
	}
	r.guard.Go(func() {
		if err := r.startSet(r.context(), r.store, name, r.hostFlags, setRunFlags{blg: r.flags.blg, startedBy: chain}); err != nil {
			r.report(err)
		}
	})
}

// scheduler starts sets when they are due.
type scheduler struct {
	program   *program
	store     *store.Store
	hostFlags []string
	report    func(error)

	changed time.Time // of the store, when sets were read
	sets    map[string]*collectorset.Set
}

// newScheduler is nil where there is no place for sets.
func (p *program) newScheduler(hostFlags []string, report func(error)) *scheduler {
	s, err := p.sets()
	if err != nil {
		return nil // what else is kept tells why
	}
	return &scheduler{program: p, store: s, hostFlags: hostFlags, report: report}
}

// hasWork tells whether any set has a schedule that is not over.
func (s *scheduler) hasWork(now time.Time) bool {
	if s == nil {
		return false
	}
	look := scheduler{program: s.program, store: s.store, report: s.report} // run has its own
	return len(look.due(now)) > 0
}

// due are the sets with schedules, and when they start next.
func (s *scheduler) due(now time.Time) map[string]time.Time {
	if at := s.store.Changed(); s.sets == nil || !at.Equal(s.changed) {
		s.changed, s.sets = at, map[string]*collectorset.Set{}
		s.read()
	}
	out := map[string]time.Time{}
	for name, set := range s.sets {
		if at, ok := set.Next(now); ok {
			out[name] = at
		}
	}
	return out
}

// read reads the sets that have schedules.
func (s *scheduler) read() {
	names, err := s.store.Names()
	if err != nil {
		s.report(err)
	}
	for _, name := range names {
		if e, err := s.store.Load(name); err == nil && len(e.Set.Schedules) > 0 { // of others collect list says why
			s.sets[name] = e.Set
		}
	}
}

// lookAgain is how often the scheduler looks for sets that changed.
const lookAgain = 30 * time.Second

// run starts sets until the context ends. A time at which it did not run is not made up.
func (s *scheduler) run(ctx context.Context) {
	clock := s.program.newClock()
	from := clock.Now().Wall.In(time.Local)
	for ctx.Err() == nil {
		next := s.due(from)
		wake := lookAgain
		now := clock.Now().Wall.In(time.Local)
		for name, at := range next {
			if at.After(now) {
				wake = min(wake, at.Sub(now))
				continue
			}
			s.program.guard.Go(func() {
				if err := s.program.startSet(ctx, s.store, name, s.hostFlags, setRunFlags{}); err != nil {
					s.report(err)
				}
			})
		}
		from = now
		timer, stop := clock.Timer(max(wake, time.Millisecond))
		select {
		case <-ctx.Done():
		case <-timer:
		}
		stop()
	}
}
