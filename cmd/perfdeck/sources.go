package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/config"
	"perfdeck/session/logon"
	"perfdeck/session/source/fake"
	"perfdeck/session/source/ssh"
	"perfdeck/tui/pane"
)

// localHost is how this computer is asked for.
const localHost = "local"

// host is a host that a command works with.
type host struct {
	name    string
	source  session.Source
	sampler *session.Sampler
	local   bool          // this computer
	open    string        // as a command line names it
	groups  []string      // of the config
	logOn   pane.LogOns   // nil: it takes no account
	account func() string // that the user typed; nil: it takes none
	past    *fake.Past    // of a host of the demo, which goes by when values are asked for; nil: none
}

// sourceKind is a way to reach a host. A new source is a row in sourceKinds.
type sourceKind struct {
	forms   string // how its hosts are written, for messages
	matches func(name string) bool
	open    func(p *program, t target) (session.Source, error)
}

var sourceKinds = []sourceKind{
	{
		forms:   "local or .",
		matches: isOwn,
		open: func(p *program, _ target) (session.Source, error) {
			own := p.openOwn
			if p.own != nil {
				own = p.own
			}
			source, err := own()
			if err != nil {
				return nil, err
			}
			return p.withFeeds(source), nil
		},
	},
	{
		forms:   "tcp://NAME:PORT",
		matches: func(name string) bool { return strings.HasPrefix(name, tcpScheme) },
		open:    openTCP,
	},
	{
		forms:   "ssh://NAME",
		matches: isSSH,
		open:    openSSH,
	},
	{
		forms: "NAME, NAME:PORT or [ADDRESS]:PORT",
		matches: func(name string) bool {
			_, err := parseAddress(name)
			return err == nil
		},
		open: openSMB,
	},
}

// isOwn tells whether an address is that of this computer.
func isOwn(address string) bool { return address == localHost || address == "." }

// isSSH tells whether an address is that of a host that is reached by ssh.
func isSSH(address string) bool { return strings.HasPrefix(address, ssh.Scheme) }

// target is a host that was asked for.
type target struct {
	name    string         // as screens and output call it
	address string         // in one of the forms of sourceKinds
	own     config.Host    // what the config says of it, if anything
	as      *logon.Account // typed by the user; nil: the usual ones
}

// targetOf finds a host of the config by its name, or takes a host by its form.
func (p *program) targetOf(name string) (target, error) {
	if err := p.loadConfig(); err != nil {
		return target{}, err
	}
	if h, ok := p.config.Host(name); ok {
		return target{name: h.Name, address: h.Address, own: h}, nil
	}
	if isSSH(name) { // before anybody names it
		if _, err := ssh.Parse(name); err != nil {
			return target{}, usage(err)
		}
	}
	return target{name: displayName(name), address: name}, nil
}

// hosts opens the sources of the hosts that were asked for: this computer, when
// none was.
func (p *program) hosts() ([]host, error) {
	clock := p.newClock()
	var out []host
	if p.flags.demo {
		var names []string
		invented := fake.Demo(clock)
		if p.pastFirst {
			invented = fake.DemoWithPast(clock, demoPast)
		}
		for _, h := range invented {
			names = append(names, h.Name)
			if len(p.flags.hosts) == 0 || slices.ContainsFunc(p.flags.hosts, func(name string) bool { return paths.EqualFold(name, h.Name) }) {
				out = append(out, p.inventedHost(h, clock))
			}
		}
		if len(out) == 0 {
			return nil, unknownValue("host", p.flags.hosts[0], strings.Join(names, ", "))
		}
		return out, nil
	}
	names := p.flags.hosts
	if len(names) == 0 {
		names = []string{localHost}
	}
	targets, err := p.targetsOf(names)
	if err != nil {
		return nil, err
	}
	for _, t := range targets {
		source, err := p.openSource(t)
		if err != nil {
			closeHosts(out)
			return nil, err
		}
		out = append(out, p.newHost(t, source, clock))
	}
	return out, nil
}

// targetsOf are the hosts of names, each once. Hosts of ssh that differ in their users
// alone are called by them too.
func (p *program) targetsOf(names []string) (out []target, err error) {
	once := onceEach{lookUp, map[string][]target{}}
	for _, name := range names {
		t, err := p.targetOf(name)
		if err != nil {
			return nil, err
		}
		if once.add(t) {
			out = append(out, t)
		}
	}
	count := map[string]int{}
	for i := range out {
		count[paths.Fold(out[i].name)]++
	}
	for i := range out {
		if t := &out[i]; t.own.Name == "" && isSSH(t.address) && count[paths.Fold(t.name)] > 1 {
			t.name = strings.TrimPrefix(strings.TrimSuffix(t.address, "/"), ssh.Scheme)
		}
	}
	return out, nil
}

// demoPast is how much past the screens of the demo begin with, so that there is
// something to see.
const demoPast = time.Minute

// inventedHost is a host of the demo, on its own clock if it has one.
func (p *program) inventedHost(h fake.Host, clock session.Clock) host {
	if h.Past != nil {
		clock = h.Past
	}
	out := p.newHost(target{name: h.Name}, h.Source, clock)
	out.past = h.Past
	return out
}

// sameTarget tells whether two targets are one host: however it is written, or
// by its short and its full name.
func sameTarget(a, b target, find lookup) bool {
	if paths.EqualFold(a.name, b.name) && a.address == b.address {
		return true
	}
	if a.own.Name != "" || b.own.Name != "" || isOwn(a.address) || isOwn(b.address) {
		return false
	}
	if isSSH(a.address) || isSSH(b.address) { // their names are ssh's own
		return sameSSH(a.address, b.address)
	}
	at, err := parseAddress(a.address)
	if err != nil {
		return false
	}
	other, err := parseAddress(b.address)
	return err == nil && at.sameHost(other, find)
}

// openHost opens one host by its name, as hosts does. It is logged on to as the
// user said, or in the usual way if that is nil.
func (p *program) openHost(name string, as *logon.Account) (host, error) {
	t, err := p.targetOf(name)
	if err != nil {
		return host{}, err
	}
	t.as = as
	source, err := p.openSource(t)
	if err != nil {
		return host{}, err
	}
	return p.newHost(t, source, p.newClock()), nil
}

// newHost is a host with its sampler, which does not run yet.
func (p *program) newHost(t target, source session.Source, clock session.Clock) host {
	sampler := session.NewSampler(t.name, source, clock)
	if r, ok := source.(session.Renewer); ok {
		r.RenewTo(sampler.Renew)
	}
	open := t.address
	if t.own.Name != "" || t.address == "" { // by its name in the config, or in the demo
		open = t.name
	}
	h := host{name: t.name, source: source, sampler: sampler, local: isOwn(t.address), open: open, groups: p.groupsOf(t)}
	if r, ok := source.(interface {
		pane.LogOns
		Typed() string
	}); ok {
		h.logOn, h.account = r, r.Typed
	}
	return h
}

// watchOwn adds the hosts that the config wants watched to this computer, when
// no host was named.
func (p *program) watchOwn() {
	if p.flags.demo || len(p.flags.hosts) > 0 {
		return
	}
	p.flags.hosts = p.ownHosts()
}

// ownHosts are this computer and the hosts that the config wants watched.
func (p *program) ownHosts() []string {
	names := []string{localHost}
	for _, h := range p.config.Hosts {
		if h.Watch {
			names = append(names, h.Name)
		}
	}
	return names
}

func (p *program) openSource(t target) (session.Source, error) {
	for _, k := range sourceKinds {
		if k.matches(t.address) {
			source, err := k.open(p, t)
			if err != nil {
				return nil, fmt.Errorf("open %s: %w", t.name, err)
			}
			return source, nil
		}
	}
	forms := make([]string, len(sourceKinds))
	for i, k := range sourceKinds {
		forms[i] = k.forms
	}
	return nil, usage(session.WithHint(fmt.Errorf("host %q: no way to reach it", t.address), "hosts are written "+strings.Join(forms, ", ")+", or as a [[host]] of the config is named"))
}

// start runs the samplers until the context ends.
func (p *program) start(ctx context.Context, hosts []host) {
	for _, h := range hosts {
		p.guard.Go(func() { h.sampler.Run(ctx) })
	}
}
