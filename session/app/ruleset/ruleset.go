// Package ruleset gathers the alert rules of a command: those of its command line, of the
// config, of starter packs, of files, of the demo, and what users made and changed on the screens; and tells how things stand with them.
package ruleset

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/app/inventory"
	"perfdeck/session/config"
	"perfdeck/session/config/rulepack"
	"perfdeck/session/deliver/journal"
	"perfdeck/session/files/bundle"
	"perfdeck/session/system/failure"
	"perfdeck/session/text/english"
	"perfdeck/session/text/printable"
)

// CommandLine is where rules of --alert stand.
const CommandLine = "--alert"

// Parse reads the rules of --alert. They are warnings that end in the log.
func Parse(texts []string) (out []alert.Rule, mistakes []error) {
	for _, text := range texts {
		r, err := alert.ParseRule(text)
		if err != nil {
			mistakes = append(mistakes, failure.Usage(fmt.Errorf("--alert: %w", err)))
			continue
		}
		faults := r.Faults()
		for _, err := range faults {
			mistakes = append(mistakes, failure.Usage(fmt.Errorf("--alert: %w", err)))
		}
		if len(faults) == 0 {
			r.Origin, r.Actions = CommandLine, []alert.Action{{Do: alert.Log}}
			out = append(out, r)
		}
	}
	return out, mistakes
}

// Of are all rules: of the command line, of the config, of its packs and of more packs.
// Where two have the same name the first counts. The error is the first mistake.
func Of(file *config.Config, packs, texts []string) ([]alert.Rule, error) {
	rules, mistakes := Read(file, packs, texts)
	if len(mistakes) > 0 {
		return nil, mistakes[0]
	}
	return rules, nil
}

// Read are the rules of Of, and all that is wrong with others.
func Read(file *config.Config, packs, texts []string) (rules []alert.Rule, mistakes []error) {
	rules, mistakes = Parse(texts)
	rules = append(rules, file.Alerts.Rules...)
	for _, name := range slices.Concat(packs, file.Alerts.Packs) {
		more, err := rulepack.Rules(name)
		if err != nil {
			mistakes = append(mistakes, failure.Usage(err))
		}
		rules = append(rules, more...)
	}
	for i := range rules {
		if c := &rules[i].When.Path.Computer; *c != "" && inventory.IsLocal(*c) {
			*c = inventory.LocalName()
		}
	}
	return rules, mistakes
}

// Packs are the starter packs that recordings are judged by: all, unless some were named;
// of the name none it is no pack.
func Packs(named []string) []string {
	switch {
	case len(named) == 0:
		return rulepack.Names()
	case slices.Equal(named, []string{"none"}):
		return nil
	}
	return named
}

// InForce are the rules that recordings are judged by: those of Of, as users changed them
// and with those that they made. Nothing is written. report hears what of it could not be
// read.
func InForce(file *config.Config, packs, texts []string, report func(error)) ([]alert.Rule, error) {
	rules, err := Of(file, packs, texts)
	if err != nil {
		return nil, err
	}
	dir, err := config.StateDir()
	if _, none := errors.AsType[*config.DirError](err); none {
		return rules, nil // nothing was ever kept
	}
	var memory *alert.Memory
	damaged := 0
	if err == nil {
		memory, damaged, err = journal.Read(dir, time.Now())
	}
	if err != nil {
		report(fmt.Errorf("rules that were made on the screens are not known: %w", err))
		return rules, nil
	}
	if damaged > 0 {
		report(fmt.Errorf("read the rules that were made on the screens in %s: %s could not be read and were left out", dir, english.Count(damaged, "line", "lines")))
	}
	return alert.NewEngine(rules, 0, nil, memory).Rules(), nil
}

// Over are the rules that recordings are judged by: those of the bundles among them where
// there are some, else those in force. With both come the ones of the command line.
func Over(bundles []*bundle.Bundle, file *config.Config, packs, texts []string, report func(error)) ([]alert.Rule, error) {
	if len(bundles) == 0 {
		return InForce(file, packs, texts, report)
	}
	rules, err := Of(new(config.Config), packs, texts)
	if err != nil {
		return nil, err
	}
	for _, b := range bundles {
		for _, r := range b.Rules {
			if !slices.ContainsFunc(rules, func(o alert.Rule) bool { return o.Name == r.Name }) {
				r.Origin = printable.Text(filepath.Base(b.File))
				rules = append(rules, r)
			}
		}
	}
	return rules, nil
}

// Knows tells whether there is a rule of a name: in the config or its packs, made on the
// screens, of --pack or --alert of a command that runs.
func Knows(file *config.Config, memory *alert.Memory, name string) bool {
	if memory.Knows(name) {
		return true
	}
	if _, err := alert.ParseRule(name); err == nil {
		return true
	}
	rules, err := Of(file, rulepack.Names(), nil)
	return err == nil && slices.ContainsFunc(rules, func(r alert.Rule) bool { return r.Name == name })
}

// Queries are the paths of rules, as far as they tell which hosts are meant.
func Queries(rules []alert.Rule) []inventory.Query {
	var out []inventory.Query
	for _, r := range rules {
		if r.Disabled {
			continue
		}
		out = append(out, inventory.Query{Question: session.Question{Text: r.Expression(), Origin: r.Origin}, Computer: r.When.Path.Computer})
	}
	return out
}

// demoRules are on in the demo. Of the first a value is beyond the limit when it begins.
var demoRules = []struct {
	name, when string
	severity   alert.Severity
}{
	{"processor busy", `\Processor Information(_Total)\% Processor Time>80`, alert.Warning},
	{"very slow disk", `\PhysicalDisk(*)\Avg. Disk sec/Transfer>0.1`, alert.Critical},
	{"commit limit near", `\Memory\% Committed Bytes In Use>90`, alert.Warning},
}

// Demo are the rules of the demo, behind those of the user.
func Demo() (rules []alert.Rule, err error) {
	for _, d := range demoRules {
		r, err := alert.ParseRule(d.when)
		if err != nil {
			return nil, err
		}
		r.Name, r.Severity, r.Interval, r.Origin = d.name, d.severity, time.Second, "the demo"
		rules = append(rules, r)
	}
	return rules, nil
}

// LookUp looks rules up on the hosts that they are meant for, but those of packs: what is not there,
// and which hosts could not be asked. anywhere: what one of them has is there.
func LookUp(ctx context.Context, rules []alert.Rule, hosts []inventory.Host, anywhere bool) (missing, failed []error) {
	lacks := make([][]error, len(rules))
	has := make([]bool, len(rules))
	for _, h := range hosts {
		cat, err := h.Source.Catalogue(ctx)
		if err != nil {
			failed = append(failed, err)
			continue
		}
		for i := range rules {
			r := &rules[i]
			if r.Kind == alert.HostLost || r.IsOfPack() || r.When.Path.Computer != "" && !inventory.Is(r.When.Path.Computer, h.Name) ||
				len(r.Hosts) > 0 && !paths.MatchesAny(r.Hosts, h.Name) {
				continue
			}
			if _, err := r.Meanings(cat); err != nil {
				lacks[i] = append(lacks[i], fmt.Errorf("rule %s on %s: %w", r.Name, h.Name, err))
			} else {
				has[i] = true
			}
		}
	}
	for i, errs := range lacks {
		if !anywhere || !has[i] {
			missing = append(missing, errs...)
		}
	}
	return missing, failed
}
