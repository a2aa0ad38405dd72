package main

import (
	"context"
	"io"

	"perfdeck/session"
	"perfdeck/session/logon"
	"perfdeck/session/source/hkpd"
	"perfdeck/session/source/pcq"
	"perfdeck/session/source/winhost"
	"perfdeck/session/wire/rpc"
)

// windowsSource is the source of a Windows host: its V2 countersets and its V1
// objects, over one connection where the host allows it.
func (p *program) windowsSource(t target, l *line) *winhost.Source {
	lcid, _ := pcq.LCIDOf(p.locale())
	shared := &rpc.Shared{Dial: l.dial}
	aside := &rpc.Shared{Dial: l.dial} // for what is read in the background
	return winhost.New(winhost.Options{
		Host:    t.name,
		Traffic: l.traffic.Bytes,
		Hold:    func(ctx context.Context) (io.Closer, error) { return l.leased(shared.Hold(ctx)) },
		V2: func(refreshed func(*session.Catalogue)) winhost.Half {
			return pcq.New(pcq.Options{
				Host:      t.name,
				LCID:      lcid,
				Dial:      func(ctx context.Context) (pcq.Conn, error) { return l.leased(shared.Connect(ctx, rpc.MSPCQ)) },
				Aside:     func(ctx context.Context) (pcq.Conn, error) { return l.leased(aside.Connect(ctx, rpc.MSPCQ)) },
				Extra:     l.extra,
				First:     p.firstSets(),
				CacheDir:  p.cacheDir(),
				Refreshed: refreshed,
				Shared:    &p.shared,
				Go:        p.guard.Go,
			})
		},
		V1: func(refreshed func(*session.Catalogue)) winhost.Half {
			return hkpd.New(hkpd.Options{
				Host:      t.name,
				LCID:      lcid,
				Costly:    t.own.Costly,
				Dial:      func(ctx context.Context) (hkpd.Conn, error) { return l.leased(shared.Connect(ctx, rpc.MSRRP)) },
				Aside:     func(ctx context.Context) (hkpd.Conn, error) { return l.leased(aside.Connect(ctx, rpc.MSRRP)) },
				CacheDir:  p.cacheDir(),
				Refreshed: refreshed,
				Shared:    &p.shared,
				Go:        p.guard.Go,
			})
		},
	})
}

// conn is a connection for both protocols.
type conn interface {
	rpc.PerflibV2
	rpc.WinReg
	Close() error
}

// line is how a host is dialled.
type line struct {
	extra   func(ctx context.Context) (pcq.Conn, error) // nil: catalogues are read over one connection
	dial    func(ctx context.Context, interfaces ...rpc.Interface) (*rpc.Client, error)
	traffic *rpc.Traffic
	wrap    func(conn) conn // around every connection; nil: nothing
}

// lineTo dials a host.
func lineTo(r *logon.Remote) *line {
	l := &line{traffic: &rpc.Traffic{}}
	l.dial = func(ctx context.Context, interfaces ...rpc.Interface) (*rpc.Client, error) {
		return r.Dial(ctx, logon.Connection{Interfaces: interfaces, Traffic: l.traffic})
	}
	return l
}

func (l *line) wrapped(c conn) conn {
	if l.wrap == nil {
		return c
	}
	return l.wrap(c)
}

// leased keeps a nil *rpc.Lease from becoming a connection that is not nil.
func (l *line) leased(c *rpc.Lease, err error) (conn, error) {
	if err != nil {
		return nil, err
	}
	return l.wrapped(c), nil
}
