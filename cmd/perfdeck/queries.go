package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf16"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/system/osfile"
)

// query is a counter path as it was asked for.
type query struct {
	session.Question

	computer string // that it names; empty: every host
}

// newQuery notes which computer a path names. What is wrong with the path is told
// when it is looked up: a name of the catalogue may break the grammar.
func newQuery(text, origin string) query {
	parsed, _ := paths.Parse(text)
	return query{session.Question{Text: text, Origin: origin}, parsed.Computer}
}

// isFor tells whether the query is meant for a host.
func (q query) isFor(host string) bool { return q.computer == "" || isHost(q.computer, host) }

var errNoPaths = errors.New("no counter path was given")

// queries are the paths of the arguments and of the files, besides some more.
func (p *program) queries(args, files []string, more ...query) ([]query, error) {
	all := more
	for _, text := range args {
		all = append(all, newQuery(text, ""))
	}
	for _, name := range files {
		lines, err := p.readCounters(name)
		if err != nil {
			return nil, err
		}
		all = append(all, lines...)
	}
	if len(all) == 0 {
		return nil, usage(session.WithHint(errNoPaths, `perfdeck list shows what there is; a path is written as '\Memory\Available MBytes'`))
	}
	return all, nil
}

// maxCountersBytes bounds a file of counter paths.
const maxCountersBytes = 16 << 20

// readCounters reads a file of counter paths as typeperf -cf does: one a line;
// blank lines and those that begin with ; or # mean nothing.
func (p *program) readCounters(name string) ([]query, error) {
	data, err := p.readInput(name, maxCountersBytes)
	if err != nil {
		return nil, fmt.Errorf("read counter paths: %w", err)
	}
	var all []query
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
		all = append(all, newQuery(line, fmt.Sprintf("%s:%d", name, n)))
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

// hostsOf opens the hosts that the flags and the paths name, as far as a path is
// meant for them.
func (p *program) hostsOf(queries []query) ([]host, error) {
	anywhere := slices.ContainsFunc(queries, func(q query) bool { return q.computer == "" })
	if !p.flags.demo {
		p.flags.hosts = hostNames(p.flags.hosts, queries, anywhere)
	}
	p.keptWillDo = true
	hosts, err := p.hosts()
	for _, h := range hosts {
		forgetOutdated(h, queries)
	}
	if err != nil || anywhere {
		return hosts, err
	}
	var meant, others []host
	for _, h := range hosts {
		if slices.ContainsFunc(queries, func(q query) bool { return isHost(q.computer, h.name) }) {
			meant = append(meant, h)
		} else {
			others = append(others, h)
		}
	}
	closeHosts(others)
	return meant, nil
}

// forgetOutdated drops the kept catalogue of a host if it lacks what is asked
// for: the host may have it now.
func forgetOutdated(h host, queries []query) {
	source, ok := h.source.(session.Rememberer)
	if !ok {
		return
	}
	kept := source.Kept()
	lacks := func(q query) bool {
		if !q.isFor(h.name) {
			return false
		}
		_, err := q.Resolve(kept, paths.Options{})
		return err != nil
	}
	if kept != nil && slices.ContainsFunc(queries, lacks) {
		source.Forget()
	}
}

// closeHosts closes hosts whose samplers do not run.
func closeHosts(hosts []host) {
	for _, h := range hosts {
		_ = h.source.Close()
	}
}

// hostNames adds the computers of paths to the hosts of the flags: this computer
// when neither names one.
func hostNames(names []string, queries []query, anywhere bool) []string {
	if len(names) == 0 && anywhere {
		names = []string{"local"}
	}
	for _, q := range queries {
		named := q.computer == "" || slices.ContainsFunc(names, func(n string) bool { return isHost(q.computer, n) || isHost(q.computer, displayName(n)) })
		switch {
		case named:
		case isLocal(q.computer):
			names = append(names, "local")
		default:
			names = append(names, q.computer)
		}
	}
	return names
}

// isHost tells whether the computer of a path is the host of this name.
func isHost(computer, name string) bool {
	return paths.EqualFold(computer, name) || isLocal(computer) && isLocal(name)
}

func isLocal(name string) bool {
	return name == "." || paths.EqualFold(name, "local") || paths.EqualFold(name, localName())
}
