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
	r, t, err := v.windowsHost(name)
	if err != nil {
		return nil, err
	}
	return pla.New(func(ctx context.Context, port int, interfaces ...rpc.Interface) (*rpc.Client, error) {
		return r.Dial(ctx, logon.Connection{Interfaces: interfaces, Service: objectService, Port: port})
	}, t.Own.EndpointPort), nil
}

// Logs are what collector sets of a Windows host recorded, reached and logged on to as for its
// counters. Nobody is asked before the first call.
func (v *Inventory) Logs(name string) (*fetching.Host, error) {
	r, t, err := v.windowsHost(name)
	if err != nil {
		return nil, err
	}
	return &fetching.Host{Name: t.Name, Names: []string{t.Given, r.Host()}, Shares: t.Own.Shares, Connect: fetching.Connector(r.Files)}, nil
}

// windowsHost is a host that has data collector sets.
func (v *Inventory) windowsHost(name string) (*logon.Remote, *Target, error) {
	if v.o.Demo {
		return nil, nil, wrong("leave --demo out", "the hosts of the demo have no data collector sets")
	}
	t, err := v.Target(name)
	if err != nil {
		return nil, nil, err
	}
	const hint = "data collector sets are of Windows hosts that are named without a scheme, as web01"
	switch {
	case t.IsOwn():
		return nil, nil, wrong("leave the host out: then they are those that perfdeck keeps here", "%s is this computer, whose sets are not reached as a host's", t.Name)
	case t.IsSSH():
		return nil, nil, wrong(hint, "%s is reached by ssh, by which there are no data collector sets", t.Name)
	case t.IsEngine():
		return nil, nil, wrong(hint, "%s is read out of an engine, which has no data collector sets", t.Name)
	}
	r, err := v.Remote(t)
	if err != nil {
		return nil, nil, err
	}
	if r.TCP() {
		return nil, nil, wrong(hint, "%s is reached over TCP, where perfdeck serves counters and no data collector sets", t.Name)
	}
	return r, &t, nil
}
