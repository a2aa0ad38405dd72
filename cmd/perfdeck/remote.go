package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"perfdeck/session"
	"perfdeck/session/config"
	"perfdeck/session/pcq"
	"perfdeck/session/rpc"
)

// tcpScheme marks hosts that are reached by DCE/RPC over TCP.
const tcpScheme = "tcp://"

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

// remote is how a tcp:// host is reached, and as whom.
type remote struct {
	options rpc.Options
	who     *credentials
}

func (p *program) remote(t target) (*remote, error) {
	host, port, err := splitTCP(t.address)
	if err != nil {
		return nil, usage(err)
	}
	who, err := p.credentialsFor(context.Background(), t)
	if err != nil {
		return nil, err
	}
	return &remote{who: who, options: rpc.Options{
		Host: host, Port: port, User: who.user, Domain: who.domain, Password: who.get, CallTimeout: callTimeout,
	}}, nil
}

// dial logs on. The password is fetched before, in a time of its own.
func (r *remote) dial(ctx context.Context) (*rpc.Client, error) {
	if err := r.who.ready(ctx); err != nil {
		return nil, err
	}
	c, err := rpc.Dial(ctx, r.options)
	if errors.Is(err, session.ErrDenied) {
		r.who.refused()
	}
	return c, err
}

// splitTCP takes tcp://NAME[:PORT] apart.
func splitTCP(name string) (host string, port int, err error) {
	rest := strings.TrimPrefix(name, tcpScheme)
	host, text, err := net.SplitHostPort(rest)
	if err != nil {
		host, text = strings.Trim(rest, "[]"), strconv.Itoa(rpc.DefaultPort)
	}
	port, err = strconv.Atoi(text)
	if err != nil || port < 1 || port > 65535 || host == "" {
		return "", 0, &hinted{fmt.Errorf("host %q: not a name with a port", name), "write tcp://NAME:PORT, an IPv6 address in brackets"}
	}
	return host, port, nil
}

// displayName is how a host is called on screens and in output: a tcp:// host by
// its name, with the port where it is not the usual one.
func displayName(name string) string {
	if name == "local" || name == "." {
		return localName()
	}
	host, port, err := splitTCP(name)
	switch {
	case err != nil:
		return name
	case port == rpc.DefaultPort:
		return host
	}
	return net.JoinHostPort(host, strconv.Itoa(port))
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
