package windowscli

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"perfdeck/session/recording/collectorset"
	"perfdeck/session/system/failure"
)

var logmanTool = Tool{
	Name: "logman",
	usage: `logman create counter|alert <name> [options]
logman update [counter|alert] <name> [options]
logman start|stop|delete <name>
logman query [name]
logman import|export <name> -xml <file>`,
	options:   optionsOf("logman"),
	translate: translateLogman,
}

var (
	errNoVerb   = errors.New("invalid syntax: what is to be done is missing")
	errNoSet    = errors.New("invalid syntax: the name of the set is missing")
	errNotHere  = errors.New("only counters and alerts are collected here")
	errPassword = errors.New("-u: a password on a command line is seen by everybody on this computer")
	errNoXML    = errors.New("invalid syntax: -xml and its file are missing")
	logmanVerbs = []string{"create", "query", "start", "stop", "delete", "update", "import", "export"}
)

func translateLogman(args []argument, rest []string, isLocal func(name string) bool) (*Translation, error) {
	l := logmanLine{args: args}
	if len(rest) == 0 {
		return nil, failure.WithHint(errNoVerb, "logman /? lists what there is")
	}
	l.verb, rest = strings.ToLower(rest[0]), rest[1:]
	if !slices.Contains(logmanVerbs, l.verb) {
		return nil, failure.WithHint(fmt.Errorf("invalid syntax: %s", l.verb), "there are "+strings.Join(logmanVerbs, ", "))
	}
	if a := l.named("s"); a != nil {
		name := strings.TrimLeft(a.value(), `\`)
		if !isLocal(name) && !strings.EqualFold(name, "localhost") {
			l.host = name
		}
	}
	rest, err := l.setKind(rest)
	if err != nil {
		return nil, err
	}
	if l.named("ets") != nil {
		return nil, failure.WithHint(errNotHere, "leave out -ets, which is of event traces")
	}
	if a := l.named("n"); a != nil {
		l.name = a.value()
	} else if len(rest) > 0 {
		l.name, rest = rest[0], rest[1:]
	}
	if err := cmp.Or(tooMany(rest), l.unread()); err != nil {
		return nil, err
	}
	if l.name == "" && l.verb != "query" {
		return nil, failure.WithHint(errNoSet, "logman query lists sets")
	}
	return l.translation()
}

// logmanLine is a command line of logman.
type logmanLine struct {
	args []argument
	verb string
	kind string // counter, alert; empty: not said
	host string // whose sets are meant; empty: this computer's
	name string // of the set
}

// named is an option that was given; nil: it was not.
func (l *logmanLine) named(name string) *argument {
	i := slices.IndexFunc(l.args, func(a argument) bool { return a.name == name })
	if i < 0 {
		return nil
	}
	return &l.args[i]
}

// Options that only sets of alerts have, and only those of counters.
var (
	ofAlerts   = []string{"th", "el", "rdcs", "tn"}
	ofCounters = []string{"c", "cf", "f", "o", "sc", "v", "a", "ow"}
)

// unread refuses options that the verb does not read.
func (l *logmanLine) unread() error {
	verb := l.verb
	kinds := map[string][]string{"counter": ofAlerts, "alert": ofCounters}[l.kind]
	if l.kind != "" {
		verb += " " + l.kind
	}
	return unread(l.args, verb, func(a *argument) bool {
		switch {
		case a.name == "n" || a.name == "s" || a.name == "u" && l.host == "":
			return true
		case l.verb == "create" || l.verb == "update":
			return a.name != "xml" && (!slices.Contains(kinds, a.name) || a.off)
		}
		moves := l.verb == "import" || l.verb == "export"
		return a.name == "y" || a.name == "xml" && moves || a.name == "u" && l.verb == "import"
	})
}

// setKind reads what kind of collector is created or updated, and returns what follows.
func (l *logmanLine) setKind(rest []string) ([]string, error) {
	if l.verb != "create" && l.verb != "update" || len(rest) == 0 {
		return rest, nil
	}
	switch word := strings.ToLower(rest[0]); word {
	case "counter", "alert":
		l.kind = word
		return rest[1:], nil
	case "trace", "cfg", "api":
		return nil, failure.WithHint(fmt.Errorf("%s %s: %w", l.verb, word, errNotHere), "a set that has others beside them can be imported: they are kept in its file")
	}
	return rest, nil
}

func (l *logmanLine) translation() (*Translation, error) {
	out := &Translation{Quiet: true}
	who, note, err := l.runAs()
	if err != nil {
		return nil, err
	}
	if note != "" {
		out.Notes = append(out.Notes, note)
	}
	switch l.verb {
	case "query":
		if strings.EqualFold(l.name, "providers") {
			return nil, failure.WithHint(errNotHere, "typeperf -q lists counters")
		}
		out.Before.Shows, out.Before.Host = Sets, l.host
		if l.name != "" {
			out.Before.Names = []string{l.name}
		}
		return out, nil
	case "start", "stop", "delete":
		out.Commands = [][]string{l.command("--", l.name)}
		return out, nil
	}
	if l.verb == "import" || l.verb == "export" {
		command, err := l.moved(who)
		out.Commands = [][]string{command}
		return out, err
	}
	if l.verb == "create" && l.kind == "" {
		return nil, failure.WithHint(fmt.Errorf("create %s: %w", l.name, errNotHere), "logman create counter NAME, logman create alert NAME")
	}
	flags, notes, err := l.flags()
	if err != nil {
		return nil, err
	}
	if l.host != "" && l.verb == "update" && l.named("y") != nil {
		flags = append(flags, "--yes")
	}
	out.Notes = append(out.Notes, notes...)
	out.Commands = [][]string{l.command(slices.Concat(flags, who, []string{"--", l.name})...)}
	return out, nil
}

// command is one of ours that does what the verb says.
func (l *logmanLine) command(more ...string) []string {
	command := []string{"collect", l.verb}
	if l.verb == "create" {
		command = append(command, l.kind)
	}
	if l.host != "" {
		command = append(command, "--host="+l.host)
	}
	return append(command, more...)
}

// runAs is the account that a set runs as. Its password is asked for, whatever is said.
func (l *logmanLine) runAs() (flags []string, note string, err error) {
	a := l.named("u")
	switch {
	case a == nil:
		return nil, "", nil
	case l.host == "":
		return nil, "-u means nothing here: sets run as the user who starts them", nil
	case a.off || a.value() == "":
		return []string{"--run-as=SYSTEM"}, "", nil
	case len(a.values) > 2 || len(a.values) == 2 && a.values[1] != "*":
		return nil, "", failure.WithHint(errPassword, "write * in its place: it is asked for")
	}
	return []string{"--run-as=" + a.value()}, "", nil
}

// moved is import and export.
func (l *logmanLine) moved(who []string) ([]string, error) {
	xml := l.named("xml")
	if xml == nil {
		return nil, failure.WithHint(errNoXML, "logman "+l.verb+" NAME -xml FILE")
	}
	flags, last, force := []string{"--output=" + xml.value()}, l.name, "--overwrite"
	if l.verb == "import" {
		flags, last, force = append([]string{"--name=" + l.name}, who...), xml.value(), "--replace"
	}
	if l.named("y") != nil {
		flags = append(flags, force)
	}
	return l.command(append(flags, "--", last)...), nil
}

// logmanSwitches are options that are flags of ours by another name.
var logmanSwitches = map[string]string{"a": "append", "ow": "overwrite", "el": "event-log"}

// logmanValues are options whose value our flags take as it is.
var logmanValues = map[string]string{"cf": "counters-file", "rdcs": "start-set", "rc": "task", "tn": "alert-task"}

// flags are the options of create and update as our flags.
func (l *logmanLine) flags() (flags, notes []string, err error) {
	var t logmanTimes
	update := l.verb == "update"
	for i := range l.args {
		a := &l.args[i]
		switch {
		case a.off && !update: // what was never on
		case logmanSwitches[a.name] != "":
			flags = append(flags, fmt.Sprintf("--%s=%v", logmanSwitches[a.name], !a.off))
		case logmanValues[a.name] != "":
			flags = append(flags, "--"+logmanValues[a.name]+"="+a.value())
		case a.name == "c" || a.name == "th":
			for _, v := range a.values {
				flags = append(flags, map[string]string{"c": "--counter=", "th": "--threshold="}[a.name]+v)
			}
		case a.name == "f":
			f, bad := oneOf("f", a.value(), collectorset.FormatWords()...)
			flags, err = append(flags, "--format="+f, fmt.Sprintf("--circular=%v", f == collectorset.Circular)), bad
			t.circular = f == collectorset.Circular
		case a.name == "o":
			var more []string
			more, note := logmanOutput(a.value(), l.host != "")
			flags = append(flags, more...)
			if note != "" {
				notes = append(notes, note)
			}
		case a.name == "v":
			var parts string
			parts, err = logmanParts(a)
			flags = append(flags, "--parts="+parts)
		default:
			err = t.set(a)
		}
		if err != nil {
			return nil, nil, err
		}
	}
	more, err := t.flags(update)
	return append(flags, more...), notes, err
}

// logmanParts is the version of names.
func logmanParts(a *argument) (string, error) {
	switch v := strings.ToLower(a.value()); {
	case a.off:
		return "", nil
	case v == "" || v == "nnnnnn":
		return "NNNNNN", nil
	case v == "mmddhhmm":
		return "MMddHHmm", nil
	}
	_, err := oneOf("v", a.value(), "nnnnnn", "mmddhhmm")
	return "", err
}

// logmanOutput is the name of files and the folder that folders of runs go to.
func logmanOutput(output string, ofHost bool) (flags []string, note string) {
	if strings.Contains(output, "!") {
		return []string{"--output=" + output}, ""
	}
	whole := strings.ReplaceAll(output, `\`, "/")
	base := path.Base(whole)
	if ext := path.Ext(base); collectorset.IsExtension(ext) {
		base = strings.TrimSuffix(base, ext)
	}
	flags = []string{"--output=" + base}
	folder := path.Dir(whole)
	switch isDrive := strings.ContainsAny(folder, ":%") || strings.HasPrefix(whole, "//"); {
	case folder == ".":
	case ofHost:
		flags = append(flags, "--root="+output[:len(folder)])
	case isDrive && runtime.GOOS != "windows":
		note = "the folder of " + output + " is one of Windows: files go below the state folder, or where perfdeck collect update --root says"
	default:
		flags = append(flags, "--root="+filepath.FromSlash(folder))
	}
	return flags, note
}

// logmanTimes are when a set runs, and how long its files are.
type logmanTimes struct {
	begin, end           *moment
	daily, notDaily      bool
	every, run           string
	segment, size        string
	samples              string
	segments, noSegments bool
	noBegin, circular    bool
}

// set reads an option that is about times and limits.
func (t *logmanTimes) set(a *argument) error {
	switch a.name {
	case "b", "e":
		if a.off {
			t.noBegin = t.noBegin || a.name == "b"
			return nil
		}
		at, err := readMoment(a.name, a.values)
		if err != nil {
			return err
		}
		*map[string]**moment{"b": &t.begin, "e": &t.end}[a.name] = &at
	case "r":
		t.daily, t.notDaily = !a.off, a.off
	case "si":
		n, err := seconds("si", a.value())
		t.every = strconv.Itoa(n)
		return err
	case "rf", "cnf":
		return t.setLength(a)
	case "max", "sc":
		return t.setLimit(a)
	}
	return nil
}

// setLength reads how long a run, or a file is.
func (t *logmanTimes) setLength(a *argument) error {
	n := 0
	if a.value() != "" && !a.off {
		var err error
		if n, err = seconds(a.name, a.value()); err != nil {
			return err
		}
	}
	if a.name == "rf" {
		t.run = strconv.Itoa(n)
		return nil
	}
	t.segments, t.noSegments = !a.off, a.off
	if n > 0 || a.off {
		t.segment = strconv.Itoa(n)
	}
	return nil
}

// setLimit reads how large a file becomes.
func (t *logmanTimes) setLimit(a *argument) error {
	text := cmp.Or(a.value(), "0")
	if _, err := strconv.ParseUint(text, 10, 32); err != nil {
		return failure.WithHint(fmt.Errorf("-%s %s is no number", a.name, text), "-max is in MB, -sc in samples")
	}
	if a.name == "sc" {
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
			return nil, failure.WithHint(errors.New("-e needs -b"), "-rf ends a run after a time, wherever it began")
		case t.daily && !t.end.day.IsZero():
			add("end", fmt.Sprintf("%04d-%02d-%02d", t.end.day.Year, t.end.day.Month, t.end.day.Day))
			if same := (moment{clock: t.begin.clock}); t.run == "" && t.end.clock != t.begin.clock {
				t.run = strconv.Itoa(int(same.until(moment{clock: t.end.clock}).Seconds()))
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
