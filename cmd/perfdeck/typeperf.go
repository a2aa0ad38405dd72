package main

import (
	"errors"
	"fmt"
	"perfdeck/session"
	"strconv"
	"strings"
)

var typeperfFinger = finger{
	name: "typeperf",
	form: "typeperf <counter ...> [options]\ntypeperf -cf <file> [options]\ntypeperf -q|-qx [object] [options]",
	options: []fingerOption{
		{name: "?", here: "this"},
		{name: "f", takes: one, here: "format of -o: CSV, TSV, BIN (.blg, by experiment) or SQL (SQLite)"},
		{name: "cf", takes: one, here: "file of counters, one a line"},
		{name: "si", takes: one, here: "time between samples, [[hh:]mm:]ss; 1 second"},
		{name: "o", takes: one, here: "file, or DSN!log for SQL: DSN.db, the set log"},
		{name: "q", takes: maybe, here: "list counters, of an object"},
		{name: "qx", takes: maybe, here: "list counters with their instances"},
		{name: "sc", takes: one, here: "how many samples; until ctrl+c"},
		{name: "config", takes: one, here: "file of options"},
		{name: "s", takes: one, here: "computer of counters that name none"},
		{name: "y", here: "replace a file that is there"},
	},
	translate: translateTypeperf,
}

// typeperfFormats are the formats by name, as ours are called.
var typeperfFormats = map[string]string{"CSV": "csv", "TSV": "tsv", "BIN": "blg", "SQL": "sqlite"}

func translateTypeperf(given []givenOption, counters []string) (*errand, error) {
	e := &errand{}
	var common []string // flags of whichever command it is
	var sampling []string
	list, object, format, output := "", "", "CSV", ""
	for i := range given {
		g := &given[i]
		var err error
		switch g.name {
		case "f":
			format, err = oneOf("f", g.value(), "CSV", "TSV", "BIN", "SQL")
		case "cf":
			sampling = append(sampling, "--counters-file="+g.value())
		case "si":
			var n int
			if n, err = fingerSeconds("si", g.value()); err == nil && n < 1 {
				err = fmt.Errorf("-si %s: at least a second", g.value())
			}
			common = append(common, "--interval="+strconv.Itoa(n))
		case "sc":
			if n, bad := strconv.ParseUint(g.value(), 10, 31); bad != nil || n == 0 {
				err = fmt.Errorf("-sc %s is no number of samples", g.value())
			}
			sampling = append(sampling, "--count="+g.value())
		case "o":
			output = g.value()
		case "q", "qx":
			list, object = g.name, strings.TrimPrefix(g.value(), `\`)
		case "s":
			common = append(common, "--host="+strings.TrimLeft(g.value(), `\`))
		case "y":
			e.force = true
		}
		if err != nil {
			return nil, err
		}
	}
	switch {
	case list != "":
		command := append([]string{"list"}, common...)
		if list == "qx" {
			command = append(command, "--instances")
		}
		if object == "" && len(counters) == 1 {
			object = counters[0]
		}
		if object != "" {
			command = append(command, "--", object)
		}
		e.output = output
		e.commands = [][]string{command}
		return e, nil
	case len(counters) == 0 && !strings.Contains(strings.Join(sampling, " "), "--counters-file="):
		return nil, session.WithHint(errNoCounter, `typeperf "\Memory\Available MBytes" -sc 1; typeperf -q lists counters`)
	case output == "":
		if format != "CSV" && format != "TSV" {
			return nil, session.WithHint(fmt.Errorf("-f %s needs a file", format), "-o names it")
		}
		command := append([]string{"sample", "--format=" + typeperfFormats[format], "--digits=6"}, common...)
		command = append(append(append(command, sampling...), "--"), counters...)
		e.commands = [][]string{command}
		e.before = func(p *program) error { fmt.Fprintln(p.out); return nil }
		return e, nil
	}
	command := append([]string{"record", "--format=" + typeperfFormats[format]}, common...)
	command = append(command, sampling...)
	if file, set, is := strings.Cut(output, "!"); is && format == "SQL" {
		output = strings.TrimPrefix(file, "SQL:") + ".db"
		command = append(command, "--set="+set)
	}
	command = append(command, "--output="+output)
	if e.force {
		command = append(command, "--overwrite")
	}
	e.quiet = true
	e.commands = [][]string{append(append(command, "--"), counters...)}
	return e, nil
}

var errNoCounter = errors.New("invalid syntax: no counter is named")
