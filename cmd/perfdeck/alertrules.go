package main

import (
	"github.com/spf13/cobra"

	"perfdeck/session/alert"
	"perfdeck/session/alert/ruleset"
	"perfdeck/session/config"
)

// addAlertFlag adds the flag that names rules.
func (p *program) addAlertFlag(c *cobra.Command, rules *[]string) {
	c.Flags().StringArrayVar(rules, "alert", nil, `alert rule: '\Path>90', 'absent \Path' or 'absent host' (repeatable)`)
	_ = c.RegisterFlagCompletionFunc("alert", p.completeRule)
}

// screenRules are the rules that are watched beside the screens: those of a config,
// those of --alert, and those of the demo.
func (p *program) screenRules(file *config.Config, texts []string) ([]alert.Rule, error) {
	rules, err := ruleset.Of(file, nil, texts)
	if err != nil || !p.flags.demo {
		return rules, err
	}
	more, err := ruleset.Demo()
	return append(rules, more...), err
}
