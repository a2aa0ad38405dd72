package main

import (
	"context"
	"os/user"
	"time"

	"github.com/spf13/cobra"

	"perfdeck/session/alert"
	"perfdeck/session/app/pipeline"
	"perfdeck/session/app/ruleset"
	"perfdeck/session/config"
	"perfdeck/session/deliver/action"
	"perfdeck/session/text/printable"
)

// newPipeline makes alerts ready. forgets: nothing is kept.
func (p *program) newPipeline(o pipeline.Options, forgets bool) *pipeline.Pipeline {
	return pipeline.New(p.pipelineOptions(o, forgets))
}

// pipelineOptions are o with what is the same for all commands. Of invented hosts nothing is kept.
func (p *program) pipelineOptions(o pipeline.Options, forgets bool) pipeline.Options {
	o.Clock, o.Go, o.Environ, o.Targets = p.runClock(), p.guard.Go, p.environ, p.targets(p.config)
	o.Sets = p.setsOpener()
	if o.Invented = p.flags.Demo; !forgets && !o.Invented {
		dir, err := config.MakeStateDir()
		if err != nil {
			o.Report(pipeline.NotKept(err))
		} else {
			o.Dir = dir
		}
	}
	return o
}

// targets are what actions of alerts may name. Their secrets are fetched as those of hosts.
func (p *program) targets(file *config.Config) action.Targets {
	return action.Targets{Alerts: file.Alerts, Fetch: func(ctx context.Context, what, account string, ref config.PasswordRef) ([]byte, error) {
		return p.accounts().Follow(ctx, what, account, ref)
	}}
}

// patience is how long alerts may take to end.
func (p *program) patience() time.Duration { return pipeline.Patience(p.context()) }

// userName is who acknowledges alerts here.
func userName() string {
	if u, err := user.Current(); err == nil && u.Username != "" {
		return printable.Text(u.Username)
	}
	return "a user"
}

// addAlertFlag adds the flag that names rules.
func (p *program) addAlertFlag(c *cobra.Command, rules *[]string) {
	c.Flags().StringArrayVar(rules, "alert", nil, `alert rule: '\Path>90', 'absent \Path' or 'absent host' (repeatable)`)
	_ = c.RegisterFlagCompletionFunc("alert", p.completeRule)
}

// screenRules are the rules that are watched beside the screens: those of a config,
// those of --alert, and those of the demo.
func (p *program) screenRules(file *config.Config, texts []string) ([]alert.Rule, error) {
	rules, err := ruleset.Of(file, nil, texts)
	if err != nil || !p.flags.Demo {
		return rules, err
	}
	more, err := ruleset.Demo()
	return append(rules, more...), err
}
