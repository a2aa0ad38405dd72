package main

import (
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"perfdeck/session/system/output"
)

// What several commands have: flags, and how they read and complete them.

// group is a command that only has others; what they are is told where none of them is named.
func group(c *cobra.Command, what, known string, commands ...*cobra.Command) *cobra.Command {
	if c.Args == nil {
		c.Args = needs(what)
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		_, name, _ := strings.Cut(c.CommandPath(), " ")
		return usage(fmt.Errorf("%s %s: no such %s", name, args[0], what), known)
	}
	c.AddCommand(commands...)
	return c
}

// flagged is a command that does something with flags, which are fields of f: see addFlags.
func flagged[T any](c *cobra.Command, f *T, do func(c *cobra.Command, args []string, f T) error) *cobra.Command {
	addFlags(c.Flags(), f)
	c.RunE = func(c *cobra.Command, args []string) error { return do(c, args, *f) }
	return c
}

// addFlags adds a flag for each field of a struct that has tags for it: flag:"NAME" help:"what it does", and short:"N" where
// it has a letter. What the field holds is the default. A flag without help is hidden.
func addFlags[T any](l *pflag.FlagSet, of *T) {
	fields := reflect.ValueOf(of).Elem()
	for _, field := range reflect.VisibleFields(fields.Type()) {
		help, is := field.Tag.Lookup("help")
		if !is {
			continue
		}
		name, short := field.Tag.Get("flag"), field.Tag.Get("short")
		switch to := fields.FieldByIndex(field.Index).Addr().Interface().(type) {
		case *bool:
			l.BoolVarP(to, name, short, *to, help)
		case *int:
			l.IntVarP(to, name, short, *to, help)
		case *int64:
			l.Int64VarP(to, name, short, *to, help)
		case *uint32:
			l.Uint32VarP(to, name, short, *to, help)
		case *time.Duration:
			l.DurationVarP(to, name, short, *to, help)
		case *string:
			l.StringVarP(to, name, short, *to, help)
		case *[]string:
			l.StringArrayVarP(to, name, short, *to, help)
		default:
			panic("--" + name + ": no flag is of the type of its field")
		}
		if help == "" {
			_ = l.MarkHidden(name)
		}
	}
}

// offer completes a flag with values.
func offer(c *cobra.Command, flag string, values []string) {
	_ = c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

// addOutputFlags adds where a command writes to, and that a file there may be overwritten.
func addOutputFlags(c *cobra.Command, output *string, overwrite *bool, besides string) {
	c.Flags().StringVarP(output, "output", "o", "", "file to write to"+besides)
	c.Flags().BoolVarP(overwrite, "yes", "y", false, "overwrite the file if it is there")
}

// addSpanFlags adds the limits of time.
func addSpanFlags(c *cobra.Command, begin, end *string, when string) {
	c.Flags().StringVar(begin, "begin", "", when+"leave out what is earlier")
	c.Flags().StringVar(end, "end", "", when+"leave out what is later")
}

// addPackFlag adds the flag that names starter packs.
func addPackFlag(c *cobra.Command, packs *[]string, help string) {
	c.Flags().StringArrayVar(packs, "pack", nil, help+" (repeatable)")
	_ = c.RegisterFlagCompletionFunc("pack", completePack)
}

// given reads what a flag says in a text, if it was given.
func given[T any](to *T, flag, text string, read func(flag, text string) (T, error)) error {
	if text == "" {
		return nil
	}
	value, err := read(flag, text)
	if err == nil {
		*to = value
	}
	return err
}

// several tells how many of some things are so.
func several(things ...bool) (n int) {
	for _, is := range things {
		if is {
			n++
		}
	}
	return n
}

// shareBar is a bar of progress that is told how far it is.
func (p *program) shareBar() (tick func(share float64), end func()) {
	came := 0.0
	bar := output.NewBar(p.err, func() (float64, string, bool) { return came, "", true })
	return func(share float64) { came = share; bar.Show() }, bar.Clear
}
