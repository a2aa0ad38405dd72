package main

import (
	"bufio"
	"errors"
	"fmt"
	"strings"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/inventory"
)

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
