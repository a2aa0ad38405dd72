package main

import (
	"context"
	"fmt"
	"os/user"
	"slices"
	"sync"
	"time"

	"github.com/spf13/pflag"

	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/alert/action"
	"perfdeck/session/alert/journal"
	"perfdeck/session/alert/pack"
	"perfdeck/session/config"
)

// addAlertFlag adds the flag that names rules.
func addAlertFlag(f *pflag.FlagSet, rules *[]string) {
	f.StringArrayVar(rules, "alert", nil, `alert rule: '\Path>90', 'absent \Path' or 'absent host' (repeatable)`)
}

// commandLine is where rules of --alert stand.
const commandLine = "--alert"

// alertRules reads the rules of --alert. They are warnings that end in the log.
func alertRules(texts []string) ([]alert.Rule, error) {
	var out []alert.Rule
	for _, text := range texts {
		r, err := alert.ParseRule(text)
		if err == nil {
			err = r.Check()
		}
		if err != nil {
			return nil, usage(fmt.Errorf("--alert: %w", err))
		}
		r.Origin, r.Actions = commandLine, []alert.Action{{Do: alert.Log}}
		out = append(out, r)
	}
	return out, nil
}

// rulesOf are all rules: of the command line, of the config, of its packs and of
// more packs. Where two have the same name the first counts.
func rulesOf(file *config.Config, packs, texts []string) ([]alert.Rule, error) {
	rules, err := alertRules(texts)
	if err != nil {
		return nil, err
	}
	rules = append(rules, file.Alerts.Rules...)
	for _, name := range slices.Concat(packs, file.Alerts.Packs) {
		more, err := pack.Rules(name)
		if err != nil {
			return nil, usage(err)
		}
		rules = append(rules, more...)
	}
	for i := range rules {
		if c := &rules[i].When.Path.Computer; *c != "" && isLocal(*c) {
			*c = localName()
		}
	}
	return rules, nil
}

// alerting is alerts at work: the watch that judges, the journal that keeps, the
// runner that acts.
type alerting struct {
	watch   *alert.Watch
	journal *journal.Journal // nil: nothing is kept
	options action.Options
	// leads: this process acts in any case; otherwise only if no other does.
	leads bool
	hurry func() bool // a signal ends the program

	mu     sync.Mutex
	runner *action.Runner
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
}

// newAlerting makes alerts ready. Nothing is judged until its watch runs. That
// nothing can be kept is reported, and no more.
func (p *program) newAlerting(o alertingOptions) *alerting {
	a := &alerting{leads: o.leads, hurry: func() bool { return p.context().Err() != nil }, options: action.Options{
		Go: p.guard.Go, Log: o.log, Terminal: o.terminal, Report: o.report, Environ: p.environ,
		Recordings: o.records,
	}}
	a.setConfig(p, p.config)
	wo := alert.Options{
		Clock: session.NewSystemClock(), Every: o.every, Rules: o.rules, Looks: o.looks,
		Deliver: a.deliver, Report: o.report, Changed: o.changed, Around: o.around,
	}
	if o.forgets {
		a.watch = alert.NewWatch(wo)
		return a
	}
	j, memory, err := openJournal(o.report)
	if err != nil {
		o.report(fmt.Errorf("alerts are not kept: %w", err))
	} else {
		a.journal, wo.Memory, wo.Keep, wo.Acts = j, memory, a.keep, j.Acts
	}
	a.watch = alert.NewWatch(wo)
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

// setConfig takes tasks and webhooks from a config. What the old ones still have
// to do is done.
func (a *alerting) setConfig(p *program, file *config.Config) {
	o := a.options
	o.Tasks, o.Webhooks = map[string]action.Task{}, map[string]action.Webhook{}
	for name, t := range file.Alerts.Tasks {
		o.Tasks[name] = action.Task{Command: t.Command, Timeout: t.Timeout, Most: t.Most}
	}
	for name, w := range file.Alerts.Webhooks {
		hook := action.Webhook{URL: w.URL, Header: w.Header, CAFile: w.CAFile, PerMinute: w.PerMinute}
		if !w.Token.IsZero() {
			hook.Token = func(ctx context.Context) ([]byte, error) {
				return p.accounts().Follow(ctx, "webhook "+name, name, w.Token)
			}
		}
		o.Webhooks[name] = hook
	}
	a.mu.Lock()
	old := a.runner
	a.runner = action.New(o)
	a.mu.Unlock()
	if old != nil {
		p.guard.Go(func() { old.Close(time.Hour) })
	}
}

// acts tells whether this process runs actions.
func (a *alerting) acts() bool { return a.journal == nil || a.journal.Lead() || a.leads }

// keep writes events down. What values did is kept by the process that acts, what
// users did by all.
func (a *alerting) keep(events []alert.Event) error {
	if !a.acts() {
		events = slices.DeleteFunc(slices.Clone(events), func(ev alert.Event) bool { return !ev.Kind.IsAct() })
	}
	if len(events) == 0 {
		return nil
	}
	return a.journal.Keep(events)
}

// deliver does what a notice asks for: all of it if this process acts, otherwise
// what concerns its own terminal.
func (a *alerting) deliver(n alert.Notice) {
	if !a.acts() {
		n.Actions = slices.DeleteFunc(slices.Clone(n.Actions), func(do alert.Action) bool {
			return do.Do != alert.Bell && do.Do != alert.Title && do.Do != alert.Desktop
		})
	}
	a.mu.Lock()
	runner := a.runner
	a.mu.Unlock()
	runner.Deliver(n)
}

// closing is how long the end of the program waits for actions, closingSoon when a
// signal ends it: see endWithin. What was not done then is reported.
const (
	closing     = 5 * time.Second
	closingSoon = endWithin / 2
)

// close ends the actions. The watch has ended.
func (a *alerting) close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	patience := closing
	if a.hurry() {
		patience = closingSoon
	}
	a.runner.Close(patience)
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
