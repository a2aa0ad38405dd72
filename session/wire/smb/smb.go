// Package smb is an SMB2 client for one purpose: to open a named pipe and to
// exchange messages over it. Every message after the log-on is signed or
// encrypted, guests and anonymous sessions are refused, and nothing happens in
// the background: closing the connection below ends whatever is under way.
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
	"time"
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

// Options say what is opened and how it is protected.
type Options struct {
	Server string // name or address, as the path of the share has it
	Pipe   string // without \PIPE\
	Logon  Logon

	Encrypt  bool      // refuse a host that cannot encrypt
	Dialects []Dialect // offered, ascending, default all

	// Wait is how long a pipe that is not there is asked for again: Windows
	// starts the service behind it when it is asked for. Default 10 s; negative:
	// not at all. Waits hears of it, before.
	Wait  time.Duration
	Waits func(time.Duration)
	// Progress hears of every step that is done; may be nil.
	Progress func(Step, string)
}

// Step is a part of opening a pipe.
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
	if o.Wait == 0 {
		o.Wait = 10 * time.Second
	}
	if o.Waits == nil {
		o.Waits = func(time.Duration) {}
	}
	if o.Progress == nil {
		o.Progress = func(Step, string) {}
	}
}

// Open negotiates, logs on and opens the pipe over nc, which it does not close
// on failure. When ctx ends it gives up between messages; to end the wait for
// one, close nc.
func Open(ctx context.Context, nc net.Conn, o Options) (*Pipe, error) {
	o.setDefaults()
	return newConn(nc).open(ctx, o)
}

// Speaks tells whether what listens at the other end answers SMB.
func Speaks(nc net.Conn) bool {
	o := Options{}
	o.setDefaults()
	err := newConn(nc).negotiate(&o)
	return err == nil || errors.Is(err, ErrDialect)
}

func (c *conn) open(ctx context.Context, o Options) (*Pipe, error) {
	if err := c.negotiate(&o); err != nil {
		return nil, &Error{Negotiated, "negotiate SMB", err}
	}
	o.Progress(Negotiated, c.describe())
	if err := c.setUp(&o); err != nil {
		return nil, &Error{LoggedOn, "log on over SMB", err}
	}
	o.Progress(LoggedOn, c.protection())
	if err := c.connectTree(&o); err != nil {
		return nil, &Error{Connected, `connect to IPC$`, err}
	}
	if err := c.validate(&o); err != nil {
		return nil, &Error{Connected, "check the SMB negotiation", err}
	}
	o.Progress(Connected, "")
	p, err := c.openPipe(ctx, &o)
	if err != nil {
		return nil, &Error{Opened, `open \PIPE\` + o.Pipe, err}
	}
	return p, nil
}

// Error tells at which step opening a pipe failed.
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
	statusMoreProcessing Status = 0xC0000016
	statusNameNotFound   Status = 0xC0000034
	statusNotAvailable   Status = 0xC00000AC // STATUS_PIPE_NOT_AVAILABLE
)

// offers tells whether a dialect was offered.
func (o *Options) offers(d Dialect) bool { return slices.Contains(o.Dialects, d) }
