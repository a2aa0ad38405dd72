// Package collecting is the process that runs a data collector set: it opens the hosts that the
// set's paths mean, records and judges them, and does what the set has done when files end
// and alerts fire. How a run begins, goes on and ends is the runner's.
package collecting

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/app/inventory"
	"perfdeck/session/app/pipeline"
	"perfdeck/session/app/sampling"
	"perfdeck/session/config"
	"perfdeck/session/deliver/action"
	"perfdeck/session/files/formats"
	"perfdeck/session/recording/collector"
	"perfdeck/session/recording/collectorset"
	"perfdeck/session/recording/collectorset/runner"
	"perfdeck/session/recording/collectorset/sets"
	"perfdeck/session/recording/recorders"
	"perfdeck/session/system/failure"
	"perfdeck/session/text/printable"
)

// Options are what the run of a set needs.
type Options struct {
	Sets    *sets.Sets
	Set     *sets.Set
	Started sets.Started

	// Open opens the hosts that queries mean.
	Open   func([]inventory.Query) ([]inventory.Host, error)
	Record func(collector.Options) (*collector.Recording, error)
	// Alerts makes alerts ready; forgets: nothing is kept of them. Patience is how long they
	// may take to end.
	Alerts   func(o pipeline.Options, forgets bool) *pipeline.Pipeline
	Patience func() time.Duration
	Looks    session.Looks
	// Task is the [tasks] of the config that has a name; programs see Environ.
	Task    func(name string) (config.Task, bool)
	Environ []string
	// StartSet starts another set.
	StartSet func(ctx context.Context, name string, how sets.Started) error

	Clock  session.Clock
	Go     func(func())
	Print  func(line string) // any goroutine calls it and the next ones
	Note   func(text string) // for who started it
	Report func(error)
}

// run is a run of a set in this process.
type run struct {
	Options

	set     *collectorset.Set
	queries []inventory.Query
	hosts   []inventory.Host
	stop    context.CancelFunc // of samplers
	tasks   *action.Turns      // those in [tasks] of the config that have the very names that the set says
	program context.Context    //nolint:containedctx // that of the program: tasks and sets are begun while it lasts
}

// Run runs a set until it ends, or the context does. program is the context of the program,
// which ends by signals.
func Run(ctx, program context.Context, o Options) error {
	r := &run{Options: o, set: o.Set.Set, program: program}
	r.tasks = action.NewTurns(action.TurnsOptions{Task: o.Task, Report: o.Report, Go: o.Go})
	defer r.close()
	if err := r.open(ctx); err != nil {
		return err
	}
	ro := runner.Options{
		Name: r.set.Name, Root: o.Set.Root, MustExist: o.Set.State.Root != "", Computer: inventory.LocalName(),
		Hosts: r.hostsOf, Record: r.record, Judge: r.judge, Ended: r.segmentEnded, Clock: o.Clock, Report: o.Report,
	}
	if o.Started.BLG {
		ro.Binary, _ = formats.OfWindows("BIN")
	}
	r.noteFormat()
	return o.Sets.Run(ctx, o.Set, ro)
}

// noteFormat says, once, that binary files are written as others.
func (r *run) noteFormat() {
	if !slices.ContainsFunc(r.set.Collectors, func(c collectorset.Collector) bool {
		return c.Kind == collectorset.Counters && c.LogFileFormat == collectorset.Binary
	}) {
		return
	}
	if r.Started.BLG {
		r.Note(".blg is written by experiment: it was never tried on Windows")
	} else {
		r.Note("binary files are written as SQLite files, .db; --blg writes .blg, by experiment")
	}
}

// open opens the hosts that the set's paths mean, and no others.
func (r *run) open(ctx context.Context) error {
	for i := range r.set.Collectors {
		c := &r.set.Collectors[i]
		if c.Kind != collectorset.Counters {
			continue
		}
		for _, q := range runner.Questions(c) {
			r.add(inventory.NewQuery(q.Text, ""))
		}
	}
	for _, rule := range runner.Rules(r.set) {
		r.add(inventory.NewQuery(rule.When.Path.String(), ""))
	}
	if len(r.queries) == 0 {
		return failure.WithHint(fmt.Errorf("start the set %s: no counter of a computer that may be asked", r.set.Name), "perfdeck collect check tells which are left out")
	}
	hosts, err := r.Open(r.queries)
	if err != nil {
		return err
	}
	r.hosts = hosts
	var sampling context.Context
	sampling, r.stop = context.WithCancel(context.WithoutCancel(ctx))
	inventory.Start(sampling, hosts...)
	_, err = inventory.LookUp(ctx, hosts, r.queries, paths.Options{}, true, r.Report)
	return err
}

// add takes a path of a computer that may be asked.
func (r *run) add(q inventory.Query) {
	if q.Computer != "" && !r.Sets.Watches(q.Computer) {
		r.Report(failure.WithHint(fmt.Errorf("%s is left out: %s is no host of the config", q.Text, q.Computer), "add a [[host]] to the config, or name it with -H"))
		return
	}
	if !slices.ContainsFunc(r.queries, func(o inventory.Query) bool { return o.Text == q.Text }) {
		r.queries = append(r.queries, q)
	}
}

func (r *run) close() {
	if r.stop != nil {
		r.stop()
	}
	r.tasks.Wait()
}

// segmentEnded runs the task of the set for files that are complete: MS-PLA 3.2.4.1.
func (r *run) segmentEnded(files []string, goes bool) {
	state := "0"
	if goes {
		state = "1"
	}
	v := map[string]string{
		"name": r.set.Name, "logs": strings.Join(files, " "), "state": state, "usertext": r.set.TaskUserTextArguments,
		"date": time.Now().Format(time.RFC3339),
	}
	r.tasks.Run(r.program, r.set.Task, func(ctx context.Context, t config.Task) error { return action.Run(ctx, t, v, r.Environ) })
}

// hostsOf are the hosts that paths of a collector mean.
func (r *run) hostsOf(questions []session.Question) ([]collector.Host, error) {
	var queries []inventory.Query
	for _, q := range questions {
		if i := slices.IndexFunc(r.queries, func(known inventory.Query) bool { return known.Text == q.Text }); i >= 0 {
			queries = append(queries, r.queries[i])
		}
	}
	out := slices.DeleteFunc(sampling.Hosts(r.hosts, queries), func(h collector.Host) bool { return len(h.Paths) == 0 })
	if len(out) == 0 {
		return nil, recorders.ErrNoHost
	}
	return out, nil
}

// record begins a recording of the set.
func (r *run) record(o collector.Options) (runner.Recording, error) {
	begun := o.Begun
	o.Begun = func(file string) {
		begun(file)
		r.Print(printable.Text(file))
	}
	rec, err := r.Record(o)
	if err != nil {
		return nil, err
	}
	return rec, nil
}
