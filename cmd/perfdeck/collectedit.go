package main

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/config"
	"perfdeck/session/record/collectorset"
	"perfdeck/session/record/collectorset/store"
	"perfdeck/session/record/naming"
)

// setFlags change a set. Each means an option of logman create and update.
type setFlags struct {
	description, duration      string
	segmentTime, segmentSize   string
	begin, end                 string
	days                       []string
	root                       string
	serial                     uint32
	counters, counterFiles     []string
	interval                   string
	format, output             string
	parts, pattern             string
	samples                    uint32
	addTo, overwrite, circular bool
	thresholds                 []string
	trigger                    string
	eventLog                   bool
	removeSchedule, noSegments bool
	task, alertTask            string
	mostSize, leastFree, first string
	mostFolders                uint32
	collector                  string
}

// register adds the flags; counters and alerts are those of collectors.
func (f *setFlags) register(l *pflag.FlagSet) {
	l.StringVar(&f.description, "description", "", "what the set is for")
	l.StringVar(&f.duration, "run-for", "", "end a run after a time as 8h, or [[hh:]mm:]ss (logman -rf)")
	l.StringVar(&f.segmentTime, "segment-time", "", "begin new files after a time; 0: no segments by time (logman -cnf)")
	l.StringVar(&f.segmentSize, "segment-size", "", "begin new files, or with --circular remove the oldest, at a size as 100MB (logman -max)")
	l.BoolVar(&f.noSegments, "no-segments", false, "end at the limits of files in place of beginning new ones")
	l.StringVar(&f.task, "task", "", "[tasks] of the config that runs when files end (logman -rc)")
	l.StringVar(&f.begin, "begin", "", "start at a time: HH:MM, or 2026-03-01 HH:MM (logman -b)")
	l.StringVar(&f.end, "end", "", "last day of the schedule, as 2026-03-31 (logman -e)")
	l.StringSliceVar(&f.days, "days", nil, "days on which it starts: mon,tue,..., daily, or once (logman -r)")
	l.BoolVar(&f.removeSchedule, "no-schedule", false, "remove all schedules")
	l.StringVar(&f.root, "root", "", "folder that its folders go to")
	l.Uint32Var(&f.mostFolders, "most-folders", 0, "after a run, remove folders of the set until there are so many; 0: any")
	l.StringVar(&f.mostSize, "most-size", "", "... until they hold no more than a size as 2GB; 0: any")
	l.StringVar(&f.leastFree, "least-free", "", "... until so much of the disk is free; 0: no matter")
	l.StringVar(&f.first, "remove-first", "", "which go first: largest or oldest")
	l.Uint32Var(&f.serial, "serial", 0, "number of the next run")
	l.StringVarP(&f.interval, "every", "", "", "time between samples (logman -si)")
	l.StringVar(&f.collector, "collector", "", "name of the collector (default: the first, or that of the set)")
}

func (f *setFlags) registerCounters(l *pflag.FlagSet) {
	l.StringArrayVar(&f.counters, "counter", nil, "counter path (repeatable; logman -c)")
	l.StringArrayVarP(&f.counterFiles, "counters-file", "c", nil, "file of counter paths, one a line (repeatable; logman -cf)")
	l.StringVarP(&f.format, "format", "f", "", "format: bin, bincirc, csv, tsv or sql (logman -f)")
	l.StringVarP(&f.output, "output", "o", "", "name of the files, without folder; of sql: the data source (logman -o)")
	l.StringVar(&f.parts, "parts", "", "parts of the names: "+strings.Join(naming.PartNames(), ",")+" (logman -v)")
	l.StringVar(&f.pattern, "pattern", "", `pattern behind the base of the names, as '\_yyyyMMdd'`)
	l.Uint32Var(&f.samples, "segment-samples", 0, "begin new files after so many samples (logman -sc)")
	l.BoolVarP(&f.addTo, "append", "a", false, "add to files that are there (logman -a)")
	l.BoolVar(&f.overwrite, "overwrite", false, "replace files that are there (logman -ow)")
	l.BoolVar(&f.circular, "circular", false, "let the oldest samples go at --segment-size (logman -f bincirc)")
}

func (f *setFlags) registerAlerts(l *pflag.FlagSet) {
	l.StringArrayVar(&f.thresholds, "threshold", nil, `'\Path>90' or '\Path<10' (repeatable; logman -th)`)
	l.StringVar(&f.trigger, "start-set", "", "set that starts when an alert fires (logman -rdcs)")
	l.StringVar(&f.alertTask, "alert-task", "", "[tasks] of the config that runs when an alert fires (logman -tn)")
	l.BoolVar(&f.eventLog, "event-log", false, "keep a line of each alert that fires (logman -el)")
}

func (p *program) collectCreateCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "create", Short: "Make a set of counters or of alerts, as logman create does", Args: atLeast(1, "subcommand"),
		RunE: func(_ *cobra.Command, args []string) error {
			return usage(session.WithHint(fmt.Errorf("collect create %s: no such kind of collector", args[0]), "there are counter and alert"))
		},
	}
	var counters, alerts setFlags
	counter := &cobra.Command{
		Use: "counter NAME [PATH...]", Short: "Make a set that records counters", Args: atLeast(1, "name of the set"),
		Example: `  perfdeck collect create counter 'Web load' --every 15 '\Web Service(_Total)\*' '\Memory\Available Bytes'
  perfdeck collect create counter night --begin 22:00 --days mon,tue,wed --run-for 8h --segment-time 1h -f csv -c counters.txt`,
		RunE: func(c *cobra.Command, args []string) error {
			return p.createSet(c, &counters, collectorset.Counters, args[0], args[1:])
		},
	}
	counters.register(counter.Flags())
	counters.registerCounters(counter.Flags())
	alert := &cobra.Command{
		Use: "alert NAME", Short: "Make a set that judges counters", Args: cobra.ExactArgs(1),
		Example: `  perfdeck collect create alert 'Low space' --threshold '\LogicalDisk(*)\% Free Space<10' --start-set 'Disk detail'`,
		RunE: func(c *cobra.Command, args []string) error {
			return p.createSet(c, &alerts, collectorset.Alerts, args[0], nil)
		},
	}
	alerts.register(alert.Flags())
	alerts.registerAlerts(alert.Flags())
	c.AddCommand(counter, alert)
	return c
}

func (p *program) collectUpdateCommand() *cobra.Command {
	var f setFlags
	c := &cobra.Command{
		Use: "update NAME [PATH...]", Short: "Change a set, as logman update does",
		Long: `update changes what its flags name, and nothing else. Paths, or thresholds, replace those
of the collector. A run that goes on takes it with its next segment.`,
		Args: atLeast(1, "name of a set"), ValidArgsFunction: p.completeSets,
		RunE: func(c *cobra.Command, args []string) error {
			s, err := p.sets()
			if err != nil {
				return err
			}
			if err := p.loadConfig(); err != nil {
				return err
			}
			return s.Change("update", args[0], func(e *store.Entry) error {
				return p.changeSet(c, &f, e, args[1:])
			})
		},
	}
	f.register(c.Flags())
	f.registerCounters(c.Flags())
	f.registerAlerts(c.Flags())
	return c
}

func (p *program) createSet(c *cobra.Command, f *setFlags, kind collectorset.Kind, name string, args []string) error {
	if err := p.loadConfig(); err != nil {
		return err
	}
	e := &store.Entry{Set: collectorset.New(name)}
	e.Set.Collectors = []collectorset.Collector{collectorset.NewCollector(kind, name)}
	if f.collector != "" {
		e.Set.Collectors[0].Name = f.collector
	}
	if err := p.changeSet(c, f, e, args); err != nil {
		return err
	}
	s, err := p.sets()
	if err != nil {
		return err
	}
	if err := s.Create(e); err != nil {
		return err
	}
	return p.sayWhere(e)
}

// changeSet does to a set what flags say. What would be refused is an error.
func (p *program) changeSet(c *cobra.Command, f *setFlags, e *store.Entry, args []string) error {
	if err := p.applyFlags(c, f, e, args); err != nil {
		return err
	}
	found, refused := p.judgeSet(e.Set)
	for _, err := range found {
		p.report(err)
	}
	return refused
}

// judgeSet tells what is found in a set that was changed, and why it is not taken.
func (p *program) judgeSet(s *collectorset.Set) (found []error, refused error) {
	for _, f := range s.Check(p.place()) {
		err := errors.New(f.String())
		if refused == nil && (f.Refuses || f.Code == collectorset.Invalid) {
			refused = usage(err)
			continue
		}
		found = append(found, err)
	}
	return found, refused
}

// applyFlags does to a set what flags say.
func (p *program) applyFlags(c *cobra.Command, f *setFlags, e *store.Entry, args []string) error {
	s := e.Set
	for _, change := range []func(*cobra.Command, *collectorset.Set) error{f.times, f.schedule, f.manager} {
		if err := change(c, s); err != nil {
			return err
		}
	}
	if c.Flags().Changed("description") {
		s.Description, s.DescriptionUnresolved = f.description, f.description
	}
	if c.Flags().Changed("serial") {
		s.SerialNumber = f.serial
	}
	if err := setRoot(e, f.root); err != nil {
		return err
	}
	one, err := f.collectorOf(s)
	if err != nil || one == nil {
		return err
	}
	return p.changeCollector(c, f, one, args)
}

// manager takes what the data manager keeps. It works when any limit is set.
func (f *setFlags) manager(c *cobra.Command, s *collectorset.Set) error {
	limits := []struct {
		flag, text string
		to         func(*collectorset.Manager) *uint32
	}{
		{"most-size", f.mostSize, func(m *collectorset.Manager) *uint32 { return &m.MaxSize }},
		{"least-free", f.leastFree, func(m *collectorset.Manager) *uint32 { return &m.MinFreeDisk }},
	}
	changed := c.Flags().Changed("most-folders") || c.Flags().Changed("remove-first")
	for _, l := range limits {
		changed = changed || c.Flags().Changed(l.flag)
	}
	if !changed {
		return nil
	}
	if s.Manager == nil {
		s.Manager = collectorset.NewManager()
	}
	m := s.Manager
	for _, l := range limits {
		if c.Flags().Changed(l.flag) {
			n, err := wholeMB(l.flag, l.text)
			if err != nil {
				return err
			}
			*l.to(m) = n
		}
	}
	if c.Flags().Changed("most-folders") {
		m.MaxFolderCount = f.mostFolders
	}
	switch f.first {
	case "":
	case "largest":
		m.ResourcePolicy = collectorset.DeleteLargest
	case "oldest":
		m.ResourcePolicy = collectorset.DeleteOldest
	default:
		return unknownValue("remove-first", f.first, "largest, oldest")
	}
	m.Enabled = m.MaxSize > 0 || m.MinFreeDisk > 0 || m.MaxFolderCount > 0 || len(m.FolderActions) > 0
	return nil
}

// times takes how long runs and segments are.
func (f *setFlags) times(c *cobra.Command, s *collectorset.Set) (err error) {
	if c.Flags().Changed("run-for") {
		if s.Duration, err = wholeSeconds("run-for", f.duration); err != nil {
			return err
		}
	}
	if c.Flags().Changed("segment-time") {
		if s.SegmentMaxDuration, err = wholeSeconds("segment-time", f.segmentTime); err != nil {
			return err
		}
	}
	if c.Flags().Changed("segment-size") {
		if s.SegmentMaxSize, err = wholeMB("segment-size", f.segmentSize); err != nil {
			return err
		}
	}
	if c.Flags().Changed("segment-time") || c.Flags().Changed("segment-size") || c.Flags().Changed("segment-samples") {
		s.Segment = !f.circular && (s.SegmentMaxDuration > 0 || s.SegmentMaxSize > 0 || f.samples > 0)
	}
	if f.noSegments {
		s.Segment = false
	}
	if c.Flags().Changed("task") {
		s.Task = f.task
	}
	return nil
}

// wholeMB is a flag that is a size in whole MB, 0 for none.
func wholeMB(flag, text string) (uint32, error) {
	n, err := parseSize(flag, text)
	if err != nil {
		return 0, err
	}
	const mb = 1 << 20
	if n > 0 && n < mb || n/mb > math.MaxUint32 {
		return 0, usage(fmt.Errorf("--%s %s: sets count whole MB", flag, text))
	}
	return uint32(n / mb), nil
}

// wholeSeconds is a flag that is a time in whole seconds, 0 for none.
func wholeSeconds(flag, text string) (uint32, error) {
	d, ok := config.ParseTime(text)
	if !ok || d%time.Second != 0 || d/time.Second > math.MaxUint32 {
		return 0, usage(session.WithHint(fmt.Errorf("--%s %q: not a time of whole seconds", flag, text), "write 90, 8h, 1m30s or 01:30:00"))
	}
	return uint32(d / time.Second), nil
}

// schedule takes when a set starts.
func (f *setFlags) schedule(c *cobra.Command, s *collectorset.Set) error {
	if f.removeSchedule {
		s.Schedules = nil
	}
	if !c.Flags().Changed("begin") && !c.Flags().Changed("days") && !c.Flags().Changed("end") {
		return nil
	}
	var one collectorset.Schedule
	if len(s.Schedules) > 0 {
		one = s.Schedules[0]
	} else {
		one.Days = collectorset.EveryDay
	}
	if f.begin != "" {
		date, clock, _ := strings.Cut(f.begin, " ")
		if clock == "" {
			date, clock = "", f.begin
		}
		at, err := collectorset.ParseClock(clock)
		day, fault := collectorset.ParseDay(date)
		if err != nil || fault != nil {
			return usage(session.WithHint(fmt.Errorf("--begin %q: not a time", f.begin), "write 22:00 or '2026-03-01 22:00'"))
		}
		one.StartTime = at
		if date != "" {
			one.StartDate = day
		}
	}
	if f.end != "" {
		day, err := collectorset.ParseDay(f.end)
		if err != nil {
			return usage(session.WithHint(fmt.Errorf("--end %q: not a day", f.end), "write 2026-03-31"))
		}
		one.EndDate = day
	}
	if c.Flags().Changed("days") {
		days, err := parseDays(f.days)
		if err != nil {
			return err
		}
		one.Days = days
	}
	s.Schedules = append([]collectorset.Schedule{one}, s.Schedules[min(1, len(s.Schedules)):]...)
	return nil
}

// parseDays reads days of the week as bits.
func parseDays(names []string) (bits uint32, err error) {
	for _, name := range names {
		name = strings.ToLower(strings.TrimSpace(name))
		switch name {
		case "daily":
			bits |= collectorset.EveryDay
			continue
		case "once":
			continue
		}
		found := false
		for d := range 7 {
			if long := strings.ToLower(time.Weekday(d).String()); len(name) >= 2 && strings.HasPrefix(long, name) {
				bits, found = bits|1<<d, true
			}
		}
		if !found {
			return 0, unknownValue("days", name, "mon, tue, wed, thu, fri, sat, sun, daily, once")
		}
	}
	return bits, nil
}

// collectorOf is the collector that flags mean; nil if they change none.
func (f *setFlags) collectorOf(s *collectorset.Set) (*collectorset.Collector, error) {
	for i := range s.Collectors {
		c := &s.Collectors[i]
		if c.Kind == collectorset.Kept || f.collector != "" && !paths.EqualFold(c.Name, f.collector) || len(f.thresholds) > 0 && c.Kind != collectorset.Alerts {
			continue
		}
		return c, nil
	}
	if f.collector != "" || len(f.thresholds) > 0 {
		return nil, usage(fmt.Errorf("the set %s has no such collector", s.Name))
	}
	return nil, nil
}

var formatWords = []string{"csv", "tsv", "sql", "bin"} // by LogFileFormat

// changeCollector does to a collector what flags say.
func (p *program) changeCollector(c *cobra.Command, f *setFlags, one *collectorset.Collector, args []string) (err error) {
	if c.Flags().Changed("every") {
		if one.SampleInterval, err = wholeSeconds("every", f.interval); err != nil {
			return err
		}
	}
	if one.Kind == collectorset.Alerts {
		if len(f.thresholds) > 0 {
			one.Alerts = f.thresholds
		}
		if c.Flags().Changed("start-set") {
			one.Trigger = f.trigger
		}
		if c.Flags().Changed("event-log") {
			one.EventLog = f.eventLog
		}
		if c.Flags().Changed("alert-task") {
			one.Task = f.alertTask
		}
		return nil
	}
	if len(args)+len(f.counters)+len(f.counterFiles) > 0 {
		queries, err := p.queries(slices.Concat(args, f.counters), f.counterFiles)
		if err != nil {
			return err
		}
		one.Counters = nil
		for _, q := range queries {
			one.Counters = append(one.Counters, q.Text)
		}
	}
	if err := f.changeFormat(c, one); err != nil {
		return err
	}
	return f.changeNames(c, one)
}

// changeFormat takes how files are written.
func (f *setFlags) changeFormat(c *cobra.Command, one *collectorset.Collector) error {
	if c.Flags().Changed("segment-samples") {
		one.SegmentMaxRecords = f.samples
	}
	for flag, to := range map[string]struct {
		to *bool
		is bool
	}{"append": {&one.LogAppend, f.addTo}, "overwrite": {&one.LogOverwrite, f.overwrite}, "circular": {&one.LogCircular, f.circular}} {
		if c.Flags().Changed(flag) {
			*to.to = to.is
		}
	}
	if !c.Flags().Changed("format") {
		return nil
	}
	word := strings.ToLower(f.format)
	if word == "bincirc" {
		word, one.LogCircular = "bin", true
	}
	i := slices.Index(formatWords, word)
	if i < 0 {
		return unknownValue("format", f.format, "bin, bincirc, csv, tsv, sql")
	}
	one.LogFileFormat = uint32(i)
	return nil
}

// changeNames takes how files are called.
func (f *setFlags) changeNames(c *cobra.Command, one *collectorset.Collector) error {
	if c.Flags().Changed("output") {
		if one.LogFileFormat == collectorset.SQL {
			one.DataSourceName = f.output
		} else {
			one.FileName = f.output
		}
	}
	if c.Flags().Changed("parts") {
		parts, ok := naming.ParseParts(f.parts)
		if !ok {
			return unknownValue("parts", f.parts, strings.Join(naming.PartNames(), ", "))
		}
		one.FileNameFormat = one.FileNameFormat&uint32(naming.PartPattern) | uint32(parts)
	}
	if c.Flags().Changed("pattern") {
		one.FileNamePattern = f.pattern
		one.FileNameFormat |= uint32(naming.PartPattern)
		if f.pattern == "" {
			one.FileNameFormat &^= uint32(naming.PartPattern)
		}
	}
	return nil
}
