package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"perfdeck/session/alert"
	"perfdeck/session/app/daemon"
	"perfdeck/session/app/pipeline"
	"perfdeck/session/app/ruleset"
	"perfdeck/session/app/sampling"
	"perfdeck/session/config"
	"perfdeck/session/files/logs"
	"perfdeck/session/files/note/notebook"
	"perfdeck/session/give/health"
	"perfdeck/session/give/push"
	"perfdeck/session/hosts/logon"
	"perfdeck/session/recording/collectorset/sets"
	"perfdeck/session/system/failure"
	"perfdeck/session/text/english"
)

// watchFlags are the flags of watch.
type watchFlags struct {
	rules, packs []string
	JSON         bool     `flag:"json" help:"print a JSON object a line"`
	Replay       []string `flag:"replay" help:"recording to try the rules on, and the files behind it (repeatable)"`
	begin, end   string
	read         logs.OpenOptions
	shard        string
	metrics      string
}

func (p *program) watchCommand() *cobra.Command {
	var f watchFlags
	c := flagged(&cobra.Command{
		Use:   "watch [--replay FILE...]",
		Short: "Watch alert rules without screens, or try them on recordings",
		Long: `watch judges the rules of the config and of --alert, does what they ask for, and prints a
line for each event. What fires, what was acknowledged and what is muted survives its end,
by SIGTERM. On SIGHUP it reads the config again, with hosts, groups, feeds, recordings and
pushes, and the files of --hosts-file. One line tells what was taken; if something is
wrong, it tells what, and nothing changes. perfdeck config check --against running tells
that before.

A rule is judged on a value cooked over its interval: that of its own, of
--interval, or 15 seconds. When hundreds of instances cross a limit at once they
are told in one line, those that follow in another. When all rules have the interval
"once" it ends after them, and after the recordings that they began.

It also pushes counters to each [[push]] of the config, as perfdeck push does.

The hosts are those of --host, of the rules, and those of the config with "watch = true"
beside this computer. A rule, [[record]] or [[push]] without hosts is not for a host that
only another rule names. --shard 3/8 judges the third of eight parts of the hosts, the
same as perfdeck push; each part needs a state folder of its own (XDG_STATE_HOME).

With --json each event is an object on one line, as webhooks get it: "time",
"event" (fired, still firing, cleared, acknowledged ...), "rule", "severity",
"host", "path", "instance", "value", "op", "threshold", "text", "count" and, for
several told together, "more". Notes, see perfdeck note, are lines among them: with
--json of the event "note", with "time", "text" and "by".

Rules that can match nothing are told at once. The exit code is 3 when no rule is left
that can be judged, or when one that has the interval "once" could not be.

--replay tries the rules on recordings instead, with those that were made, changed
or switched off on the screens: how often would this have fired? It reads what relog
reads, several files as one recording. Rules are judged as live, over their
intervals, at the times of the recording; in a gap its hosts do not answer. No
action is done. After the events a table tells of every rule how often it would have
fired, on how many values, for how long in all and at most, its worst value, and
when first and last; and which rules the recording has nothing of. With --json the
lines of the table are objects with the key "summary". --begin and --end are those
of relog; with --host only those hosts of the recording are judged.

The exit code of --replay is 3 when the recording has nothing that some rule asks
for, or when it was interrupted, and 1 when it has nothing of any rule. Rules of
packs, which are for many kinds of hosts, may find nothing.`,
		Example: `  perfdeck watch
  perfdeck watch --alert '\Memory\Available MBytes<200' --alert 'absent host'
  perfdeck watch --pack disk -H web01 --json
  perfdeck watch --replay night.csv --alert '\Processor Information(_Total)\% Processor Time>90'
  perfdeck watch --systemd > /etc/systemd/system/perfdeck-watch.service`,
	}, &f, p.watch)
	p.addAlertFlag(c, &f.rules)
	addPackFlag(c, &f.packs, "starter pack of rules besides those of the config")
	addShardFlag(c, &f.shard)
	addMetricsFlag(c, &f.metrics)
	addSpanFlags(c, &f.begin, &f.end, "with --replay: ")
	addReadingFlags(c, &f.read, "with --replay: ")
	p.addUnitFlag(c, "alerts on performance counters", []string{"alert", "pack"})
	return c
}

// watch does what the flags ask for.
func (p *program) watch(c *cobra.Command, args []string, f watchFlags) error {
	if err := f.check(args, p.flags.Demo); err != nil {
		return err
	}
	if len(f.Replay) > 0 {
		return p.watchPast(c, f, slices.Concat(f.Replay, args))
	}
	return p.watchAlerts(c, f)
}

// watchAlerts runs until the context ends.
func (p *program) watchAlerts(c *cobra.Command, f watchFlags) error {
	w := &watchRun{running: p.serviceOf(c, watchKeys), flags: f}
	w.named.Packs, w.named.Rules = f.packs, f.rules
	settings, err := p.settings(c)
	if err != nil {
		return err
	}
	if w.shard, err = shardOf(f.shard); err != nil {
		return err
	}
	all := p.sets(openingFlags(c)...)
	start := p.startSet(all)
	w.sets = all.NewScheduler(func(ctx context.Context, name string) error { return start(ctx, name, sets.Started{}) }, w.tellError, p.tell)
	every, err := alertInterval(c, settings)
	if err != nil {
		return err
	}
	setup, err := w.setup(settings)
	if err != nil {
		return err
	}
	out, pushes := newPrinter(p, f.JSON), p.pushes(w.tellError).Group(nil)
	err = w.tellSelf(c.Context(), f.metrics, func() []health.Fact { return append(w.facts(), pushFacts(pushes.Status())...) }, func() error {
		return errors.Join(w.judged.Check("judged", cmp.Or(every, alert.DefaultInterval)), delivers(pushes.Status()))
	})
	if err != nil {
		return err
	}
	o := daemon.Options{
		Alerts: p.pipelineOptions(pipeline.Options{
			Every: every, Leads: true, Log: out.print, Terminal: out.terminal(), Report: w.tellError, Tell: p.tell,
		}, false),
		Records: p.newRecordings(settings.Interval, openingFlags(c), w.tellError),
		Pushes:  pushes, Output: out, Life: &p.life,
		Begun: func() { w.end = w.begun(w.counts(setup)) }, Reload: w.reload, Judging: func() {
			w.manager.Alive()
			w.judged.Now()
		},
	}
	if w.sets != nil {
		o.Beside = w.sets.Run
	}
	if dir, err := config.MakeStateDir(); err == nil { // else the journal of alerts tells why
		notes := notebook.New(dir, p.config.NotePaths()...)
		defer notes.Close()
		o.Notes = notes
	}
	return w.run(c.Context(), daemon.New(o, setup), out)
}

// watchRun is the command while it runs.
type watchRun struct {
	*running

	flags watchFlags
	shard push.Shard
	sets  *sets.Scheduler // of data collector sets; nil: there is no place for them
	end   func()          // see running.begun; nil: it did not begin

	judged       health.Beat
	hosts, rules health.Gauge
}

// facts are what is watched.
func (w *watchRun) facts() []health.Fact {
	return []health.Fact{fact("perfdeck_watch_hosts", "Hosts that are watched.", false, w.hosts.Get()), fact("perfdeck_watch_rules", "Rules that are judged.", false, w.rules.Get())}
}

// run watches, and prints what comes of it.
func (w *watchRun) run(ctx context.Context, d *daemon.Daemon, out *printer) error {
	defer w.life.Outlive()() // when nobody reads the lines it ends as it should, not by a signal
	printed := make(chan struct{})
	w.guard.Go(func() {
		defer close(printed)
		out.Run()
	})
	err := d.Run(ctx)
	if w.end != nil {
		w.end()
	}
	out.Close()
	<-printed
	switch {
	case errors.Is(err, daemon.ErrNone):
		err = &exitError{exitPartly, failure.WithHint(fmt.Errorf("watch alerts: %w", err), "perfdeck list shows what hosts have; perfdeck alerts check -H HOST looks rules up")}
	case errors.Is(err, daemon.ErrSome):
		err = ended(exitPartly)
	}
	return errors.Join(err, out.ended(w.report))
}

// setup is what the config and the flags ask for, with the hosts that rules are about.
func (w *watchRun) setup(s config.Settings) (*daemon.Setup, error) {
	file, every := w.config, s.Interval // of recordings and pushes without an interval
	rules, err := ruleset.Of(file, w.flags.packs, w.flags.rules)
	if err != nil {
		return nil, err
	}
	pushes := w.pushes(w.tellError).Entries(every)
	if w.program.flags.Demo { // which reaches nobody
		pushes = nil
	}
	setup := &daemon.Setup{
		Rules: rules, Looks: file.Counters.Looks(s), Targets: w.targets(file), Warnings: append(logon.Lacking(file), file.Unbounded()...),
		Plans: sampling.Planned(file.Records, every, openingFlags(w.cmd)), Pushes: pushes, NoteFiles: file.NotePaths(),
		All:   len(w.program.flags.Hosts) == 0 && w.shard.IsWhole() && !w.program.flags.Demo,
		Stays: func() bool { return file.RecordsAlways() || len(pushes) > 0 || w.sets.HasWork(time.Now()) },
	}
	if len(rules) == 0 && !setup.Stays() {
		return nil, noRules()
	}
	setup.Hosts, err = w.known().ToWatch(w.context(), file, ruleset.Queries(rules), w.program.flags.Hosts, w.shard)
	return setup, err
}

// counts says what is watched.
func (w *watchRun) counts(s *daemon.Setup) string {
	w.hosts.Set(int64(len(s.Hosts)))
	w.rules.Set(int64(len(s.Rules)))
	return english.Count(len(s.Hosts), "host", "hosts") + ", " + english.Count(len(s.Rules), "rule", "rules")
}

// reload has take take what the config asks for by now.
func (w *watchRun) reload(take func(*daemon.Setup)) {
	w.running.reload(func(s config.Settings) (string, error) {
		setup, err := w.setup(s)
		if err != nil {
			return "", err
		}
		take(setup)
		return w.counts(setup), nil
	})
}

func noRules() error {
	return usage(fmt.Errorf("watch alerts: %w", ruleset.ErrNone), `name one with --alert '\Memory\Available MBytes<200', a --pack, or an [[alert]] in the config`)
}

// ruleSettings are the settings, and what --interval says for rules without one.
func (p *program) ruleSettings(c *cobra.Command) (s config.Settings, every time.Duration, err error) {
	if s, err = p.settings(c); err == nil {
		every, err = alertInterval(c, s)
	}
	return s, every, err
}

// alertInterval is what --interval says for rules without one; 0: nothing.
func alertInterval(c *cobra.Command, s config.Settings) (time.Duration, error) {
	if !c.Flags().Changed("interval") {
		return 0, nil
	}
	if s.Interval < alert.MinInterval {
		return 0, usage(fmt.Errorf("--interval %s: alerts are judged each second at most", english.Exact(s.Interval)))
	}
	return s.Interval, nil
}
