package main

import (
	"bufio"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"perfdeck/session"
	"perfdeck/session/record/logs"
)

var relogFinger = finger{
	name: "relog",
	form: "relog <file ...> [options]",
	options: []fingerOption{
		{name: "?", here: "this"},
		{name: "a", here: "append to the output"},
		{name: "c", takes: some, here: "counters to keep"},
		{name: "cf", takes: one, here: "file of counters to keep, one a line"},
		{name: "f", takes: one, here: "format of -o: CSV, TSV, BIN (.blg, by experiment) or SQL (SQLite)"},
		{name: "t", takes: one, here: "keep every n-th sample"},
		{name: "o", takes: one, here: "file, or DSN!log for SQL: DSN.db, the set log"},
		{name: "b", takes: date, here: "leave out what is earlier"},
		{name: "e", takes: date, here: "leave out what is later"},
		{name: "config", takes: one, here: "file of options"},
		{name: "q", here: "list counters and times"},
		{name: "y", here: "replace a file that is there"},
	},
	translate: translateRelog,
}

func translateRelog(given []givenOption, inputs []string) (*errand, error) {
	e := &errand{quiet: true}
	command := []string{"relog"}
	format, output := "", ""
	asked := false
	for i := range given {
		g := &given[i]
		var err error
		switch g.name {
		case "a":
			command = append(command, "--append")
		case "c":
			for _, path := range g.values {
				command = append(command, "--counter="+path)
			}
		case "cf":
			command = append(command, "--counters-file="+g.value())
		case "f":
			format, err = oneOf("f", g.value(), "CSV", "TSV", "BIN", "SQL")
		case "t":
			if n, bad := strconv.ParseUint(g.value(), 10, 31); bad != nil || n == 0 {
				err = fmt.Errorf("-t %s is no number of samples", g.value())
			}
			command = append(command, "--every="+g.value())
		case "o":
			output = g.value()
		case "b", "e":
			var at fingerMoment
			at, err = readMoment(g.name, g.values)
			command = append(command, map[string]string{"b": "--begin=", "e": "--end="}[g.name]+at.String())
		case "q":
			asked = true
		case "y":
			e.force = true
		}
		if err != nil {
			return nil, err
		}
	}
	if len(inputs) == 0 {
		return nil, session.WithHint(errors.New("invalid syntax: no file is named"), "relog night.blg -f csv -o night.csv")
	}
	e.before = func(p *program) error { return p.showInputs(inputs) }
	switch {
	case output == "" && asked, output != "" && asked:
		e.quiet, e.output = false, output
		e.commands = [][]string{append(append([]string{"relog", "--list"}, command[1:]...), append([]string{"--"}, inputs...)...)}
		return e, nil
	case output == "":
		return e, nil // what is in the files is shown before
	}
	if format == "" {
		format = formatOfName(output)
	}
	if file, set, is := strings.Cut(output, "!"); is && format == "SQL" {
		output = strings.TrimPrefix(file, "SQL:") + ".db"
		command = append(command, "--set="+set)
	}
	if _, known := logs.FormatByExtension(output); !known {
		output += map[string]string{"CSV": ".csv", "TSV": ".tsv", "BIN": ".blg", "SQL": ".db"}[format]
	}
	command = append(command, "--format="+typeperfFormats[format], "--output="+output)
	if e.force {
		command = append(command, "--yes")
		e.force = false
	}
	e.commands = [][]string{append(append(command, "--"), inputs...)}
	e.after = func(p *program) error { return p.showOutput(output) }
	return e, nil
}

// formatOfName is the format that relog writes without -f: what the name says, else BIN.
func formatOfName(file string) string {
	if f, ok := logs.FormatByExtension(file); ok {
		for name, ours := range typeperfFormats {
			if ours == f.Name {
				return name
			}
		}
	}
	return "BIN"
}

const fingerTime = "1/2/2006 15:04:05"

// showInputs tells what is in files, as relog does.
func (p *program) showInputs(names []string) error {
	fmt.Fprint(p.out, "\nInput\n----------------\nFile(s):\n")
	for _, name := range names {
		format, err := formatOfFile(name)
		if err != nil {
			return err
		}
		fmt.Fprintf(p.out, "     %s (%s)\n", session.Printable(name), map[string]string{"csv": "CSV", "tsv": "TSV", "blg": "Binary", "sqlite": "SQL"}[format.Name])
	}
	return p.showSpan(names)
}

// showOutput tells what was written.
func (p *program) showOutput(name string) error {
	fmt.Fprintf(p.out, "\nOutput\n----------------\nFile:     %s\n", session.Printable(name))
	return p.showSpan([]string{name})
}

// showSpan tells from when to when files have samples.
func (p *program) showSpan(names []string) error {
	var all logs.Span
	for _, name := range names {
		r, err := openRecording(p.context(), name, logs.OpenOptions{})
		if err != nil {
			return err
		}
		span, err := countedSpan(r)
		_ = r.Close()
		if err != nil {
			return err
		}
		if all.Rows == 0 || span.Rows > 0 && span.First.Before(all.First) {
			all.First = span.First
		}
		if span.Last.After(all.Last) {
			all.Last = span.Last
		}
		all.Rows += span.Rows
	}
	out := bufio.NewWriter(p.out)
	if all.Rows > 0 {
		fmt.Fprintf(out, "\nBegin:    %s\nEnd:      %s\n", all.First.Format(fingerTime), all.Last.Format(fingerTime))
	}
	fmt.Fprintf(out, "Samples:  %d\n", all.Rows)
	return unlessPipe(out.Flush())
}
