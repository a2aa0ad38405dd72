package main

import (
	"context"
	"errors"
	"net"
	"strings"
	"time"

	"perfdeck/session"
	"perfdeck/session/logon"
	"perfdeck/session/source/pcq"
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

// warned is a source that tells what it could not read.
type warned interface {
	session.Source
	session.Warner
}

// sourceOver reads a host over the connection that was made, and over new ones
// when that one is used up.
func (d *doctor) sourceOver(t target, r *logon.Remote, client *rpc.Client) warned {
	var first session.Latest[*rpc.Client]
	first.Set(client)
	l := lineTo(r)
	dial := l.dial
	l.dial = func(ctx context.Context, interfaces ...rpc.Interface) (*rpc.Client, error) {
		if c, is := first.Take(); is && c != nil {
			return c, nil
		}
		return dial(ctx, interfaces...)
	}
	if d.capture != nil {
		l.wrap = func(c conn) conn { return &capturing{conn: c, out: d.capture, sizesOnly: d.sizesOnly} }
	}
	if !r.TCP() {
		return d.windowsSource(t, l)
	}
	return pcq.New(pcq.Options{Host: t.name, Go: d.guard.Go, Dial: func(ctx context.Context) (pcq.Conn, error) {
		c, err := l.dial(ctx, rpc.MSPCQ)
		if err != nil {
			return nil, err
		}
		return l.wrapped(c), nil
	}})
}
