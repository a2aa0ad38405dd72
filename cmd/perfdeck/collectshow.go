package main

import (
	"bufio"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"perfdeck/session/files/listing"
	"perfdeck/session/text"
	"perfdeck/session/text/english"
	"perfdeck/session/text/printable"
	"perfdeck/themes"
)

// jsonListedSet is what collect list --json prints of a set.
type jsonListedSet struct {
	Host   string    `json:"host,omitempty"` // empty: this computer
	Name   string    `json:"name"`
	Kind   string    `json:"kind"`   // set, or config: a [[record]] of the config
	Status string    `json:"status"` // running, stopped, died, damaged
	Next   time.Time `json:"next,omitzero"`
	Last   time.Time `json:"last,omitzero"`   // when the last run began
	Bytes  *int64    `json:"bytes,omitempty"` // of all its folders
	Root   string    `json:"root,omitempty"`  // of the config: its file
	Why    string    `json:"why,omitempty"`   // the last run ended by itself
}

// status is how a set stands, in the words of logman and those for what it does not know.
func status(s listing.State) string {
	switch s {
	case listing.Tidying:
		return listing.Running.String()
	case listing.Failed, listing.Ended:
		return listing.Stopped.String()
	case listing.Stopped, listing.Running, listing.Died, listing.Damaged, listing.Unasked, listing.Silent:
	}
	return s.String()
}

func (p *program) collectListCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "list", Short: "List data collector sets: how they stand, when they start next, what they hold",
		Long: `list lists data collector sets, and recordings that have a name in the config: how they
stand, when they start next, when they ran last, how large their files are. With -H it
lists those of Windows hosts, of all categories.`,
		Args:    atMost(0),
		PreRunE: p.ofSets(false, ownSets, ownRecordings),
		RunE: func(c *cobra.Command, _ []string) error {
			if hosts, err := p.setHosts(); err != nil {
				return err
			} else if len(hosts) > 0 {
				return p.listOfHosts(c.Context(), hosts, asJSON)
			}
			var list []listing.Record
			err := p.visit(false, func(string) (err error) {
				list, err = p.sets().List(p.config.Records)
				for i := range list {
					list[i].Root = whole(list[i].Root)
				}
				return err
			})
			if err != nil {
				return err
			}
			list = slices.DeleteFunc(list, func(r listing.Record) bool { return r.Kind >= listing.OtherRecording })
			for i := range list {
				p.report(list[i].Err)
			}
			if len(list) == 0 && !asJSON {
				p.tell("there are no data collector sets")
			}
			out := bufio.NewWriter(p.out)
			if err := printSets(p.people(p.out).To(out), list, asJSON); err != nil {
				return err
			}
			return out.Flush()
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

// needed is what is wrong with how a record ran, or will not.
func needed(r *listing.Record) string {
	if len(r.Findings) > 0 && r.Findings[0].Level == listing.Wrong {
		return r.Findings[0].Text
	}
	return r.Why
}

// printSets prints the sets; what is wrong with one stands below its row.
func printSets(out *text.Printer, list []listing.Record, asJSON bool) error {
	table := text.Table{
		Columns: []text.Column{{Head: "set"}, {Head: "status", Least: 8}, {Head: "next start", Least: 16}, {Head: "last run", Least: 16}, {Head: "size", Least: 9, IsRight: true}},
		Tone: func(row, column int) themes.Token {
			switch {
			case list[row].Why != "":
				return themes.Warning
			case column == 1 && list[row].State == listing.Running:
				return themes.OK
			}
			return themes.Text
		},
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
			_ = printable.WriteJSON(out, jsonListedSet{"", l.Name, l.Kind.String(), status(l.State), l.Next, l.Began, &l.Bytes, l.Root, l.Why})
			continue
		}
		table.Row(l.Name, status(l.State), at(l.Next), at(l.Began), english.Size(l.Bytes))
		table.Below(needed(l))
	}
	if asJSON || len(list) == 0 {
		return nil
	}
	return table.Print(out)
}

func (p *program) collectShowCommand() *cobra.Command {
	return &cobra.Command{
		Use: "show NAME|FILE", Short: "Say in words what a set does",
		Long: `show says in words what a set collects, when and where, what it would remove, and what of
it is ignored here and why. With -H it is one of hosts: times and folders are theirs, and
who may do what with it is said.`,
		Args: exactly("name of the set"), ValidArgsFunction: p.completeSets,
		PreRunE: p.ofSets(false, ownSets),
		RunE: func(c *cobra.Command, args []string) error {
			if hosts, err := p.setHosts(); err != nil {
				return err
			} else if len(hosts) > 0 {
				return p.showOfHosts(c.Context(), hosts, args[0])
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
				return err
			}
			if found := p.sets().Findings(set); len(found) > 0 {
				p.printFindings(args[0], found)
			}
			return nil
		},
	}
}
