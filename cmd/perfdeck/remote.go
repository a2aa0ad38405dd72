package main

import (
	"context"
	"errors"
	"net"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"time"

	"perfdeck/session"
	"perfdeck/session/config"
	"perfdeck/session/pcq"
	"perfdeck/session/rpc"
	"perfdeck/session/winhost"
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
	source := &tcpSource{remote: r}
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
	remote *remote
	renew  atomic.Pointer[func(*session.Catalogue)]
}

// LogOn takes the account of the next connection.
func (s *tcpSource) LogOn(account string, password []byte) error {
	return s.remote.logOn(account, password)
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
	return &smbSource{p.windowsSource(t, r.line()), r}, nil
}

// smbSource is a Windows host that may be logged on to by another account.
type smbSource struct {
	*winhost.Source
	remote *remote
}

// LogOn takes the account of the next connection.
func (s *smbSource) LogOn(account string, password []byte) error {
	return s.remote.logOn(account, password)
}

// remote is how a host is reached, and as whom.
type remote struct {
	options rpc.Options
	who     *credentials
	tickets bool // no password is needed

	program  *program
	kerberos tickets
	typed    *atomic.Pointer[credentials] // by the user since, for this host; shared by copies
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
	r := &remote{program: p, kerberos: k, typed: new(atomic.Pointer[credentials]), options: rpc.Options{
		Host: at.host, Port: at.port, CallTimeout: callTimeout,
		SPN: k.spn, RequireKerberos: k.require, Encrypt: p.flags.smbEncrypt || t.own.SMBEncrypt,
	}}
	if !at.tcp {
		r.options.Connect = rpc.SMB
	}
	who := t.as
	if who == nil {
		if who, err = p.credentialsFor(context.Background(), t, k.use && !k.password); err != nil {
			return nil, err
		}
		return r, r.become(who)
	}
	r.kerberos.byPassword()
	return r, r.become(who)
}

// become logs on as somebody from now on.
func (r *remote) become(who *credentials) (err error) {
	k := r.kerberos
	r.who, r.tickets = who, k.use && !k.password
	r.options.User, r.options.Domain, r.options.Password = who.user, who.domain, nil
	if !r.tickets {
		r.options.Password = who.get
	}
	if k.use {
		r.options.Authentication = rpc.WithKerberos
		r.options.Kerberos, err = r.program.kerberosOf(k, who)
	}
	return err
}

// logOn takes the account that the user typed. Where no host has taken the
// password that was used until now, all that share it take the new one: who
// mistyped it for a list of hosts types it once.
func (r *remote) logOn(account string, password []byte) error {
	who, err := r.program.typedCredentials(account, password)
	if err != nil {
		return err
	}
	now, err := r.now()
	if err != nil {
		return err
	}
	if who.secret != now.who.secret && !now.tickets && !now.who.logOns.isProven() {
		now.who.heir.Store(who)
	}
	r.typed.Store(who)
	return nil
}

// now is the host reached as whom the user wants by now.
func (r *remote) now() (*remote, error) {
	who := r.who
	if typed := r.typed.Load(); typed != nil {
		who = typed
	}
	for next := who.heir.Load(); next != nil; next = who.heir.Load() {
		who = next
	}
	if who == r.who {
		return r, nil
	}
	one := *r
	one.kerberos.byPassword()
	return &one, one.become(who)
}

// dial logs on. The password is fetched before, in a time of its own.
func (r *remote) dial(ctx context.Context) (*rpc.Client, error) {
	r, err := r.now()
	if err != nil {
		return nil, err
	}
	if err := r.ready(ctx); err != nil {
		return nil, err
	}
	var c *rpc.Client
	err = r.who.logOns.try(ctx, r.options.Host, func() error { return r.reachable(ctx) }, func() (err error) {
		c, err = rpc.Dial(ctx, r.options)
		return err
	})
	if rpc.IsLogonRefused(err) {
		r.who.refused()
	}
	return c, err
}

// reachable tells whether the host takes connections: it makes one and closes it.
func (r *remote) reachable(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	nc, failure := new(net.Dialer).DialContext(ctx, "tcp", net.JoinHostPort(r.options.Host, strconv.Itoa(r.options.Port)))
	if failure == nil {
		_ = nc.Close()
		return nil
	}
	// So that the error is the one that Dial would have given.
	_, err := rpc.Dial(ctx, rpc.Options{
		Host: r.options.Host, Port: r.options.Port, User: r.options.User, Password: r.options.Password,
		Connect: func(context.Context, *rpc.Options) (net.Conn, error) { return nil, failure },
	})
	return err
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
