package main

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"perfdeck/session"
	"perfdeck/session/config"
	"perfdeck/session/record/collector"
	"perfdeck/session/record/collectorset"
	"perfdeck/session/record/collectorset/store"
)

// listedSet is a line of collect list.
type listedSet struct {
	Name   string    `json:"name"`
	Kind   string    `json:"kind"`   // set, or config: a [[record]] of the config
	Status string    `json:"status"` // running, stopped, died, damaged
	Next   time.Time `json:"next,omitzero"`
	Last   time.Time `json:"last,omitzero"` // when the last run began
	Bytes  int64     `json:"bytes"`         // of all its folders
	Root   string    `json:"root"`          // of the config: its file
	Why    string    `json:"why,omitempty"` // the last run ended by itself
}

func (p *program) collectListCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "list", Short: "List data collector sets: how they stand, when they start next, what they hold",
		Long: `list lists data collector sets, and recordings that have a name in the config: how they
stand, when they start next, when they ran last, how large their files are.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if err := p.loadConfig(); err != nil {
				return err
			}
			s, err := p.sets()
			if err != nil {
				return err
			}
			names, err := s.Names()
			if err != nil {
				return err
			}
			var list []listedSet
			for _, name := range names {
				list = append(list, p.listed(s, name))
			}
			list = append(list, p.listedRecords()...)
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

// listed is how a set stands.
func (p *program) listed(s *store.Store, name string) listedSet {
	l := listedSet{Name: name, Kind: "set", Status: "damaged"}
	e, err := s.Load(name)
	if err != nil {
		p.report(err)
		return l
	}
	l.Last, l.Why = e.State.Began, e.State.Why
	l.Status = "stopped"
	if s.Running(name) {
		l.Status = "running"
	} else if isDead(e) {
		l.Status = "died"
	}
	if next, ok := e.Set.Next(p.newClock().Now().Wall.In(time.Local)); ok {
		l.Next = next
	}
	l.Root, _ = rootOf(e)
	l.Bytes = collectedBytes(l.Root, e.State.Folders)
	return l
}

// isDead tells of a set that does not run that its last run did not end.
func isDead(e *store.Entry) bool { return !e.State.Began.IsZero() && e.State.Ended.IsZero() }

// listedRecords are the recordings of the config, and how they stand.
func (p *program) listedRecords() (list []listedSet) {
	described := p.describedRecordings()
	for i := range p.config.Records {
		r := &p.config.Records[i]
		l := listedSet{Name: r.Name, Kind: "config", Status: "stopped"}
		l.Root, _ = config.BelowHome(r.File)
		if e := recordingOf(described, l.Root); e != nil {
			l.Last, l.Why = e.Started, e.Reason
			l.Status = map[collector.State]string{collector.Running: "running", collector.Interrupted: "died", collector.Ended: "stopped"}[e.State]
			for _, f := range e.Files {
				l.Bytes += fileBytes(f.Name)
			}
		} else {
			l.Bytes = fileBytes(l.Root)
		}
		list = append(list, l)
	}
	return list
}

// describedRecordings are the recordings that processes of perfdeck describe.
func (p *program) describedRecordings() []collector.Entry {
	dir, err := recordingsDir()
	if err != nil {
		return nil
	}
	list, _ := collector.List(dir, time.Now())
	return list
}

// recordingOf is the newest recording to a file, nil if there is none.
func recordingOf(list []collector.Entry, file string) *collector.Entry {
	for i := range slices.Backward(list) {
		if list[i].Options.File == file {
			return &list[i]
		}
	}
	return nil
}

// fileBytes is the size of a file; 0 if it is none.
func fileBytes(name string) int64 {
	info, err := os.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return 0
	}
	return info.Size()
}

// collectedBytes is what runs of a set left in its folders.
func collectedBytes(root string, folders []store.Folder) (sum int64) {
	seen := map[string]bool{}
	for _, f := range folders {
		for _, name := range f.Files {
			if !seen[name] {
				sum += fileBytes(filepath.Join(root, filepath.FromSlash(name)))
			}
			seen[name] = true
		}
	}
	return sum
}

func printSets(out io.Writer, list []listedSet, asJSON bool) {
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
			_ = writeJSON(out, l)
			continue
		}
		fmt.Fprintf(out, "%-*s  %-8s  %-16s  %-16s  %9s\n", width, session.Printable(l.Name), l.Status, at(l.Next), at(l.Last), sizeText(l.Bytes))
		if l.Why != "" {
			fmt.Fprintf(out, "%-*s  %s\n", width, "", session.Printable(l.Why))
		}
	}
}

func (p *program) collectShowCommand() *cobra.Command {
	return &cobra.Command{
		Use: "show NAME|FILE", Short: "Say in words what a set does",
		Long: "show says in words what a set collects, when and where, what it would remove, and what of it is ignored here and why.",
		Args: cobra.ExactArgs(1), ValidArgsFunction: p.completeSets,
		RunE: func(_ *cobra.Command, args []string) error {
			if err := p.loadConfig(); err != nil {
				return err
			}
			e, err := p.entryOfArgument(args[0])
			if err != nil {
				return err
			}
			root, err := rootOf(e)
			if err != nil {
				return err
			}
			out := bufio.NewWriter(p.out)
			for _, line := range describeSet(e, root, p.newClock().Now().Wall.In(time.Local)) {
				fmt.Fprintln(out, session.Printable(line))
			}
			if err := out.Flush(); err != nil {
				return unlessPipe(err)
			}
			if found := p.findings(e); len(found) > 0 {
				p.printFindings(args[0], found)
			}
			return nil
		},
	}
}

// describeSet says what a set does.
func describeSet(e *store.Entry, root string, now time.Time) (lines []string) {
	s := e.Set
	say := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	title := s.Name
	if s.DisplayName != "" && s.DisplayName != s.Name && !strings.HasPrefix(s.DisplayName, "@") {
		title += " (" + s.DisplayName + ")"
	}
	say("%s", title)
	if s.Description != "" {
		say("  %s", s.Description)
	}
	say("  in the file its folder is %s", cmp.Or(s.RootPath, "not said"))
	say("  here it is %s", root)
	say("  the next run has the number %d", s.SerialNumber)
	lines = append(lines, describeTimes(s, now)...)
	for i := range s.Collectors {
		lines = append(lines, describeCollector(&s.Collectors[i])...)
	}
	if m := s.Manager; m != nil {
		lines = append(lines, describeManager(m)...)
	}
	return lines
}

// describeTimes says when a set runs, and for how long.
func describeTimes(s *collectorset.Set, now time.Time) (lines []string) {
	say := func(format string, args ...any) { lines = append(lines, fmt.Sprintf("  "+format, args...)) }
	for i := range s.Schedules {
		say("starts %s", s.Schedules[i].Describe())
	}
	switch next, ok := s.Next(now); {
	case ok:
		say("next on %s, if perfdeck watch runs then", next.Format("Monday 2006-01-02 15:04:05"))
	case len(s.Schedules) > 0 && !s.SchedulesEnabled:
		say("its schedules are switched off")
	case len(s.Schedules) > 0:
		say("its schedules are over")
	default:
		say("it starts when it is told to")
	}
	if s.Duration > 0 {
		say("a run ends after %s", spanText(span(s.Duration)))
	}
	var limits []string
	if s.SegmentMaxDuration > 0 {
		limits = append(limits, spanText(span(s.SegmentMaxDuration)))
	}
	if s.SegmentMaxSize > 0 {
		limits = append(limits, fmt.Sprintf("%d MB of a file", s.SegmentMaxSize))
	}
	switch {
	case s.Segment && len(limits) > 0:
		say("new files begin after %s", strings.Join(limits, " or "))
	case len(limits) > 0:
		say("it ends after %s", strings.Join(limits, " or "))
	}
	return lines
}

func span(seconds uint32) time.Duration { return time.Duration(seconds) * time.Second }

var setFormats = []string{"CSV", "TSV", "a database", "binary, as SQLite here"}

func describeCollector(c *collectorset.Collector) (lines []string) {
	switch c.Kind {
	case collectorset.Kept:
		return []string{fmt.Sprintf("  %s %s: kept, not run", c.Element, c.Name)}
	case collectorset.Alerts:
		every := "every " + spanText(span(c.SampleInterval))
		if c.SampleInterval == collectorset.OneSample {
			every = "once"
		}
		lines = append(lines, fmt.Sprintf("  alerts %s, looked at %s:", c.Name, every))
		for _, a := range c.Alerts {
			lines = append(lines, "    "+a)
		}
		if c.Trigger != "" {
			lines = append(lines, "    one that fires starts the set "+c.Trigger)
		}
		return lines
	case collectorset.Counters:
	}
	format := "?"
	if int(c.LogFileFormat) < len(setFormats) {
		format = setFormats[c.LogFileFormat]
	}
	how := ""
	switch {
	case c.LogOverwrite:
		how = ", replacing the file"
	case c.LogCircular:
		how = ", the oldest going first"
	case c.LogAppend:
		how = ", added to the file"
	}
	lines = append(lines, fmt.Sprintf("  counters %s, every %s, to %s%s:", c.Name, spanText(span(c.SampleInterval)), format, how))
	for _, path := range c.Counters {
		lines = append(lines, "    "+path)
	}
	return lines
}

// describeManager says what a data manager would remove.
func describeManager(m *collectorset.Manager) (lines []string) {
	if !m.Enabled {
		return []string{"  its data manager is off: nothing is removed"}
	}
	say := func(format string, args ...any) { lines = append(lines, fmt.Sprintf("  "+format, args...)) }
	first := "largest"
	if m.ResourcePolicy == collectorset.DeleteOldest {
		first = "oldest"
	}
	var limits []string
	for _, l := range []struct {
		n    uint32
		text string
	}{{m.MaxSize, "its folders hold more than %d MB"}, {m.MaxFolderCount, "there are more than %d folders"}, {m.MinFreeDisk, "less than %d MB are free on the disk"}} {
		if l.n > 0 {
			limits = append(limits, fmt.Sprintf(l.text, l.n))
		}
	}
	if len(limits) > 0 {
		say("after a run the %s folders of the set are removed while %s", first, strings.Join(limits, ", or "))
	}
	for _, a := range m.FolderActions {
		var what []string
		if a.Actions&collectorset.DeleteData != 0 {
			what = append(what, "data")
		}
		if a.Actions&collectorset.DeleteReport != 0 {
			what = append(what, "reports")
		}
		if len(what) > 0 && a.Actions&(collectorset.CreateCab|collectorset.SendCab) == 0 {
			say("after a run %s of folders of %d days and %d MB or more are removed", strings.Join(what, " and "), a.Age, a.Size)
		}
	}
	if m.CheckBeforeRunning {
		say("it does not start while the limits of folders or of the disk do not hold")
	}
	return slices.Clip(lines)
}
