package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"perfdeck/session/alert"
	"perfdeck/session/app/pipeline"
	"perfdeck/session/app/roster"
	"perfdeck/session/app/sampling"
	"perfdeck/session/config"
	"perfdeck/session/deliver/action"
	"perfdeck/session/system/guard"
	"perfdeck/tui"
)

// screenAlerts is alerts at work beside the screens: they see the board, and
// what concerns the terminal goes through them.
type screenAlerts struct {
	*pipeline.Pipeline

	screens *tui.Session
	records sampling.Recordings // the recordings that alerts begin and end, and the deck's
}

// followers are what hosts of the screens are given to.
func (a *screenAlerts) followers() []roster.Follower {
	return []roster.Follower{a.records, roster.Judged(a.Watch())}
}

// reload takes the rules and actions of a config that changed.
func (a *screenAlerts) reload(p *program, c *cobra.Command, s config.Settings, file *config.Config) error {
	texts, err := c.Flags().GetStringArray("alert")
	if err != nil {
		return err
	}
	rules, err := p.screenRules(file, texts)
	if err != nil {
		return err
	}
	a.SetTargets(p.targets(file))
	a.records.SetPlans(sampling.Planned(file.Records, s.Interval, openingFlags(c)))
	a.Watch().SetLooks(file.Counters.Looks(s))
	a.Watch().SetRules(rules)
	return nil
}

// screenAlerts makes the alerts of the config and of --alert ready. note is told what goes
// wrong; nil: the screens' Log is.
func (p *program) screenAlerts(c *cobra.Command, note func(error)) (*screenAlerts, error) {
	texts, err := c.Flags().GetStringArray("alert")
	if err != nil {
		return nil, err
	}
	rules, err := p.screenRules(p.config, texts)
	if err != nil {
		return nil, err
	}
	settings, err := p.settings(c)
	if err != nil {
		return nil, err
	}
	every := time.Duration(0)
	if c.Flags().Changed("interval") {
		every = max(settings.Interval, alert.MinInterval) // screens may be faster than alerts
	}
	a := &screenAlerts{screens: new(tui.Session)}
	if note == nil {
		note = a.screens.Note
	}
	a.records = p.newRecordings(settings.Interval, openingFlags(c), note)
	way := action.DesktopOf(p.environ)
	a.Pipeline = p.newPipeline(pipeline.Options{
		Rules: rules, Every: every, Looks: p.config.Counters.Looks(settings), Recordings: a.records, Around: true,
		Terminal: func(r action.Request) { a.screens.Tell(r.Sequences(way)) },
		Changed:  a.screens.AlertsChanged,
		Report:   note,
	}, false)
	return a, nil
}

// start judges until the context ends; the channel is closed then.
func (a *screenAlerts) start(ctx context.Context, guard *guard.Guard) <-chan struct{} {
	ended := make(chan struct{})
	guard.Go(func() {
		defer close(ended)
		a.Run(ctx)
	})
	return ended
}
