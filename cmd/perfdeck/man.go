package main

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func (p *program) manCommand() *cobra.Command {
	markdown := false
	c := &cobra.Command{
		Use:    "man",
		Short:  "Print the manual page",
		Long:   "man prints the manual page of all commands, as roff for man(1) or as Markdown.",
		Hidden: true,
		Args:   atMost(0),
		RunE: func(c *cobra.Command, _ []string) error {
			out := bufio.NewWriter(p.out)
			if markdown {
				writeReference(out, c.Root())
			} else {
				writeManual(out, c.Root())
			}
			return out.Flush()
		},
	}
	c.Flags().BoolVar(&markdown, "markdown", false, "print the command reference in Markdown")
	return c
}

// documented are the commands below c that users see.
func documented(c *cobra.Command) []*cobra.Command {
	var out []*cobra.Command
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() && sub.Name() != "help" {
			out = append(append(out, sub), documented(sub)...)
		}
	}
	return out
}

// roff makes text safe for a manual page.
var roff = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`)

// writeManual writes the manual page of the whole program.
func writeManual(w io.Writer, root *cobra.Command) {
	fmt.Fprintf(w, ".TH PERFDECK 1 \"\" \"perfdeck %s\" \"User Commands\"\n", version())
	fmt.Fprintf(w, ".SH NAME\nperfdeck \\- %s\n", roff.Replace(root.Short))
	fmt.Fprintf(w, ".SH SYNOPSIS\n.B %s\n", roff.Replace(root.UseLine()))
	commands := documented(root)
	for _, c := range commands {
		if c.Runnable() {
			fmt.Fprintf(w, ".br\n.B %s\n", roff.Replace(c.UseLine()))
		}
	}
	fmt.Fprint(w, ".SH DESCRIPTION\n")
	writeRoffText(w, root.Long)
	writeRoffFlags(w, root.PersistentFlags())
	fmt.Fprint(w, ".SH COMMANDS\n")
	for _, c := range commands {
		fmt.Fprintf(w, ".SS %s\n", roff.Replace(c.UseLine()))
		writeRoffText(w, textOf(c))
		writeRoffFlags(w, c.NonInheritedFlags())
		writeRoffExample(w, c.Example)
	}
	fmt.Fprint(w, ".SH EXAMPLES\n")
	writeRoffExample(w, root.Example)
	fmt.Fprint(w, ".SH EXIT STATUS\n.TP\n0\nDone.\n.TP\n1\nFailed.\n.TP\n2\nWrong usage.\n.TP\n3\nDone in part.\n")
}

// textOf is the long text of a command, or what there is.
func textOf(c *cobra.Command) string {
	if c.Long != "" {
		return c.Long
	}
	return c.Short + "."
}

// writeRoffText writes paragraphs. A line that begins with a period would be a
// request.
func writeRoffText(w io.Writer, text string) {
	for line := range strings.Lines(text) {
		line = roff.Replace(strings.TrimRight(line, "\n"))
		switch {
		case line == "":
			line = ".PP"
		case line[0] == '.':
			line = `\&` + line
		}
		fmt.Fprintln(w, line)
	}
}

func writeRoffFlags(w io.Writer, flags *pflag.FlagSet) {
	for _, f := range documentedFlags(flags) {
		fmt.Fprintf(w, ".TP\n.B %s\n", roff.Replace(flagForm(f)))
		writeRoffText(w, flagText(f))
	}
}

// documentedFlags are those that users see.
func documentedFlags(flags *pflag.FlagSet) (out []*pflag.Flag) {
	flags.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden && f.Name != "help" {
			out = append(out, f)
		}
	})
	return out
}

func writeRoffExample(w io.Writer, example string) {
	if example != "" {
		fmt.Fprint(w, ".PP\n.nf\n")
		writeRoffText(w, strings.TrimRight(example, "\n"))
		fmt.Fprint(w, ".fi\n")
	}
}

// flagForm is how a flag is written: -n, --count N.
func flagForm(f *pflag.Flag) string {
	form := "--" + f.Name
	if f.Shorthand != "" {
		form = "-" + f.Shorthand + ", " + form
	}
	if kind, _ := pflag.UnquoteUsage(f); kind != "" {
		form += " " + kind
	}
	return kinds.Replace(form)
}

// flagText is what a flag does, with its default if that says something.
func flagText(f *pflag.Flag) string {
	_, text := pflag.UnquoteUsage(f)
	switch f.DefValue {
	case "", "false", "0", "[]", "-1":
		return text
	}
	return text + " (default " + f.DefValue + ")"
}

// writeReference writes the command reference of the README.
func writeReference(w io.Writer, root *cobra.Command) {
	for _, c := range append([]*cobra.Command{root}, documented(root)...) {
		fmt.Fprintf(w, "### `%s`\n\n%s\n\n", c.UseLine(), textOf(c))
		flags := c.NonInheritedFlags()
		if c == root {
			flags = c.PersistentFlags()
		}
		listed := documentedFlags(flags)
		for _, f := range listed {
			fmt.Fprintf(w, "- `%s`: %s\n", flagForm(f), flagText(f))
		}
		if len(listed) > 0 {
			fmt.Fprintln(w)
		}
		if c.Example != "" {
			fmt.Fprintf(w, "```sh\n%s\n```\n\n", strings.TrimRight(unindent(c.Example), "\n"))
		}
	}
}

// unindent takes two blanks off each line.
func unindent(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(strings.TrimPrefix(line, "  "))
	}
	return b.String()
}
