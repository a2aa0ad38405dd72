package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"perfdeck/cmd/perfdeck/output"
	"perfdeck/session"
	"perfdeck/session/config"
)

// plainEvery is the interval of --plain when nobody says another: who listens
// needs time.
const plainEvery = "10s"

// plain prints lines instead of showing the screens. Without paths they are
// those of the first deck, without its tables.
func (p *program) plain(c *cobra.Command, args []string) error {
	if s, err := p.settings(c); err != nil {
		return err
	} else if !c.Flags().Changed("interval") && s.Interval == config.DefaultInterval() {
		if err := c.Flags().Set("interval", plainEvery); err != nil {
			return err
		}
	}
	if len(args) == 0 {
		paths, err := p.deckPaths(c.Context())
		if err != nil {
			return err
		}
		args = paths
	}
	return p.sample(c, args, sampleFlags{format: "lines", look: output.Look{Digits: output.UnsetDigits}})
}

// deckPaths are the paths of the default deck, but for its tables.
func (p *program) deckPaths(ctx context.Context) ([]string, error) {
	hosts, err := p.hosts()
	if err != nil {
		return nil, err
	}
	defer closeHosts(hosts)
	panes := session.DefaultAbreast(nil)
	if len(hosts) == 1 {
		cat, err := hosts[0].source.Catalogue(ctx)
		if err != nil {
			return nil, fmt.Errorf("read the counters of %s: %w", session.Printable(hosts[0].name), err)
		}
		panes = session.DefaultDeck(hosts[0].name, cat).Panes
	}
	var out []string
	for _, pane := range panes {
		if pane.Busiest == 0 {
			out = append(out, pane.Paths...)
		}
	}
	return out, nil
}
