package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"perfdeck/session"
	"perfdeck/themes"
)

func (p *program) themesCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "themes",
		Short: "List the colour themes",
		Long: `themes prints the names of the colour themes, for --theme: those that come with
perfdeck, and the files of the folder themes beside the config file.`,
		Args: atMost(0),
		RunE: func(*cobra.Command, []string) error {
			for _, name := range themes.Names(userThemes()) {
				if _, err := fmt.Fprintln(p.out, session.Printable(name)); err != nil {
					return unlessPipe(err)
				}
			}
			return nil
		},
	}
}
