// Package edit is what can be said of a data collector set, each field once in a table: how
// it is called, what it means, how it is read, written and told in words. The flags of
// commands, the form of the screens and what tells of a set are made of that.
package edit

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"perfdeck/session/record/collectorset"
	"perfdeck/session/record/collectorset/store"
	"perfdeck/session/record/listing"
	"perfdeck/session/record/naming"
	"perfdeck/session/text/english"
)

// Field is something that can be said of a set. Most mean an option of logman create and
// update.
type Field struct {
	Name, Short string // of its flag
	Help        string // of its flag; empty: it has none
	Kind        Kind
	Of          Part

	set  func(s *subject, v values) error // nil: it says which collector is meant
	text func(s *subject) string          // as set reads it, for forms; nil: it is in none
	line line
	told topic
	says func(s *subject) string // empty: nothing worth to tell
}

// Kind is what values a field takes on a command line.
type Kind uint8

// The kinds.
const (
	Text   Kind = iota
	Words       // with commas between
	Lines       // said one by one
	Number      // 0 or more
	Switch
)

// Part is what of a set a field says something of.
type Part uint8

// The parts.
const (
	Set       Part = iota
	Collector      // of any kind
	Counters
	Alerts
)

// topic is where what a field says stands in a description.
type topic uint8

const (
	untold topic = iota
	start
	end
	segment // after what new files begin, or the run ends
	how     // a collector works
	behind  // the lines of a collector
	removal // until when folders are removed
)

// line is a field in a form.
type line struct {
	label, help string
	choices     []string
	empty       string // what an empty answer means
	// means is what a changed answer says; nil: the value of the field.
	means func(value string, all listing.Answers) Changes
}

// subject is what fields are read from and changed in: a set, and the collector that is meant.
type subject struct {
	*store.Entry

	one *collectorset.Collector // nil: there is none that is run
}

// has tells whether the subject has what a field is of.
func (s *subject) has(f *Field) bool {
	switch f.Of {
	case Collector:
		return s.one != nil
	case Counters:
		return s.one != nil && s.one.Kind == collectorset.Counters
	case Alerts:
		return s.one != nil && s.one.Kind == collectorset.Alerts
	case Set:
	}
	return true
}

// Fields are all fields. Each is set behind those before it.
func Fields() []Field { return fields }

// The words for what becomes of a file that is there already.
var existing = []string{"left alone", "replaced", "added to"}

// Every is the name of the field that is the time between samples.
const Every = "every"

var fields = []Field{
	{Name: "collector", Help: "name of the collector (default: the first, or that of the set)"},
	{
		Name: Every, Kind: Text, Of: Collector, Help: "time between samples (logman -si)",
		set:  func(s *subject, v values) error { return v.seconds(&s.one.SampleInterval) },
		text: func(s *subject) string { return interval(s.one, secondsText) },
		line: line{label: "every", help: "time between samples: 15, or 1m"},
		told: how, says: func(s *subject) string {
			return interval(s.one, func(n uint32) string { return "every " + spanText(n) })
		},
	},
	{
		Name: "counter", Kind: Lines, Of: Counters, Help: "counter path (repeatable; logman -c)",
		set:  func(s *subject, v values) error { s.one.Counters = v.all; return nil },
		text: func(s *subject) string { return strings.Join(s.one.Counters, gap) },
		line: line{label: "counters", help: `paths with ; between, as \Memory\*; \Processor Information(_Total)\*`, means: linesOf("counter")},
	},
	{
		Name: "threshold", Kind: Lines, Of: Alerts, Help: `'\Path>90' or '\Path<10' (repeatable; logman -th)`,
		set:  func(s *subject, v values) error { s.one.Alerts = v.all; return nil },
		text: func(s *subject) string { return strings.Join(s.one.Alerts, gap) },
		line: line{label: "thresholds", help: `with ; between, as \Memory\Available MBytes<200`, means: linesOf("threshold")},
	},
	{
		Name: "start-set", Of: Alerts, Help: "set that starts when an alert fires (logman -rdcs)",
		set:  func(s *subject, v values) error { s.one.Trigger = v.text(); return nil },
		text: func(s *subject) string { return s.one.Trigger },
		line: line{label: "starts set", help: "set that starts when an alert fires; empty: none"},
		told: behind, says: func(s *subject) string { return unlessEmpty("one that fires starts the set %s", s.one.Trigger) },
	},
	{
		Name: "alert-task", Of: Alerts, Help: "[tasks] of the config that runs when an alert fires (logman -tn)",
		set:  func(s *subject, v values) error { s.one.Task = v.text(); return nil },
		told: behind, says: func(s *subject) string {
			return taskText("one that fires runs the task %s", s.one.Task, s.one.TaskUserTextArguments)
		},
	},
	{
		Name: "event-log", Kind: Switch, Of: Alerts, Help: "keep a line of each alert that fires (logman -el)",
		set:  func(s *subject, v values) error { s.one.EventLog = v.is(); return nil },
		told: how, says: func(s *subject) string { return ifSo(s.one.EventLog, "those that fire kept in the log") },
	},
	{
		Name: "no-schedule", Kind: Switch, Help: "remove all schedules",
		set: func(s *subject, v values) error {
			if v.is() {
				s.Set.Schedules = nil
			}
			return nil
		},
	},
	{
		Name: "begin", Help: "start at a time: HH:MM, or 2026-03-01 HH:MM (logman -b)",
		set: func(s *subject, v values) error { return v.begin(schedule(s.Set)) }, text: beginText,
		line: line{label: "starts at", help: "22:00, or 2026-03-01 22:00; empty: when it is told to", means: func(value string, _ listing.Answers) Changes {
			if value == "" {
				return Changes{"no-schedule": {"true"}}
			}
			return Changes{"begin": {value}}
		}},
		told: start, says: func(s *subject) string {
			var starts []string
			for i := range s.Set.Schedules {
				starts = append(starts, "starts "+s.Set.Schedules[i].Describe())
			}
			return strings.Join(starts, "\n")
		},
	},
	{
		Name: "days", Kind: Words, Help: "days on which it starts: mon,tue,..., daily, or once (logman -r)",
		set: func(s *subject, v values) error {
			if len(s.Set.Schedules) == 0 && v.text() == "once" {
				return nil // it starts when it is told to
			}
			return v.days(schedule(s.Set))
		}, text: daysText,
		line: line{label: "on", help: "mon,tue,wed,thu,fri,sat,sun; daily; once", means: func(value string, all listing.Answers) Changes {
			if all.Get("begin") == "" {
				return nil
			}
			return Changes{"days": strings.Split(value, ",")}
		}},
	},
	{
		Name: "end", Help: "last day of the schedule, as 2026-03-31 (logman -e)",
		set: func(s *subject, v values) error { return v.lastDay(schedule(s.Set)) },
	},
	{
		Name: "run-for", Help: "end a run after a time as 8h, or [[hh:]mm:]ss (logman -rf)",
		set:  func(s *subject, v values) error { return v.seconds(&s.Set.Duration) },
		text: func(s *subject) string { return secondsText(s.Set.Duration) },
		line: line{label: "runs for", help: "8h, or 01:30:00; 0: until it is stopped", empty: "0"},
		told: end, says: func(s *subject) string { return unlessEmpty("a run ends after %s", spanText(s.Set.Duration)) },
	},
	{
		Name: "segment-time", Help: "begin new files after a time; 0: no segments by time (logman -cnf)",
		set:  func(s *subject, v values) error { return v.seconds(&s.Set.SegmentMaxDuration) },
		text: func(s *subject) string { return secondsText(s.Set.SegmentMaxDuration) },
		line: line{label: "new files after", help: "1h; 0: no matter how long", empty: "0"},
		told: segment, says: func(s *subject) string { return spanText(s.Set.SegmentMaxDuration) },
	},
	{
		Name: "segment-size", Help: "begin new files, or with --circular remove the oldest, at a size as 100MB (logman -max)",
		set:  func(s *subject, v values) error { return v.megabytes(&s.Set.SegmentMaxSize) },
		text: func(s *subject) string { return megabytesText(s.Set.SegmentMaxSize) },
		line: line{label: "new files at", help: "100MB; 0: no matter how large", empty: "0"},
		told: segment, says: func(s *subject) string { return unlessZero("%d MB of a file", s.Set.SegmentMaxSize) },
	},
	{
		Name: "segment-samples", Kind: Number, Of: Counters, Help: "begin new files after so many samples (logman -sc)",
		set:  func(s *subject, v values) error { return v.number(&s.one.SegmentMaxRecords) },
		told: how, says: func(s *subject) string { return unlessZero("%d samples in a file", s.one.SegmentMaxRecords) },
	},
	{
		Name: "append", Short: "a", Kind: Switch, Of: Counters, Help: "add to files that are there (logman -a)",
		set: func(s *subject, v values) error { s.one.LogAppend = v.is(); return nil },
	},
	{
		Name: "overwrite", Kind: Switch, Of: Counters, Help: "replace files that are there (logman -ow)",
		set: func(s *subject, v values) error { s.one.LogOverwrite = v.is(); return nil },
	},
	{
		Name: "circular", Kind: Switch, Of: Counters, Help: "let the oldest samples go at --segment-size (logman -f bincirc)",
		set: func(s *subject, v values) error { s.one.LogCircular = v.is(); return nil },
	},
	{
		Name: "format", Short: "f", Of: Counters, Help: "format: " + english.Either(collectorset.FormatWords()) + " (logman -f)",
		set: func(s *subject, v values) error { return v.format(s.one) }, text: formatText,
		line: line{label: "format", choices: collectorset.FormatWords(), help: "bin: .db here; " + collectorset.Circular + ": the oldest samples go", means: func(value string, _ listing.Answers) Changes {
			return Changes{"format": {value}, "circular": {strconv.FormatBool(value == collectorset.Circular)}}
		}},
		told: how, says: func(s *subject) string { return "to " + s.one.Format().Said },
	},
	{
		Name: "existing", Of: Counters,
		set: func(s *subject, v values) error {
			s.one.LogOverwrite, s.one.LogAppend = v.text() == existing[1], v.text() == existing[2]
			return nil
		},
		text: func(s *subject) string {
			switch {
			case s.one.LogOverwrite:
				return existing[1]
			case s.one.LogAppend:
				return existing[2]
			}
			return existing[0]
		},
		line: line{label: "a file there is", choices: existing, help: "what becomes of a file that is there already"},
		told: how, says: func(s *subject) string {
			switch {
			case s.one.LogOverwrite:
				return "replacing the file"
			case s.one.LogCircular:
				return "the oldest going first"
			}
			return ifSo(s.one.LogAppend, "added to the file")
		},
	},
	{
		Name: "output", Short: "o", Of: Counters, Help: "name of the files, without folder; of sql: the data source (logman -o)",
		set: func(s *subject, v values) error {
			if s.one.LogFileFormat == collectorset.SQL {
				s.one.DataSourceName = v.text()
			} else {
				s.one.FileName = v.text()
			}
			return nil
		},
	},
	{
		Name: "parts", Of: Counters, Help: "parts of the names: " + strings.Join(naming.PartNames(), ",") + " (logman -v)",
		set: func(s *subject, v values) error { return v.parts(s.one) },
	},
	{
		Name: "pattern", Of: Counters, Help: `pattern behind the base of the names, as '\_yyyyMMdd'`,
		set: func(s *subject, v values) error {
			s.one.FileNamePattern = v.text()
			s.one.FileNameFormat |= uint32(naming.PartPattern)
			if v.text() == "" {
				s.one.FileNameFormat &^= uint32(naming.PartPattern)
			}
			return nil
		},
	},
	{
		Name: "no-segments", Kind: Switch, Help: "end at the limits of files in place of beginning new ones",
		set: func(*subject, values) error { return nil }, // see settleSegments
	},
	{
		Name: "task", Help: "[tasks] of the config that runs when files end (logman -rc)",
		set:  func(s *subject, v values) error { s.Set.Task = v.text(); return nil },
		told: end, says: func(s *subject) string {
			return taskText("when files end the task %s runs", s.Set.Task, s.Set.TaskUserTextArguments)
		},
	},
	{
		Name: "most-folders", Kind: Number, Help: "after a run, remove folders of the set until there are so many; 0: any",
		set:  func(s *subject, v values) error { return v.number(&ownManager(s.Set).MaxFolderCount) },
		text: func(s *subject) string { return strconv.FormatUint(uint64(shownManager(s.Set).MaxFolderCount), 10) },
		line: line{label: "keep folders", help: "after a run older ones go; 0: any number", empty: "0"},
		told: removal, says: func(s *subject) string {
			return unlessZero("there are more than %d folders", shownManager(s.Set).MaxFolderCount)
		},
	},
	{
		Name: "most-size", Help: "... until they hold no more than a size as 2GB; 0: any",
		set:  func(s *subject, v values) error { return v.megabytes(&ownManager(s.Set).MaxSize) },
		text: func(s *subject) string { return megabytesText(shownManager(s.Set).MaxSize) },
		line: line{label: "keep at most", help: "2GB: after a run older folders go; 0: any size", empty: "0"},
		told: removal, says: func(s *subject) string {
			return unlessZero("its folders hold more than %d MB", shownManager(s.Set).MaxSize)
		},
	},
	{
		Name: "least-free", Help: "... until so much of the disk is free; 0: no matter",
		set:  func(s *subject, v values) error { return v.megabytes(&ownManager(s.Set).MinFreeDisk) },
		told: removal, says: func(s *subject) string {
			return unlessZero("less than %d MB are free on the disk", shownManager(s.Set).MinFreeDisk)
		},
	},
	{
		Name: "remove-first", Help: "which go first, after those that are empty: oldest, or as on Windows largest",
		set: func(s *subject, v values) error { return v.policy(&ownManager(s.Set).ResourcePolicy) },
	},
	{
		Name: "root", Help: "folder that its folders go to",
		set: func(s *subject, v values) error { return v.folder(&s.State.Root) },
	},
	{
		Name: "serial", Kind: Number, Help: "number of the next run",
		set: func(s *subject, v values) error { return v.number(&s.Set.SerialNumber) },
	},
	{
		Name: "description", Help: "what the set is for",
		set: func(s *subject, v values) error {
			s.Set.Description, s.Set.DescriptionUnresolved = v.text(), v.text()
			return nil
		},
		text: func(s *subject) string { return s.Set.Description },
		line: line{label: "about", help: "what the set is for"},
	},
}

// interval is that of a collector, as numbers are written.
func interval(c *collectorset.Collector, write func(uint32) string) string {
	if c.SampleInterval == collectorset.OneSample {
		return "once"
	}
	return write(c.SampleInterval)
}

func formatText(s *subject) string {
	if s.one.LogCircular {
		return collectorset.Circular
	}
	return s.one.Format().Word
}

func unlessEmpty(format, text string) string {
	if text == "" {
		return ""
	}
	return fmt.Sprintf(format, text)
}

// taskText says which task runs, and what a foreign set gives it along.
func taskText(format, task, text string) string {
	said := unlessEmpty(format, task)
	if text != "" {
		said = strings.TrimPrefix(said+"\ntasks get the text "+strconv.Quote(text), "\n")
	}
	return said
}

func unlessZero(format string, n uint32) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(format, n)
}

func ifSo(is bool, text string) string {
	if is {
		return text
	}
	return ""
}

// shownManager is the data manager of a set, or what one would be that does nothing.
func shownManager(s *collectorset.Set) *collectorset.Manager {
	if s.Manager != nil && s.Manager.Enabled {
		return s.Manager
	}
	return collectorset.NewManager()
}

// ownManager is the data manager of a set, which gets one if it has none.
func ownManager(s *collectorset.Set) *collectorset.Manager {
	s.Manager = cmp.Or(s.Manager, collectorset.NewManager())
	return s.Manager
}

// schedule is the first schedule of a set, which gets one if it has none.
func schedule(s *collectorset.Set) *collectorset.Schedule {
	if len(s.Schedules) == 0 {
		s.Schedules = []collectorset.Schedule{{Days: collectorset.EveryDay}}
	}
	return &s.Schedules[0]
}
