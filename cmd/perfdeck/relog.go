package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"perfdeck/session/files/formats"
	"perfdeck/session/files/logs"
	"perfdeck/session/recording/destination"
	"perfdeck/session/recording/relog"
	"perfdeck/session/system/tty"
	"perfdeck/session/text/field"
)

// relogFlags are the flags of relog.
type relogFlags struct {
	output      string
	format      string
	overwrite   bool
	Extend      bool     `flag:"append" short:"a" help:"append to the file: the counters must be the same, the times later"`
	Set         string   `flag:"set" help:"name of the set in an SQLite file that is written (default: that of the file)"`
	Counters    []string `flag:"counter" help:"counter path to keep; wildcards are allowed (repeatable)"`
	Files       []string `flag:"counters-file" short:"c" help:"file of counter paths to keep, one a line; - is standard input (repeatable)"`
	Begin       string   `flag:"begin" help:"leave out what is earlier, but for the sample before"`
	End         string   `flag:"end" help:"leave out what is later"`
	Every       int      `flag:"every" help:"keep every n-th sample"`
	Within      string   `flag:"within" help:"merge samples of different files into one row when they are this near: seconds, or a time as 500ms"`
	read        logs.OpenOptions
	List        bool `flag:"list" short:"q" help:"list counters and times"`
	Summary     bool `flag:"summary" help:"print minimum, average, maximum and percentiles"`
	JSON        bool `flag:"json" help:"print JSON with -q and --summary"`
	Check       bool `flag:"check" help:"tell all that is wrong with recordings"`
	percentiles []string
}

func (p *program) relogCommand() *cobra.Command {
	f := relogFlags{Every: 1, Within: "0"}
	c := flagged(&cobra.Command{
		Use:   "relog FILE...",
		Short: "Convert, filter, merge and sum up recordings",
		Long: `relog reads recordings: PDH-CSV, PDH-TSV and binary logs (.blg) of Windows, what
typeperf printed, SQLite with the tables of MS-PLA, and JSON lines. The content of a file
tells its format; - is the standard input. Several files are merged in time; the same
counter in two of them is one column.

With -o it writes them in any of these formats. Writing .blg is experimental: no such file
was ever tried on Windows, and it has raw samples alone, without texts. With -q it lists
what -o would write. With --summary it prints the
minimum, the average, the maximum and percentiles of every counter: the smallest value
that so many of all samples do not exceed (nearest rank), within 1 % of it where a counter
has more than 100. Averages of rates are the change of the raw samples by the time, or by
what was counted; without raw samples they are weighted by time, as is said then. Files
may be larger than memory. FILE!SET chooses a set of an SQLite file, for reading and for
writing; otherwise the newest one is read.

Notes, and what hosts logged, go along within the time that is kept, the latter into
SQLite and JSON lines alone.

--counter takes paths as sample does, and wildcards in all of their parts; a path
without a computer means all of them. --begin keeps the sample before, from which
the first rate can be computed. Times are those of the first recording's zone: as
"2026-03-01 22:30", as relog of Windows has them, "3/1/2026 22:30:00", or a time of
the first day, "22:30". With --every rates are made anew of all samples since the row
before that stays, where the recording has raw ones: the change over the whole, or where
a restart or a gap lies between, the average of what is known; otherwise the values of
the rows that stay are kept.

--check reads recordings to their end and tells all that is wrong with them: what could
not be read and where, rows that go back in time, counters that stand twice or never
have a value.

The exit code is 3 when something could not be read, or a counter was not found: the
rest is there all the same.`,
		Example: `  perfdeck relog night.csv -o night.db
  perfdeck relog web1.csv web2.csv --begin 22:30 --end 23:00 -o both.tsv
  perfdeck relog night.db --counter '\Process(*)\% Processor Time' --every 15 -o small.csv
  perfdeck relog -q night.csv
  perfdeck relog --summary night.csv
  perfdeck relog --check night.db`,
		Args: needs("recording"),
	}, &f, p.relog)
	l := c.Flags()
	addOutputFlags(c, &f.output, &f.overwrite, "; - is standard output")
	l.StringVarP(&f.format, "format", "f", "", "format to write: "+strings.Join(formats.Names(), "|")+" (default: what the name says, or "+formats.Usual(formats.ToConvert).Name+")")
	addReadingFlags(c, &f.read, "")
	l.StringSliceVar(&f.percentiles, "percentiles", []string{"50", "95", "99"}, "percentiles of --summary")
	offer(c, "format", formats.Names())
	return c
}

var (
	errNoAim   = errors.New("relog: nothing was asked for")
	errTwoAims = errors.New("relog: -o, -q, --summary and --check exclude each other")
)

// fit refuses flags that do not fit together.
func (f *relogFlags) fit() error {
	switch aims := several(f.output != "", f.List, f.Summary, f.Check); {
	case aims == 0:
		return usage(errNoAim, "-o FILE converts, -q lists, --summary sums up, --check tells what is wrong")
	case aims > 1:
		return usage(errTwoAims)
	case f.Every < 1:
		return usage(fmt.Errorf("--every %d: not a number of samples", f.Every))
	case f.Check && f.filters():
		return usage(errors.New("relog: --check is of whole recordings"))
	case f.Extend && f.overwrite:
		return usage(errors.New("relog: --append and --yes exclude each other"))
	}
	return nil
}

// filters tells whether something is to be left out.
func (f *relogFlags) filters() bool {
	return len(f.Counters)+len(f.Files) > 0 || f.Begin != "" || f.End != "" || f.Every > 1
}

// relog does what the flags ask for.
func (p *program) relog(c *cobra.Command, files []string, f relogFlags) error {
	ctx := c.Context()
	if err := f.fit(); err != nil {
		return err
	}
	var err error
	if f.output, f.Set, err = destination.Set("relog", f.output, f.Set); err != nil {
		return err
	}
	if err := destination.Apart("relog", f.output, p.in, f.Files); err != nil {
		return err
	}
	within, err := seconds("within", f.Within)
	if err != nil {
		return err
	}
	files, done, err := p.spooled().Files(files)
	if err != nil {
		return err
	}
	defer done()
	if f.List && !f.filters() || f.Check {
		return p.relogEach(ctx, files, f)
	}
	r, missing, err := relog.OpenJoined(ctx, files, p.naming(f.read), within, p.tellError)
	if err != nil {
		return err
	}
	defer r.Close()
	if err := p.complete(ctx, r, strings.Join(files, ", ")); err != nil {
		return err
	}
	paths, err := p.chosenPaths(f)
	if err != nil {
		return err
	}
	chosen, unmatched, err := relog.Select(ctx, r, relog.Choice{Paths: paths, Begin: f.Begin, End: f.End, Every: f.Every}, p.tellError)
	if err != nil {
		return err
	}
	job := &relogJob{program: p, Selection: chosen, reader: r, flags: f, partly: missing || unmatched}
	switch {
	case f.List:
		err = job.list(ctx, files)
	case f.Summary:
		err = job.summarize(ctx)
	default:
		err = job.convert(ctx, files)
	}
	if err != nil && !tty.IsGone(err) { // what is wrong with recordings is told all the same
		return err
	}
	return job.report()
}

// seconds is a flag that is a time: a number of seconds, or with a unit.
func seconds(flag, text string) (time.Duration, error) {
	d, ok := field.ParseTime(text)
	if !ok {
		return 0, usage(fmt.Errorf("--%s %q: not a time as 2 or 500ms", flag, text))
	}
	return d, nil
}

// relogJob is what is printed of a run over a recording.
type relogJob struct {
	*program
	*relog.Selection

	reader logs.Reader
	flags  relogFlags
	partly bool // something was not found
}

// convert writes what is chosen to where -o says.
func (j *relogJob) convert(ctx context.Context, files []string) error {
	f := &j.flags
	format, err := destination.Format("relog", f.output, f.format, formats.ToConvert)
	if err != nil {
		return err
	}
	bar := j.readProgress(j.reader)
	missing, err := j.Write(ctx, relog.Conversion{
		Output: f.output, Format: format, Append: f.Extend, Overwrite: f.overwrite, Set: f.Set, From: files,
		Stdout: j.out, Half: j.life.Half, Tick: bar.Show,
		Report: func(err error) { bar.Clear(); j.program.report(err) },
	})
	bar.Clear()
	j.partly = j.partly || missing
	return err
}

// report tells what could not be read, and, where it was not listed, what was inferred.
func (j *relogJob) report() error {
	if span, err := j.reader.Span(); err == nil && !j.flags.List {
		words := append(span.Inferred.Words(), logs.SetBack(j.reader, logs.LineOf(j.reader))...)
		for _, words := range append(words, j.reader.Header().TakenWords()...) {
			fmt.Fprintln(j.err, "perfdeck: relog: "+words)
		}
	}
	return partlyIf(j.tellFaults(j.reader.Faults()) || j.partly)
}

// tellFaults tells what a reader left out. It reports whether there is more than an end
// that was not written.
func (p *program) tellFaults(faults logs.Faults) bool {
	for _, e := range faults.First {
		p.report(e)
	}
	told := int64(len(faults.First))
	if faults.Cut {
		told--
	}
	if all := faults.Rows + faults.Cells; all > told {
		p.aside("perfdeck: %d more lines or cells could not be read", all-told)
	}
	return faults.Any()
}

// chosenPaths are the counter paths of the flags.
func (p *program) chosenPaths(f relogFlags) ([]string, error) {
	lines, err := p.readCounterFiles(f.Files)
	if err != nil {
		return nil, err
	}
	all := slices.Clone(f.Counters)
	for _, q := range lines {
		all = append(all, q.Text)
	}
	if len(all) == 0 && len(f.Files) > 0 {
		return nil, usage(fmt.Errorf("relog -c %s: %w", strings.Join(f.Files, ", "), errNoPaths), "perfdeck relog -q FILE lists those of the recording")
	}
	return all, nil
}
