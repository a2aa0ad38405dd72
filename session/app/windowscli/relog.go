package windowscli

import (
	"cmp"
	"errors"
	"slices"

	"perfdeck/session/files/formats"
	"perfdeck/session/system/failure"
)

var relogTool = Tool{
	Name:    "relog",
	usage:   "relog <file ...> [options]",
	options: optionsOf("relog"),
	translate: func(args []argument, inputs []string, _ func(string) bool) (*Translation, error) {
		out, err := translated(&relogLine{inputs: inputs}, args)
		if err = cmp.Or(err, checkRelog(args)); err != nil {
			return nil, err
		}
		return out, nil
	},
}

// checkRelog refuses what is not read: without an output and without -q files are only told of.
func checkRelog(args []argument) error {
	has := func(name string) bool {
		return slices.ContainsFunc(args, func(a argument) bool { return a.name == name })
	}
	switch {
	case has("q"):
		return unread(args, "-q", func(a *argument) bool { return a.name != "f" && a.name != "a" })
	case !has("o"):
		err := unread(args, "relog without -o", func(a *argument) bool { return a.name == "y" })
		if err != nil {
			err = failure.WithHint(err, "-o names the file that is written")
		}
		return err
	}
	return nil
}

// relogLine is a command line of relog.
type relogLine struct {
	output

	inputs []string
	flags  []string
	listed bool // -q
}

func (l *relogLine) set(a *argument) (err error) {
	switch a.name {
	case "a":
		l.flags = append(l.flags, "--append")
	case "c":
		for _, path := range a.values {
			l.flags = append(l.flags, "--counter="+path)
		}
	case "cf":
		l.flags = append(l.flags, "--counters-file="+a.value())
	case "t":
		l.flags = append(l.flags, "--every="+a.value())
		err = countOf(a)
	case "b", "e":
		var at moment
		at, err = readMoment(a.name, a.values)
		l.flags = append(l.flags, map[string]string{"b": "--begin=", "e": "--end="}[a.name]+at.String())
	case "q":
		l.listed = true
	default:
		err = l.output.set(a)
	}
	return err
}

var errNoFile = errors.New("invalid syntax: no file is named")

func (l *relogLine) translation() (*Translation, error) {
	if len(l.inputs) == 0 {
		return nil, failure.WithHint(errNoFile, "relog night.blg -f csv -o night.csv")
	}
	out := &Translation{Quiet: true, Before: Frame{Shows: Inputs, Names: l.inputs}}
	switch {
	case l.listed:
		out.Quiet, out.Output, out.Replace = false, l.file, l.replace
		out.Commands = [][]string{slices.Concat([]string{"relog", "--list"}, l.flags, []string{"--"}, l.inputs)}
	case l.file != "": // else what is in the files is shown before, and that is all
		out.Commands = [][]string{l.written()}
		out.After = Frame{Shows: Output, Names: []string{l.file}}
	}
	return out, nil
}

// written is into a file, whose name is completed.
func (l *relogLine) written() []string {
	format := cmp.Or(l.format, formatOfName(l.file))
	set := l.splitSet(format)
	if _, known := formats.ByExtension(l.file); !known {
		l.file += format.Extensions[0]
	}
	command := slices.Concat([]string{"relog"}, l.flags, set, []string{"--format=" + format.Name, "--output=" + l.file})
	if l.replace {
		command = append(command, "--yes")
	}
	return slices.Concat(command, []string{"--"}, l.inputs)
}

// formatOfName is the format that relog writes without -f: what the name says, else BIN.
func formatOfName(file string) *formats.Format {
	if f, ok := formats.ByExtension(file); ok && f.Windows.Name != "" {
		return f
	}
	f, _ := formats.OfWindows("BIN")
	return f
}
