package main

import (
	"strings"
	"time"

	"github.com/spf13/cobra"

	"perfdeck/session/record/desk"
	"perfdeck/session/record/plan"
)

// newRecordDesk is a desk for the recordings of this process, with the plans of the config.
// every is the interval of those that have none, flags open the hosts on a command line.
func (p *program) newRecordDesk(every time.Duration, flags []string, report func(error)) plan.Desk {
	d := desk.New(desk.Options{Start: p.startRecording, Report: report, Go: p.guard.Go})
	return plan.Desk{Named: desk.NewNamed(d, plan.Of(p.config.Records, every, flags))}
}

// takeNamed takes from a [[record]] of the config, if one is named, what the command line does not
// say.
func (p *program) takeNamed(c *cobra.Command, name string, said *plan.Said) error {
	if name == "" {
		return nil
	}
	r, ok := p.config.Record(name)
	if !ok {
		return p.unknownRecord(name)
	}
	if err := said.Over(&r, c.Flags().Changed); err != nil {
		return err
	}
	if len(p.flags.hosts) == 0 {
		p.flags.hosts = said.Hosts
	}
	return nil
}

func (p *program) unknownRecord(name string) error {
	var known []string
	for _, r := range p.config.Records {
		known = append(known, r.Name)
	}
	if len(known) == 0 {
		known = []string{"the config has no [[record]]"}
	}
	return unknownValue("named", name, strings.Join(known, ", "))
}
