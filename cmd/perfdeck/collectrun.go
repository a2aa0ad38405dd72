package main

import (
	"context"
	"fmt"
	"log"

	"github.com/spf13/cobra"

	"perfdeck/session/app/collecting"
	"perfdeck/session/recording/collectorset"
	"perfdeck/session/recording/collectorset/sets"
	"perfdeck/session/system/failure"
)

func (p *program) collectRunCommand() *cobra.Command {
	var how sets.Started
	c := &cobra.Command{
		Use: "run NAME", Short: "Run a set until it ends",
		Long: `run runs a set in this terminal until it is over, stopped by perfdeck collect stop, or
interrupted. What it writes is named as files begin; alerts that fire are lines.`,
		Args: exactly("name of the set"), ValidArgsFunction: p.completeSets,
		PreRunE: p.onlyHere("perfdeck collect start -H HOST NAME starts one there"),
		RunE:    func(c *cobra.Command, args []string) error { return p.runSet(c, args[0], how) },
	}
	addFlags(c.Flags(), &how)
	return c
}

func (p *program) collectStartCommand() *cobra.Command {
	var how sets.Started
	c := &cobra.Command{
		Use: "start NAME", Short: "Start a set; it goes on without this program",
		Long: `start runs a set in a process of its own, which goes on when this program and its terminal
have ended. It returns when the set runs, or says why it does not. With -H it is one of
hosts, which run it.`,
		Args: exactly("name of the set"), ValidArgsFunction: p.completeSets,
		PreRunE: p.ofSets(true, ownSets),
		RunE: func(c *cobra.Command, args []string) error {
			if hosts, err := p.setHosts(); err != nil {
				return err
			} else if len(hosts) > 0 {
				if err := notOfHosts(c, "blg", "the host writes what the set says"); err != nil {
					return err
				}
				started, err := p.hostSets().Start(c.Context(), hosts, args[0])
				return p.runOfHosts("running", started, err)
			}
			d := p.sets(openingFlags(c)...)
			set, err := p.namedSet(args[0])
			if err == nil && p.visits != "" { // it would run as this user, and not as the service
				return failure.WithHint(fmt.Errorf("start %s: it is a set of the service", args[0]), p.asService("collect start NAME"))
			}
			if err == nil {
				for _, f := range d.Findings(set) {
					if f.Code == collectorset.Lacking {
						p.aside("%s", f)
					}
				}
			}
			return p.startSet(d)(c.Context(), args[0], how)
		},
	}
	addFlags(c.Flags(), &how)
	return c
}

// startSet starts sets in processes of their own, and prints what comes of it.
func (p *program) startSet(d *sets.Sets) func(context.Context, string, sets.Started) error {
	return func(ctx context.Context, name string, how sets.Started) error {
		into, said, err := d.Start(ctx, name, how)
		for _, line := range said {
			fmt.Fprintln(p.err, line)
		}
		if err == nil && into != "" {
			p.say("%s: runs, into %s", name, into)
		}
		return err
	}
}

// runSet runs a set until it ends.
func (p *program) runSet(c *cobra.Command, name string, how sets.Started) error {
	settings, err := p.settings(c)
	if err != nil {
		return err
	}
	d := p.sets(openingFlags(c)...)
	set, err := d.Read(name)
	if err != nil {
		return err
	}
	defer p.life.Outlive()()
	lines := log.New(p.out, "", 0)
	ctx := c.Context()
	return unlessEnded(ctx, collecting.Run(ctx, p.context(), collecting.Options{
		Sets: d, Set: set, Started: how, StartSet: p.startSet(d),
		Open: p.hostsOf, Record: p.startRecording, Alerts: p.newPipeline, Patience: p.patience,
		Looks: p.config.Counters.Looks(settings), Task: p.taskOf, Environ: p.environ,
		Clock: p.runClock(), Go: p.guard.Go, Report: p.reportOnce(), Note: p.tell,
		Print: func(line string) { lines.Println(line) },
	}))
}
