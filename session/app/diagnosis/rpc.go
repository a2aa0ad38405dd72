package diagnosis

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"

	"perfdeck/session/app/inventory"
	"perfdeck/session/hosts/logon"
	"perfdeck/session/system/failure"
	"perfdeck/session/wire/rpc"
)

// overRPC tries the steps of a host that is reached by DCE/RPC.
func (e *examination) overRPC(ctx context.Context, t inventory.Target) error {
	r, err := e.Known.Remote(t)
	if err != nil {
		e.tell(0, "prepare", "", err)
		return err
	}
	client, err := e.reach(ctx, r)
	if err != nil {
		return err
	}
	source := e.Known.Over(t, r, client, e.Wrap)
	defer source.Close()
	err = e.read(ctx, source)
	e.notes(source)
	return err
}

// reach tries the steps up to a connection for both protocols.
func (e *examination) reach(ctx context.Context, r *logon.Remote) (*rpc.Client, error) {
	if err := e.step("find the host", func() (string, error) {
		addresses, err := net.DefaultResolver.LookupHost(ctx, r.Host())
		if err != nil {
			return "", failure.WithHint(err, "is the name right? try its address")
		}
		return strings.Join(addresses, " "), nil
	}); err != nil {
		return nil, err
	}
	if r.NeedsPassword() {
		if err := e.step("get the password", func() (string, error) { return "", r.Ready(ctx) }); err != nil {
			return nil, err
		}
	}
	passed := stopwatch()
	client, err := r.Dial(ctx, logon.Connection{
		Interfaces: []rpc.Interface{rpc.MSPCQ, rpc.MSRRP},
		Progress:   func(step, detail string) { e.tell(passed(), step, detail, nil) },
		Once:       true,
	})
	if err != nil {
		op := "log on"
		if why, ok := errors.AsType[*rpc.Error](err); ok {
			if op = why.Op; why.IsLogOn() {
				err = fmt.Errorf("%w, as %s", err, r.As())
			}
		}
		e.tell(passed(), op, "", err)
	}
	return client, err
}
