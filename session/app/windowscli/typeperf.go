package windowscli

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"perfdeck/session/files/formats"
	"perfdeck/session/system/failure"
)

var typeperfTool = Tool{
	Name:    "typeperf",
	usage:   "typeperf <counter ...> [options]\ntypeperf -cf <file> [options]\ntypeperf -q|-qx [object] [options]",
	options: optionsOf("typeperf"),
	translate: func(args []argument, counters []string, _ func(string) bool) (*Translation, error) {
		l := &typeperfLine{counters: counters}
		if slices.ContainsFunc(args, func(a argument) bool { return a.name == "q" || a.name == "qx" }) {
			if err := l.checkList(args); err != nil {
				return nil, err
			}
		}
		return translated(l, args)
	},
}

// typeperfLine is a command line of typeperf.
type typeperfLine struct {
	output

	counters []string
	fromFile bool     // so are others
	common   []string // flags of whichever command it is
	sampling []string // flags of sample and record

	list, object string // -q or -qx, and what it lists
}

func (l *typeperfLine) set(a *argument) (err error) {
	switch a.name {
	case "c":
		l.counters = append(l.counters, a.values...)
	case "cf":
		l.fromFile = true
		l.sampling = append(l.sampling, "--counters-file="+a.value())
	case "si":
		var n int
		if n, err = seconds("si", a.value()); err == nil && n < 1 {
			err = fmt.Errorf("-si %s: at least a second", a.value())
		}
		l.common = append(l.common, "--interval="+strconv.Itoa(n))
	case "sc":
		l.sampling = append(l.sampling, "--count="+a.value())
		err = countOf(a)
	case "q", "qx":
		l.list, l.object = a.name, strings.TrimPrefix(a.value(), `\`)
	case "s":
		l.common = append(l.common, "--host="+strings.TrimLeft(a.value(), `\`))
	default:
		err = l.output.set(a)
	}
	return err
}

var errNoCounter = errors.New("invalid syntax: no counter is named")

func (l *typeperfLine) translation() (*Translation, error) {
	switch {
	case l.list != "":
		return l.listed(), nil
	case len(l.counters) == 0 && !l.fromFile:
		return nil, failure.WithHint(errNoCounter, `typeperf "\Memory\Available MBytes" -sc 1; typeperf -q lists counters`)
	case l.file == "":
		return l.printed()
	}
	return l.recorded(), nil
}

// checkList refuses what -q and -qx do not read.
func (l *typeperfLine) checkList(args []argument) error {
	objects, lists := l.counters, 0
	for i := range args {
		if a := &args[i]; a.name == "q" || a.name == "qx" {
			lists++
			objects = append(slices.Clone(a.values), objects...)
		}
	}
	if lists > 1 {
		return errors.New("invalid syntax: -q and -qx exclude each other")
	}
	return cmp.Or(tooMany(objects[min(1, len(objects)):]), unread(args, "a list of counters", func(a *argument) bool {
		return !slices.Contains([]string{"c", "cf", "sc", "f"}, a.name)
	}))
}

// listed is -q and -qx.
func (l *typeperfLine) listed() *Translation {
	command := append([]string{"list"}, l.common...)
	if l.list == "qx" {
		command = append(command, "--instances")
	}
	object := l.object
	if object == "" && len(l.counters) == 1 {
		object = l.counters[0]
	}
	if object != "" {
		command = append(command, "--", object)
	}
	return &Translation{Commands: [][]string{command}, Output: l.file, Replace: l.replace}
}

// written is the format of -f, else CSV.
func (l *typeperfLine) written() *formats.Format {
	usual, _ := formats.OfWindows("CSV")
	return cmp.Or(l.format, usual)
}

// printed is without a file.
func (l *typeperfLine) printed() (*Translation, error) {
	format := l.written()
	if !slices.Contains(formats.PrintFormats(), format.Name) {
		return nil, failure.WithHint(fmt.Errorf("-f %s needs a file", format.Windows.Name), "-o names it")
	}
	command := slices.Concat([]string{"sample", "--format=" + format.Name, "--digits=6"}, l.common, l.sampling, []string{"--"}, l.counters)
	return &Translation{Commands: [][]string{command}, Replace: l.replace, Before: Frame{Shows: BlankLine}}, nil
}

// recorded is into a file.
func (l *typeperfLine) recorded() *Translation {
	format := l.written()
	set := l.splitSet(format)
	var notes []string
	if set != nil { // nothing tells it else
		notes = []string{"-o: here it is the file " + l.file}
	}
	command := slices.Concat([]string{"record", "--format=" + format.Name}, l.common, l.sampling, set, []string{"--output=" + l.file})
	if l.replace {
		command = append(command, "--overwrite")
	}
	return &Translation{Commands: [][]string{slices.Concat(command, []string{"--"}, l.counters)}, Replace: l.replace, Quiet: true, Notes: notes}
}
