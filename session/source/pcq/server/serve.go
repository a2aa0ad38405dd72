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
	"time"

	"perfdeck/session"
	"perfdeck/session/wire/rpc"
)

// Options say what is served and to whom. Those without a default must be set.
type Options struct {
	// Source is what is published. Nobody else may use it while Serve runs; the
	// caller closes it.
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
	MaxConnections int           // that are logged on, default 64
	MaxPerAccount  int           // of them for one account, default three quarters
	MaxPerAddress  int           // of them from one address, default three quarters
	Idle           time.Duration // between calls, default 10 minutes
	LogonDelay     time.Duration // of the answer to a refused log-on, default 3 s
}

// ErrNoAccount says that nobody could log on.
var ErrNoAccount = errors.New("there is no account: a server without one does not start")

// maxRequest is the longest request that can make sense, in bytes: a call with
// as many identifiers as a handle takes, each with the longest name.
const maxRequest = maxIdentifiers * (identifierBytes + 2*maxNameUnits)

// Serve publishes until ctx ends, then returns nil when the last connection is
// gone. It closes l, which may be nil where there is a pipe, in any case.
func Serve(ctx context.Context, l net.Listener, o Options) error {
	var listeners []net.Listener
	for _, one := range []net.Listener{l, o.Pipe} {
		if one != nil {
			listeners = append(listeners, one)
		}
	}
	h, err := o.handler(ctx)
	if err != nil {
		for _, one := range listeners {
			err = errors.Join(err, one.Close())
		}
		return err
	}
	s := rpc.NewServer(rpc.ServerOptions{
		Go: o.Go, Accounts: o.Accounts.Find, Connect: h.Connect, Report: o.Report,
		Name: o.Name, MaxConnections: o.MaxConnections, MaxPerAccount: o.MaxPerAccount, MaxPerAddress: o.MaxPerAddress, Idle: o.Idle,
		MaxRequest: maxRequest, LogonDelay: o.LogonDelay,
	})
	ctx, cancel := context.WithCancel(ctx) // one that fails ends the other
	defer cancel()
	if len(listeners) == 0 {
		return ErrNowhere
	}
	ended := make(chan error, len(listeners))
	for _, one := range listeners[1:] {
		o.Go(func() {
			ended <- s.Serve(ctx, one)
			cancel()
		})
	}
	err = s.Serve(ctx, listeners[0])
	cancel()
	for range listeners[1:] {
		err = errors.Join(err, <-ended)
	}
	return err
}

// ErrNowhere says that there is neither a listener nor a pipe.
var ErrNowhere = errors.New("there is nothing to listen on")

// handler makes what all connections share.
func (o *Options) handler(ctx context.Context) (*Handler, error) {
	if len(o.Accounts) == 0 {
		return nil, ErrNoAccount
	}
	h, err := NewHandler(ctx, o.Source, o.Expose)
	if err != nil {
		return nil, err
	}
	if left := h.Unpublished(); len(left) > 0 && o.Report != nil {
		o.Report(nil, fmt.Errorf("%d countersets are not published, %s and what follows: at most %d can be", len(left), left[0], rpc.MaxEnumerate))
	}
	return h, nil
}
