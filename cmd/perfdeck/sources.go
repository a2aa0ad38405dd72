package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/fake"
	"perfdeck/session/local"
)

// host is a host that a command works with.
type host struct {
	name    string
	source  session.Source
	sampler *session.Sampler
}

// sourceKind is a way to reach a host. A new source is a row in sourceKinds.
type sourceKind struct {
	forms   string // how its hosts are written, for messages
	matches func(name string) bool
	open    func(p *program, name string) (session.Source, error)
}

var sourceKinds = []sourceKind{
	{
		forms:   "local or .",
		matches: func(name string) bool { return name == "local" || name == "." },
		open: func(p *program, _ string) (session.Source, error) {
			return local.Open(local.Options{Go: p.guard.Go})
		},
	},
	{
		forms:   "tcp://NAME:PORT",
		matches: func(name string) bool { return strings.HasPrefix(name, tcpScheme) },
		open:    openTCP,
	},
}

// hosts opens the sources of the hosts that were asked for: this computer, when
// none was.
func (p *program) hosts() ([]host, error) {
	clock := session.NewSystemClock()
	var out []host
	add := func(name string, source session.Source) {
		out = append(out, host{name, source, session.NewSampler(name, source, clock)})
	}
	if p.flags.demo {
		var names []string
		for _, h := range fake.Demo(clock) {
			names = append(names, h.Name)
			if len(p.flags.hosts) == 0 || slices.ContainsFunc(p.flags.hosts, func(name string) bool { return paths.EqualFold(name, h.Name) }) {
				add(h.Name, h.Source)
			}
		}
		if len(out) == 0 {
			return nil, unknownValue("host", p.flags.hosts[0], strings.Join(names, ", "))
		}
		return out, nil
	}
	names := p.flags.hosts
	if len(names) == 0 {
		names = []string{"local"}
	}
	for _, name := range names {
		source, err := p.openSource(name)
		if err != nil {
			return nil, err
		}
		add(displayName(name), source)
	}
	return out, nil
}

func (p *program) openSource(name string) (session.Source, error) {
	for _, k := range sourceKinds {
		if k.matches(name) {
			source, err := k.open(p, name)
			if err != nil {
				return nil, fmt.Errorf("open %s: %w", name, err)
			}
			return source, nil
		}
	}
	forms := make([]string, len(sourceKinds))
	for i, k := range sourceKinds {
		forms[i] = k.forms
	}
	return nil, usage(&hinted{fmt.Errorf("host %q: no way to reach it", name), "hosts are written " + strings.Join(forms, ", ")})
}

// start runs the samplers until the context ends.
func (p *program) start(ctx context.Context, hosts []host) {
	for _, h := range hosts {
		p.guard.Go(func() { h.sampler.Run(ctx) })
	}
}
