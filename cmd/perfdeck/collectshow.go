package main

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"perfdeck/session"
	"perfdeck/session/record/listing"
)

// jsonListedSet is what collect list --json prints of a set.
type jsonListedSet struct {
	Name   string    `json:"name"`
	Kind   string    `json:"kind"`   // set, or config: a [[record]] of the config
	Status string    `json:"status"` // running, stopped, died, damaged
	Next   time.Time `json:"next,omitzero"`
	Last   time.Time `json:"last,omitzero"` // when the last run began
	Bytes  int64     `json:"bytes"`         // of all its folders
	Root   string    `json:"root"`          // of the config: its file
	Why    string    `json:"why,omitempty"` // the last run ended by itself
}

// status is how a set stands, in the words of logman and those for what it does not know.
func status(s listing.State) string {
	switch s {
	case listing.Tidying:
		return listing.Running.String()
	case listing.Failed, listing.Ended:
		return listing.Stopped.String()
	case listing.Stopped, listing.Running, listing.Died, listing.Damaged:
	}
	return s.String()
}

func (p *program) collectListCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "list", Short: "List data collector sets: how they stand, when they start next, what they hold",
		Long: `list lists data collector sets, and recordings that have a name in the config: how they
stand, when they start next, when they ran last, how large their files are.`,
		Args: atMost(0),
		RunE: func(*cobra.Command, []string) error {
			if err := p.loadConfig(); err != nil {
				return err
			}
			var list []listing.Record
			err := p.visit(func(string) (err error) {
				list, err = p.sets().List(p.config.Records)
				return err
			})
			if err != nil {
				return err
			}
			list = slices.DeleteFunc(list, func(r listing.Record) bool { return r.Kind == listing.OtherRecording })
			for i := range list {
				p.report(list[i].Err)
			}
			if len(list) == 0 && !asJSON {
				fmt.Fprintln(p.err, "perfdeck: there are no data collector sets")
			}
			out := bufio.NewWriter(p.out)
			printSets(out, list, asJSON)
			return unlessPipe(out.Flush())
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

func printSets(out io.Writer, list []listing.Record, asJSON bool) {
	width := len("set")
	for i := range list {
		width = max(width, len([]rune(session.Printable(list[i].Name))))
	}
	if !asJSON && len(list) > 0 {
		fmt.Fprintf(out, "%-*s  %-8s  %-16s  %-16s  %9s\n", width, "set", "status", "next start", "last run", "size")
	}
	at := func(t time.Time) string {
		if t.IsZero() {
			return "-"
		}
		return t.In(time.Local).Format("2006-01-02 15:04")
	}
	for i := range list {
		l := &list[i]
		if asJSON {
			_ = session.WriteJSON(out, jsonListedSet{l.Name, l.Kind.String(), status(l.State), l.Next, l.Began, l.Bytes, l.Root, l.Why})
			continue
		}
		fmt.Fprintf(out, "%-*s  %-8s  %-16s  %-16s  %9s\n", width, session.Printable(l.Name), status(l.State), at(l.Next), at(l.Began), session.SizeText(l.Bytes))
		if l.Why != "" {
			fmt.Fprintf(out, "%-*s  %s\n", width, "", session.Printable(l.Why))
		}
	}
}

func (p *program) collectShowCommand() *cobra.Command {
	return &cobra.Command{
		Use: "show NAME|FILE", Short: "Say in words what a set does",
		Long: "show says in words what a set collects, when and where, what it would remove, and what of it is ignored here and why.",
		Args: exactly("name of the set"), ValidArgsFunction: p.completeSets,
		RunE: func(_ *cobra.Command, args []string) error {
			if err := p.loadConfig(); err != nil {
				return err
			}
			set, err := p.setOf(args[0])
			if err != nil {
				return err
			}
			out := bufio.NewWriter(p.out)
			for _, line := range set.Describe(p.runClock().Now().Wall.In(time.Local)) {
				fmt.Fprintln(out, line)
			}
			if err := out.Flush(); err != nil {
				return unlessPipe(err)
			}
			if found := p.sets().Findings(set); len(found) > 0 {
				p.printFindings(args[0], found)
			}
			return nil
		},
	}
}
