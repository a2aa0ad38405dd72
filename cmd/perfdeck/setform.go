package main

import (
	"cmp"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"perfdeck/session/record/collectorset"
	"perfdeck/session/record/collectorset/store"
	"perfdeck/session/record/desk"
	"perfdeck/tui/pane"
)

// The form of a set changes it by the flags of collect update: its fields are called as
// they are.

// setField is a line of the form.
type setField struct {
	flag, label, help string
	choices           []string
	counters, alerts  bool // only where there is a collector of the kind
	value             func(e *store.Entry, c *collectorset.Collector) string
}

// seconds, megabytes write numbers of a set as flags read them; 0 is nothing.
func secondsText(n uint32) string {
	if n == 0 {
		return "0"
	}
	return spanText(span(n))
}

func megabytesText(n uint32) string {
	if n == 0 {
		return "0"
	}
	return fmt.Sprintf("%dMB", n)
}

// pathGap stands between paths, or thresholds, in a line.
const pathGap = "; "

var existing = []string{"left alone", "replaced", "added to"}

var setFields = []setField{
	{flag: "every", label: "every", help: "time between samples: 15, or 1m", value: func(_ *store.Entry, c *collectorset.Collector) string {
		if c.SampleInterval == collectorset.OneSample {
			return "once"
		}
		return secondsText(c.SampleInterval)
	}},
	{flag: "counter", label: "counters", counters: true, help: `paths with ; between, as \Memory\*; \Processor Information(_Total)\*`, value: func(_ *store.Entry, c *collectorset.Collector) string {
		return strings.Join(c.Counters, pathGap)
	}},
	{flag: "threshold", label: "thresholds", alerts: true, help: `with ; between, as \Memory\Available MBytes<200`, value: func(_ *store.Entry, c *collectorset.Collector) string {
		return strings.Join(c.Alerts, pathGap)
	}},
	{flag: "start-set", label: "starts set", alerts: true, help: "set that starts when an alert fires; empty: none", value: func(_ *store.Entry, c *collectorset.Collector) string {
		return c.Trigger
	}},
	{flag: "begin", label: "starts at", help: "22:00, or 2026-03-01 22:00; empty: when it is told to", value: func(e *store.Entry, _ *collectorset.Collector) string {
		if len(e.Set.Schedules) == 0 {
			return ""
		}
		s := &e.Set.Schedules[0]
		if s.StartDate.IsZero() {
			return s.StartTime.String()
		}
		return fmt.Sprintf("%04d-%02d-%02d %v", s.StartDate.Year, s.StartDate.Month, s.StartDate.Day, s.StartTime)
	}},
	{flag: "days", label: "on", help: "mon,tue,wed,thu,fri,sat,sun; daily; once", value: func(e *store.Entry, _ *collectorset.Collector) string {
		if len(e.Set.Schedules) == 0 {
			return "daily"
		}
		return daysText(e.Set.Schedules[0].Days)
	}},
	{flag: "run-for", label: "runs for", help: "8h, or 01:30:00; 0: until it is stopped", value: func(e *store.Entry, _ *collectorset.Collector) string {
		return secondsText(e.Set.Duration)
	}},
	{flag: "segment-time", label: "new files after", counters: true, help: "1h; 0: no matter how long", value: func(e *store.Entry, _ *collectorset.Collector) string {
		return secondsText(e.Set.SegmentMaxDuration)
	}},
	{flag: "segment-size", label: "new files at", counters: true, help: "100MB; 0: no matter how large", value: func(e *store.Entry, _ *collectorset.Collector) string {
		return megabytesText(e.Set.SegmentMaxSize)
	}},
	{flag: "format", label: "format", counters: true, choices: []string{"bin", "bincirc", "csv", "tsv", "sql"}, help: "bin: .db here; bincirc: the oldest samples go", value: func(_ *store.Entry, c *collectorset.Collector) string {
		if int(c.LogFileFormat) >= len(formatWords) {
			return formatWords[0]
		}
		if c.LogCircular {
			return "bincirc"
		}
		return formatWords[c.LogFileFormat]
	}},
	{flag: "existing", label: "a file there is", counters: true, choices: existing, help: "what becomes of a file that is there already", value: func(_ *store.Entry, c *collectorset.Collector) string {
		switch {
		case c.LogOverwrite:
			return existing[1]
		case c.LogAppend:
			return existing[2]
		}
		return existing[0]
	}},
	{flag: "most-folders", label: "keep folders", counters: true, help: "after a run older ones go; 0: any number", value: func(e *store.Entry, _ *collectorset.Collector) string {
		return strconv.FormatUint(uint64(managerOf(e).MaxFolderCount), 10)
	}},
	{flag: "most-size", label: "keep at most", counters: true, help: "2GB: after a run older folders go; 0: any size", value: func(e *store.Entry, _ *collectorset.Collector) string {
		return megabytesText(managerOf(e).MaxSize)
	}},
	{flag: "description", label: "about", help: "what the set is for", value: func(e *store.Entry, _ *collectorset.Collector) string {
		return e.Set.Description
	}},
}

// managerOf is the data manager of a set, or what one would be that does nothing.
func managerOf(e *store.Entry) *collectorset.Manager {
	if e.Set.Manager != nil && e.Set.Manager.Enabled {
		return e.Set.Manager
	}
	return collectorset.NewManager()
}

// daysText writes days as the flag reads them.
func daysText(days uint32) string {
	switch {
	case days == 0:
		return "once"
	case bits.OnesCount32(days) == 7:
		return "daily"
	}
	var names []string
	for d := range 7 {
		if days&(1<<d) != 0 {
			names = append(names, strings.ToLower(time.Weekday(d).String()[:3]))
		}
	}
	return strings.Join(names, ",")
}

// setForm is the form of a set, and what it was made of.
type setForm struct {
	desk   *setDesk
	entry  *store.Entry
	fields []pane.FormField
	isNew  bool
}

const nameField = "name"

// newSetForm makes the form. Lines that text between others cannot hold are left out.
func (d *setDesk) newSetForm(e *store.Entry, isNew bool) (*setForm, error) {
	f := &setForm{desk: d, entry: e, isNew: isNew}
	one, err := new(setFlags).collectorOf(e.Set)
	if err != nil {
		return nil, err
	}
	if one == nil {
		return nil, fmt.Errorf("the set %s has nothing that is run here", e.Set.Name)
	}
	if isNew {
		f.fields = append(f.fields, pane.FormField{Name: nameField, Label: nameField, Value: e.Set.Name, Help: "unlike that of every other set"})
	}
	for i := range setFields {
		s := &setFields[i]
		if s.counters && one.Kind != collectorset.Counters || s.alerts && one.Kind != collectorset.Alerts {
			continue
		}
		lines := slices.Concat(one.Counters, one.Alerts)
		if (s.flag == "counter" || s.flag == "threshold") && !fitsLine(lines) {
			continue
		}
		f.fields = append(f.fields, pane.FormField{Name: s.flag, Label: s.label, Value: s.value(e, one), Help: s.help, Choices: s.choices})
	}
	return f, nil
}

// fitsLine tells whether paths can be edited in a line.
func fitsLine(lines []string) bool {
	const most = 2000
	n := 0
	for _, line := range lines {
		if n += len(line); n > most || strings.Contains(line, ";") {
			return false
		}
	}
	return true
}

// form is the form for the screens.
func (f *setForm) form() pane.RecordForm {
	title := "Edit " + f.entry.Set.Name
	if f.isNew {
		title = "New data collector set"
	}
	return pane.RecordForm{Title: title, Fields: f.fields, Judge: f.judge, Save: f.save}
}

// flags are the answers that were changed, as flags of update.
func (f *setForm) flags(a pane.Answers) (args []string) {
	for i := range f.fields {
		field := &f.fields[i]
		value := a.Get(field.Name)
		if value == field.Value {
			continue
		}
		switch field.Name {
		case nameField:
		case "counter", "threshold":
			for line := range strings.SplitSeq(value, ";") {
				if line = strings.TrimSpace(line); line != "" {
					args = append(args, "--"+field.Name+"="+line)
				}
			}
		case "begin":
			if value == "" {
				args = append(args, "--no-schedule")
			} else {
				args = append(args, "--begin="+value)
			}
		case "days":
			if a.Get("begin") != "" {
				args = append(args, "--days="+value)
			}
		case "existing":
			args = append(args, fmt.Sprintf("--overwrite=%v", value == existing[1]), fmt.Sprintf("--append=%v", value == existing[2]))
		case "format":
			args = append(args, "--format="+value, fmt.Sprintf("--circular=%v", value == "bincirc"))
		default:
			args = append(args, "--"+field.Name+"="+cmp.Or(value, emptyValue(field.Name)))
		}
	}
	return args
}

// emptyValue is what an empty answer means: texts may be empty, limits are none.
func emptyValue(flag string) string {
	switch flag {
	case "description", "start-set", "every":
		return ""
	}
	return "0"
}

// apply changes a set as the answers say.
func (f *setForm) apply(e *store.Entry, a pane.Answers) error {
	c, flags := f.desk.program.updateFlags()
	if err := c.ParseFlags(f.flags(a)); err != nil {
		return err
	}
	if f.isNew {
		e.Set.Name = a.Get(nameField)
		e.Set.Collectors[0].Name = e.Set.Name
	}
	if f.lacksLines(a) {
		return errNoLines
	}
	return f.desk.program.applyFlags(c, flags, e, nil)
}

var errNoLines = errors.New("there is nothing to collect")

// lacksLines tells of counters or thresholds that were all taken away, which no flag says.
func (f *setForm) lacksLines(a pane.Answers) bool {
	return slices.ContainsFunc(f.fields, func(field pane.FormField) bool {
		return (field.Name == "counter" || field.Name == "threshold") && strings.Trim(a.Get(field.Name), "; ") == ""
	})
}

// judge tells what answers would mean.
func (f *setForm) judge(a pane.Answers) (findings []string, err error) {
	e := *f.entry
	e.Set = f.entry.Set.Clone()
	if err := f.apply(&e, a); err != nil {
		return nil, desk.InDialog(err)
	}
	if f.isNew && e.Set.Name == "" {
		return nil, errNoSetName
	}
	found, refused := f.desk.program.judgeSet(e.Set)
	for _, one := range found {
		findings = append(findings, one.Error())
	}
	if refused != nil {
		return findings, refused
	}
	next := "it starts when it is told to"
	if at, ok := e.Set.Next(time.Now().In(time.Local)); ok {
		next = "it starts " + at.Format("Mon 2006-01-02 15:04:05")
	}
	return append([]string{next}, findings...), nil
}

var errNoSetName = errors.New("it needs a name")

// save keeps the set. Others may have changed it since: what was not changed here stays
// as they have it.
func (f *setForm) save(a pane.Answers) error {
	if !f.isNew {
		return desk.InDialog(f.desk.change(f.entry.Set.Name, func(e *store.Entry) error {
			if err := f.apply(e, a); err != nil {
				return err
			}
			_, refused := f.desk.program.judgeSet(e.Set)
			return refused
		}))
	}
	defer f.desk.list.Now()
	e := *f.entry
	e.Set = f.entry.Set.Clone()
	if err := f.apply(&e, a); err != nil {
		return err
	}
	s, err := f.desk.program.sets()
	if err != nil {
		return err
	}
	return desk.InDialog(s.Create(&e))
}

// updateFlags are the flags of collect update, to be parsed.
func (p *program) updateFlags() (*cobra.Command, *setFlags) {
	c, f := &cobra.Command{}, &setFlags{}
	f.register(c.Flags())
	f.registerCounters(c.Flags())
	f.registerAlerts(c.Flags())
	return c, f
}

// Form is what can be changed of a set.
func (d *setDesk) Form(r *pane.Record) (pane.RecordForm, error) {
	s, err := d.program.sets()
	if err != nil {
		return pane.RecordForm{}, err
	}
	e, err := s.Load(id(r))
	if err != nil {
		return pane.RecordForm{}, err
	}
	f, err := d.newSetForm(e, false)
	if err != nil {
		return pane.RecordForm{}, err
	}
	return f.form(), nil
}

// New is the form of a set that collects what is given.
func (d *setDesk) New(what []pane.RecordHost) (pane.RecordForm, error) {
	e := &store.Entry{Set: collectorset.New("perfdeck " + time.Now().Format("2006-01-02 15.04"))}
	c := collectorset.NewCollector(collectorset.Counters, e.Set.Name)
	c.Counters = hostPaths(what)
	e.Set.Collectors = []collectorset.Collector{c}
	f, err := d.newSetForm(e, true)
	if err != nil {
		return pane.RecordForm{}, err
	}
	return f.form(), nil
}
