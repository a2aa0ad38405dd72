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
	said        sampling.Said
	Duration    string   `flag:"duration" help:"end after a time: seconds, or as 8h"`
	BeginAt     string   `flag:"begin-at" help:"time of the first sample, HH:MM[:SS]; tomorrow if that is over"`
	Files       []string `flag:"counters-file" short:"c" help:"file of counter paths, one a line; - is standard input (repeatable)"`
	SegmentTime string   `flag:"segment-time" help:"begin the next file after a time as 1h"`
	SegmentSize string   `flag:"segment-size" help:"begin the next file at a size as 100MB"`
	Ring        string   `flag:"ring" help:"remove the oldest files of this recording when all are larger than a size as 2GB; files are of an eighth of it at most, unless --segment-size says otherwise"`
	KeepFor     string   `flag:"keep-for" help:"remove files of this recording so long after their end, as 1d; files are of a 24th of that, unless --segment-time says otherwise"`
	Extend      bool     `flag:"append" short:"a" help:"go on with the file if it is there: the counters must be the same, the times later"`
	Overwrite   bool     `flag:"overwrite" short:"y" help:"replace the file if it is there"`
	Fsync       string   `flag:"fsync" help:"how often the file is forced onto the disk: always, never, or a time"`
	MinFree     string   `flag:"min-free" help:"end when less is free on the disk than a size (default 1 % of it, 256MB at most; 0: no matter)"`
	Named       string   `flag:"named" help:"record what a [[record]] of the config says"`
	Pushes      []string `flag:"push" help:"push what is recorded too: to a [[push]] of the config, or an address (repeatable)"`
	List        bool     `flag:"list" help:"list recordings"`
	JSON        bool     `flag:"json" help:"print JSON with --list"`
	Stop        string   `flag:"stop" help:"end a recording, by its id or its file"`
	Resume      string   `flag:"resume" help:"go on with a recording whose process was killed, by its id or its file"`
	IsSuccessor bool     `flag:"hand-over" help:""`
}

func (p *program) recordCommand() *cobra.Command {
	f := recordFlags{Fsync: "5s"}
	c := flagged(&cobra.Command{
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
	}, &f, p.record)
	f.addSaid(c)
	_ = c.RegisterFlagCompletionFunc("push", p.completePushes)
	return c
}

// addSaid adds the flags of what is said of the recording itself.
func (f *recordFlags) addSaid(c *cobra.Command) {
	l := c.Flags()
	addFlags(l, &f.said)
	l.StringVarP(&f.said.Format, "format", "f", "", "format: "+strings.Join(formats.Names(), "|")+" (default: what the name says, or "+formats.Usual(formats.ToRecord).Name+")")
	l.StringVar(&f.said.Parts, "parts", "", "parts of the names: "+strings.Join(naming.PartNames(), ","))
	offer(c, "format", formats.Names())
	offer(c, "fsync", []string{"always", "5s", "never"})
}

var errAims = errors.New("record: --list, --stop, --resume and paths exclude each other")

// record does what the flags ask for.
func (p *program) record(c *cobra.Command, args []string, f recordFlags) error {
	switch {
	case several(f.List, f.Stop != "", f.Resume != "", len(args)+len(f.Files) > 0, f.Named != "") > 1:
		return usage(errAims)
	case f.List:
		return p.listRecordings(f.JSON)
	case f.Stop != "":
		return p.stopRecording(c.Context(), f.Stop)
	case f.Resume != "":
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
	said.Interval, said.Paths = settings.Interval, args
	if err := p.takeNamed(c, f.Named, said); err != nil {
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
	wait, err := sampling.UntilFirst(f.BeginAt, time.Now(), said.Interval)
	if err != nil {
		return err
	}
	queries, err := p.queries(said.Paths, f.Files)
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
	return p.recordHosts(ctx, o, hosts, queries, f.Pushes)
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
	if len(p.flags.Hosts) == 0 {
		p.flags.Hosts = said.Hosts
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
	case f.Extend && f.Overwrite:
		return usage(errors.New("record: --append and --overwrite exclude each other"))
	case f.Extend:
		s.Exists = collector.Append
	case f.Overwrite:
		s.Exists = collector.Overwrite
	}
	if s.Samples < 0 {
		return usage(fmt.Errorf("--count %d: not a number of samples", s.Samples))
	}
	if s.SegmentRows < 0 {
		return usage(fmt.Errorf("--segment-samples %d: not a number of samples", s.SegmentRows))
	}
	if err := cmp.Or(
		given(&s.Duration, "duration", f.Duration, seconds), given(&s.SegmentTime, "segment-time", f.SegmentTime, seconds),
		given(&s.SegmentSize, "segment-size", f.SegmentSize, parseSize), given(&s.Ring, "ring", f.Ring, parseSize), given(&s.KeepFor, "keep-for", f.KeepFor, seconds), given(&s.MinFree, "min-free", f.MinFree, parseSize),
	); err != nil {
		return err
	}
	if f.MinFree != "" && s.MinFree == 0 {
		s.MinFree = -1
	}
	s.Sync, err = parseSync(f.Fsync)
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
