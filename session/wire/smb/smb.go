// Package smb is an SMB2 client that exchanges messages over named pipes and reads files:
// several at once over one log-on. Every message after the log-on is signed or encrypted,
// guests and anonymous sessions are refused, and nothing happens in the background but that
// what was closed is given back to the host.
//
// Sources: MS-SMB2 (protocol, 3.2 for what a client checks), MS-FSCC (control
// codes), RFC 4493 (CMAC), RFC 3610 (CCM), NIST SP 800-108 (keys).
package smb

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
)

// Dialect is a revision of the protocol, MS-SMB2 2.2.3.
type Dialect uint16

// The dialects that are spoken.
const (
	Dialect210 Dialect = 0x0210
	Dialect300 Dialect = 0x0300
	Dialect302 Dialect = 0x0302
	Dialect311 Dialect = 0x0311
)

func (d Dialect) String() string {
	minor, patch := d>>4&0xf, d&0xf
	if patch == 0 {
		return fmt.Sprintf("SMB %d.%d", d>>8, minor)
	}
	return fmt.Sprintf("SMB %d.%d.%d", d>>8, minor, patch)
}

// Logon is the client's end of a log-on that SESSION_SETUP carries.
type Logon interface {
	// Step takes the host's token, nil at first, and makes the next one. done
	// tells that nothing is expected from the host after it.
	Step(token []byte) (next []byte, done bool, err error)
	// SessionKey is known once the log-on is done.
	SessionKey() []byte
}

// Options say where to log on, and how that is protected.
type Options struct {
	Server string // name or address, as the paths of shares have it
	Logon  Logon

	Encrypt  bool      // refuse a host that cannot encrypt
	Dialects []Dialect // offered, ascending, default all

	// Progress hears of every step that is done; may be nil.
	Progress func(Step, string)
}

// Step is a part of opening a pipe or a share.
type Step uint8

// The steps, in their order.
const (
	Negotiated Step = iota
	LoggedOn
	Connected
	Opened
)

func (o *Options) setDefaults() {
	if len(o.Dialects) == 0 {
		o.Dialects = []Dialect{Dialect210, Dialect300, Dialect302, Dialect311}
	}
	if o.Progress == nil {
		o.Progress = func(Step, string) {}
	}
}

// Session is a log-on of which shares, pipes and files are opened. It lasts as long as one of
// them does. Several goroutines may use it, and none waits for another.
type Session struct {
	c          *conn
	o          Options
	connecting chan struct{} // holds one token: whose turn it is
	trees      map[string]*tree
	checked    bool // that the negotiation was not changed

	mu    sync.Mutex
	users int // pipes, files, shares, and who opened it
}

// Connect negotiates and logs on over nc, which it does not close on failure. To end the
// wait for a message, close nc.
func Connect(nc net.Conn, o Options) (*Session, error) {
	o.setDefaults()
	return newConn(nc).logOn(o)
}

func (c *conn) logOn(o Options) (*Session, error) {
	if err := c.negotiate(&o); err != nil {
		return nil, &Error{Negotiated, "negotiate SMB", err}
	}
	o.Progress(Negotiated, c.describe())
	if err := c.setUp(&o); err != nil {
		return nil, &Error{LoggedOn, "log on over SMB", err}
	}
	o.Progress(LoggedOn, c.protected())
	s := &Session{c: c, o: o, connecting: make(chan struct{}, 1), trees: map[string]*tree{}, users: 1}
	s.connecting <- struct{}{}
	return s, nil
}

// Speaks tells whether what listens at the other end answers SMB.
func Speaks(nc net.Conn) bool {
	o := Options{}
	o.setDefaults()
	err := newConn(nc).negotiate(&o)
	return err == nil || errors.Is(err, ErrDialect)
}

// join counts one more who uses the session.
func (s *Session) join() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.users++
}

// leave counts one out. With the last one the connection ends, by which the host ends
// everything that is open on it.
func (s *Session) leave() (last bool) {
	s.mu.Lock()
	s.users--
	last = s.users == 0
	s.mu.Unlock()
	if last {
		s.c.fail(net.ErrClosed)
	}
	return last
}

// Close tells that who opened the session opens nothing more of it.
func (s *Session) Close() error {
	s.leave()
	return nil
}

// Err is why the connection is broken, nil while it is not.
func (s *Session) Err() error {
	s.c.mu.Lock()
	defer s.c.mu.Unlock()
	return s.c.err
}

// connect connects to a share, once.
func (s *Session) connect(ctx context.Context, share string, kind byte) (*tree, error) {
	select {
	case <-s.connecting:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	defer func() { s.connecting <- struct{}{} }()
	if t := s.trees[share]; t != nil {
		return t, nil
	}
	u, stop := s.c.within(ctx)
	defer stop()
	t, err := s.c.connectTree(u, s.o.Server, share, kind)
	if err != nil {
		return nil, &Error{Connected, "connect to " + share, err}
	}
	if !s.checked {
		if err := s.c.validate(u, t, s.o.Dialects); err != nil {
			return nil, &Error{Connected, "check the SMB negotiation", err}
		}
		s.checked = true
	}
	s.trees[share] = t
	s.o.Progress(Connected, "")
	return t, nil
}

// Error tells at which step opening a pipe or a share failed.
type Error struct {
	Step Step // that was not done
	Op   string
	Err  error
}

func (e *Error) Error() string { return e.Op + ": " + e.Err.Error() }
func (e *Error) Unwrap() error { return e.Err }

// Status is an NTSTATUS by which a host refuses, MS-ERREF 2.3.
type Status uint32

func (s Status) Error() string { return fmt.Sprintf("status 0x%08X", uint32(s)) }

// Statuses that change what happens next.
const (
	statusOK             Status = 0
	statusPending        Status = 0x00000103
	statusBufferOverflow Status = 0x80000005
	statusNoMore         Status = 0x80000006
	statusEndOfFile      Status = 0xC0000011
	statusMoreProcessing Status = 0xC0000016
	statusNameNotFound   Status = 0xC0000034
	statusNotAvailable   Status = 0xC00000AC // STATUS_PIPE_NOT_AVAILABLE
)

// offers tells whether a dialect was offered.
func (o *Options) offers(d Dialect) bool { return slices.Contains(o.Dialects, d) }
