package main

import (
	"context"
	"errors"
	"net"
	"strings"
	"time"

	"perfdeck/session"
	"perfdeck/session/logon"
	"perfdeck/session/wire/rpc"
)

// reach tries the steps up to a connection for both protocols.
func (d *doctor) reach(ctx context.Context, r *logon.Remote) (*rpc.Client, error) {
	if err := d.step("find the host", func() (string, error) {
		addresses, err := net.DefaultResolver.LookupHost(ctx, r.Host())
		if err != nil {
			return "", session.WithHint(err, "is the name right? try its address")
		}
		return strings.Join(addresses, " "), nil
	}); err != nil {
		return nil, err
	}
	if r.NeedsPassword() {
		if err := d.step("get the password", func() (string, error) { return "", r.Ready(ctx) }); err != nil {
			return nil, err
		}
	}
	began := time.Now()
	passed := func() time.Duration {
		took := time.Since(began)
		began = time.Now()
		return took
	}
	client, err := r.Dial(ctx, logon.Connection{
		Interfaces: []rpc.Interface{rpc.MSPCQ, rpc.MSRRP},
		Progress:   func(step, detail string) { d.line(passed(), step, detail, nil) },
		Once:       true,
	})
	if err != nil {
		op := "log on"
		if e, ok := errors.AsType[*rpc.Error](err); ok {
			op = e.Op
		}
		d.line(passed(), op, "", err)
	}
	return client, err
}
