package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/alert/pipeline"
	"perfdeck/session/config"
	"perfdeck/session/engine/push"
	"perfdeck/session/inventory"
	"perfdeck/session/record/desk"
	"perfdeck/session/record/note/notebook"
)

// watchFlags are the flags of watch.
type watchFlags struct {
	rules, packs []string
	json         bool
	systemd      bool
	replay       []string // recordings that the rules are tried on
	begin, end   string
	encoding     string
	shard        string
}

func (p *program) watchCommand() *cobra.Command {
	var f watchFlags
	c := &cobra.Command{
		Use:   "watch [--replay FILE...]",
		Short: "Watch alert rules without screens, or try them on recordings",
		Long: `watch judges the rules of the config and of --alert, does what they ask for, and
prints a line for each event. It ends on SIGTERM, and reads the config again on
SIGHUP. What fires, what was acknowledged and what is muted survives its end.

A rule is judged on a value cooked over its interval: that of its own, of
--interval, or 15 seconds. When hundreds of instances cross a limit at once they
are told in one line, those that follow in another. When all rules have the interval
"once" it ends after them, and after the recordings that they began.

To each [[push]] of the config it pushes counters, as perfdeck push does.

The hosts are those of --host, of the rules, and those of the config with "watch =
true" beside this computer. --shard 3/8 judges the third of eight parts of them, the
same as that of perfdeck push; each wants a state folder of its own (XDG_STATE_HOME).

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
  perfdeck watch --replay night.csv --alert '\Processor(_Total)\% Processor Time>90'
  perfdeck watch --systemd > /etc/systemd/system/perfdeck-watch.service`,
		RunE: func(c *cobra.Command, args []string) error {
			if err := f.check(args, p.flags.demo); err != nil {
				return err
			}
			switch {
			case f.systemd:
				return p.printUnit(c)
			case len(f.replay) > 0:
				return p.watchPast(c, f, slices.Concat(f.replay, args))
			}
			return p.watchAlerts(c, f)
		},
	}
	p.addAlertFlag(c, &f.rules)
	c.Flags().StringArrayVar(&f.packs, "pack", nil, "starter pack of rules besides those of the config (repeatable)")
	_ = c.RegisterFlagCompletionFunc("pack", completePack)
	c.Flags().BoolVar(&f.json, "json", false, "print a JSON object a line")
	addShardFlag(c, &f.shard)
	c.Flags().BoolVar(&f.systemd, "systemd", false, "print a unit file for systemd, and do nothing else")
	c.Flags().StringArrayVar(&f.replay, "replay", nil, "recording to try the rules on, and the files behind it (repeatable)")
	c.Flags().StringVar(&f.begin, "begin", "", "with --replay: leave out what is earlier")
	c.Flags().StringVar(&f.end, "end", "", "with --replay: leave out what is later")
	c.Flags().StringVar(&f.encoding, "encoding", "", "with --replay: encoding of text files, as 1252, 932, utf-16le (default: guessed)")
	return c
}

// alertWatch is the command while it runs.
type alertWatch struct {
	*program
	flags     watchFlags
	cmd       *cobra.Command
	alerts    *pipeline.Pipeline
	hosts     map[string]*watchedHost // by name
	records   *desk.Named
	pushes    *push.Desk
	every     time.Duration // of recordings and pushes without an interval
	printer   *printer
	changed   chan struct{}
	scheduler *scheduler       // of data collector sets; nil: there is no place for them
	outlook   pipeline.Outlook // since the config was read
	notes     *notebook.Book   // nil: there is no place for them
	shard     push.Shard
}

// watchedHost is a host whose sampler runs.
type watchedHost struct {
	inventory.Host
	end context.CancelFunc

	failed string    // why it did, as it was told; empty: it answers
	toldAt time.Time // when that was
}

// troubleEvery is how often it is told at most that a host fails.
const troubleEvery = time.Minute

// tellTrouble tells that a host fails, and why, or that it answers again. One that fails now
// and then is told of once a minute.
func (h *watchedHost) tellTrouble(now time.Time, report func(error) int, tell func(string)) {
	switch state := h.Sampler.State(); {
	case state.Err != nil && h.failed == "" && now.Sub(h.toldAt) >= troubleEvery:
		h.failed, h.toldAt = state.Err.Error(), now
		err := state.Err
		if !strings.Contains(h.failed, h.Name) {
			err = fmt.Errorf("%s: %w", h.Name, err)
		}
		report(err)
	case state.Phase == session.Live && h.failed != "":
		h.failed = ""
		tell(h.Name + " answers again")
	}
}

var errNoRules = errors.New("there are no rules")

// watchAlerts runs until the context ends.
func (p *program) watchAlerts(c *cobra.Command, f watchFlags) error {
	settings, err := p.settings(c)
	if err != nil {
		return err
	}
	rules, err := rulesOf(p.config, f.packs, f.rules)
	if err != nil {
		return err
	}
	shard, err := shardOf(f.shard)
	if err != nil {
		return err
	}
	scheduled := p.newScheduler(openingFlags(c), func(err error) { p.report(err) })
	if len(rules) == 0 && !recordsAlways(p.config) && len(p.config.Pushes) == 0 && !scheduled.hasWork(time.Now()) {
		return noRules()
	}
	every, err := alertInterval(c, settings)
	if err != nil {
		return err
	}
	w := &alertWatch{program: p, flags: f, cmd: c, hosts: map[string]*watchedHost{}, changed: make(chan struct{}, 1), shard: shard, every: settings.Interval}
	w.printer = newPrinter(p, f.json)
	w.pushes = p.newPushDesk(func(err error) { p.report(err) })
	w.records = p.newRecordDesk(settings.Interval, openingFlags(c), func(err error) { p.report(err) })
	w.alerts = p.newPipeline(pipeline.Options{
		Rules: rules, Every: every, Looks: looksOf(settings, p.config.Counters), Leads: true, Log: w.printer.print, Terminal: w.printer.terminal(),
		Changed: w.note, Report: func(err error) { p.report(err) }, Recordings: w.records,
		Tell: p.tell,
	}, false)
	if w.alerts.IsSecond() {
		p.report(session.WithHint(errTwoWatch, "rules that both have are told twice"))
	}
	for _, err := range lackingSecrets(p.config) {
		p.report(err)
	}
	w.scheduler = scheduled
	if w.notes, err = p.userNotes(); err != nil {
		w.notes = nil // the journal of alerts told why
	} else {
		defer w.notes.Close()
		if _, err := w.notes.News(); err != nil { // what was written before is no news
			p.report(err)
		}
	}
	return w.run(c.Context(), rules)
}

func noRules() error {
	return usage(session.WithHint(fmt.Errorf("watch alerts: %w", errNoRules), `name one with --alert '\Memory\Available MBytes<200', a --pack, or an [[alert]] in the config`))
}

var errTwoWatch = errors.New("another perfdeck watches alerts already")

// alertInterval is what --interval says for rules without one; 0: nothing.
func alertInterval(c *cobra.Command, s config.Settings) (time.Duration, error) {
	if !c.Flags().Changed("interval") {
		return 0, nil
	}
	if s.Interval < alert.MinInterval {
		return 0, usage(fmt.Errorf("--interval %v: alerts are judged each second at most", s.Interval))
	}
	return s.Interval, nil
}

// note marks that something changed.
func (w *alertWatch) note() {
	select {
	case w.changed <- struct{}{}:
	default:
	}
}

// run watches until the context ends, or nothing is left to do.
func (w *alertWatch) run(ctx context.Context, rules []alert.Rule) error {
	if err := w.setHosts(ctx, rules); err != nil {
		return err
	}
	hangups := make(chan struct{}, 1)
	w.life.OnHangup(func() {
		select {
		case hangups <- struct{}{}:
		default:
		}
	})
	defer w.life.OnHangup(nil)
	// Whoever reads the lines may go: then it ends as it should, not by a signal.
	pipes := make(chan os.Signal, 1)
	signal.Notify(pipes, syscall.SIGPIPE)
	defer signal.Stop(pipes)
	running, stop := context.WithCancel(ctx)
	judged, printed := make(chan struct{}), make(chan struct{})
	w.guard.Go(func() {
		defer close(judged)
		w.alerts.Run(running)
	})
	w.guard.Go(func() {
		defer close(printed)
		w.printer.Run()
	})
	w.records.StartAlways()
	w.pushes.Set(w.pushEntries(w.every))
	if w.scheduler != nil {
		w.guard.Go(func() { w.scheduler.run(running) })
	}
	err := w.loop(ctx, hangups)
	stop()
	<-judged
	w.finish(ctx)
	w.printer.Close()
	<-printed
	for _, h := range w.hosts {
		h.end()
	}
	return errors.Join(err, w.printer.ended(w.report))
}

// finishing is how long actions may take when nothing is left to judge.
const finishing = time.Minute

// finish ends actions and recordings. Recordings that alerts began go on for as long as
// they are to, unless a signal ends them.
func (w *alertWatch) finish(ctx context.Context) {
	if ctx.Err() != nil { // a signal: what was recorded comes first
		w.closeRecordings(w.records)
		w.pushes.Close()
		w.alerts.Close(w.patience())
		return
	}
	w.alerts.Close(finishing)
	if names := w.records.Files(); len(names) > 0 && !w.printer.HasFailed() {
		fmt.Fprintf(w.err, "perfdeck: nothing is left to judge; what alerts began to record goes on: %s\n", session.Printable(strings.Join(names, ", ")))
		w.records.Await(ctx)
	}
	w.closeRecordings(w.records)
	w.pushes.Close()
}

func (w *alertWatch) loop(ctx context.Context, hangups <-chan struct{}) error {
	looks := time.NewTicker(noteEvery)
	defer looks.Stop()
	for {
		select {
		case <-looks.C:
			w.printNotes()
			for _, h := range w.hosts {
				h.tellTrouble(time.Now(), w.report, w.tell)
			}
		case <-ctx.Done():
			return nil
		case <-w.printer.Failed():
			return nil
		case <-hangups:
			w.reload(ctx)
		case <-w.changed:
			left, err := w.look()
			if !left && !recordsAlways(w.config) && len(w.config.Pushes) == 0 && !w.scheduler.hasWork(time.Now()) {
				return err
			}
		}
	}
}

// noteEvery is how often it is looked for notes.
const noteEvery = time.Second

// printNotes prints what somebody wrote down since the last look.
func (w *alertWatch) printNotes() {
	if w.notes == nil {
		return
	}
	news, err := w.notes.News()
	if err != nil {
		w.report(err)
	}
	for i := range news {
		w.printer.Put(printed{note: &news[i]})
	}
}

// reload reads the config again. What is wrong with it is reported; the rules
// then stay as they were.
func (w *alertWatch) reload(ctx context.Context) {
	old := w.config
	w.config = nil
	err := w.loadConfig()
	var rules []alert.Rule
	if err == nil {
		rules, err = rulesOf(w.config, w.flags.packs, w.flags.rules)
	}
	var settings config.Settings
	if err == nil {
		settings, err = w.merge(w.cmd, w.config)
	}
	if err != nil {
		w.config = old
		w.report(fmt.Errorf("the config is not taken: %w", err))
		return
	}
	for _, err := range lackingSecrets(w.config) {
		w.report(err)
	}
	w.outlook = pipeline.Outlook{}
	w.alerts.SetTargets(w.targets(w.config))
	w.alerts.Watch().SetLooks(looksOf(settings, w.config.Counters))
	w.alerts.Watch().SetRules(rules)
	if err := w.setHosts(ctx, rules); err != nil {
		w.report(err)
	}
	if w.notes != nil {
		w.notes.SetFiles(w.noteFiles())
	}
	w.records.SetPlans(plansOf(w.config.Records, w.every, openingFlags(w.cmd)))
	w.records.StartAlways()
	w.pushes.Set(w.pushEntries(w.every))
}

// setHosts opens the hosts that are to be watched, and closes those that are not
// any more.
func (w *alertWatch) setHosts(ctx context.Context, rules []alert.Rule) error {
	wanted, err := w.alertHosts(rules, w.shard)
	var names []string
	for _, h := range wanted {
		names = append(names, h.Name)
		if w.hosts[h.Name] != nil {
			_ = h.Source.Close()
			continue
		}
		ctx, end := context.WithCancel(ctx)
		w.hosts[h.Name] = &watchedHost{Host: h, end: end}
		w.alerts.Watch().Add(h.Name, h.Sampler)
		w.records.Add(recordedHost(h))
		w.pushes.Add(pushedHost(h))
		inventory.Start(ctx, h)
	}
	if err != nil {
		return err
	}
	for name, h := range w.hosts {
		if !slices.Contains(names, name) {
			w.alerts.Watch().Drop(name)
			w.records.Drop(name)
			w.pushes.Drop(name)
			h.end()
			delete(w.hosts, name)
		}
	}
	return nil
}

// alertHosts opens the hosts that rules are about. With an error those that could
// be opened are returned, too.
func (p *program) alertHosts(rules []alert.Rule, shard push.Shard) ([]inventory.Host, error) {
	if p.flags.demo {
		return p.shardHosts(shard)
	}
	known, err := p.inventory()
	if err != nil {
		return nil, err
	}
	queries := queriesOfRules(rules)
	recorded, anywhere := recordedAt(p.config)
	pushed, all := pushedAt(p.config)
	recorded, anywhere = append(recorded, pushed...), anywhere || all
	anywhere = anywhere || slices.ContainsFunc(queries, func(q inventory.Query) bool { return q.Computer == "" })
	names := p.flags.hosts
	if len(names) == 0 && anywhere {
		names = known.Watched()
	}
	names = inventory.Named(append(slices.Clone(names), recorded...), queries, false)
	if names, err = known.Expand(p.context(), names); err != nil {
		return nil, err
	}
	if !shard.IsWhole() {
		if names, err = namesOfShard(known, names, shard); err != nil {
			return nil, err
		}
	}
	var out []inventory.Host
	for _, name := range names {
		h, err := known.OpenAs(name, nil, inventory.Mode{Kept: true})
		if err != nil {
			return out, err
		}
		if slices.ContainsFunc(out, func(o inventory.Host) bool { return o.Name == h.Name }) {
			_ = h.Source.Close()
			continue
		}
		out = append(out, h)
	}
	return out, nil
}

var errNoneFollowed = errors.New("no rule can be judged")

// look tells, once, which rules no host can follow, and whether any is left to judge.
func (w *alertWatch) look() (left bool, err error) {
	waits := false
	for _, h := range w.hosts {
		waits = waits || h.Sampler.Catalogue() == nil
	}
	switch w.outlook.Look(w.alerts.Watch().Board(), waits, func(rule, problem string) { w.report(fmt.Errorf("rule %s: %s", rule, problem)) }) {
	case pipeline.HadNothing:
		return false, &exitError{exitPartly, session.WithHint(fmt.Errorf("watch alerts: %w", errNoneFollowed), "perfdeck list shows what hosts have; perfdeck alerts check -H HOST looks rules up")}
	case pipeline.HadSome:
		return false, &exitError{code: exitPartly}
	case pipeline.HadAll:
		return false, nil
	case pipeline.Something:
	}
	return true, nil
}
