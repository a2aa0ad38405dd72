package main

import (
	"context"
	"os/user"
	"time"

	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/alert/action"
	"perfdeck/session/alert/journal"
	"perfdeck/session/alert/pipeline"
	"perfdeck/session/config"
	"perfdeck/session/system/lifetime"
)

// newPipeline makes alerts ready: o with what is the same for all commands. forgets:
// nothing is kept, as the hosts are invented.
func (p *program) newPipeline(o pipeline.Options, forgets bool) *pipeline.Pipeline {
	o.Clock, o.Go, o.Environ, o.Targets = p.newClock(), p.guard.Go, p.environ, p.targets(p.config)
	if !forgets {
		dir, err := config.MakeStateDir()
		if err != nil {
			o.Report(pipeline.NotKept(err))
		} else {
			o.Dir = dir
		}
	}
	return pipeline.New(o)
}

// targets are what actions of alerts may name. Their secrets are fetched as those of hosts.
func (p *program) targets(file *config.Config) action.Targets {
	return pipeline.TargetsOf(file, func(ctx context.Context, what, account string, ref config.PasswordRef) ([]byte, error) {
		return p.accounts().Follow(ctx, what, account, ref)
	})
}

// closing is how long the end of the program waits for actions, closingSoon when a
// signal ends it: see lifetime.EndWithin. What was not done then waits for the next run.
const (
	closing     = 5 * time.Second
	closingSoon = lifetime.EndWithin / 2
)

// patience is how long alerts may take to end.
func (p *program) patience() time.Duration {
	if p.context().Err() != nil {
		return closingSoon
	}
	return closing
}

// openJournal opens what is kept of alerts.
func (p *program) openJournal() (*journal.Journal, *alert.Memory, error) {
	dir, err := config.MakeStateDir()
	if err != nil {
		return nil, nil, err
	}
	return pipeline.OpenJournal(dir, func(err error) { p.report(err) })
}

// userName is who acknowledges alerts here.
func userName() string {
	if u, err := user.Current(); err == nil && u.Username != "" {
		return session.Printable(u.Username)
	}
	return "a user"
}
