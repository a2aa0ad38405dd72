package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"perfdeck/session/hosts/ssh"
)

func (p *program) hostsCommand() *cobra.Command {
	return group(&cobra.Command{
		Use:   "hosts",
		Short: "Look after the hosts that are reached by ssh",
	}, "command", "perfdeck hosts clean ssh://NAME", &cobra.Command{
		Use:   "clean HOST...",
		Short: "Remove the perfdeck that was copied to hosts",
		Long: `clean removes ~/.cache/perfdeck on hosts that are reached by ssh: what perfdeck copied
there, of this version and of others.`,
		Example: `  perfdeck hosts clean ssh://web01 ssh://ana@db02:2222`,
		RunE: func(c *cobra.Command, args []string) error {
			if args = append(args, p.flags.Hosts...); len(args) == 0 {
				return needs("host")(c, args)
			}
			return p.cleanHosts(c.Context(), args)
		},
	})
}

// cleanHosts goes on where one fails.
func (p *program) cleanHosts(ctx context.Context, names []string) error {
	known, err := p.inventory()
	if err != nil {
		return err
	}
	var failed []error
	for _, name := range names {
		t, err := known.Target(name)
		if err != nil {
			return err
		}
		if !t.IsSSH() {
			return usage(fmt.Errorf("hosts clean %s: it is not reached by ssh", t.Name), "name it as ssh://NAME")
		}
		o, err := known.SSHOptions(t)
		if err != nil {
			return err
		}
		folder, there, err := ssh.Clean(ctx, o)
		switch {
		case err != nil:
			p.report(fmt.Errorf("clean %s: %w", t.Name, err))
			failed = append(failed, err)
		case there:
			p.say("%s: removed %s", t.Name, folder)
		default:
			p.say("%s: nothing is in %s", t.Name, folder)
		}
	}
	if errors.Join(failed...) != nil {
		return ended(exitFailed)
	}
	return nil
}
