package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/app/inventory"
	"perfdeck/session/app/sampling"
	"perfdeck/session/files/formats"
	"perfdeck/session/files/logs"
	"perfdeck/session/recording/collector"
	"perfdeck/session/recording/destination"
	"perfdeck/session/system/failure"
	"perfdeck/session/system/output"
	"perfdeck/session/system/tty"
	"perfdeck/session/text/english"
)

// unsetDigits leaves the number of decimals to the format.
const unsetDigits = -1

// sampleFlags are the flags of sample.
type sampleFlags struct {
	Count      int      `flag:"count" short:"n" help:"how many samples (0: until stopped)"`
	BeginAt    string   `flag:"begin-at" help:"time of the first sample, HH:MM[:SS]; tomorrow if that is over"`
	Files      []string `flag:"counters-file" short:"c" help:"file of counter paths, one a line; - is standard input (repeatable)"`
	output     string
	format     string
	ShowHidden bool     `flag:"show-hidden" help:"let wildcards find hidden counters too"`
	Aggregate  []string `flag:"aggregate" help:"instances to combine into one, as '\\Set(a|b|c)\\Counter' (repeatable)"`
	Aggregator string   `flag:"aggregate-func" help:"how: total, average, minimum or maximum (default: as the counter says)"`
	Digits     int      `flag:"digits" help:"decimals, 0 to 17; -1: 6 in tables and on the screen, all in files"`
	look       logs.WriteOptions
}

func (p *program) sampleCommand() *cobra.Command {
	f := sampleFlags{Digits: unsetDigits}
	c := flagged(&cobra.Command{
		Use:   "sample PATH...",
		Short: "Print counters without screens, as typeperf does",
		Long: `sample reads counters and prints them, one sample each interval, until it is
stopped or --count is reached. Counters are read twice before the first sample is
printed, so rates have values from the beginning.

A path without a computer is read from the hosts of --host, else from this computer. Of a
host that only a path names, only what that path asks for is read.

Wildcards follow instances as they come and go in table, json and prom; in csv
and tsv the columns are fixed when the first sample is printed, which waits until
every host has answered, for 5 seconds at most. What is left out is told.

In JSON each sample of a host is one object on one line, with "time", "host" and
"values", each of them with "path", "value" (a number or null), "text" (as
shown) and "status": "ok", or why there is no good value: "first sample",
"negative value", "negative denominator", "negative timebase", "zero base",
"zero time", "not displayable", "unsupported", "pending", "gone", "denied",
"unavailable", "no base", "gap", "not finite", "no start".

In prom several samples are one exposition with timestamps, printed after the last
of --count since it goes by metric; without --count lines come with each sample. A
file has the newest sample alone, without timestamp, for a textfile collector.

A counter that is a text has its text as "text" and no "value"; in prom it is a metric
that is 1, named _info, with the label "text".

On a terminal a table that is wider than it has one line a value.

The exit code is 0 when every path gave a value, 3 when some never did, 1 when
none could be read, 2 when the command was wrong.`,
		Example: `  perfdeck sample '\Processor Information(_Total)\% Processor Time'
  perfdeck sample -n 5 -f json '\Memory\Available MBytes'
  perfdeck sample -i 15 -n 240 -o hour.csv -c counters.txt
  perfdeck list Memory | perfdeck sample -n 1 -c -`,
		ValidArgsFunction: p.completePaths,
	}, &f, p.sample)
	l := c.Flags()
	l.StringVarP(&f.format, "format", "f", "", "how samples are written: "+strings.Join(formats.PrintFormats(), "|")+" (default: "+formats.Usual(formats.ToRead).Name+", in files what the name says or "+formats.Usual(formats.ToConvert).Name+")")
	addOutputFlags(c, &f.output, &f.look.Overwrite, "")
	l.BoolVar(&f.look.Spreadsheet, "csv-safe", false, "keep spreadsheets from running text cells as formulas")
	l.Bool("spec-scale", false, "show numbers times 10^default scale in table and JSON text")
	offer(c, "format", formats.PrintFormats())
	return c
}

// sample reads and writes until the count is reached or the context ends.
func (p *program) sample(c *cobra.Command, args []string, f sampleFlags) error {
	settings, err := p.settings(c)
	if err != nil {
		return err
	}
	ctx, every := c.Context(), settings.Interval
	f.look.Looks, f.look.Beats = p.config.Counters.Looks(settings), f.Count
	kind, err := f.check()
	if err != nil {
		return err
	}
	wait, err := sampling.UntilFirst(f.BeginAt, time.Now(), every)
	if err != nil {
		return err
	}
	queries, err := p.queriesOf(args, f)
	if err != nil {
		return err
	}
	if f.output != "" && !destination.IsStandardOutput(f.output) {
		release, err := collector.HoldOutput(f.output, !kind.Replaces)
		if err != nil {
			return fmt.Errorf("sample: %w", err)
		}
		defer release()
	}
	hosts, err := p.hostsAfter(ctx, wait, queries)
	if err != nil {
		return unlessEnded(ctx, err)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	inventory.Start(ctx, hosts...)
	var out *formats.Printer
	report := p.reportOnce()
	r, partly, err := p.pour(ctx, hosts, queries, collector.Options{
		Listeners: collector.Listeners{Report: report},
		Subject:   collector.Subject{Every: every, ShowHidden: f.ShowHidden},
		Until:     collector.Until{Count: int64(f.Count)},
		Stream:    &collector.Stream{Fixed: !kind.Grows, Write: func(r *logs.Beat) error { return out.Write(r) }},
	}, func() (err error) {
		out, err = destination.Print(kind, f.output, p.out, f.look)
		return err
	})
	if r == nil {
		return unlessEnded(ctx, err)
	}
	err = cmp.Or(err, out.Close())
	if errors.Is(err, logs.ErrNoColumns) {
		err = failure.WithHint(err, "the columns of csv and tsv are fixed at the start; json and table follow instances")
	}
	if tty.IsGone(err) { // of a pipe that -o names, too
		return nil
	}
	if err != nil {
		return fmt.Errorf("write samples: %w", err)
	}
	p.noteMissed(r.Status(), report)
	return p.noteSilent(c.Context(), "sample", sampling.Silent(r, hosts), partly)
}

// queriesOf are the paths of the arguments and of the flags.
func (p *program) queriesOf(args []string, f sampleFlags) ([]inventory.Query, error) {
	combined, err := inventory.Aggregates(f.Aggregate, f.Aggregator)
	if err != nil {
		return nil, err
	}
	return p.queries(args, f.Files, combined...)
}

// hostsAfter opens the hosts of the queries after a while. They are opened once
// before it, to tell at once what is wrong; the beat begins with the last time.
func (p *program) hostsAfter(ctx context.Context, wait time.Duration, queries []inventory.Query) ([]inventory.Host, error) {
	hosts, err := p.hostsOf(queries)
	if err != nil || wait == 0 {
		return hosts, err
	}
	inventory.CloseAll(hosts)
	if !session.Sleep(ctx, wait) {
		return nil, context.Cause(ctx)
	}
	return p.hostsOf(queries)
}

// check refuses flags that do not fit together and finds the format.
func (f *sampleFlags) check() (*formats.Format, error) {
	if _, set, err := destination.Set("sample", f.output, ""); err != nil {
		return nil, err
	} else if set != "" {
		return nil, usage(fmt.Errorf("sample -o %s: it writes no sets", f.output), "perfdeck record does")
	}
	if f.Count < 0 {
		return nil, usage(fmt.Errorf("--count %d: not a number of samples", f.Count))
	}
	if f.Digits != unsetDigits {
		if f.Digits < 0 || f.Digits > 17 {
			return nil, usage(fmt.Errorf("--digits %d: not from 0 to 17", f.Digits))
		}
		f.look.Fixed, f.look.Decimals = true, f.Digits
	}
	return destination.PrintFormat(f.output, f.format)
}

// noteMissed tells how many samples hosts did not give in time, which hosts, and why, as far
// as report did not tell that before.
func (p *program) noteMissed(s collector.Status, report func(error)) {
	if s.Missed == 0 {
		return
	}
	p.aside("perfdeck: %s %s not there in time%s", english.Count(s.Missed, "sample", "samples"), english.Plural(s.Missed, "was", "were"), sampling.Misses(s))
	noteFailed(s, report)
}

// noteFailed tells why hosts failed, those first that lack most.
func noteFailed(s collector.Status, report func(error)) {
	told := map[string]bool{}
	for _, m := range sampling.Worst(s) {
		if m.Err != nil && !told[m.Err.Error()] && len(told) < sampling.MostNamed {
			told[m.Err.Error()] = true
			report(m.Err)
		}
	}
}

// noteSilent names the paths that never gave a value.
func (p *program) noteSilent(ctx context.Context, verb string, silent []session.Silence, failed bool) error {
	for _, s := range silent {
		why := logs.StatusWord(s.Status)
		switch {
		case s.Empty != "":
			why = s.Empty
		case s.Status == cooker.Pending && ctx.Err() != nil:
			why = "it was ended before one came"
		}
		p.aside("perfdeck: %s %s: never had a value: %s", verb, pathOfHost(s), why)
	}
	return partlyIf(failed || len(silent) > 0)
}

// pour is that of sampling, with what it needs of the program filled in.
func (p *program) pour(ctx context.Context, hosts []inventory.Host, queries []inventory.Query, o collector.Options, begin func() error) (*collector.Recording, bool, error) {
	o.Clock, o.Go = p.runClock(), p.guard.Go
	return sampling.Pour(ctx, hosts, queries, o, begin)
}

// reportOnce reports errors, each text once.
func (p *program) reportOnce() func(error) { return output.Once(p.tellError) }
