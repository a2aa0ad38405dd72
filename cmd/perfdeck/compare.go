package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"perfdeck/session/alert"
	"perfdeck/session/analysis/difference"
	"perfdeck/session/app/inventory"
	"perfdeck/session/app/ruleset"
	"perfdeck/session/files/logs"
	"perfdeck/session/recording/relog"
	"perfdeck/session/system/output"
	"perfdeck/session/text/field"
)

// compareFlags are the flags of compare.
type compareFlags struct {
	difference.Options

	Span         string `flag:"window" help:"how long it is: seconds, or a time as 10m or 00:10:00"`
	read         logs.OpenOptions
	packs, rules []string
	Most         int  `flag:"most" help:"list at most so many counters; 0: all"`
	JSON         bool `flag:"json" help:"print a JSON object a line"`
}

func (p *program) compareCommand() *cobra.Command {
	f := compareFlags{Span: "10m", Most: 20}
	c := flagged(&cobra.Command{
		Use:   "compare FILE [FILE]",
		Short: "Tell what changed between two recordings, hosts, or times",
		Long: `What is different from before? compare tells which counters changed, the strongest first:

  from one recording to another;
  in one recording, from the time before to the time at a moment (--at, --window);
  in one recording, from one host to another (--host, twice).

It reads what relog reads.

A counter changed when its median moved several times as far as it moves by itself, slow
swings included: 48 parts of the time before tell how far that is. What rises or falls
steadily is compared with where it would be by then, what is mostly zero by how often it
is not. The more counters there are, the farther one has to move, so that none is called
changed by chance: nothing changed is an answer. They are ordered by STRENGTH: the share
by which the median changed, times the binary logarithm of 1 + SPREADS, so that neither a
small step of what stood still nor large noise comes first. Instances that came and went
stand at the end. compare never says why.

Alert rules are judged over both times. Behind the counters stands what they say of the
later time and not of the one before, then what they say of the one before alone. Rules are
those of the config and of the screens, of a bundle, of --alert, and all starter packs, or
those of --pack.

--against tells what the time is compared with: before (the twelve times as long before
it, at least half an hour), hour or day (as long an hour or a day before), or the moment
where that time begins. What is so at this time of other days in the recording, too, is no
change. Two recordings of different days are compared at the same times of day, as far as
they have them in common. Times are those of the recording's zone.

The exit code is 3 when something could not be read: the rest is compared.`,
		Example: `  perfdeck compare lastweek.db today.db
  perfdeck compare night.csv --at 03:12 --window 10m
  perfdeck compare week.db --at '2026-03-02 03:12' --against day
  perfdeck compare night.db --host web01 --host web02
  perfdeck compare night.db --at 03:12 --counter '\PhysicalDisk(*)\*' --json`,
		Args: cobra.MatchAll(needs("recording"), atMost(2)),
	}, &f, p.compare)
	c.Flags().StringVar(&f.Against, "against", difference.Before, "what it is compared with: before, hour, day, or a moment as --at takes it")
	addSpanFlags(c, &f.Begin, &f.End, "of two recordings or hosts: ")
	addReadingFlags(c, &f.read, "")
	addPackFlag(c, &f.packs, "starter pack of rules, instead of all; none: no pack")
	p.addAlertFlag(c, &f.rules)
	offer(c, "against", []string{difference.Before, difference.Hour, difference.Day})
	return c
}

// check refuses flags that do not fit together.
func (f *compareFlags) check(c *cobra.Command, files, hosts []string) error {
	switch two := len(files) == 2 || len(hosts) == 2; {
	case f.Most < 0:
		return usage(fmt.Errorf("--most %d: not a number of counters", f.Most))
	case f.At == "" && (c.Flags().Changed("window") || c.Flags().Changed("against")):
		return usage(errors.New("compare: --window and --against are about a time"), "--at tells where it begins")
	case f.At != "" && (f.Begin != "" || f.End != ""):
		return usage(errors.New("compare: --at excludes --begin and --end"), "--window tells how long the time is")
	case f.At != "" && len(files) == 2:
		return usage(errors.New("compare: --at is a time of one recording"), "two files that are one: perfdeck relog FILE FILE -o BOTH")
	case f.At == "" && !two:
		return usage(errors.New("compare: there is nothing to compare it with"), "name a second recording, a time (--at 03:12 --window 10m), or two hosts of it (--host A --host B)")
	case len(files) == 2 && len(hosts) > 2 || len(files) == 1 && f.At == "" && len(hosts) > 2:
		return usage(errors.New("compare: two hosts can be compared, not more"))
	}
	return nil
}

// compare does what the flags ask for.
func (p *program) compare(c *cobra.Command, files []string, f compareFlags) error {
	if err := f.check(c, files, p.flags.Hosts); err != nil {
		return err
	}
	settings, every, err := p.ruleSettings(c)
	if err != nil {
		return err
	}
	var ok bool
	if f.Window, ok = field.ParseTime(f.Span); !ok || f.Window <= 0 || f.Window > difference.Longest {
		return usage(fmt.Errorf("--window %q: not a time", f.Span), "write 600, 10m or 00:10:00")
	}
	f.Hosts = slices.Clone(p.flags.Hosts)
	for i, name := range f.Hosts {
		f.Hosts[i] = inventory.DisplayName(name)
	}
	f.IsOf, f.Averages, f.Every, f.Looks, f.Guard, f.Style, f.Grouping = inventory.Is, f.JSON, every, p.config.Counters.Looks(settings), p.guard, settings.Units, settings.Grouping
	f.Open = func(name string) (difference.Opened, error) { return p.openCompared(c.Context(), name, f.read) }
	f.Rules = func() ([]alert.Rule, error) { return p.rulesOver(ruleset.Packs(f.packs), f.rules, p.tellError) }
	f.Progress = func(came func() (float64, string, bool)) (show, end func()) {
		bar := output.NewBar(p.err, came)
		return bar.Show, bar.Clear
	}
	found, err := difference.Find(c.Context(), files, f.Options)
	if err != nil {
		return err
	}
	if err := (&comparedPrint{Difference: found, flags: f}).print(p.people(p.out)); err != nil {
		return err
	}
	partly := found.Missing
	for _, faults := range found.Faults {
		partly = p.tellFaults(faults) || partly
	}
	return partlyIf(partly)
}

// openCompared opens a recording that is compared.
func (p *program) openCompared(ctx context.Context, name string, read logs.OpenOptions) (difference.Opened, error) {
	files, done, err := p.spooled().Files([]string{name})
	if err != nil {
		return difference.Opened{}, err
	}
	r, missing, err := relog.OpenJoined(ctx, files, p.naming(read), 0, p.tellError)
	if err != nil {
		done()
		return difference.Opened{}, err
	}
	return difference.Opened{Name: p.shown(name), Reader: r, Files: files, Reopen: p.opener(ctx, read), Missing: missing, Done: done}, nil
}
