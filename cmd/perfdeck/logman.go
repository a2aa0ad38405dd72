package main

import (
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/inventory"
	"perfdeck/session/record/collectorset"
	"perfdeck/session/record/collectorset/store"
)

const (
	ofTraces   = "it is of traces, which do not run here"
	asYourself = "sets run as the user who starts them"
)

var logmanFinger = finger{
	name: "logman",
	form: `logman create counter|alert <name> [options]
logman update [counter|alert] <name> [options]
logman start|stop|delete <name>
logman query [name]
logman import|export <name> -xml <file>`,
	options: []fingerOption{
		{name: "?", here: "this"},
		{name: "n", takes: one, here: "name of the set"},
		{name: "f", takes: one, here: "format: bin (.db), bincirc, csv, tsv or sql"},
		{name: "o", takes: one, here: "name of the files; their folder is that of the set's folders; DSN!log for sql"},
		{name: "c", takes: some, here: "counters"},
		{name: "cf", takes: one, here: "file of counters, one a line"},
		{name: "si", takes: one, here: "time between samples, [[hh:]mm:]ss"},
		{name: "sc", takes: one, here: "end after so many samples"},
		{name: "b", takes: date, not: true, here: "start at a time"},
		{name: "e", takes: date, not: true, here: "end at a time; with -r the last day"},
		{name: "r", not: true, here: "start each day"},
		{name: "rf", takes: one, not: true, here: "end after a time, [[hh:]mm:]ss"},
		{name: "m", takes: several, none: "a set without -b starts when it is told to"},
		{name: "cnf", takes: maybe, not: true, here: "begin new files after a time, or at the size of -max"},
		{name: "max", takes: maybe, not: true, here: "largest file, in MB"},
		{name: "v", takes: maybe, not: true, here: "part of the names: nnnnnn or mmddhhmm"},
		{name: "a", not: true, here: "append to files that are there"},
		{name: "ow", not: true, here: "replace files that are there"},
		{name: "th", takes: some, here: `thresholds of alerts, as "\Memory\Available MBytes<200"`},
		{name: "el", not: true, here: "keep a line of each alert"},
		{name: "rdcs", takes: maybe, not: true, here: "set that an alert starts"},
		{name: "tn", takes: maybe, not: true, here: "[tasks] of the config that an alert runs"},
		{name: "targ", takes: maybe, not: true, none: "arguments stand with the command in [tasks] of the config"},
		{name: "rc", takes: maybe, not: true, here: "[tasks] of the config that runs when files end"},
		{name: "xml", takes: one, here: "file of import and export"},
		{name: "y", here: "yes to all questions: replace what is there"},
		{name: "config", takes: one, here: "file of options"},
		{name: "s", takes: one, here: "no other computer than this one"},
		{name: "u", takes: several, not: true, none: asYourself},
		{name: "as", none: "each command ends when it is done"},
		{name: "fd", none: ofTraces},
		{name: "ets", here: "traces do not run here"},
		{name: "p", takes: some, none: ofTraces}, {name: "pf", takes: one, none: ofTraces},
		{name: "bs", takes: one, none: ofTraces}, {name: "ft", takes: one, none: ofTraces}, {name: "nb", takes: some, none: ofTraces},
		{name: "ct", takes: one, none: ofTraces}, {name: "mode", takes: some, none: ofTraces}, {name: "ln", takes: one, none: ofTraces},
		{name: "lf", takes: one, none: ofTraces}, {name: "rt", not: true, none: ofTraces}, {name: "ul", not: true, none: ofTraces},
		{name: "ni", not: true, none: "the system is asked as little as that needs"},
	},
	translate: translateLogman,
}

var (
	errNoVerb   = errors.New("invalid syntax: what is to be done is missing")
	errNoSet    = errors.New("invalid syntax: the name of the set is missing")
	errNotHere  = errors.New("only counters and alerts are collected here")
	errOther    = errors.New("the sets of another computer are not managed from here")
	errNoXML    = errors.New("invalid syntax: -xml and its file are missing")
	logmanVerbs = []string{"create", "query", "start", "stop", "delete", "update", "import", "export"}
)

func translateLogman(given []givenOption, rest []string) (*errand, error) {
	named := func(name string) *givenOption {
		i := slices.IndexFunc(given, func(g givenOption) bool { return g.name == name })
		if i < 0 {
			return nil
		}
		return &given[i]
	}
	if len(rest) == 0 {
		return nil, session.WithHint(errNoVerb, "logman /? lists what there is")
	}
	verb, rest := strings.ToLower(rest[0]), rest[1:]
	if !slices.Contains(logmanVerbs, verb) {
		return nil, session.WithHint(fmt.Errorf("invalid syntax: %s", session.Printable(verb)), "there are "+strings.Join(logmanVerbs, ", "))
	}
	if g := named("s"); g != nil && !isThisComputer(strings.TrimLeft(g.value(), `\`)) {
		return nil, session.WithHint(errOther, "run logman there, or name it in counter paths: the config has to know it")
	}
	if named("ets") != nil {
		return nil, session.WithHint(errNotHere, "leave out -ets, which is of event traces")
	}
	kind := ""
	if (verb == "create" || verb == "update") && len(rest) > 0 {
		switch word := strings.ToLower(rest[0]); word {
		case "counter", "alert":
			kind, rest = word, rest[1:]
		case "trace", "cfg", "api":
			return nil, session.WithHint(fmt.Errorf("%s %s: %w", verb, word, errNotHere), "a set that has others beside them can be imported: they are kept in its file")
		}
	}
	name := ""
	if g := named("n"); g != nil {
		name = g.value()
	} else if len(rest) > 0 {
		name = rest[0]
	}
	if name == "" && verb != "query" {
		return nil, session.WithHint(errNoSet, "logman query lists sets")
	}
	e := &errand{quiet: true}
	switch verb {
	case "query":
		if strings.EqualFold(name, "providers") {
			return nil, session.WithHint(errNotHere, "typeperf -q lists counters")
		}
		e.before = func(p *program) error { return p.querySets(name) }
		return e, nil
	case "start", "stop", "delete":
		e.commands = [][]string{{"collect", verb, "--", name}}
		return e, nil
	case "import", "export":
		return e, logmanXML(e, verb, name, named("xml"), named("y") != nil)
	}
	if verb == "create" && kind == "" {
		return nil, session.WithHint(fmt.Errorf("create %s: %w", name, errNotHere), "logman create counter NAME, logman create alert NAME")
	}
	command := []string{"collect", verb}
	if verb == "create" {
		command = append(command, kind)
	}
	flags, notes, err := logmanFlags(given, verb == "update")
	if err != nil {
		return nil, err
	}
	e.notes = notes
	e.commands = [][]string{append(append(command, flags...), "--", name)}
	return e, nil
}

// isThisComputer tells the names of this computer.
func isThisComputer(name string) bool {
	return inventory.IsLocal(name) || name == "." || strings.EqualFold(name, "localhost")
}

// logmanXML is import and export.
func logmanXML(e *errand, verb, name string, xml *givenOption, force bool) error {
	if xml == nil {
		return session.WithHint(errNoXML, "logman "+verb+" NAME -xml FILE")
	}
	command := []string{"collect", "export", "--output=" + xml.value()}
	last := name
	if verb == "import" {
		command, last = []string{"collect", "import", "--name=" + name}, xml.value()
	}
	if force {
		command = append(command, map[string]string{"import": "--replace", "export": "--overwrite"}[verb])
	}
	e.commands = [][]string{append(command, "--", last)}
	return nil
}

// logmanSwitches are options that are flags of ours by another name.
var logmanSwitches = map[string]string{"a": "append", "ow": "overwrite", "el": "event-log"}

// logmanValues are options whose value our flags take as it is.
var logmanValues = map[string]string{"cf": "counters-file", "rdcs": "start-set", "rc": "task", "tn": "alert-task"}

// logmanFlags are the options of create and update as our flags.
func logmanFlags(given []givenOption, update bool) (flags, notes []string, err error) {
	var t logmanTimes
	for i := range given {
		g := &given[i]
		switch {
		case logmanSwitches[g.name] != "":
			flags = append(flags, fmt.Sprintf("--%s=%v", logmanSwitches[g.name], !g.off))
		case logmanValues[g.name] != "":
			flags = append(flags, "--"+logmanValues[g.name]+"="+g.value())
		case g.name == "c" || g.name == "th":
			for _, v := range g.values {
				flags = append(flags, map[string]string{"c": "--counter=", "th": "--threshold="}[g.name]+v)
			}
		case g.name == "f":
			f, bad := oneOf("f", g.value(), "bin", "bincirc", "csv", "tsv", "sql")
			flags, err = append(flags, "--format="+f, fmt.Sprintf("--circular=%v", f == "bincirc")), bad
			t.circular = f == "bincirc"
		case g.name == "o":
			var more []string
			more, note := logmanOutput(g.value())
			flags = append(flags, more...)
			if note != "" {
				notes = append(notes, note)
			}
		case g.name == "v":
			var parts string
			parts, err = logmanParts(g)
			flags = append(flags, "--parts="+parts)
		default:
			err = t.take(g)
		}
		if err != nil {
			return nil, nil, err
		}
	}
	more, err := t.flags(update)
	return append(flags, more...), notes, err
}

// logmanParts is the version of names.
func logmanParts(g *givenOption) (string, error) {
	switch v := strings.ToLower(g.value()); {
	case g.off:
		return "", nil
	case v == "" || v == "nnnnnn":
		return "NNNNNN", nil
	case v == "mmddhhmm":
		return "MMddHHmm", nil
	}
	_, err := oneOf("v", g.value(), "nnnnnn", "mmddhhmm")
	return "", err
}

// logmanOutput is the name of files and the folder that folders of runs go to.
func logmanOutput(output string) (flags []string, note string) {
	if strings.Contains(output, "!") {
		return []string{"--output=" + output}, ""
	}
	whole := strings.ReplaceAll(output, `\`, "/")
	base := path.Base(whole)
	if ext := path.Ext(base); slices.Contains([]string{".blg", ".csv", ".tsv"}, strings.ToLower(ext)) {
		base = strings.TrimSuffix(base, ext)
	}
	flags = []string{"--output=" + base}
	folder := path.Dir(whole)
	switch isDrive := strings.ContainsAny(folder, ":%") || strings.HasPrefix(whole, "//"); {
	case folder == ".":
	case isDrive && runtime.GOOS != "windows":
		note = "the folder of " + output + " is one of Windows: files go below the state folder, or where perfdeck collect update --root says"
	default:
		flags = append(flags, "--root="+filepath.FromSlash(folder))
	}
	return flags, note
}

// logmanTimes are when a set runs, and how long its files are.
type logmanTimes struct {
	begin, end           *fingerMoment
	daily, notDaily      bool
	every, run           string
	segment, size        string
	samples              string
	segments, noSegments bool
	noBegin, circular    bool
}

// take takes an option that is about times and limits.
func (t *logmanTimes) take(g *givenOption) error {
	switch g.name {
	case "b", "e":
		if g.off {
			t.noBegin = t.noBegin || g.name == "b"
			return nil
		}
		at, err := readMoment(g.name, g.values)
		if err != nil {
			return err
		}
		*map[string]**fingerMoment{"b": &t.begin, "e": &t.end}[g.name] = &at
	case "r":
		t.daily, t.notDaily = !g.off, g.off
	case "si":
		n, err := fingerSeconds("si", g.value())
		t.every = strconv.Itoa(n)
		return err
	case "rf", "cnf":
		return t.length(g)
	case "max", "sc":
		return t.limit(g)
	}
	return nil
}

// length takes how long a run, or a file is.
func (t *logmanTimes) length(g *givenOption) error {
	n := 0
	if g.value() != "" && !g.off {
		var err error
		if n, err = fingerSeconds(g.name, g.value()); err != nil {
			return err
		}
	}
	if g.name == "rf" {
		t.run = strconv.Itoa(n)
		return nil
	}
	t.segments, t.noSegments = !g.off, g.off
	if n > 0 || g.off {
		t.segment = strconv.Itoa(n)
	}
	return nil
}

// limit takes how large a file becomes.
func (t *logmanTimes) limit(g *givenOption) error {
	text := g.value()
	if text == "" {
		text = "0"
	}
	if _, err := strconv.ParseUint(text, 10, 32); err != nil {
		return session.WithHint(fmt.Errorf("-%s %s is no number", g.name, session.Printable(text)), "-max is in MB, -sc in samples")
	}
	if g.name == "sc" {
		t.samples = text
		return nil
	}
	t.size = text + "MB"
	return nil
}

// flags are the times as our flags.
func (t *logmanTimes) flags(update bool) (flags []string, err error) {
	add := func(flag, value string) {
		if value != "" {
			flags = append(flags, "--"+flag+"="+value)
		}
	}
	switch {
	case t.noBegin && t.begin == nil:
		flags = append(flags, "--no-schedule")
	case t.begin != nil:
		add("begin", t.begin.String())
	}
	switch {
	case t.daily:
		add("days", "daily")
	case t.notDaily || t.begin != nil && !t.begin.day.IsZero() && !update:
		add("days", "once")
	}
	if t.end != nil {
		switch {
		case t.begin == nil:
			return nil, session.WithHint(errors.New("-e needs -b"), "-rf ends a run after a time, wherever it began")
		case t.daily && !t.end.day.IsZero():
			add("end", fmt.Sprintf("%04d-%02d-%02d", t.end.day.Year, t.end.day.Month, t.end.day.Day))
			if same := (fingerMoment{clock: t.begin.clock}); t.run == "" && t.end.clock != t.begin.clock {
				t.run = strconv.Itoa(int(same.until(fingerMoment{clock: t.end.clock}).Seconds()))
			}
		case t.run == "":
			d := t.begin.until(*t.end)
			if d <= 0 {
				return nil, errors.New("-e is before -b")
			}
			t.run = strconv.Itoa(int(d.Seconds()))
		}
	}
	add("every", t.every)
	add("run-for", t.run)
	add("segment-time", t.segment)
	add("segment-size", t.size)
	add("segment-samples", t.samples)
	limited := t.size != "" || t.samples != ""
	if t.noSegments || limited && !t.segments && !t.circular && !update {
		flags = append(flags, "--no-segments")
	}
	return flags, nil
}

// querySets prints sets as logman query does.
func (p *program) querySets(name string) error {
	s, err := p.sets()
	if err != nil {
		return err
	}
	if name != "" {
		e, err := s.Load(name)
		if err != nil {
			return err
		}
		return p.querySet(s, e)
	}
	names, err := s.Names()
	if err != nil {
		return err
	}
	fmt.Fprintf(p.out, "\n%-39s %-29s %s\n%s\n", "Data Collector Set", "Type", "Status", strings.Repeat("-", 79))
	for _, name := range names {
		kind, status := "Counter", "Stopped"
		if e, err := s.Load(name); err != nil {
			status = "Undefined"
		} else if kinds := collectorKinds(e.Set); len(kinds) > 0 {
			kind = strings.Join(kinds, ", ")
		}
		if s.Running(name) {
			status = "Running"
		}
		fmt.Fprintf(p.out, "%-39s %-29s %s\n", session.Printable(name), kind, status)
	}
	return nil
}

// collectorKinds are the kinds of collectors of a set, each once, as logman calls them.
func collectorKinds(s *collectorset.Set) (kinds []string) {
	for i := range s.Collectors {
		if k := collectorKind(&s.Collectors[i]); !slices.Contains(kinds, k) {
			kinds = append(kinds, k)
		}
	}
	return kinds
}

func collectorKind(c *collectorset.Collector) string {
	switch c.Kind {
	case collectorset.Alerts:
		return "Alert"
	case collectorset.Kept:
		return strings.TrimSuffix(c.Element, "DataCollector")
	case collectorset.Counters:
	}
	return "Counter"
}

// querySet prints a set as logman query NAME does.
func (p *program) querySet(s *store.Store, e *store.Entry) error {
	root, err := rootOf(e)
	if err != nil {
		return err
	}
	set := e.Set
	line := func(label, format string, args ...any) {
		fmt.Fprintf(p.out, "%-21s %s\n", label+":", session.Printable(fmt.Sprintf(format, args...)))
	}
	onOff := map[bool]string{false: "Off", true: "On"}
	status := "Stopped"
	if s.Running(set.Name) {
		status = "Running"
	}
	fmt.Fprintln(p.out)
	line("Name", "%s", set.Name)
	line("Status", "%s", status)
	line("Root Path", "%s", root)
	line("Segment", "%s", onOff[set.Segment])
	if set.Duration > 0 {
		line("Duration", "%d second(s)", set.Duration)
	}
	if set.SegmentMaxDuration > 0 {
		line("Segment Max Duration", "%d second(s)", set.SegmentMaxDuration)
	}
	if set.SegmentMaxSize > 0 {
		line("Segment Max Size", "%d MB", set.SegmentMaxSize)
	}
	line("Schedules", "%s", onOff[set.SchedulesEnabled])
	for i := range set.Schedules {
		line("Start", "%s", describeSchedule(&set.Schedules[i]))
	}
	line("Run as", "%s", userName())
	for i := range set.Collectors {
		p.queryCollector(set, &set.Collectors[i], line)
	}
	return nil
}

func (p *program) queryCollector(set *collectorset.Set, c *collectorset.Collector, line func(label, format string, args ...any)) {
	onOff := map[bool]string{false: "Off", true: "On"}
	list := func(head string, lines []string) {
		_, _ = io.WriteString(p.out, head+":\n")
		for _, text := range lines {
			fmt.Fprintf(p.out, "    %s\n", session.Printable(text))
		}
	}
	fmt.Fprintln(p.out)
	line("Name", "%s\\%s", set.Name, c.Name)
	line("Type", "%s", collectorKind(c))
	if c.Kind == collectorset.Kept {
		return
	}
	if c.LatestOutputLocation != "" {
		line("Output Location", "%s", c.LatestOutputLocation)
	}
	if c.Kind == collectorset.Counters {
		line("Append", "%s", onOff[c.LogAppend])
		line("Circular", "%s", onOff[c.LogCircular])
		line("Overwrite", "%s", onOff[c.LogOverwrite])
	}
	line("Sample Interval", "%d second(s)", c.SampleInterval)
	if c.Kind == collectorset.Alerts {
		line("Event Log", "%s", onOff[c.EventLog])
		if c.Trigger != "" && !paths.EqualFold(c.Trigger, set.Name) {
			line("Run", "%s", c.Trigger)
		}
		list("Thresholds", c.Alerts)
		return
	}
	list("Counters", c.Counters)
}
