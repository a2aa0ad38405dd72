package main

import (
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/alert/journal"
	"perfdeck/session/alert/rulepack"
	"perfdeck/session/config"
	"perfdeck/session/inventory"
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
		if c := &rules[i].When.Path.Computer; *c != "" && inventory.IsLocal(*c) {
			*c = inventory.LocalName()
		}
	}
	return rules, mistakes
}

// rulesInForce are the rules that recordings are judged by: those of the command
// line, of the config and of packs, as users changed them and with those that they
// made. Nothing is written. report hears what of it could not be read.
func (p *program) rulesInForce(packs, texts []string, report func(error)) ([]alert.Rule, error) {
	rules, err := rulesOf(p.config, packs, texts)
	if err != nil {
		return nil, err
	}
	dir, err := config.StateDir()
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
		report(fmt.Errorf("read the rules that were made on the screens in %s: %s could not be read and were left out", dir, count(damaged, "line", "lines")))
	}
	return alert.NewEngine(rules, 0, nil, memory).Rules(), nil
}

// queriesOfRules are the paths of rules, as far as they tell which hosts are meant.
func queriesOfRules(rules []alert.Rule) []inventory.Query {
	var out []inventory.Query
	for _, r := range rules {
		if r.Disabled {
			continue
		}
		out = append(out, inventory.Query{Question: session.Question{Text: r.Expression(), Origin: r.Origin}, Computer: r.When.Path.Computer})
	}
	return out
}

// demoRules are on in the demo behind those of the user. Of the first a value is beyond
// the limit when it begins.
var demoRules = []struct {
	name, when string
	severity   alert.Severity
}{
	{"processor busy", `\Processor Information(_Total)\% Processor Time>80`, alert.Warning},
	{"very slow disk", `\PhysicalDisk(*)\Avg. Disk sec/Transfer>0.1`, alert.Critical},
	{"commit limit near", `\Memory\% Committed Bytes In Use>90`, alert.Warning},
}

// screenRules are the rules that are watched beside the screens: those of a config,
// those of --alert, and those of the demo.
func (p *program) screenRules(file *config.Config, texts []string) ([]alert.Rule, error) {
	rules, err := rulesOf(file, nil, texts)
	if err != nil || !p.flags.demo {
		return rules, err
	}
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
