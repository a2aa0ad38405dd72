package main

import (
	"context"
	"fmt"
	"net"
	"path/filepath"
	"strconv"
	"strings"
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
func openTCP(p *program, name string) (session.Source, error) {
	o, err := p.dialOptions(name)
	if err != nil {
		return nil, err
	}
	lcid, _ := pcq.LCIDOf(p.locale())
	return pcq.New(pcq.Options{
		Host:     displayName(name),
		LCID:     lcid,
		Dial:     func(ctx context.Context) (pcq.Conn, error) { return rpc.Dial(ctx, o) },
		CacheDir: cacheDir(),
		Go:       p.guard.Go,
	}), nil
}

// dialOptions are how a tcp:// host is reached, with the password at hand.
func (p *program) dialOptions(name string) (rpc.Options, error) {
	host, port, err := splitTCP(name)
	if err != nil {
		return rpc.Options{}, usage(err)
	}
	who, err := p.credentialsFor(displayName(name))
	if err != nil {
		return rpc.Options{}, err
	}
	// Ask now, before the screens take the terminal.
	if _, err := who.get(context.Background()); err != nil {
		return rpc.Options{}, err
	}
	return rpc.Options{
		Host: host, Port: port, User: who.user, Domain: who.domain, Password: who.get, CallTimeout: callTimeout,
	}, nil
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
// place.
func cacheDir() string {
	dir, err := config.StateDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "catalogues")
}
