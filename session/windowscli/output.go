package windowscli

import (
	"fmt"
	"strconv"
	"strings"

	"perfdeck/session"
)

// formats are the formats of typeperf and relog by name, as ours are called.
var formats = map[string]string{"CSV": "csv", "TSV": "tsv", "BIN": "blg", "SQL": "sqlite"}

// output is where typeperf and relog write to: -f, -o, -y.
type output struct {
	format  string // a name in formats; empty: as the tool has it
	file    string // empty: none
	replace bool   // a file that is there
}

func (o *output) set(a *argument) (err error) {
	switch a.name {
	case "f":
		o.format, err = oneOf("f", a.value(), "CSV", "TSV", "BIN", "SQL")
	case "o":
		o.file = a.value()
	case "y":
		o.replace = true
	}
	return err
}

// splitSet makes DSN!log of SQL a file, and a flag that names the set in it.
func (o *output) splitSet(format string) []string {
	file, set, is := strings.Cut(o.file, "!")
	if !is || format != "SQL" {
		return nil
	}
	o.file = strings.TrimPrefix(file, "SQL:") + ".db"
	return []string{"--set=" + set}
}

// countOf is an error if an option has no number of samples.
func countOf(a *argument) error {
	if n, err := strconv.ParseUint(a.value(), 10, 31); err != nil || n == 0 {
		return fmt.Errorf("-%s %s is no number of samples", a.name, session.Printable(a.value()))
	}
	return nil
}
