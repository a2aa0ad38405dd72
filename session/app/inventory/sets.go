package inventory

import (
	"context"

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
	if v.o.Demo {
		return nil, wrong("leave --demo out", "the hosts of the demo have no data collector sets")
	}
	t, err := v.Target(name)
	if err != nil {
		return nil, err
	}
	const hint = "data collector sets are of Windows hosts that are named without a scheme, as web01"
	switch {
	case t.IsOwn():
		return nil, wrong("leave the host out: then they are those that perfdeck keeps here", "%s is this computer, whose sets are not reached as a host's", t.Name)
	case t.IsSSH():
		return nil, wrong(hint, "%s is reached by ssh, by which there are no data collector sets", t.Name)
	case t.IsEngine():
		return nil, wrong(hint, "%s is read out of an engine, which has no data collector sets", t.Name)
	}
	r, err := v.Remote(t)
	if err != nil {
		return nil, err
	}
	if r.TCP() {
		return nil, wrong(hint, "%s is reached over TCP, where perfdeck serves counters and no data collector sets", t.Name)
	}
	return pla.New(func(ctx context.Context, port int, interfaces ...rpc.Interface) (*rpc.Client, error) {
		return r.Dial(ctx, logon.Connection{Interfaces: interfaces, Service: objectService, Port: port})
	}, t.Own.EndpointPort), nil
}
