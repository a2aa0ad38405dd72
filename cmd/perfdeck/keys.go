package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"perfdeck/tui"
)

func (p *program) keysCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "keys",
		Short: "List the keys of every screen",
		Args:  atMost(0),
		RunE: func(*cobra.Command, []string) error {
			screen := ""
			for _, k := range tui.KeyTable() {
				if k.Screen != screen {
					screen = k.Screen
					fmt.Fprintf(p.out, "%s\n", screen)
				}
				fmt.Fprintf(p.out, "  %-14s %s\n", k.Keys, k.Text)
			}
			return nil
		},
	}
}
