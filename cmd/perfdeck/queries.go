package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf16"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/inventory"
	"perfdeck/session/system/osfile"
)

// stdinName is how the standard input is named in place of a file.
const stdinName = "-"

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

func noPaths() error {
	return usage(session.WithHint(errNoPaths, `perfdeck list shows what there is; a path is written as '\Memory\Available MBytes'`))
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

// readCounters reads a file of counter paths as typeperf -cf does: one a line;
// blank lines and those that begin with ; or # mean nothing.
func (p *program) readCounters(name string) ([]inventory.Query, error) {
	data, err := p.readInput(name, maxCountersBytes)
	if err != nil {
		return nil, fmt.Errorf("read counter paths: %w", err)
	}
	var all []inventory.Query
	lines := bufio.NewScanner(strings.NewReader(decodeText(data)))
	lines.Buffer(nil, maxCountersBytes*2)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == ';' || line[0] == '#' {
			continue
		}
		if len(line) > 2 && line[0] == '"' && line[len(line)-1] == '"' {
			line = line[1 : len(line)-1]
		}
		all = append(all, inventory.NewQuery(line, fmt.Sprintf("%s:%d", name, n)))
	}
	return all, lines.Err()
}

// readInput reads a file, or standard input for -, up to a size.
func (p *program) readInput(name string, most int64) ([]byte, error) {
	if name == stdinName {
		return osfile.ReadUpTo(p.standardInput(), "standard input", most)
	}
	return osfile.Read(p.context(), name, most)
}

// standardInput is what is read until a signal ends the program.
func (p *program) standardInput() io.Reader { return osfile.Until(p.context(), p.in) }

// decodeText turns the bytes of a text file into UTF-8: UTF-16 with a byte order
// mark, or UTF-8 with or without one.
func decodeText(data []byte) string {
	switch {
	case bytes.HasPrefix(data, []byte{0xFF, 0xFE}):
		return decodeUTF16(data[2:], 0)
	case bytes.HasPrefix(data, []byte{0xFE, 0xFF}):
		return decodeUTF16(data[2:], 1)
	}
	return string(bytes.TrimPrefix(data, []byte("\xEF\xBB\xBF")))
}

// decodeUTF16 reads UTF-16; low is where in a pair the low byte stands.
func decodeUTF16(data []byte, low int) string {
	units := make([]uint16, len(data)/2)
	for i := range units {
		units[i] = uint16(data[2*i+low]) | uint16(data[2*i+1-low])<<8
	}
	return string(utf16.Decode(units))
}

var errNotCombined = errors.New("no instances are named")

// aggregates are the queries of --aggregate. function is the word of
// --aggregate-func, empty for the counters' own.
func aggregates(texts []string, function string) ([]inventory.Query, error) {
	var chosen *cooker.AggregateFunc
	if function != "" {
		f, ok := cooker.ParseAggregate(function)
		if !ok {
			return nil, unknownValue("aggregate-func", function, "total, average, minimum, maximum")
		}
		chosen = &f
	}
	var all []inventory.Query
	for _, text := range texts {
		p, err := paths.Parse(text)
		if err != nil {
			return nil, usage(err)
		}
		if p.InstanceText() == "" {
			return nil, usage(session.WithHint(fmt.Errorf("--aggregate %s: %w", text, errNotCombined), `write \Set(a|b|c)\Counter`))
		}
		q := inventory.NewQuery(text, "")
		q.Combine = &session.Combine{Name: p.InstanceText(), Match: session.OneOf(strings.Split(p.InstanceText(), "|")), Func: chosen}
		all = append(all, q)
	}
	return all, nil
}
