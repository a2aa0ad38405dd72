package main

import (
	"context"
	"errors"
	"path/filepath"
	"sync/atomic"
	"time"

	"perfdeck/session"
	"perfdeck/session/config"
	"perfdeck/session/pcq"
	"perfdeck/session/rpc"
)

// callTimeout is after how long a call that gets no answer is given up.
const callTimeout = 10 * time.Second

// openTCP is the source of a host that serves MS-PCQ over TCP.
func openTCP(p *program, t target) (session.Source, error) {
	r, err := p.remote(t)
	if err != nil {
		return nil, err
	}
	lcid, _ := pcq.LCIDOf(p.locale())
	source := &tcpSource{}
	source.Source = pcq.New(pcq.Options{
		Host:      t.name,
		LCID:      lcid,
		Dial:      func(ctx context.Context) (pcq.Conn, error) { return r.dial(ctx) },
		CacheDir:  p.cacheDir(),
		Refreshed: source.refreshed,
		Shared:    &p.shared,
		Go:        p.guard.Go,
	})
	return source, nil
}

// tcpSource is a source whose kept catalogue may turn out to be an old one.
type tcpSource struct {
	*pcq.Source
	renew atomic.Pointer[func(*session.Catalogue)]
}

// RenewTo names who hears of a newer catalogue.
func (s *tcpSource) RenewTo(renew func(*session.Catalogue)) { s.renew.Store(&renew) }

func (s *tcpSource) refreshed(cat *session.Catalogue) {
	if renew := s.renew.Load(); renew != nil {
		(*renew)(cat)
	}
}

// openSMB is the source of a Windows host, by SMB's named pipe.
func openSMB(p *program, t target) (session.Source, error) {
	r, err := p.remote(t)
	if err != nil {
		return nil, err
	}
	return p.windowsSource(t, r.line()), nil
}

// remote is how a host is reached, and as whom.
type remote struct {
	options rpc.Options
	who     *credentials
	tickets bool // no password is needed
}

func (p *program) remote(t target) (*remote, error) {
	at, err := parseAddress(t.address)
	if err != nil {
		return nil, usage(err)
	}
	k := p.ticketsFor(t)
	if k.spn != t.own.SPN && len(p.flags.hosts) > 1 {
		return nil, usage(&hinted{errors.New("--spn is the name of one host, and there are several"), "give each its spn in the config's [[host]]"})
	}
	if at.tcp && !k.require { // perfdeck serve takes NTLM
		k = tickets{}
	}
	who, err := p.credentialsFor(context.Background(), t, k.use && !k.password)
	if err != nil {
		return nil, err
	}
	r := &remote{who: who, tickets: k.use && !k.password, options: rpc.Options{
		Host: at.host, Port: at.port, User: who.user, Domain: who.domain, CallTimeout: callTimeout,
		SPN: k.spn, RequireKerberos: k.require, Encrypt: p.flags.smbEncrypt || t.own.SMBEncrypt,
	}}
	if !at.tcp {
		r.options.Connect = rpc.SMB
	}
	if !r.tickets {
		r.options.Password = who.get
	}
	if k.use {
		r.options.Authentication = rpc.WithKerberos
		r.options.Kerberos, err = p.kerberosOf(k, who)
	}
	return r, err
}

// dial logs on. The password is fetched before, in a time of its own.
func (r *remote) dial(ctx context.Context) (*rpc.Client, error) {
	if err := r.ready(ctx); err != nil {
		return nil, err
	}
	var c *rpc.Client
	err := r.who.logOns.try(ctx, r.options.Host, func() (err error) {
		c, err = rpc.Dial(ctx, r.options)
		return err
	})
	if rpc.IsLogonRefused(err) {
		r.who.refused()
	}
	return c, err
}

// ready fetches what is needed to log on.
func (r *remote) ready(ctx context.Context) error {
	if r.tickets {
		return nil
	}
	return r.who.ready(ctx)
}

// locale is the language of the environment for messages.
func (p *program) locale() string {
	for _, key := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		if v := p.getenv(key); v != "" {
			return v
		}
	}
	return ""
}

// cacheDir is where catalogues are kept between runs; empty where there is no
// place, or where only what the host says now will do.
func (p *program) cacheDir() string {
	dir, err := config.StateDir()
	if err != nil || !p.keptWillDo {
		return ""
	}
	return filepath.Join(dir, "catalogues")
}
