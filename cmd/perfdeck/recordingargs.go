package main

import (
	"errors"

	"github.com/spf13/cobra"

	"perfdeck/session"
)

var errPlainFiles = errors.New("--plain prints live counters, no recordings")

// showRecordings shows recordings that were named without a command.
func (p *program) showRecordings(c *cobra.Command, files []string) error {
	if plain, _ := c.Flags().GetBool("plain"); plain {
		return usage(session.WithHint(errPlainFiles, "perfdeck relog --summary sums a recording up"))
	}
	rules, err := c.Flags().GetStringArray("alert")
	if err != nil {
		return err
	}
	return p.replay(c, files, replayFlags{align: alignments[0].name, rules: rules})
}
