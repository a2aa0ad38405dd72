// Package edit is what can be said of a data collector set, each field once in a table: how
// it is called, what it means, how it is read, written and told in words. The flags of
// commands, the form of the screens and what tells of a set are made of that.
package edit

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"perfdeck/session/files/naming"
	"perfdeck/session/recording/collectorset"
	"perfdeck/session/recording/collectorset/store"
	"perfdeck/session/text/english"
	"perfdeck/session/text/field"
)

// The parts of a set.
const (
	Set       field.Part = iota
	Collector            // of any kind
	Counters
	Alerts
)

// The topics of a description.
const (
	start   = "start"
	end     = "end"
	segment = "segment" // after what new files begin, or the run ends
	how     = "how"     // a collector works
	behind  = "behind"  // the lines of a collector
	removal = "removal" // until when folders are removed
)

// subject is what fields are read from and changed in: a set, and the collector that is meant.
type subject struct {
	*store.Entry

	one *collectorset.Collector // nil: there is none that is run
}

// rows are the fields of what the subject has.
func (s *subject) rows() field.Rows[*subject] {
	return slices.DeleteFunc(slices.Clone(fields), func(f field.Field[*subject]) bool {
		switch f.Of {
		case Collector:
			return s.one == nil
		case Counters:
			return s.one == nil || s.one.Kind != collectorset.Counters
		case Alerts:
			return s.one == nil || s.one.Kind != collectorset.Alerts
		}
		return false
	})
}

// Fields are all fields. Most mean an option of logman create and update.
func Fields() field.Rows[*subject] { return fields }

// The words for what becomes of a file that is there already.
var existing = []string{"left alone", "replaced", "added to"}

// Every is the name of the field that is the time between samples.
const Every = "every"

var fields = field.Rows[*subject]{
	{Name: "collector", Help: "name of the collector (default: the first, or that of the set)"},
	{
		Name: Every, Kind: field.Text, Of: Collector, Help: "time between samples (logman -si)",
		Set:   of(theOne, "SampleInterval", seconds),
		Text:  func(s *subject) string { return interval(s.one, spanText) },
		Label: "every", Hint: "time between samples: 15, or 1m",
		Topic: how, Says: func(s *subject) string {
			return interval(s.one, func(n uint32) string { return "every " + spanText(n) })
		},
	},
	{
		Name: "counter", Kind: field.Lines, Of: Counters, Help: "counter path (repeatable; logman -c)",
		Set:   of(theOne, "Counters", lines),
		List:  func(s *subject) []string { return s.one.Counters },
		Label: "counters", Hint: `paths with ; between, as \Memory\*; \Processor Information(_Total)\*`, Joint: ";",
	},
	{
		Name: "threshold", Kind: field.Lines, Of: Alerts, Help: `'\Path>90' or '\Path<10' (repeatable; logman -th)`,
		Set:   of(theOne, "Alerts", lines),
		List:  func(s *subject) []string { return s.one.Alerts },
		Label: "thresholds", Hint: `with ; between, as \Memory\Available MBytes<200`, Joint: ";",
	},
	{
		Name: "start-set", Of: Alerts, Help: "set that starts when an alert fires (logman -rdcs)",
		Set:   of(theOne, "Trigger", word),
		Text:  func(s *subject) string { return s.one.Trigger },
		Label: "starts set", Hint: "set that starts when an alert fires; empty: none",
		Topic: behind, Says: func(s *subject) string { return unlessEmpty("one that fires starts the set %s", s.one.Trigger) },
	},
	{
		Name: "alert-task", Of: Alerts, Help: "[tasks] of the config, on a host a task of its scheduler, that runs when an alert fires (logman -tn)",
		Set:   of(theOne, "Task", word),
		Topic: behind, Says: func(s *subject) string {
			return taskText("one that fires runs the task %s", s.one.Task, s.one.TaskUserTextArguments)
		},
	},
	{
		Name: "event-log", Kind: field.Switch, Of: Alerts, Help: "keep a line of each alert that fires (logman -el)",
		Set:   of(theOne, "EventLog", toggle),
		Topic: how, Says: func(s *subject) string { return ifSo(s.one.EventLog, "those that fire kept in the log") },
	},
	{
		Name: "no-schedule", Kind: field.Switch, Help: "remove all schedules",
		Set: func(s *subject, v field.Values) error {
			if v.Is() {
				s.Set.Schedules = nil
			}
			return nil
		},
	},
	{
		Name: "begin", Help: "start at a time: HH:MM, or 2026-03-01 HH:MM (logman -b)",
		Set: func(s *subject, v field.Values) error { return begin(v, schedule(s.Set)) }, Text: beginText,
		Label: "starts at", Hint: "22:00, or 2026-03-01 22:00; empty: when it is told to", Means: func(value string, _ field.Answers) field.Changes {
			if value == "" {
				return field.Changes{"no-schedule": {"true"}}
			}
			return field.Changes{"begin": {value}}
		},
		Topic: start, Says: func(s *subject) string {
			var starts []string
			for i := range s.Set.Schedules {
				starts = append(starts, "starts "+s.Set.Schedules[i].Describe())
			}
			return strings.Join(starts, "\n")
		},
	},
	{
		Name: "days", Kind: field.Words, Help: "days on which it starts: mon,tue,..., daily, or once (logman -r)",
		Set: func(s *subject, v field.Values) error {
			if len(s.Set.Schedules) == 0 && v.Text() == "once" {
				return nil // it starts when it is told to
			}
			return days(v, schedule(s.Set))
		}, Text: daysText,
		Label: "on", Hint: "mon,tue,wed,thu,fri,sat,sun; daily; once", Means: func(value string, all field.Answers) field.Changes {
			if all.Get("begin") == "" {
				return nil
			}
			return field.Changes{"days": strings.Split(value, ",")}
		},
	},
	{
		Name: "end", Help: "last day of the schedule, as 2026-03-31 (logman -e)",
		Set: func(s *subject, v field.Values) error { return lastDay(v, schedule(s.Set)) },
	},
	{
		Name: "run-for", Help: "end a run after a time as 8h, or [[hh:]mm:]ss (logman -rf)",
		Set:   of(theSet, "Duration", seconds),
		Text:  func(s *subject) string { return spanText(s.Set.Duration) },
		Label: "runs for", Hint: "8h, or 01:30:00; 0: until it is stopped", Empty: "0",
		Topic: end, Says: func(s *subject) string { return unlessEmpty("a run ends after %s", spanText(s.Set.Duration)) },
	},
	{
		Name: "segment-time", Help: "begin new files after a time; 0: no segments by time (logman -cnf)",
		Set:   of(theSet, "SegmentMaxDuration", seconds),
		Text:  func(s *subject) string { return spanText(s.Set.SegmentMaxDuration) },
		Label: "new files after", Hint: "1h; 0: no matter how long", Empty: "0",
		Topic: segment, Says: func(s *subject) string { return spanText(s.Set.SegmentMaxDuration) },
	},
	{
		Name: "segment-size", Help: "begin new files, or with --circular remove the oldest, at a size as 100MB (logman -max)",
		Set:   of(theSet, "SegmentMaxSize", megabytes),
		Text:  func(s *subject) string { return megabytesText(s.Set.SegmentMaxSize) },
		Label: "new files at", Hint: "100MB; 0: no matter how large", Empty: "0",
		Topic: segment, Says: func(s *subject) string { return unlessZero("%d MB of a file", s.Set.SegmentMaxSize) },
	},
	{
		Name: "segment-samples", Kind: field.Number, Of: Counters, Help: "begin new files after so many samples (logman -sc)",
		Set:   of(theOne, "SegmentMaxRecords", number),
		Topic: how, Says: func(s *subject) string { return unlessZero("%d samples in a file", s.one.SegmentMaxRecords) },
	},
	{
		Name: "append", Short: "a", Kind: field.Switch, Of: Counters, Help: "add to files that are there (logman -a)",
		Set: of(theOne, "LogAppend", toggle),
	},
	{
		Name: "overwrite", Kind: field.Switch, Of: Counters, Help: "replace files that are there (logman -ow)",
		Set: of(theOne, "LogOverwrite", toggle),
	},
	{
		Name: "circular", Kind: field.Switch, Of: Counters, Help: "let the oldest samples go at --segment-size (logman -f bincirc)",
		Set: of(theOne, "LogCircular", toggle),
	},
	{
		Name: "format", Short: "f", Of: Counters, Help: "format: " + english.Either(collectorset.FormatWords()) + " (logman -f)",
		Set: func(s *subject, v field.Values) error { return format(v, s.one) }, Text: formatText,
		Label: "format", Choices: collectorset.FormatWords(), Hint: "bin: .db here; " + collectorset.Circular + ": the oldest samples go", Means: func(value string, _ field.Answers) field.Changes {
			return field.Changes{"format": {value}, "circular": {strconv.FormatBool(value == collectorset.Circular)}}
		},
		Topic: how, Says: func(s *subject) string {
			if s.OfHost {
				return "to " + formatText(s)
			}
			return "to " + s.one.Format().Said
		},
	},
	{
		Name: "existing", Of: Counters,
		Set: func(s *subject, v field.Values) error {
			s.one.LogOverwrite, s.one.LogAppend = v.Text() == existing[1], v.Text() == existing[2]
			return nil
		},
		Text: func(s *subject) string {
			switch {
			case s.one.LogOverwrite:
				return existing[1]
			case s.one.LogAppend:
				return existing[2]
			}
			return existing[0]
		},
		Label: "a file there is", Choices: existing, Hint: "what becomes of a file that is there already",
		Topic: how, Says: func(s *subject) string {
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
		Set: func(s *subject, v field.Values) error {
			if s.one.LogFileFormat == collectorset.SQL {
				s.one.DataSourceName = v.Text()
			} else {
				s.one.FileName = v.Text()
			}
			return nil
		},
	},
	{
		Name: "parts", Of: Counters, Help: "parts of the names: " + strings.Join(naming.PartNames(), ",") + " (logman -v)",
		Set: func(s *subject, v field.Values) error { return parts(v, s.one) },
	},
	{
		Name: "pattern", Of: Counters, Help: `pattern behind the base of the names, as '\_yyyyMMdd'`,
		Set: func(s *subject, v field.Values) error {
			s.one.FileNamePattern = v.Text()
			s.one.FileNameFormat |= uint32(naming.PartPattern)
			if v.Text() == "" {
				s.one.FileNameFormat &^= uint32(naming.PartPattern)
			}
			return nil
		},
	},
	{
		Name: "no-segments", Kind: field.Switch, Help: "end at the limits of files in place of beginning new ones",
		Set: func(*subject, field.Values) error { return nil }, // see settleSegments
	},
	{
		Name: "task", Help: "[tasks] of the config, on a host a task of its scheduler, that runs when files end (logman -rc)",
		Set:   of(theSet, "Task", word),
		Topic: end, Says: func(s *subject) string {
			return taskText("when files end the task %s runs", s.Set.Task, s.Set.TaskUserTextArguments)
		},
	},
	{
		Name: "most-folders", Kind: field.Number, Help: "after a run, remove folders of the set until there are so many; 0: any",
		Set:   of(theManager, "MaxFolderCount", number),
		Text:  func(s *subject) string { return strconv.FormatUint(uint64(shownManager(s.Set).MaxFolderCount), 10) },
		Label: "keep folders", Hint: "after a run older ones go; 0: any number", Empty: "0",
		Topic: removal, Says: func(s *subject) string {
			return unlessZero("there are more than %d folders", shownManager(s.Set).MaxFolderCount)
		},
	},
	{
		Name: "most-size", Help: "after a run, remove folders of the set until they hold no more, as 2GB; 0: any size",
		Set:   of(theManager, "MaxSize", megabytes),
		Text:  func(s *subject) string { return megabytesText(shownManager(s.Set).MaxSize) },
		Label: "keep at most", Hint: "2GB: after a run older folders go; 0: any size", Empty: "0",
		Topic: removal, Says: func(s *subject) string {
			return unlessZero("its folders hold more than %d MB", shownManager(s.Set).MaxSize)
		},
	},
	{
		Name: "least-free", Help: "after a run, remove folders of the set until so much of the disk is free, as 2GB; 0: no matter",
		Set:   of(theManager, "MinFreeDisk", megabytes),
		Topic: removal, Says: func(s *subject) string {
			return unlessZero("less than %d MB are free on the disk", shownManager(s.Set).MinFreeDisk)
		},
	},
	{
		Name: "remove-first", Help: "which folders go first, after empty ones: oldest, or as on Windows largest",
		Set: of(theManager, "ResourcePolicy", policy),
	},
	{
		Name: "root", Help: "folder that its folders go to",
		Set: func(s *subject, v field.Values) error {
			if s.OfHost {
				s.Set.RootPath = v.Text()
				return nil
			}
			return folder(v, &s.State.Root)
		},
	},
	{
		Name: "serial", Kind: field.Number, Help: "number of the next run",
		Set: of(theSet, "SerialNumber", number),
	},
	{
		Name: "description", Help: "what the set is for",
		Set: func(s *subject, v field.Values) error {
			s.Set.Description, s.Set.DescriptionUnresolved = v.Text(), v.Text()
			return nil
		},
		Text:  func(s *subject) string { return s.Set.Description },
		Label: "about", Hint: "what the set is for",
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

// of takes what is said of a field of one of them, by its name.
func of[T any](whose func(*subject) any, name string, take func(field.Values, *T) error) func(*subject, field.Values) error {
	return func(s *subject, v field.Values) error {
		p, _ := reflect.TypeAssert[*T](reflect.ValueOf(whose(s)).Elem().FieldByName(name).Addr())
		return take(v, p)
	}
}

func theSet(s *subject) any { return s.Set }
func theOne(s *subject) any { return s.one }

// theManager is the data manager of the set, which gets one if it has none.
func theManager(s *subject) any {
	s.Set.Manager = cmp.Or(s.Set.Manager, collectorset.NewManager())
	return s.Set.Manager
}

// schedule is the first schedule of a set, which gets one if it has none.
func schedule(s *collectorset.Set) *collectorset.Schedule {
	if len(s.Schedules) == 0 {
		s.Schedules = []collectorset.Schedule{{Days: collectorset.EveryDay}}
	}
	return &s.Schedules[0]
}
