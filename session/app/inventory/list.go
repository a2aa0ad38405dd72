package inventory

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"perfdeck/session/config"
	"perfdeck/session/system/failure"
	"perfdeck/session/system/osfile"
	"perfdeck/session/text/english"
)

// Limits of a file of hosts.
const (
	mostListed   = 10_000 // hosts
	longestLine  = 4096   // bytes
	mostBadLines = 10     // that are told
)

// stdinName is how the standard input is named in place of a file.
const stdinName = "-"

// Gather is the hosts that were named, and after them those of the files and of the groups,
// in this order.
func (v *Inventory) Gather(ctx context.Context, names, files, groups []string) ([]string, error) {
	for _, file := range files {
		more, err := v.listed(ctx, file)
		if err != nil {
			return nil, err
		}
		names = append(names, more...)
	}
	for _, group := range groups {
		more, err := v.group(group)
		if err != nil {
			return nil, err
		}
		names = append(names, more...)
	}
	return names, nil
}

// GroupNames are the groups of the config.
func (v *Inventory) GroupNames() []string {
	names := make([]string, len(v.config().Groups))
	for i, g := range v.config().Groups {
		names[i] = g.Name
	}
	return names
}

// group is the hosts of a group of the config.
func (v *Inventory) group(name string) ([]string, error) {
	if g, ok := v.config().Group(name); ok {
		return g.Hosts, nil
	}
	known := v.GroupNames()
	if len(known) == 0 {
		return nil, wrong(`write them as fra = ["sql01", "sql02"] below [groups]`, "group %q: the config has no groups", name)
	}
	return nil, wrong("known: "+strings.Join(known, ", "), "group %q: the config has no such group", name)
}

// listed reads a file of hosts; - is the standard input.
func (v *Inventory) listed(ctx context.Context, file string) ([]string, error) {
	if file == stdinName {
		return v.o.Stdin(func(r io.Reader) ([]string, error) { return v.read(ctx, "standard input", r) })
	}
	name, err := config.Obeyed(file)
	if err != nil {
		return nil, wrong(failure.Hint(err), "read hosts: %w", err)
	}
	f, err := osfile.Open(ctx, name)
	if err != nil {
		return nil, wrong("a file of hosts has one on each line", "read hosts: %w", err)
	}
	defer f.Close() //nolint:errcheck // it was only read
	return v.read(ctx, file, f)
}

// badLines are the lines of a file of hosts that name none.
type badLines struct {
	file  string
	lines []error
	more  int
}

func (e *badLines) Error() string {
	texts := make([]string, len(e.lines), len(e.lines)+1)
	for i, line := range e.lines {
		texts[i] = line.Error()
	}
	if e.more > 0 {
		texts = append(texts, english.Count(e.more, "more line", "more lines"))
	}
	return fmt.Sprintf("read hosts of %s: %s", e.file, strings.Join(texts, "; "))
}

func (e *badLines) Unwrap() []error { return e.lines }
func (e *badLines) Hint() string {
	return "one host a line, as --host takes it; what follows # is a comment"
}

func (e *badLines) add(line int, err error) {
	if len(e.lines) == mostBadLines {
		e.more++
		return
	}
	e.lines = append(e.lines, fmt.Errorf("line %d: %w", line, err))
}

var errManyListed = fmt.Errorf("more than %d hosts", mostListed)

// read reads one host a line. What follows # is a comment. Every line that
// names no host is told, up to a few.
func (v *Inventory) read(ctx context.Context, file string, r io.Reader) ([]string, error) {
	bad := &badLines{file: file}
	var names []string
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, longestLine)
	at := 0
	for lines.Scan() {
		at++
		text := lines.Text()
		if at == 1 {
			text = strings.TrimPrefix(text, "\ufeff") // as editors of Windows write it
		}
		text, _, _ = strings.Cut(text, "#")
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		if err := v.Check(text); err != nil {
			bad.add(at, err)
			continue
		}
		if names = append(names, text); len(names) > mostListed {
			bad.add(at, errManyListed)
			return nil, failure.Usage(bad)
		}
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("read hosts of %s: %w", file, context.Cause(ctx))
	}
	if err := lines.Err(); err != nil {
		bad.add(at+1, err)
	}
	if len(bad.lines) > 0 {
		return nil, failure.Usage(bad)
	}
	if len(names) == 0 {
		return nil, wrong(bad.Hint(), "read hosts of %s: there is none", file)
	}
	return names, nil
}

// groupPrefix and filePrefix mark what stands for several hosts where hosts are
// typed.
const (
	groupPrefix = "group:"
	filePrefix  = "@"
)

// Typed are the hosts of a line that was typed on the screens: names,
// @FILE for those of a file, group:NAME for those of a group.
func (v *Inventory) Typed(ctx context.Context, line string) ([]string, error) {
	var out []string
	for _, word := range strings.FieldsFunc(line, func(r rune) bool { return r == ',' || r == ' ' }) {
		names, err := []string{word}, error(nil)
		if file, ok := strings.CutPrefix(word, filePrefix); ok {
			if file == stdinName || file == "" {
				return nil, errors.New("read hosts: name a file, as @hosts.txt")
			}
			names, err = v.listed(ctx, file)
		} else if group, ok := strings.CutPrefix(word, groupPrefix); ok {
			names, err = v.group(group)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, names...)
	}
	return v.Expand(ctx, out)
}
