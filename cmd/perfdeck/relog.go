package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"perfdeck/session"
	"perfdeck/session/record/collector"
	"perfdeck/session/record/logs"
	"perfdeck/session/record/note/notebook"
	"perfdeck/session/record/relog"
)

// relogFlags are the flags of relog.
type relogFlags struct {
	output              string
	format              string
	overwrite, extend   bool
	set                 string
	counters            []string
	files               []string // of counter paths
	begin, end          string
	every               int
	within              string
	encoding            string
	list, summary, json bool
	check               bool
	percentiles         []string
}

func (p *program) relogCommand() *cobra.Command {
	var f relogFlags
	c := &cobra.Command{
		Use:   "relog FILE...",
		Short: "Convert, filter, merge and sum up recordings",
		Long: `relog reads recordings: PDH-CSV, PDH-TSV and binary logs (.blg) of Windows, what
typeperf printed, SQLite with the tables of MS-PLA, and JSON lines. What a file is its
content tells; - is the standard input. Several files are merged in time; the same counter in two of
them is one column.

It writes them with -o in any of these formats. Binary logs (.blg) are written by
experiment: none was ever tried on Windows, and they keep counters with raw samples alone,
without texts. With -q it lists what is in recordings, which
with filters is what -o would write, or it prints the minimum, the average, the maximum
and percentiles of every counter with --summary: the smallest value that so many of
all samples do not exceed (nearest rank), within 1 % of it where a counter has more
than 100. Files may be larger than memory. A set of an SQLite file is chosen with
FILE!SET, for reading and for writing; otherwise the newest one is read.

--counter takes paths as sample does, and wildcards in all of their parts; a path
without a computer means all of them. --begin keeps the sample before, from which
the first rate can be computed. Times are those of the first recording's zone: as
"2026-03-01 22:30", as relog of Windows has them, "3/1/2026 22:30:00", or a time of
the first day, "22:30". With --every rates are computed anew where the recording
has raw samples; otherwise the values of the rows that stay are kept.

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
		Args: atLeast(1, "recording"),
		RunE: func(c *cobra.Command, args []string) error { return p.relog(c.Context(), args, f) },
	}
	l := c.Flags()
	l.StringVarP(&f.output, "output", "o", "", "file to write to; - is standard output")
	l.StringVarP(&f.format, "format", "f", "", "format to write: "+strings.Join(logs.FormatNames(), "|")+" (default: what the name says, or csv)")
	l.BoolVarP(&f.overwrite, "yes", "y", false, "overwrite the file if it is there")
	l.BoolVarP(&f.extend, "append", "a", false, "append to the file: the counters must be the same, the times later")
	l.StringVar(&f.set, "set", "", "name of the set in an SQLite file that is written (default: that of the file)")
	l.StringArrayVar(&f.counters, "counter", nil, "counter path to keep; wildcards are allowed (repeatable)")
	l.StringArrayVarP(&f.files, "counters-file", "c", nil, "file of counter paths to keep, one a line; - is standard input (repeatable)")
	l.StringVar(&f.begin, "begin", "", "leave out what is earlier, but for the sample before")
	l.StringVar(&f.end, "end", "", "leave out what is later")
	l.IntVar(&f.every, "every", 1, "keep every n-th sample")
	l.StringVar(&f.within, "within", "0", "merge samples of different files into one row when they are this near: seconds, or a time as 500ms")
	l.StringVar(&f.encoding, "encoding", "", "encoding of text files, as 1252, 932, utf-16le (default: guessed)")
	l.BoolVarP(&f.list, "list", "q", false, "list counters and times")
	l.BoolVar(&f.summary, "summary", false, "print minimum, average, maximum and percentiles")
	l.StringSliceVar(&f.percentiles, "percentiles", []string{"50", "95", "99"}, "percentiles of --summary")
	l.BoolVar(&f.check, "check", false, "tell all that is wrong with recordings")
	l.BoolVar(&f.json, "json", false, "print JSON with -q and --summary")
	_ = c.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(logs.FormatNames(), cobra.ShellCompDirectiveNoFileComp))
	_ = c.RegisterFlagCompletionFunc("encoding", cobra.FixedCompletions(logs.Encodings(), cobra.ShellCompDirectiveNoFileComp))
	return c
}

var (
	errNoAim   = errors.New("relog: nothing was asked for")
	errTwoAims = errors.New("relog: -o, -q, --summary and --check exclude each other")
	errNothing = errors.New("relog: no counter of the recording is one of those that were asked for")
)

// fit refuses flags that do not fit together.
func (f *relogFlags) fit() error {
	aims := 0
	for _, aim := range []bool{f.output != "", f.list, f.summary, f.check} {
		if aim {
			aims++
		}
	}
	switch {
	case aims == 0:
		return usage(session.WithHint(errNoAim, "-o FILE converts, -q lists, --summary sums up, --check tells what is wrong"))
	case aims > 1:
		return usage(errTwoAims)
	case f.every < 1:
		return usage(fmt.Errorf("--every %d: not a number of samples", f.every))
	case f.check && f.filters():
		return usage(errors.New("relog: --check is of whole recordings"))
	case f.extend && f.overwrite:
		return usage(errors.New("relog: --append and --yes exclude each other"))
	}
	return nil
}

// filters tells whether something is to be left out.
func (f *relogFlags) filters() bool {
	return len(f.counters)+len(f.files) > 0 || f.begin != "" || f.end != "" || f.every > 1
}

// relog does what the flags ask for.
func (p *program) relog(ctx context.Context, files []string, f relogFlags) error {
	if err := f.fit(); err != nil {
		return err
	}
	var err error
	if f.output, f.set, err = outputSet("relog", f.output, f.set); err != nil {
		return err
	}
	if err := p.checkApart("relog", f.output, f.files); err != nil {
		return err
	}
	within, err := seconds("within", f.within)
	if err != nil {
		return err
	}
	files, done, err := p.spooled().Files(files)
	if err != nil {
		return err
	}
	defer done()
	if f.list && !f.filters() || f.check {
		return p.relogEach(ctx, files, f)
	}
	r, missing, err := p.openAll(ctx, files, f.encoding, within)
	if err != nil {
		return err
	}
	defer r.Close()
	if err := p.complete(ctx, r, strings.Join(files, ", ")); err != nil {
		return err
	}
	columns, partly, err := p.chooseColumns(r.Header(), f)
	if err != nil {
		return err
	}
	job := &relogJob{program: p, flags: f, Selection: relog.Selection{Reader: r, Columns: columns, Every: f.every}, partly: partly || missing}
	if err := job.limits(); err != nil {
		return err
	}
	switch {
	case f.list:
		err = job.list(ctx, files)
	case f.summary:
		err = job.summarize(ctx)
	default:
		if err = job.convert(ctx); err == nil {
			err = job.takeNotesAlong(files)
		}
	}
	if err != nil {
		return err
	}
	return job.report()
}

// seconds is a flag that is a time: a number of seconds, or with a unit.
func seconds(flag, text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil {
		d, err = time.ParseDuration(text + "s")
	}
	if err != nil || d < 0 {
		return 0, usage(fmt.Errorf("--%s %q: not a time as 2 or 500ms", flag, text))
	}
	return d, nil
}

// openAll opens recordings as one. Those that cannot be opened are told and left out;
// none is an error. missing tells that some are.
func (p *program) openAll(ctx context.Context, files []string, encoding string, within time.Duration) (all logs.Reader, missing bool, err error) {
	readers, missing, err := relog.OpenSome(ctx, files, opener(ctx, encoding), func(err error) { p.report(err) })
	if err != nil {
		for _, r := range readers {
			_ = r.Close()
		}
		return nil, false, err
	}
	if len(files) > 1 {
		for i := range readers {
			readers[i] = logs.Salvage(ctx, readers[i])
		}
	}
	return logs.Join(readers, within), missing, nil
}

// relogJob is a run over a recording.
type relogJob struct {
	*program
	relog.Selection

	flags  relogFlags
	partly bool // something was not found
}

// limits finds out the limits, and goes to the first row.
func (j *relogJob) limits() error {
	span, err := j.Reader.Span()
	if err != nil {
		return err
	}
	zone := j.Reader.Header().Zone.Location()
	if j.Begin, j.End, err = relog.Limits(j.flags.begin, j.flags.end, span.First.In(zone), time.Time{}); err != nil {
		return err
	}
	if !j.Begin.IsZero() && !j.End.IsZero() && j.Begin.After(j.End) {
		return usage(fmt.Errorf("relog: --begin %s is later than --end %s", j.Begin.In(zone).Format(time.DateTime), j.End.In(zone).Format(time.DateTime)))
	}
	return j.Seek(span)
}

// convert writes the rows to where -o says.
func (j *relogJob) convert(ctx context.Context) error {
	if err := checkExtension("relog", j.flags.output, j.flags.format); err != nil {
		return err
	}
	format, err := writtenFormat(j.flags.format, j.flags.output, "csv")
	if err != nil {
		return err
	}
	if err := format.Caution(j.flags.output); err != nil {
		j.program.report(err)
	}
	release, err := holdFile("relog", j.flags.output, j.flags.extend)
	if err != nil {
		return err
	}
	defer release()
	out, err := relog.Create(j.flags.output, format, j.Header(), relog.OutputOptions{
		Append: j.flags.extend, Overwrite: j.flags.overwrite, Set: j.flags.set, Stdout: j.out, Half: j.life.Half,
	})
	if wrong, is := errors.AsType[*relog.StreamError](err); is {
		return usage(wrong)
	}
	if err != nil {
		return err
	}
	bar := j.readProgress(j.Reader)
	err = j.Each(ctx, bar.Show, out.WriteRow)
	bar.Clear()
	if err != nil {
		out.Discard()
		if ctx.Err() != nil {
			err = fmt.Errorf("%w: %s", err, out.Left)
		}
		return unlessPipe(fmt.Errorf("relog: %w", err))
	}
	if err := out.Finish(); err != nil {
		return unlessPipe(fmt.Errorf("relog: write %s: %w", j.flags.output, err))
	}
	return nil
}

// report tells what could not be read, and, where it was not listed, what was inferred.
func (j *relogJob) report() error {
	if span, err := j.Reader.Span(); err == nil && !j.flags.list {
		for _, words := range span.Inferred.Words() {
			fmt.Fprintln(j.err, "perfdeck: relog: "+words)
		}
	}
	if j.tellFaults(j.Reader.Faults()) || j.partly {
		return &exitError{code: exitPartly}
	}
	return nil
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
		fmt.Fprintf(p.err, "perfdeck: %d more lines or cells could not be read\n", all-told)
	}
	return faults.Any()
}

// chooseColumns finds the columns that the paths of the flags mean: all if there
// are no paths. partly tells that some path means none of them.
func (p *program) chooseColumns(h *logs.Header, f relogFlags) (columns []int, partly bool, err error) {
	filters, err := p.filters(f)
	if err != nil {
		return nil, false, err
	}
	columns, unmatched := relog.Choose(h, filters)
	for _, filter := range unmatched {
		if filter.Err != nil {
			return nil, false, usage(filter.Err)
		}
		p.report(session.WithHint(fmt.Errorf("relog %s: no such counter in the recording", filter.Text), "perfdeck relog -q FILE lists them"))
	}
	if len(columns) == 0 {
		return nil, false, errNothing
	}
	return columns, len(unmatched) > 0, nil
}

// filters are the paths of the flags.
func (p *program) filters(f relogFlags) ([]relog.Filter, error) {
	var filters []relog.Filter
	for _, text := range f.counters {
		filters = append(filters, relog.NewFilter(text))
	}
	lines, err := p.readCounterFiles(f.files)
	if err != nil {
		return nil, err
	}
	for _, q := range lines {
		filters = append(filters, relog.NewFilter(q.Text))
	}
	if len(filters) == 0 && len(f.files) > 0 {
		return nil, usage(session.WithHint(fmt.Errorf("relog -c %s: %w", strings.Join(f.files, ", "), errNoPaths), "perfdeck relog -q FILE lists those of the recording"))
	}
	return filters, nil
}

// holdFile keeps recorders from a file that is written to in its place, or that is
// replaced, until release is called.
// It is refused while one records to it: the recording would be lost.
func holdFile(verb, name string, inPlace bool) (release func(), err error) {
	if info, err := os.Stat(name); name == "-" || err == nil && !info.Mode().IsRegular() { // a device, a pipe
		return func() {}, nil
	}
	release, err = collector.Hold(name, inPlace)
	if busy, ok := errors.AsType[*collector.BusyError](err); ok {
		return nil, session.WithHint(
			fmt.Errorf("%s: write %s: %s records to it", verb, name, cmp.Or(busy.Holder, "another process")),
			"write to another file, or end the recording first: perfdeck record --stop")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: write %s: %w", verb, name, err)
	}
	return release, nil
}

// takeNotesAlong writes the notes of recordings, as far as they are of its time, beside
// the one that was made of them.
func (j *relogJob) takeNotesAlong(recordings []string) error {
	name := j.flags.output
	if info, err := os.Stat(name); name == "-" || err != nil || !info.Mode().IsRegular() {
		return nil //nolint:nilerr // a device, a pipe
	}
	notes, damaged := notebook.Of(recordings, j.Begin, j.End)
	for _, err := range damaged {
		j.program.report(err)
		j.partly = true
	}
	if !j.flags.extend {
		if err := notebook.RemoveBeside(name); err != nil { // of what was there
			return fmt.Errorf("relog: %w", err)
		}
	}
	if err := notebook.AddBeside(name, notes...); err != nil {
		return fmt.Errorf("relog: %w", err)
	}
	return nil
}
