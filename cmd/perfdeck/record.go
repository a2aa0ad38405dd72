package main

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"perfdeck/session/app/sampling"
	"perfdeck/session/files/formats"
	"perfdeck/session/files/naming"
	"perfdeck/session/recording/collector"
	"perfdeck/session/recording/destination"
	"perfdeck/session/text/field"
)

// recordFlags are the flags of record. Those that are times and sizes are texts until said reads them.
type recordFlags struct {
	said               sampling.Said
	output             string
	duration, beginAt  string
	files              []string // of counter paths
	segmentTime        string
	segmentSize        string
	ring, keepFor      string
	extend, overwrite  bool
	fsync, minFree     string
	named              string
	pushes             []string
	list, json         bool
	stopping, resuming string
	successor          bool
}

func (p *program) recordCommand() *cobra.Command {
	var f recordFlags
	c := &cobra.Command{
		Use:   "record PATH...",
		Short: "Record counters to files until stopped",
		Long: `record writes samples of counters to a file until it is stopped, or --count or
--duration is reached. The file is an SQLite file unless its name or --format says
otherwise: PDH-CSV or PDH-TSV as Windows writes them, JSON lines, or a binary log of
Windows (.blg), which is experimental: none was ever tried on Windows. Counters are
read twice before the first sample, so rates have values from the beginning; a .blg
keeps raw samples alone, and no texts.

Each sample is written at once, so that the end of the program loses none, and
forced onto the disk each 5 seconds (--fsync). A file that is there is left alone
unless --append or --overwrite is given; two recorders never write to one file.
--append goes on with a file that has the same counters and earlier times.

With --segment-time, --segment-size or --segment-samples the next file is begun, with
a serial number in its name; --ring removes the oldest files when all together are
larger. The next file is also begun when the clocks are changed to or from daylight
saving time, on SIGHUP, and with --follow-instances when a CSV or TSV has no column
for instances that came. SQLite and JSON lines get new columns on the way.

--events also keeps what the hosts log meanwhile: warnings, and what is known to matter,
20,000 lines, of which the least severe and oldest go first. Their texts are those of the
host and may name users, paths and commands. SQLite has them in the table
PerfdeckHostEvent, JSON lines as {"event":{...}}; other formats cannot keep them, which
is told.

Names are made as in MS-PLA: [computer_]base[pattern][_parts]. --pattern takes its
letters, D d M y h H m s t z N, with a backslash before letters that stand for
themselves: --pattern '\_yyyyMMdd'. --parts takes a list of computer, serial, MMddHH,
yyyyDDD, yyyyMM, yyyyMMdd, yyyyMMddHH, MMddHHmm. --per-host writes a file for each
host, with its name.

SIGINT and SIGTERM end a recording; the end of a terminal does not. --list shows the
recordings that go on, those of the screens too, --stop ends one, and --resume goes
on with one whose process was killed.

Sizes are bytes, or written 500KB, 10MB, 2GB; 1 KB is 1024 bytes.

The exit code is 0 when every path gave a value, 3 when some never did, 1 when
nothing could be recorded or the recording ended by itself, as when the disk is full.`,
		Example: `  perfdeck record -o night.db '\Processor Information(_Total)\*' '\Memory\*'
  perfdeck record -i 15 --duration 8h -o night.csv -c counters.txt
  perfdeck record -H web01 -H web02 --per-host --segment-time 1h --ring 2GB -o web.db '\Process(*)\% Processor Time'
  perfdeck record --list
  perfdeck record --stop night.db`,
		ValidArgsFunction: p.completePaths,
		RunE:              func(c *cobra.Command, args []string) error { return p.record(c, args, f) },
	}
	p.addRecordFlags(c, &f)
	return c
}

func (p *program) addRecordFlags(c *cobra.Command, f *recordFlags) {
	l := c.Flags()
	l.StringVarP(&f.output, "output", "o", "", "file to record to (default: named by computer and time, in this folder)")
	l.StringVarP(&f.said.Format, "format", "f", "", "format: "+strings.Join(formats.Names(), "|")+" (default: what the name says, or "+formats.Usual(formats.ToRecord).Name+")")
	l.Int64VarP(&f.said.Samples, "count", "n", 0, "how many samples (0: until stopped)")
	l.StringVar(&f.duration, "duration", "", "end after a time: seconds, or as 8h")
	l.StringVar(&f.beginAt, "begin-at", "", "time of the first sample, HH:MM[:SS]; tomorrow if that is over")
	l.StringArrayVarP(&f.files, "counters-file", "c", nil, "file of counter paths, one a line; - is standard input (repeatable)")
	l.StringVar(&f.segmentTime, "segment-time", "", "begin the next file after a time as 1h")
	l.StringVar(&f.segmentSize, "segment-size", "", "begin the next file at a size as 100MB")
	l.Int64Var(&f.said.SegmentRows, "segment-samples", 0, "begin the next file after so many samples")
	l.StringVar(&f.ring, "ring", "", "remove the oldest files of this recording when all are larger than a size as 2GB; files are of an eighth of it at most, unless --segment-size says otherwise")
	l.StringVar(&f.keepFor, "keep-for", "", "remove files of this recording so long after their end, as 1d; files are of a 24th of that, unless --segment-time says otherwise")
	l.BoolVarP(&f.extend, "append", "a", false, "go on with the file if it is there: the counters must be the same, the times later")
	l.BoolVarP(&f.overwrite, "overwrite", "y", false, "replace the file if it is there")
	l.BoolVar(&f.said.PerHost, "per-host", false, "a file for each host")
	l.BoolVar(&f.said.Follow, "follow-instances", false, "begin the next file when instances come that the file has no column for")
	l.BoolVar(&f.said.Events, "events", false, "keep what hosts log, too, with its texts, in .db and .json files")
	l.StringVar(&f.said.Parts, "parts", "", "parts of the names: "+strings.Join(naming.PartNames(), ","))
	l.StringVar(&f.said.Pattern, "pattern", "", `pattern behind the base of the names, as '\_yyyyMMdd\-NNNN'`)
	l.Uint32Var(&f.said.Serial, "serial", 0, "first serial number (default: behind the files that are there)")
	l.StringVar(&f.fsync, "fsync", "5s", "how often the file is forced onto the disk: always, never, or a time")
	l.StringVar(&f.minFree, "min-free", "", "end when less is free on the disk than a size (default 1 % of it, 256MB at most; 0: no matter)")
	l.StringVar(&f.said.Caption, "caption", "", "text that the file keeps about itself")
	l.StringVar(&f.said.Set, "set", "", "name of the set in an SQLite file (default: that of the file)")
	l.BoolVar(&f.said.Spreadsheet, "csv-safe", false, "keep spreadsheets from running text cells as formulas")
	l.BoolVar(&f.said.ShowHidden, "show-hidden", false, "let wildcards find hidden counters too")
	l.StringVar(&f.named, "named", "", "record what a [[record]] of the config says")
	l.StringArrayVar(&f.pushes, "push", nil, "push what is recorded too: to a [[push]] of the config, or an address (repeatable)")
	l.BoolVar(&f.list, "list", false, "list recordings")
	l.BoolVar(&f.json, "json", false, "print JSON with --list")
	l.StringVar(&f.stopping, "stop", "", "end a recording, by its id or its file")
	l.StringVar(&f.resuming, "resume", "", "go on with a recording whose process was killed, by its id or its file")
	l.BoolVar(&f.successor, "hand-over", false, "")
	_ = l.MarkHidden("hand-over")
	_ = c.RegisterFlagCompletionFunc("push", p.completePushes)
	offer(c, "format", formats.Names())
	offer(c, "fsync", []string{"always", "5s", "never"})
}

var errAims = errors.New("record: --list, --stop, --resume and paths exclude each other")

// record does what the flags ask for.
func (p *program) record(c *cobra.Command, args []string, f recordFlags) error {
	switch {
	case several(f.list, f.stopping != "", f.resuming != "", len(args)+len(f.files) > 0, f.named != "") > 1:
		return usage(errAims)
	case f.list:
		return p.listRecordings(f.json)
	case f.stopping != "":
		return p.stopRecording(c.Context(), f.stopping)
	case f.resuming != "":
		return p.resumeRecording(c, f)
	}
	return p.newRecording(c, args, f)
}

// newRecording begins a recording and stays with it until it ends.
func (p *program) newRecording(c *cobra.Command, args []string, f recordFlags) error {
	settings, err := p.settings(c)
	if err != nil {
		return err
	}
	said := &f.said
	said.File, said.Interval, said.Paths = f.output, settings.Interval, args
	if err := p.takeNamed(c, f.named, said); err != nil {
		return err
	}
	if said.File, said.Set, err = destination.Set("record", said.File, said.Set); err != nil {
		return err
	}
	if err := f.read(); err != nil {
		return err
	}
	o, err := said.Options()
	if err != nil {
		return err
	}
	wait, err := sampling.UntilFirst(f.beginAt, time.Now(), said.Interval)
	if err != nil {
		return err
	}
	queries, err := p.queries(said.Paths, f.files)
	if err != nil {
		return err
	}
	ctx := c.Context()
	hosts, err := p.hostsAfter(ctx, wait, queries)
	if err != nil {
		return unlessEnded(ctx, err)
	}
	o.Hosts, o.Flags = sampling.Hosts(hosts, queries), openingFlags(c)
	sampling.ByTime(&o)
	return p.recordHosts(ctx, o, hosts, queries, f.pushes)
}

// takeNamed takes from a [[record]] of the config, if one is named, what the command line does not
// say.
func (p *program) takeNamed(c *cobra.Command, name string, said *sampling.Said) error {
	if name == "" {
		return nil
	}
	r, ok := p.config.Record(name)
	if !ok {
		return p.unknownRecord(name)
	}
	if err := said.Over(&r, c.Flags().Changed); err != nil {
		return err
	}
	if len(p.flags.hosts) == 0 {
		p.flags.hosts = said.Hosts
	}
	return nil
}

func (p *program) unknownRecord(name string) error {
	var known []string
	for _, r := range p.config.Records {
		known = append(known, r.Name)
	}
	if len(known) == 0 {
		known = []string{"the config has no [[record]]"}
	}
	return unknownValue("named", name, strings.Join(known, ", "))
}

// read reads what the flags say in texts.
func (f *recordFlags) read() (err error) {
	s := &f.said
	switch {
	case f.extend && f.overwrite:
		return usage(errors.New("record: --append and --overwrite exclude each other"))
	case f.extend:
		s.Exists = collector.Append
	case f.overwrite:
		s.Exists = collector.Overwrite
	}
	if s.Samples < 0 {
		return usage(fmt.Errorf("--count %d: not a number of samples", s.Samples))
	}
	if s.SegmentRows < 0 {
		return usage(fmt.Errorf("--segment-samples %d: not a number of samples", s.SegmentRows))
	}
	if err := cmp.Or(
		given(&s.Duration, "duration", f.duration, seconds), given(&s.SegmentTime, "segment-time", f.segmentTime, seconds),
		given(&s.SegmentSize, "segment-size", f.segmentSize, parseSize), given(&s.Ring, "ring", f.ring, parseSize), given(&s.KeepFor, "keep-for", f.keepFor, seconds), given(&s.MinFree, "min-free", f.minFree, parseSize),
	); err != nil {
		return err
	}
	if f.minFree != "" && s.MinFree == 0 {
		s.MinFree = -1
	}
	s.Sync, err = parseSync(f.fsync)
	return err
}

// parseSync is how often a file is forced onto the disk.
func parseSync(text string) (collector.SyncPolicy, error) {
	switch text {
	case "always":
		return collector.SyncAlways, nil
	case "never":
		return collector.SyncNever, nil
	}
	every, err := seconds("fsync", text)
	if err == nil && every < time.Millisecond {
		err = unknownValue("fsync", text, "always, never, or a time as 5s")
	}
	return collector.SyncPolicy(every), err
}

// parseSize is a flag that is a number of bytes.
func parseSize(flag, text string) (int64, error) {
	n, ok := field.ParseSize(text)
	if !ok {
		return 0, usage(fmt.Errorf("--%s %q: not a size as 500KB or 2GB", flag, text))
	}
	return n, nil
}
