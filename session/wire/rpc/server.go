package rpc

import (
	"context"
	"errors"
	"net"
	"os"
	"slices"
	"sync"
	"time"

	"perfdeck/session"
	"perfdeck/session/wire/krb"
)

// Session answers the calls of one connection, one at a time. Its handles are
// its own: one it does not know is answered by Fault(FaultContextMismatch). It
// is asked only over packet privacy and by a logged-on account. What it returns
// in an Array must stay as it is until its next call.
type Session interface {
	PerflibV2
	// Close ends the session and everything it holds: its connection is gone.
	Close()
}

// Call is a call of an interface that is found by ServerOptions.Interface.
type Call struct {
	Object  [16]byte // whose method it is, as DCOM has it; zero: nobody's
	Op      uint16
	Stub    []byte // of the arguments, until the call is answered
	Account string // that is logged on, where the call came over packet privacy; else empty
}

// Handler makes the stub of the reply to a call; a Fault in its error is the answer. Of a
// connection that takes several calls at once, they are answered beside each other.
type Handler func(ctx context.Context, c *Call) ([]byte, error)

// ServerOptions say how a Server serves. Those without a default must be set.
type ServerOptions struct {
	// Go starts a goroutine: one for each connection.
	Go func(func())
	// Accounts finds those who may log on.
	Accounts Accounts
	// Connect begins the session of a new connection. It is called when the first
	// call over packet privacy arrives. Nil: PerflibV2 is not served.
	Connect func() Session
	// Interface finds who answers the calls of another interface, nil where none does: at each
	// bind, so that there may be more of them later.
	Interface func(id [16]byte, version uint32) Handler
	// Tickets are what Kerberos is taken by; nil: it is not.
	Tickets *krb.Service
	// Report hears why connections ended early and log-ons were refused; it may be
	// called by several goroutines at once. Nil: nobody does.
	Report func(peer net.Addr, err error)

	Name                string        // NetBIOS name shown to clients, default the host's
	MaxConnections      int           // that are logged on, default 64; as many besides may be about to log on
	MaxPerAccount       int           // of them for one account, default three quarters
	MaxPerAddress       int           // of them from one address, an IPv6 /64, default three quarters
	Idle                time.Duration // between calls, default 10 minutes
	Handshake           time.Duration // until the log-on is done, and for each PDU once begun, default 30 s
	FragmentSize        int           // of PDUs, bytes, both ways, default 65528
	MaxRequest          int           // of a request's arguments, bytes, default 16 MiB
	LogonsPerConnection int           // that one may be protected by, default 8
	Calls               int           // of Interface under way at once on a connection, default 1: no client may send several
	LogonDelay          time.Duration // of the answer to a refused log-on, default 3 s
	LogonsPerDelay      int           // refused log-ons of an account from an address in LogonDelay, default 4; more are not checked
	maxRequestUnknown   int           // of a request below packet privacy
}

func (o ServerOptions) withDefaults() ServerOptions {
	if o.Name == "" {
		o.Name, _ = os.Hostname()
	}
	o.Name = o.Name[:min(len(o.Name), maxNetBIOSName)]
	if o.Report == nil {
		o.Report = func(net.Addr, error) {}
	}
	o.MaxConnections = orDefault(o.MaxConnections, 64)
	o.MaxPerAccount = orDefault(o.MaxPerAccount, (3*o.MaxConnections+3)/4)
	o.MaxPerAddress = orDefault(o.MaxPerAddress, (3*o.MaxConnections+3)/4)
	o.Idle = orDefault(o.Idle, 10*time.Minute)
	o.Handshake = orDefault(o.Handshake, 30*time.Second)
	o.FragmentSize = min(max(orDefault(o.FragmentSize, maxFragmentSize), minFragmentSize), maxFragmentSize)
	o.MaxRequest = orDefault(o.MaxRequest, 16<<20)
	o.LogonsPerConnection = orDefault(o.LogonsPerConnection, 8)
	o.Calls = orDefault(o.Calls, 1)
	o.LogonDelay = orDefault(o.LogonDelay, 3*time.Second)
	o.LogonsPerDelay = orDefault(o.LogonsPerDelay, 4)
	o.maxRequestUnknown = min(o.MaxRequest, 64<<10)
	return o
}

// maxNetBIOSName is how long such a name may be.
const maxNetBIOSName = 15

func orDefault[T int | time.Duration](v, fallback T) T {
	if v <= 0 {
		return fallback
	}
	return v
}

// Server accepts connections and hands their calls to sessions.
type Server struct {
	o        ServerOptions
	throttle *throttle

	mu      sync.Mutex
	conns   []*serverConn // in the order of their coming
	leaving []*serverConn // that made room and are told so
	group   uint32        // association groups given so far
}

// NewServer makes a server; Serve runs it.
func NewServer(o ServerOptions) *Server {
	o = o.withDefaults()
	return &Server{o: o, throttle: newThrottle(o.LogonsPerDelay, o.LogonDelay)}
}

// Serve accepts connections from l until ctx ends or l fails. It closes l and
// returns when the last connection is gone; its error is nil when ctx ended.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	stop := context.AfterFunc(ctx, func() {
		_ = l.Close()
		s.closeAll()
	})
	defer running.Wait()
	defer s.closeAll()
	defer l.Close()
	defer stop()
	defer cancel()
	for {
		nc, err := l.Accept()
		if ctx.Err() != nil {
			if err == nil {
				_ = nc.Close()
			}
			return nil
		}
		if err != nil {
			var pause interface{ Temporary() bool } // descriptors are short, or the peer has gone
			if errors.As(err, &pause) && pause.Temporary() && session.Sleep(ctx, acceptPause) {
				continue
			}
			return err
		}
		c := s.admit(ctx, nc)
		running.Add(1)
		s.o.Go(func() {
			defer running.Done()
			defer s.release(c)
			c.serve()
		})
	}
}

// End ends the connections that are logged on by an account of which gone is true, and says why.
func (s *Server) End(gone func(account string) bool, why error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.conns {
		if slices.ContainsFunc(c.accounts, gone) {
			c.end(why)
		}
	}
}

// acceptPause is between attempts to accept while descriptors are short.
const acceptPause = 50 * time.Millisecond
