package main

import (
	"bufio"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"perfdeck/session/text"
	"perfdeck/themes"
)

// help prints what a command does and takes: commands and flags in columns, which fold on a
// narrow terminal.
func (p *program) help(c *cobra.Command, _ []string) {
	p.command = c
	buffer := bufio.NewWriter(c.OutOrStdout())
	out := p.people(p.out).To(buffer)
	said := c.Long
	if said == "" {
		said = c.Short
	}
	if said = strings.TrimRight(said, " \n"); said != "" {
		fmt.Fprintf(out, "%s\n\n", out.Prose(said))
	}
	head := func(title string) { fmt.Fprintln(out, out.Mark(themes.Strong, title)) }
	head("Usage:")
	if c.Runnable() {
		fmt.Fprintf(out, "  %s\n", c.UseLine())
	}
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(out, "  %s [command]\n", c.CommandPath())
	}
	if c.HasExample() {
		fmt.Fprintln(out)
		head("Examples:")
		fmt.Fprintln(out, c.Example)
	}
	if c.HasAvailableSubCommands() {
		fmt.Fprintln(out)
		head("Available Commands:")
		t := text.Table{Indent: 2, Gap: 1, Columns: []text.Column{{Least: c.Commands()[0].NamePadding()}, {}}, Tone: named}
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() || sub.Name() == "help" {
				t.Row(sub.Name(), sub.Short)
			}
		}
		_ = t.Print(out)
	}
	if c.HasAvailableLocalFlags() {
		fmt.Fprintln(out)
		head("Flags:")
		printFlags(out, c.LocalFlags())
	}
	if c.HasAvailableInheritedFlags() {
		fmt.Fprintln(out)
		head("Global Flags:")
		printFlags(out, c.InheritedFlags())
	}
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(out, "\nUse \"%s [command] --help\" for more information about a command.\n", c.CommandPath())
	}
	_ = buffer.Flush()
}

// named colours the first column, which has names, or what counts.
func named(_, column int) themes.Token {
	if column == 0 {
		return themes.Accent
	}
	return themes.Text
}

// kinds are what stands behind a flag's name, as people say it. That a flag without a value may
// have one anyway is left out.
var kinds = strings.NewReplacer(" stringArray", " TEXT", " strings", " LIST", " string", " TEXT", " uint32", " N", " int", " N", " duration", " TIME", "[=true|false]", "")

// printFlags prints flags in two columns.
func printFlags(out *text.Printer, f *pflag.FlagSet) {
	t := text.Table{Gap: 3, Columns: make([]text.Column, 2), Tone: named}
	for line := range strings.Lines(f.FlagUsages()) {
		body := strings.TrimLeft(line, " ")
		name, said, _ := strings.Cut(body, "   ")
		t.Row(line[:len(line)-len(body)]+kinds.Replace(name), strings.TrimSpace(said))
	}
	_ = t.Print(out)
}
