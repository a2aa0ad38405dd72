package main

import (
	_ "embed"
	"fmt"
	"io"
	"perfdeck/session"
	"strings"

	"github.com/spf13/cobra"
)

//go:embed completion.bash
var bashCompletion string

// shell is a shell that perfdeck completes for. A new one is a row in shells.
type shell struct {
	name  string
	setUp string // how it is switched on
	write func(root *cobra.Command, w io.Writer) error
}

var shells = []shell{
	{"bash", "in ~/.bashrc:  source <(perfdeck completion bash)", func(_ *cobra.Command, w io.Writer) error {
		_, err := io.WriteString(w, bashCompletion)
		return err
	}},
	{"zsh", `perfdeck completion zsh > "${fpath[1]}/_perfdeck"`, func(root *cobra.Command, w io.Writer) error {
		return root.GenZshCompletion(w)
	}},
	{"fish", "perfdeck completion fish > ~/.config/fish/completions/perfdeck.fish", func(root *cobra.Command, w io.Writer) error {
		return root.GenFishCompletion(w, true)
	}},
}

func (p *program) completionCommand() *cobra.Command {
	var names, setUp []string
	for _, s := range shells {
		names = append(names, s.name)
		setUp = append(setUp, "  "+s.name+": "+s.setUp)
	}
	return &cobra.Command{
		Use:   "completion " + strings.Join(names, "|"),
		Short: "Print the completion script of a shell",
		Long: `completion prints a script that lets a shell complete commands, flags, and the
countersets, instances and counters inside a counter path.

` + strings.Join(setUp, "\n"),
		Args:      cobra.MatchAll(atLeast(1, "shell"), atMost(1)),
		ValidArgs: names,
		RunE: func(c *cobra.Command, args []string) error {
			for _, s := range shells {
				if s.name == args[0] {
					return unlessPipe(s.write(c.Root(), p.out))
				}
			}
			return usage(session.WithHint(fmt.Errorf("completion %s: no script for this shell", args[0]), "known: "+strings.Join(names, ", ")))
		},
	}
}
