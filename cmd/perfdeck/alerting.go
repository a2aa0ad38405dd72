package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/user"
	"slices"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/alert/action"
	"perfdeck/session/alert/journal"
	"perfdeck/session/alert/outbox"
	"perfdeck/session/alert/rulepack"
	"perfdeck/session/config"
)

// addAlertFlag adds the flag that names rules.
func (p *program) addAlertFlag(c *cobra.Command, rules *[]string) {
	c.Flags().StringArrayVar(rules, "alert", nil, `alert rule: '\Path>90', 'absent \Path' or 'absent host' (repeatable)`)
	_ = c.RegisterFlagCompletionFunc("alert", p.completeRule)
}

// commandLine is where rules of --alert stand.
const commandLine = "--alert"

// alertRules reads the rules of --alert. They are warnings that end in the log.
func alertRules(texts []string) (out []alert.Rule, mistakes []error) {
	for _, text := range texts {
		r, err := alert.ParseRule(text)
		if err != nil {
			mistakes = append(mistakes, usage(fmt.Errorf("--alert: %w", err)))
			continue
		}
		faults := r.Faults()
		for _, err := range faults {
			mistakes = append(mistakes, usage(fmt.Errorf("--alert: %w", err)))
		}
		if len(faults) == 0 {
			r.Origin, r.Actions = commandLine, []alert.Action{{Do: alert.Log}}
			out = append(out, r)
		}
	}
	return out, mistakes
}

// rulesOf are all rules: of the command line, of the config, of its packs and of
// more packs. Where two have the same name the first counts. The error is the first
// mistake.
func rulesOf(file *config.Config, packs, texts []string) ([]alert.Rule, error) {
	rules, mistakes := readRules(file, packs, texts)
	if len(mistakes) > 0 {
		return nil, mistakes[0]
	}
	return rules, nil
}

// readRules are the rules of rulesOf, and all that is wrong with others.
func readRules(file *config.Config, packs, texts []string) (rules []alert.Rule, mistakes []error) {
	rules, mistakes = alertRules(texts)
	rules = append(rules, file.Alerts.Rules...)
	for _, name := range slices.Concat(packs, file.Alerts.Packs) {
		more, err := rulepack.Rules(name)
		if err != nil {
			mistakes = append(mistakes, usage(err))
		}
		rules = append(rules, more...)
	}
	for i := range rules {
		if c := &rules[i].When.Path.Computer; *c != "" && isLocal(*c) {
			*c = localName()
		}
	}
	return rules, mistakes
}

// alerting is alerts at work: the watch that judges, the journal that keeps, the
// runner that acts, and the outbox with what it has to deliver.
type alerting struct {
	watch   *alert.Watch
	journal *journal.Journal // nil: nothing is kept
	runner  *action.Runner
	// leads: this process acts in any case; otherwise only if no other does.
	leads  bool
	hurry  func() bool // a signal ends the program
	report func(error)

	taking sync.Mutex // held while the outbox is taken over, and guards tried
	tried  bool

	mu     sync.Mutex
	outbox *outbox.Outbox // of the process that leads; nil: it does not, or cannot
}

// alertingOptions say how alerts are told of.
type alertingOptions struct {
	rules    []alert.Rule
	every    time.Duration // of rules without an interval; 0: the default
	looks    session.Looks // of values in events
	leads    bool
	forgets  bool                 // nothing is kept: the hosts are invented
	log      func(alert.Notice)   // must not block
	terminal func(action.Request) // must not block; nil: there is none
	records  action.Recordings    // nil: there are none
	changed  func()               // must not block; may be nil
	around   bool                 // the values around events are kept
	report   func(error)
	tell     func(string) // what is well again; nil: nobody wants to know
}

// newAlerting makes alerts ready. Nothing is judged until its watch runs. That
// nothing can be kept is reported, and no more.
func (p *program) newAlerting(o alertingOptions) *alerting {
	a := &alerting{leads: o.leads, report: o.report, hurry: func() bool { return p.context().Err() != nil }}
	a.runner = action.New(action.Options{
		Go: p.guard.Go, Log: o.log, Terminal: o.terminal, Report: o.report, Tell: o.tell, Environ: p.environ,
		Recordings: o.records, Targets: p.targets(p.config), Done: a.done, Waits: func() bool { return a.kept() != nil },
	})
	wo := alert.Options{
		Clock: p.newClock(), Every: o.every, Rules: o.rules, Looks: o.looks,
		Deliver: a.deliver, Report: o.report, Changed: o.changed, Around: o.around,
	}
	if o.forgets {
		a.watch = alert.NewWatch(wo)
		a.runner.Repeat(a.firing)
		return a
	}
	j, memory, err := openJournal(o.report)
	if err != nil {
		o.report(fmt.Errorf("alerts are not kept: %w", err))
	} else {
		a.journal, wo.Memory, wo.Keep, wo.Acts = j, memory, a.keep, a.others
	}
	a.watch = alert.NewWatch(wo)
	a.runner.Repeat(a.firing)
	return a
}

// openJournal opens what is kept of alerts.
func openJournal(report func(error)) (*journal.Journal, *alert.Memory, error) {
	dir, err := config.MakeStateDir()
	if err != nil {
		return nil, nil, err
	}
	j, memory, damaged, err := journal.Open(dir, time.Now())
	if damaged > 0 {
		report(fmt.Errorf("read the history of alerts in %s: %s could not be read and were left out", dir, count(damaged, "line", "lines")))
	}
	return j, memory, err
}

// targets are what a config says of those that actions name.
func (p *program) targets(file *config.Config) action.Targets {
	out := action.Targets{Tasks: map[string]action.Task{}, Webhooks: map[string]action.Webhook{}, Alertmanagers: map[string]action.Alertmanager{}}
	for name, t := range file.Alerts.Tasks {
		out.Tasks[name] = action.Task{Command: t.Command, Timeout: t.Timeout, Most: t.Most}
	}
	for name, w := range file.Alerts.Webhooks {
		hook := action.Webhook{URL: w.URL, Header: w.Header, CAFile: w.CAFile, PerMinute: w.PerMinute}
		if !w.Token.IsZero() {
			hook.Token = func(ctx context.Context) ([]byte, error) {
				return p.accounts().Follow(ctx, "webhook "+name, name, w.Token)
			}
		}
		out.Webhooks[name] = hook
	}
	for _, m := range file.Alerts.Alertmanagers {
		to := action.Alertmanager{URLs: m.URLs, User: m.User, CAFile: m.CAFile, Repeat: m.Repeat, Labels: m.Labels, Link: m.Link}
		if !m.Secret.IsZero() {
			to.Secret = func(ctx context.Context) ([]byte, error) {
				return p.accounts().Follow(ctx, "Alertmanager "+m.Name, cmp.Or(m.User, m.Name), m.Secret)
			}
		}
		out.Alertmanagers[paths.Fold(m.Name)] = to
	}
	return out
}

// setConfig takes targets from a config. What waits for those of before is
// done by the new ones.
func (a *alerting) setConfig(p *program, file *config.Config) { a.runner.SetTargets(p.targets(file)) }

// firing is what this process has told Alertmanagers of, and what fires still.
func (a *alerting) firing() []alert.Event {
	if !a.acts() {
		return nil
	}
	return a.watch.Engine().Firing(alert.Alertmanager)
}

// acts tells whether this process runs actions. The first time that it leads it takes
// over what another one, or an earlier run, did not deliver.
func (a *alerting) acts() bool {
	if a.journal == nil {
		return true
	}
	leads := a.journal.Lead()
	a.taking.Lock()
	defer a.taking.Unlock()
	if leads && !a.tried {
		a.tried = true
		a.takeOver()
	}
	return leads || a.leads
}

// takeOver opens the outbox and delivers what waits there, before anything new.
func (a *alerting) takeOver() {
	box, pending, err := outbox.Open(a.journal.Dir(), time.Now())
	if err != nil {
		a.report(fmt.Errorf("alerts to be delivered are not kept: %w", err))
		return
	}
	if pending.Damaged > 0 {
		a.report(fmt.Errorf("read what alerts have to deliver: %s could not be read and were left out", count(pending.Damaged, "line", "lines")))
	}
	if pending.Old > 0 {
		a.report(fmt.Errorf("%s could not be delivered within a day and are given up", count(pending.Old, "event", "events")))
	}
	a.mu.Lock()
	a.outbox = box
	a.mu.Unlock()
	for _, n := range pending.Notices {
		a.runner.Resume(n)
	}
	fold := alert.NewFolder()
	for _, n := range append(fold.Take(pending.Events, 0), fold.Rest()...) {
		if err := box.Form(&n); err != nil {
			a.report(err)
		}
		a.runner.Deliver(n)
	}
}

// kept is the outbox, or nil.
func (a *alerting) kept() *outbox.Outbox {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.outbox
}

// done notes that an action is done, or given up.
func (a *alerting) done(do alert.Action, n *alert.Notice) {
	if box := a.kept(); box != nil {
		if err := box.Done(do, n); err != nil {
			a.report(err)
		}
	}
}

// others gives what users did in other processes. It is called each second: when the
// process that led is gone this one leads.
func (a *alerting) others() ([]alert.Event, error) {
	a.acts()
	return a.journal.Acts()
}

// keep writes events down, first what is to be delivered of them: rather is one
// delivered twice than not at all. What values did is kept by the process that acts,
// what users did by all.
func (a *alerting) keep(events []alert.Event) error {
	if !a.acts() {
		events = slices.DeleteFunc(slices.Clone(events), func(ev alert.Event) bool { return !ev.Kind.IsAct() })
	}
	if len(events) == 0 {
		return nil
	}
	var err error
	if box := a.kept(); box != nil {
		err = box.Take(events)
	}
	return errors.Join(err, a.journal.Keep(events))
}

// deliver does what a notice asks for: all of it if this process acts, otherwise
// what concerns its own terminal.
func (a *alerting) deliver(n alert.Notice) {
	if !a.acts() {
		n.Actions = slices.DeleteFunc(slices.Clone(n.Actions), func(do alert.Action) bool {
			return do.Do != alert.Bell && do.Do != alert.Title && do.Do != alert.Desktop
		})
	}
	if box := a.kept(); box != nil {
		if err := box.Form(&n); err != nil {
			a.report(err)
		}
	}
	a.runner.Deliver(n)
}

// closing is how long the end of the program waits for actions, closingSoon when a
// signal ends it: see endWithin. What was not done then is reported, and waits in the
// outbox.
const (
	closing     = 5 * time.Second
	closingSoon = endWithin / 2
)

// close ends the actions. The watch has ended.
func (a *alerting) close() {
	if a.hurry() {
		a.closeWithin(closingSoon)
	} else {
		a.closeWithin(closing)
	}
}

// closeWithin ends the actions after a time.
func (a *alerting) closeWithin(patience time.Duration) {
	a.runner.Close(patience)
	if box := a.kept(); box != nil {
		if err := box.Close(); err != nil {
			a.report(err)
		}
	}
	if a.journal != nil {
		a.journal.Close()
	}
}

// userName is who acknowledges alerts here.
func userName() string {
	if u, err := user.Current(); err == nil && u.Username != "" {
		return session.Printable(u.Username)
	}
	return "a user"
}

// queriesOfRules are the paths of rules, as far as they tell which hosts are meant.
func queriesOfRules(rules []alert.Rule) []query {
	var out []query
	for _, r := range rules {
		if r.Disabled {
			continue
		}
		out = append(out, query{session.Question{Text: r.Expression(), Origin: r.Origin}, r.When.Path.Computer})
	}
	return out
}
