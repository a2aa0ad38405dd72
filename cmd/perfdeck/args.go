package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"perfdeck/session"
)

// atLeast refuses fewer than n arguments.
func atLeast(n int, what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) >= n {
			return nil
		}
		return usage(session.WithHint(fmt.Errorf("%s: no %s was given", c.Name(), what), "see "+c.CommandPath()+" --help"))
	}
}

// atMost refuses more than n arguments.
func atMost(n int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) <= n {
			return nil
		}
		return usage(session.WithHint(fmt.Errorf("%s: %q is too much", c.Name(), args[n]), "see "+c.CommandPath()+" --help"))
	}
}

// count is a number of things in words.
func count[N int | int64](n N, one, many string) string { return session.Count(n, one, many) }
