package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/config"
	"perfdeck/session/source/ssh"
	"perfdeck/session/system/osfile"
)

// Limits of a file of hosts.
const (
	mostListed   = 10_000 // hosts
	longestLine  = 4096   // bytes
	mostBadLines = 10     // that are told
)

// stdinName is how the standard input is named in place of a file.
const stdinName = "-"

// gatherHosts adds to the hosts that were named those of the files and of the
// groups, in this order.
func (p *program) gatherHosts() error {
	if len(p.flags.hostFiles) == 0 && len(p.flags.groups) == 0 {
		return nil
	}
	if err := p.loadConfig(); err != nil {
		return err
	}
	names := p.flags.hosts
	for _, file := range p.flags.hostFiles {
		more, err := p.listedHosts(file)
		if err != nil {
			return err
		}
		names = append(names, more...)
	}
	for _, group := range p.flags.groups {
		more, err := p.groupHosts(group)
		if err != nil {
			return err
		}
		names = append(names, more...)
	}
	// So that a second gathering finds the hosts alone.
	p.flags.hosts, p.flags.hostFiles, p.flags.groups = names, nil, nil
	return nil
}

// groupHosts are the hosts of a group of the config.
func (p *program) groupHosts(name string) ([]string, error) {
	g, ok := p.config.Group(name)
	if ok {
		return g.Hosts, nil
	}
	known := make([]string, len(p.config.Groups))
	for i, g := range p.config.Groups {
		known[i] = g.Name
	}
	if len(known) == 0 {
		return nil, usage(session.WithHint(fmt.Errorf("group %q: the config has no groups", name), `write them as fra = ["sql01", "sql02"] below [groups]`))
	}
	return nil, usage(session.WithHint(fmt.Errorf("group %q: the config has no such group", name), "known: "+strings.Join(known, ", ")))
}

// listedHosts reads a file of hosts; - is the standard input.
func (p *program) listedHosts(file string) ([]string, error) {
	if file == stdinName {
		if term.IsTerminal(int(p.in.Fd())) {
			return nil, usage(session.WithHint(errors.New("read hosts: the standard input is a terminal"), "name a file, or pipe the hosts in"))
		}
		names, err := p.readHosts("standard input", p.standardInput())
		if err == nil {
			p.takeTerminal()
		}
		return names, err
	}
	name, err := config.BelowHome(file)
	if err != nil {
		return nil, err
	}
	f, err := osfile.Open(p.context(), name)
	if err != nil {
		return nil, usage(session.WithHint(fmt.Errorf("read hosts: %w", err), "a file of hosts has one on each line"))
	}
	defer f.Close() //nolint:errcheck // it was only read
	return p.readHosts(file, f)
}

// takeTerminal has keys and passwords come from the terminal, if there is one, after
// the standard input was read.
func (p *program) takeTerminal() {
	if tty, err := openTerminal(); err == nil {
		p.in = tty
	}
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
		texts = append(texts, count(e.more, "more line", "more lines"))
	}
	return fmt.Sprintf("read hosts of %s: %s", session.Printable(e.file), strings.Join(texts, "; "))
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

// readHosts reads one host a line. What follows # is a comment. Every line that
// names no host is told, up to a few.
func (p *program) readHosts(file string, r io.Reader) ([]string, error) {
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
		if err := p.checkHost(text); err != nil {
			bad.add(at, err)
			continue
		}
		if names = append(names, text); len(names) > mostListed {
			bad.add(at, errManyListed)
			return nil, usage(bad)
		}
	}
	if p.context().Err() != nil {
		return nil, fmt.Errorf("read hosts of %s: %w", session.Printable(file), context.Cause(p.context()))
	}
	if err := lines.Err(); err != nil {
		bad.add(at+1, err)
	}
	if len(bad.lines) > 0 {
		return nil, usage(bad)
	}
	if len(names) == 0 {
		return nil, usage(session.WithHint(fmt.Errorf("read hosts of %s: there is none", session.Printable(file)), bad.Hint()))
	}
	return names, nil
}

// checkHost tells whether a text names a host.
func (p *program) checkHost(text string) error {
	if p.flags.demo { // its hosts are known to p.hosts
		return nil
	}
	t, err := p.targetOf(text)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(sourceKinds, func(k sourceKind) bool { return k.matches(t.address) }) {
		return nil
	}
	return fmt.Errorf("%q is no host", session.Printable(text))
}

// groupPrefix and filePrefix mark what stands for several hosts where hosts are
// typed.
const (
	groupPrefix = "group:"
	filePrefix  = "@"
)

// typedHosts are the hosts of a line that was typed on the screens: names,
// @FILE for those of a file, group:NAME for those of a group.
func (p *program) typedHosts(line string) ([]string, error) {
	if err := p.loadConfig(); err != nil {
		return nil, err
	}
	var out []string
	for _, word := range strings.FieldsFunc(line, func(r rune) bool { return r == ',' || r == ' ' }) {
		names, err := []string{word}, error(nil)
		if file, ok := strings.CutPrefix(word, filePrefix); ok {
			if file == stdinName || file == "" {
				return nil, errors.New("read hosts: name a file, as @hosts.txt")
			}
			names, err = p.listedHosts(file)
		} else if group, ok := strings.CutPrefix(word, groupPrefix); ok {
			names, err = p.groupHosts(group)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, names...)
	}
	return out, nil
}

// completeGroups are the groups of the config, for the shell.
func (p *program) completeGroups(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	if err := p.loadConfig(); err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	names := make([]string, len(p.config.Groups))
	for i, g := range p.config.Groups {
		names[i] = g.Name
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// groupsOf are the groups of a host in the config, by any of its names.
func (p *program) groupsOf(t target) []string {
	if p.config == nil {
		return nil
	}
	names := []string{t.name}
	if t.address != "" {
		names = append(names, t.address)
	}
	// A name of the config is no address.
	if at, err := parseAddress(t.address); err == nil && t.own.Name == "" && at.port == at.usualPort() {
		scheme := ""
		if at.tcp {
			scheme = tcpScheme
		}
		names = append(names, scheme+at.host, scheme+net.JoinHostPort(at.host, strconv.Itoa(at.port)))
	}
	return p.config.GroupsOf(names...)
}

// onceEach finds hosts that were named before: comparing each with those before
// it would take long with thousands.
type onceEach struct {
	find lookup
	seen map[string][]target // by what all ways to write one host have in common
}

// add tells whether a target is a new one.
func (o *onceEach) add(t target) bool {
	key := t.address
	if at, err := parseAddress(t.address); err == nil {
		key, _, _ = strings.Cut(at.host, ".")
	}
	if d, err := ssh.Parse(t.address); err == nil {
		key = d.Host
	}
	key = paths.Fold(key)
	if slices.ContainsFunc(o.seen[key], func(other target) bool { return sameTarget(other, t, o.find) }) {
		return false
	}
	o.seen[key] = append(o.seen[key], t)
	return true
}
