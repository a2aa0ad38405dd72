package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"perfdeck/session/recording/collectorset/tables"
)

func (p *program) collectReportCommand() *cobra.Command {
	var level int
	var asJSON bool
	c := &cobra.Command{
		Use:   "report NAME [FILE...]",
		Short: "Print the counter tables of a set's report",
		Long: `report prints the tables of counters that a set's data manager describes (its
ReportSchema: CounterTable) over the files of its newest run, or over those that are named:
for each counter that a table takes its mean, minimum and maximum. Tables of events, of which
a report can have some, are left out.`,
		Args: needs("set"), ValidArgsFunction: p.completeSets,
		PreRunE: p.onlyHere("collect fetch copies its newest files here, and perfdeck report FILE reports on them"),
		RunE: func(c *cobra.Command, args []string) error {
			if level < 1 || level > tables.MostLevel {
				return usage(fmt.Errorf("--level %d: not from 1 to %d", level, tables.MostLevel))
			}
			set, err := p.setOf(args[0])
			if err != nil {
				return err
			}
			all, err := tables.Of(c.Context(), set, args[1:])
			if err != nil {
				return err
			}
			return all.Write(p.people(p.out), level, asJSON)
		},
	}
	c.Flags().IntVar(&level, "level", 1, "print tables of levels up to this one, 1 to 5")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON, a row a line, all rows")
	return c
}
