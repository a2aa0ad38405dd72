package main

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"perfdeck/paths"
)

// needs refuses a command without arguments.
func needs(what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) > 0 {
			return nil
		}
		return usage(fmt.Errorf("%s: no %s was given", c.Name(), what), "see "+c.CommandPath()+" --help")
	}
}

// atMost refuses more than n arguments.
func atMost(n int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) <= n {
			return nil
		}
		return usage(fmt.Errorf("%s: %q is too much", c.Name(), args[n]), "see "+c.CommandPath()+" --help")
	}
}

// exactly is one argument.
func exactly(what string) cobra.PositionalArgs { return cobra.MatchAll(needs(what), atMost(1)) }

// foreignOptions are options of typeperf, relog and PowerShell's Get-Counter
// (their help pages, Windows Server 2022), and how it is said here. They are
// read in any case, as there.
var foreignOptions = []struct {
	option   string
	commands []string // only there; nil: everywhere
	here     string
}{
	{"/?", nil, "--help"},
	{"-?", nil, "--help"},
	{"-si", nil, "-i TIME, the time between samples: -i 5, -i 00:05"},
	{"-sc", nil, "-n COUNT, the number of samples"},
	{"-cf", nil, "-c FILE, a file of paths, one a line"},
	{"-qx", nil, "perfdeck list -x [OBJECT], counters with their instances"},
	{"-q", []string{"perfdeck", "sample"}, "perfdeck list [OBJECT], counters without their instances"},
	{"-s", nil, "--host NAME, a host to read"},
	{"-config", nil, "the options themselves: their settings file is not read"},
	{"-MaxSamples", nil, "-n COUNT, the number of samples"},
	{"-Continuous", nil, "nothing: samples are taken until it is stopped when -n is left out"},
	{"-SampleInterval", nil, "-i SECONDS, the time between samples"},
	{"-ComputerName", nil, "--host NAME, a host to read (repeatable)"},
	{"-Counter", nil, "the paths alone, each as an argument"},
	{"-ListSet", nil, "perfdeck list [OBJECT]"},
	{"-t", []string{"relog"}, "--every N, every N-th sample"},
	{"-b", []string{"relog"}, "--begin TIME"},
	{"-e", []string{"relog"}, "--end TIME"},
}

// foreign refuses an option of those programs before it is taken for several of
// ours: -cf would be -c with the file "f".
func foreign(root *cobra.Command, args []string) error {
	c, _, err := root.Find(args)
	if err != nil {
		c = root
	}
	for _, arg := range args {
		if arg == "--" {
			return nil
		}
		if err := pasted(c, arg); err != nil {
			return err
		}
		option, _, _ := strings.Cut(arg, ":") // PowerShell: -MaxSamples:5
		for _, o := range foreignOptions {
			if strings.EqualFold(option, o.option) && (o.commands == nil || slices.Contains(o.commands, c.Name())) && !isOurs(c, arg) {
				return usage(fmt.Errorf("%s: there is no option %s", c.CommandPath(), option), "here it is "+o.here)
			}
		}
	}
	return nil
}

// isOurs tells an option of a single letter that the command has.
func isOurs(c *cobra.Command, arg string) bool {
	letter, isOption := strings.CutPrefix(arg, "-")
	return isOption && len(letter) == 1 && (c.Flags().ShorthandLookup(letter) != nil || c.InheritedFlags().ShorthandLookup(letter) != nil)
}

// misspelled is a word in the place of a command or path that is like the name
// of a command, "" when none is.
func misspelled(root *cobra.Command, word string) string {
	names := root.SuggestionsFor(word)
	if len(names) == 0 {
		return ""
	}
	for i, name := range names {
		names[i] = "'" + name + "'"
	}
	return "did you mean " + strings.Join(names, " or ") + "?"
}

// pasted refuses an argument of a line that was copied from a page: a dash that is none before an option
// of the command, an option with what stands behind a blank that parts no words, and quotes that quote nothing.
func pasted(c *cobra.Command, arg string) error {
	refused := func(hint string) error {
		return usage(fmt.Errorf("%s: %s: a sign of a page that this was copied from", c.CommandPath(), arg), hint)
	}
	like := func(signs string) func(rune) bool {
		return func(r rune) bool { return strings.ContainsRune(signs, r) || paths.LooksLike(r, signs) }
	}
	name, _, _ := strings.Cut(strings.TrimLeftFunc(arg, like("-")), "=")
	words := strings.FieldsFunc(name, like(" "))
	if len(words) > 0 {
		name = words[0]
	}
	isOption := func() bool {
		f := c.Flags()
		return f.Lookup(name) != nil || c.InheritedFlags().Lookup(name) != nil || len(name) == 1 && (f.ShorthandLookup(name) != nil || c.InheritedFlags().ShorthandLookup(name) != nil)
	}
	isDash := paths.LooksLike(firstRune(arg), "-")
	switch {
	case isDash && isOption():
		return refused("write - in its place")
	case (isDash || strings.HasPrefix(arg, "-")) && len(words) > 1 && strings.ContainsFunc(arg, func(r rune) bool { return paths.LooksLike(r, " ") }) && isOption():
		return refused("write a blank in place of the one that parts no words")
	case strings.HasPrefix(strings.TrimLeftFunc(arg, like(`'"`)), `\`) && paths.LooksLike(firstRune(arg), `'"`):
		return refused(`write " in place of the quotes`)
	}
	return nil
}

func firstRune(text string) rune {
	r, _ := utf8.DecodeRuneInString(text)
	return r
}
