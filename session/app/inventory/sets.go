package inventory

import (
	"context"

	"perfdeck/session/app/fetching"
	"perfdeck/session/hosts/logon"
	"perfdeck/session/hosts/pla"
	"perfdeck/session/wire/rpc"
)

// objectService is the class of the names of what is activated, MS-DCOM 3.2.4.1.1.2.
const objectService = "RPCSS"

// CollectorSets are the data collector sets of a Windows host, reached and logged on to as for
// its counters. Nobody is asked before the first call. An error says that the name means
// another kind of host.
func (v *Inventory) CollectorSets(name string) (pla.Sets, error) {
	t, err := v.windowsHost(name)
	if err != nil {
		return nil, err
	}
	l, err := v.SetsLine(t)
	if err != nil {
		return nil, err
	}
	return pla.New(l.Dialer(nil), l.Port), nil
}

// setless tells why a host has no collector sets that can be reached; nil: it may have some.
func setless(t Target) error {
	const hint = "data collector sets are of Windows hosts that are named without a scheme, as web01"
	at, err := parseAddress(t.Address)
	switch {
	case t.IsOwn():
		return wrong("leave the host out: then they are those that perfdeck keeps here", "%s is this computer, whose sets are not reached as a host's", t.Name)
	case t.IsSSH():
		return wrong(hint, "%s is reached by ssh, by which there are no data collector sets", t.Name)
	case t.IsEngine():
		return wrong(hint, "%s is read out of an engine, which has no data collector sets", t.Name)
	case err == nil && at.tcp:
		return wrong(hint, "%s is reached over TCP, where perfdeck serves counters and no data collector sets", t.Name)
	}
	return nil
}

// SetsLine is how the objects of a host are reached.
type SetsLine struct {
	*logon.Remote

	Port int // where they are activated; 0: the usual one
}

// SetsLine is how the objects of a Windows host are reached, by the account of its counters.
func (v *Inventory) SetsLine(t Target) (*SetsLine, error) {
	if err := setless(t); err != nil {
		return nil, err
	}
	if at, err := parseAddress(t.Address); err == nil && at.port != at.usualPort() && t.Own.EndpointPort == 0 {
		return nil, wrong("endpoint_port of the host in the config says where they are",
			"%s is a port for SMB, and sets are asked for at another: TCP 135 of that address may be of another computer", t.Address)
	}
	r, err := v.Remote(t)
	if err != nil {
		return nil, err
	}
	return &SetsLine{r, t.Own.EndpointPort}, nil
}

// Dialer connects to a port of the host, as pla.New wants it. change changes what a connection
// says of itself; nil: nothing does.
func (l *SetsLine) Dialer(change func(*logon.Connection)) func(ctx context.Context, port int, interfaces ...rpc.Interface) (*rpc.Client, error) {
	return func(ctx context.Context, port int, interfaces ...rpc.Interface) (*rpc.Client, error) {
		c := logon.Connection{Interfaces: interfaces, Service: objectService, Port: port}
		if change != nil {
			change(&c)
		}
		return l.Dial(ctx, c)
	}
}

// Logs are what collector sets of a Windows host recorded, reached and logged on to as for its
// counters. Nobody is asked before the first call.
func (v *Inventory) Logs(name string) (*fetching.Host, error) {
	t, err := v.windowsHost(name)
	if err != nil {
		return nil, err
	}
	r, err := v.Remote(t)
	if err != nil {
		return nil, err
	}
	return &fetching.Host{
		Name: t.Name, Names: []string{t.Given, r.Host()}, Shares: t.Own.Shares, Connect: fetching.Connector(func(ctx context.Context) (*rpc.Shares, error) { return r.Files(ctx, nil) }),
	}, nil
}

// windowsHost is a host that may have data collector sets.
func (v *Inventory) windowsHost(name string) (Target, error) {
	if v.o.Demo {
		return Target{}, wrong("leave --demo out", "the hosts of the demo have no data collector sets")
	}
	t, err := v.Target(name)
	if err == nil {
		err = setless(t)
	}
	return t, err
}
