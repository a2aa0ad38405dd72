// Package server publishes the countersets of a source over MS-PCQ, so that
// any client of the protocol can browse and collect them.
//
// handler.go is what all connections share, publish.go the countersets as they
// are offered, connection.go the eight methods of one connection, query.go a
// query handle, identifier.go what is added to it, reading.go what is read for
// it. Beside them are the accounts of a server and a source that plays
// manifests.
//
// What the protocol has no room for is not published: text facts of instances,
// labels in other languages (all names are English), counters that this host
// cannot give.
package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync/atomic"
	"time"

	"perfdeck/session"
	"perfdeck/session/wire/rpc"
)

// Options say what is served and to whom. Those without a default must be set.
type Options struct {
	// Source is what is published. Nobody else may use it while Serve runs; the
	// caller closes it, or the Server.
	Source session.Source
	// Expose names the countersets to publish; empty: all but those of processes and threads.
	Expose []string
	// Accounts are those who may log on.
	Accounts Accounts
	// Pipe is served beside the listener of Serve: that of ListenSambaPipe. Nil:
	// there is none.
	Pipe net.Listener
	// Go starts a goroutine: one for each connection.
	Go func(func())
	// Report hears why connections ended early and log-ons were refused, from
	// several goroutines at once, and with a nil peer what is not published. Nil:
	// nobody does.
	Report func(peer net.Addr, err error)

	Name           string        // NetBIOS name shown to clients, default the host's
	MaxConnections int           `flag:"max-connections" help:"most connections that are logged on"` // default 64
	MaxPerAccount  int           `flag:"max-per-account" help:"most of them for one account (default three quarters)"`
	MaxPerAddress  int           `flag:"max-per-address" help:"most of them from one address, or IPv6 /64 (default three quarters)"`
	Idle           time.Duration // between calls, default 10 minutes
	LogonDelay     time.Duration // of the answer to a refused log-on, default 3 s
}

// ErrNoAccount says that nobody could log on.
var ErrNoAccount = errors.New("there is no account: a server without one does not start")

// maxRequest is the longest request that can make sense, in bytes: a call with
// as many identifiers as a handle takes, each with the longest name.
const maxRequest = maxIdentifiers * (identifierBytes + 2*maxNameUnits)

// Server publishes. What it publishes, and to whom, may be changed while it does. Use New.
type Server struct {
	o        Options
	rpc      *rpc.Server
	handler  atomic.Pointer[Handler]
	accounts atomic.Pointer[Accounts]
}

// New makes a server, which reads the catalogue of the source.
func New(ctx context.Context, o Options) (*Server, error) {
	if len(o.Accounts) == 0 {
		return nil, ErrNoAccount
	}
	s := &Server{o: o}
	s.accounts.Store(&o.Accounts)
	if err := s.SetSource(ctx, o.Source); err != nil {
		return nil, err
	}
	s.rpc = rpc.NewServer(rpc.ServerOptions{
		Go: o.Go, Accounts: s.find, Connect: func() rpc.Session { return s.handler.Load().connect() }, Report: o.Report,
		Name: o.Name, MaxConnections: o.MaxConnections, MaxPerAccount: o.MaxPerAccount, MaxPerAddress: o.MaxPerAddress, Idle: o.Idle,
		MaxRequest: maxRequest, LogonDelay: o.LogonDelay,
	})
	return s, nil
}

func (s *Server) find(name string) (hash [16]byte, ok bool) { return s.accounts.Load().Find(name) }

var (
	errRevoked = errors.New("its account is not there any more, or has another password")
	errRenewed = errors.New("what is published is another: log on again")
)

// SetAccounts are those who may log on from now on. The connections of others are ended.
func (s *Server) SetAccounts(to Accounts) {
	from := *s.accounts.Swap(&to)
	s.rpc.End(func(account string) bool {
		was, _ := from.Find(account)
		is, still := to.Find(account)
		return !still || was != is
	}, errRevoked)
}

// SetSource publishes another source from now on, and closes the one before. All connections are ended:
// clients ask for the countersets when they log on. With an error all stays as it was.
func (s *Server) SetSource(ctx context.Context, source session.Source) error {
	h, err := NewHandler(ctx, source, s.o.Expose)
	if err != nil {
		return err
	}
	if left := h.unpublished; len(left) > 0 && s.o.Report != nil {
		s.o.Report(nil, fmt.Errorf("%d countersets are not published, %s and what follows: at most %d can be", len(left), left[0], rpc.MaxEnumerate))
	}
	if old := s.handler.Swap(h); old != nil {
		s.rpc.End(func(string) bool { return true }, errRenewed)
		if err := old.close(); err != nil && s.o.Report != nil { // nobody reads it any more
			s.o.Report(nil, err)
		}
	}
	return nil
}

// Close closes what is published.
func (s *Server) Close() error { return s.handler.Load().close() }

// Published is how many countersets there are.
func (s *Server) Published() int { return len(s.handler.Load().sets) }

// Serve publishes until ctx ends, then returns nil when the last connection is
// gone. It closes l, which may be nil where there is a pipe, in any case.
func Serve(ctx context.Context, l net.Listener, o Options) error {
	s, err := New(ctx, o)
	if err != nil {
		for _, one := range o.listeners(l) {
			err = errors.Join(err, one.Close())
		}
		return err
	}
	return s.Serve(ctx, l)
}

func (o *Options) listeners(l net.Listener) (out []net.Listener) {
	for _, one := range []net.Listener{l, o.Pipe} {
		if one != nil {
			out = append(out, one)
		}
	}
	return out
}

// Serve is that of a server that was made.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	listeners := s.o.listeners(l)
	ctx, cancel := context.WithCancel(ctx) // one that fails ends the other
	defer cancel()
	if len(listeners) == 0 {
		return ErrNowhere
	}
	ended := make(chan error, len(listeners))
	for _, one := range listeners[1:] {
		s.o.Go(func() {
			ended <- s.rpc.Serve(ctx, one)
			cancel()
		})
	}
	err := s.rpc.Serve(ctx, listeners[0])
	cancel()
	for range listeners[1:] {
		err = errors.Join(err, <-ended)
	}
	return err
}

// ErrNowhere says that there is neither a listener nor a pipe.
var ErrNowhere = errors.New("there is nothing to listen on")
