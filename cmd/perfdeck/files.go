package main

import (
	"errors"
	"fmt"
	"io"

	"perfdeck/session/app/inventory"
	"perfdeck/session/recording/destination"
	"perfdeck/session/system/osfile"
)

// stdinName is how the standard input is named in place of a file.
const stdinName = destination.Stdio

// readInput reads a file, or standard input for -, up to a size.
func (p *program) readInput(name string, most int64) ([]byte, error) {
	if name == stdinName {
		return osfile.ReadUpTo(p.standardInput(), "standard input", most)
	}
	return osfile.Read(p.context(), name, most)
}

// standardInput is what is read until a signal ends the program.
func (p *program) standardInput() io.Reader { return osfile.Until(p.context(), p.in) }

var errNoPaths = errors.New("no counter path was given")

// queries are the paths of the arguments and of the files, besides some more.
func (p *program) queries(args, files []string, more ...inventory.Query) ([]inventory.Query, error) {
	all := more
	for _, text := range args {
		all = append(all, inventory.NewQuery(text, ""))
	}
	lines, err := p.readCounterFiles(files)
	if all = append(all, lines...); err == nil && len(all) == 0 {
		err = noPaths()
	}
	return all, err
}

// pathHint is how a counter path is written.
const pathHint = `a path is written as '\Memory\Available MBytes'; perfdeck list shows what there is`

func noPaths() error {
	return usage(errNoPaths, pathHint)
}

// readCounterFiles reads files of counter paths.
func (p *program) readCounterFiles(names []string) (all []inventory.Query, err error) {
	for _, name := range names {
		lines, err := p.readCounters(name)
		if err != nil {
			return nil, err
		}
		all = append(all, lines...)
	}
	return all, nil
}

// maxCountersBytes bounds a file of counter paths.
const maxCountersBytes = 16 << 20

// readCounters reads a file of counter paths.
func (p *program) readCounters(name string) ([]inventory.Query, error) {
	data, err := p.readInput(name, maxCountersBytes)
	if err != nil {
		return nil, fmt.Errorf("read counter paths: %w", err)
	}
	return inventory.ParseQueries(name, data), nil
}

// writeText writes to a file that the user named, or to standard output.
func (p *program) writeText(output string, overwrite bool, text []byte) error {
	if output != "" {
		return osfile.WriteNamed(output, text, overwrite)
	}
	_, err := p.out.Write(text)
	return err
}
