package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"perfdeck/session/recording/collectorset"
	"perfdeck/session/recording/collectorset/edit"
	"perfdeck/session/text/field"
)

const countersFile = "counters-file"

// setFlags adds the flags of the fields that a set with such collectors has.
func setFlags(c *cobra.Command, kinds ...field.Part) {
	l := c.Flags()
	for _, f := range edit.Fields() {
		switch {
		case f.Help == "" || f.Of != edit.Set && f.Of != edit.Collector && !slices.Contains(kinds, f.Of):
		case f.Kind == field.Text:
			l.StringP(f.Name, f.Short, "", f.Help)
		case f.Kind == field.Words:
			l.StringSliceP(f.Name, f.Short, nil, f.Help)
		case f.Kind == field.Lines:
			l.StringArrayP(f.Name, f.Short, nil, f.Help)
		case f.Kind == field.Number:
			l.Uint32P(f.Name, f.Short, 0, f.Help)
		case f.Kind == field.Switch:
			l.BoolP(f.Name, f.Short, false, f.Help)
		}
	}
	if slices.Contains(kinds, edit.Counters) {
		l.StringArrayP(countersFile, "c", nil, "file of counter paths, one a line (repeatable; logman -cf)")
	}
}

// saidOfSet is what flags say of a set, and arguments of its counters.
func (p *program) saidOfSet(c *cobra.Command, paths []string) (field.Changes, error) {
	said := field.Changes{}
	for _, f := range edit.Fields() {
		flag := c.Flags().Lookup(f.Name)
		if flag == nil || !flag.Changed {
			continue
		}
		said[f.Name] = []string{flag.Value.String()}
		if several, ok := flag.Value.(pflag.SliceValue); ok {
			said[f.Name] = several.GetSlice()
		}
	}
	// The flag of all commands means the same here; it would be passed over silently.
	if all := c.Flags().Lookup("interval"); all.Changed && said[edit.Every] == nil {
		said[edit.Every] = []string{all.Value.String()}
	}
	files, _ := c.Flags().GetStringArray(countersFile)
	paths = slices.Concat(paths, said["counter"])
	if len(paths)+len(files) == 0 {
		return said, nil
	}
	queries, err := p.queries(paths, files)
	if err != nil {
		return nil, err
	}
	said["counter"] = nil
	for _, q := range queries {
		said["counter"] = append(said["counter"], q.Text)
	}
	return said, nil
}

// setUsage marks what flags say wrongly.
func setUsage(err error) error {
	if wrong, is := errors.AsType[*field.Error](err); is {
		return usage(fmt.Errorf("--%w", wrong))
	}
	return err
}

func (p *program) collectCreateCommand() *cobra.Command {
	counter := &cobra.Command{
		Use: "counter NAME [PATH...]", Short: "Make a set that records counters", Args: needs("name of the set"),
		Example: `  perfdeck collect create counter 'Web load' --every 15 '\Web Service(_Total)\*' '\Memory\Available Bytes'
  perfdeck collect create counter night --begin 22:00 --days mon,tue,wed --run-for 8h --segment-time 1h -f csv -c counters.txt`,
		RunE: func(c *cobra.Command, args []string) error {
			return p.createSet(c, collectorset.Counters, args)
		},
	}
	setFlags(counter, edit.Counters)
	runAsFlags(counter)
	alert := &cobra.Command{
		Use: "alert NAME", Short: "Make a set that judges counters", Args: exactly("name of the set"),
		Example: `  perfdeck collect create alert 'Low space' --threshold '\LogicalDisk(*)\% Free Space<10' --start-set 'Disk detail'`,
		RunE: func(c *cobra.Command, args []string) error {
			return p.createSet(c, collectorset.Alerts, args)
		},
	}
	setFlags(alert, edit.Alerts)
	runAsFlags(alert)
	return group(&cobra.Command{
		Use: "create", Short: "Make a set of counters or of alerts, as logman create does", Args: needs("subcommand"),
	}, "kind of collector", "there are counter and alert", counter, alert)
}

// createSet makes a set; args are its name and paths.
func (p *program) createSet(c *cobra.Command, kind collectorset.Kind, args []string) error {
	if err := p.loadConfig(); err != nil {
		return err
	}
	said, err := p.saidOfSet(c, args[1:])
	if err != nil {
		return err
	}
	host, how, err := p.howOf(c, false)
	if err != nil {
		return err
	}
	if host != "" {
		made, err := p.hostSets().Create(c.Context(), host, kind, args[0], said, how)
		return p.changed(host, "made", made, err)
	}
	set, found, err := p.sets().Create(kind, args[0], said)
	for _, f := range found {
		p.report(f)
	}
	if err != nil {
		return setUsage(err)
	}
	p.printRoot(set)
	return nil
}

func (p *program) collectUpdateCommand() *cobra.Command {
	var yes bool
	c := &cobra.Command{
		Use: "update NAME [PATH...]", Short: "Change a set, as logman update does",
		Long: `update changes what its flags name, and nothing else. Paths, or thresholds, replace those
of the collector. A run that goes on takes it with its next segment. With -H it is a set of
a host, whose text stays as it is elsewhere; it is kept as it was in a file, and where it
runs that is asked about.`,
		Args: needs("name of a set"), ValidArgsFunction: p.completeSets,
		PreRunE: p.withConfig,
		RunE: func(c *cobra.Command, args []string) error {
			said, err := p.saidOfSet(c, args[1:])
			if err != nil {
				return err
			}
			host, how, err := p.howOf(c, yes)
			if err != nil {
				return err
			}
			if host != "" {
				changed, err := p.hostSets().Update(c.Context(), host, args[0], said, how)
				return p.changed(host, "changed", changed, err)
			}
			found, err := p.sets().Update(args[0], said)
			for _, f := range found {
				p.report(f)
			}
			return setUsage(err)
		},
	}
	setFlags(c, edit.Counters, edit.Alerts)
	runAsFlags(c)
	c.Flags().BoolVarP(&yes, "yes", "y", false, "with -H: change what runs, too, without asking")
	return c
}
