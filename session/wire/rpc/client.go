package rpc

import (
	"cmp"
	"context"
	"errors"
	"net"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"perfdeck/session/wire/krb"
	"perfdeck/session/wire/smb"
)

// Options say where and how a client connects.
type Options struct {
	Address
	Account
	Tickets
	Calls
	Listeners
	logOns
}

// Address is where a host is, and what opens the stream to it.
type Address struct {
	Host    string // name or address
	Name    string // what errors call it, default Host
	Port    int    // default of the transport: SMBPort or DefaultPort
	Connect Transport
	Encrypt bool // refuse a host whose SMB cannot encrypt
	// On is a log-on over SMB on which the pipe is opened: that costs no log-on but that of the
	// calls. nil: it has one of its own.
	On *Shares

	pipeWait time.Duration // for the service behind the pipe; 0: smb.Options's
	dial     func(ctx context.Context, network, address string) (net.Conn, error)
}

// Account is who logs on.
type Account struct {
	Authentication Authentication
	User, Domain   string // User may be DOMAIN\name or name@domain
	// Password is asked once for each Dial that needs it. What it returns is wiped
	// after use.
	Password func(ctx context.Context) ([]byte, error)
	Turn     Turn // spaces log-ons by password; nil: nothing does
}

// Tickets are what Kerberos is used with.
type Tickets struct {
	Kerberos        *Kerberos // where they come from, for Authentication Kerberos
	RequireKerberos bool      // never NTLM
	SPN             string    // name that the host's ticket is for, default cifs/Host
}

// Calls are what a connection is for, and their limits.
type Calls struct {
	// Interfaces are what is bound to, default MSPCQ alone. A host need not serve
	// all: Client.Serves tells which.
	Interfaces   []Interface
	CallTimeout  time.Duration // of each call and of Dial where ctx has no earlier end, default 30 s; Rate adds to it
	Rate         *Rate         // bytes a second at most; nil: any number
	FragmentSize int           // of PDUs, bytes, both ways, default 65528
	Machine      string        // szMachine of the calls, default empty: the host itself
	SideBySide   bool          // ask that calls may be under way side by side, see Client.Do
	Go           func(func())  // starts a goroutine, which SideBySide needs
}

// Listeners hear of a connection.
type Listeners struct {
	Progress func(step, detail string) // each step of Dial that is done; may be nil
	Traffic  *Traffic                  // counts what goes over the line; may be nil
	Heard    *Heard                    // hears answers; may be nil
}

// DefaultPort is where perfdeck serves.
const DefaultPort = 14500

// Transport opens the stream that PDUs go over: TCP, or SMB's named pipe.
// Closing the connection must end its reads and writes.
type Transport func(ctx context.Context, o *Options) (net.Conn, error)

// TCP is the transport ncacn_ip_tcp.
func TCP(ctx context.Context, o *Options) (net.Conn, error) {
	return o.connect(ctx, DefaultPort)
}

// connect opens a TCP connection to the host.
func (o *Options) connect(ctx context.Context, usualPort int) (net.Conn, error) {
	nc, err := o.dial(ctx, "tcp", net.JoinHostPort(o.Host, strconv.Itoa(orDefault(o.Port, usualPort))))
	if err != nil {
		return nil, err
	}
	o.Progress("connect", nc.RemoteAddr().String())
	return o.Rate.slowed(o.Traffic.counted(nc)), nil
}

func (o *Options) setDefaults() {
	o.setStream()
	o.SPN = cmp.Or(o.SPN, "cifs/"+o.Host)
	if o.Connect == nil {
		o.Connect = TCP
	}
	if d, u, ok := strings.Cut(o.User, `\`); ok && o.Domain == "" {
		o.Domain, o.User = d, u
	}
	if o.Turn == nil {
		o.Turn = anyTime{}
	}
	if o.Progress == nil {
		o.Progress = func(string, string) {}
	}
	if o.dial == nil {
		o.dial = (&net.Dialer{}).DialContext
	}
	o.SideBySide = o.SideBySide && o.Go != nil
	o.taken = o.On != nil // by what it is on
}

// setStream sets what a stream needs of the options.
func (o *Options) setStream() {
	o.Name = cmp.Or(o.Name, o.Host)
	if len(o.Interfaces) == 0 {
		o.Interfaces = []Interface{MSPCQ}
	}
	o.CallTimeout = orDefault(o.CallTimeout, 30*time.Second) + o.Rate.extra()
	o.FragmentSize = min(max(orDefault(o.FragmentSize, maxFragmentSize), minFragmentSize), maxFragmentSize)
}

// Client is a connection to a host that calls over packet privacy, one call at a
// time, or those of one Do; several goroutines may use it. Every call ends at its
// deadline. After any error the connection is broken: dial a new one. But not after one
// of a call that was never sent, and not after a fault that says nothing against the
// connection.
type Client struct {
	o     Options
	nc    net.Conn
	wire  *wire
	sec   *initiator    // nil over a stream: see Over
	turn  chan struct{} // holds one token: whose turn it is
	cause atomic.Pointer[Error]

	bound      atomic.Pointer[[]bound] // by presentation context; nil: none yet
	sideBySide bool                    // the host takes several calls at a time
	sendMax    int                     // fragment size that the host takes
	receiveMax int                     // fragment size that the host sends
	callID     uint32
	reply      []byte
	about      Array // of a stream's Opening
}

// Dial connects, logs on with packet privacy and binds to the interfaces, of
// which the host has to serve one. NTLM over TCP tells of a refused log-on only
// at the first call.
func Dial(ctx context.Context, o Options) (*Client, error) {
	o.setDefaults()
	ctx, cancel := o.bound(ctx)
	defer cancel()
	c := &Client{o: o, turn: make(chan struct{}, 1), sendMax: o.FragmentSize}
	if err := c.o.prepare(ctx); err != nil {
		return nil, c.failure(ctx, opLogOn, err)
	}
	defer c.o.forget()
	var err error
	if c.nc, err = o.Connect(ctx, &c.o); err != nil {
		return nil, c.refused(ctx, "connect", err)
	}
	c.wire = newWire(c.nc, o.FragmentSize)
	stop := c.watch(ctx)
	c.sec = c.o.logOn(ctx, toCall)
	err = c.bind()
	if unheard, ok := errors.AsType[*unheardError](err); ok {
		err = c.o.atSMB(ctx, unheard.err)
	}
	if !stop() && err == nil {
		err = ctx.Err()
	}
	if err != nil {
		_ = c.nc.Close()
		return nil, c.refused(ctx, opLogOn, err)
	}
	o.Progress("bind", c.described())
	c.turn <- struct{}{}
	return c, nil
}

// refused is the error of a Dial. A ticket that the host did not take is
// forgotten: its key may have changed since.
func (c *Client) refused(ctx context.Context, op string, err error) error {
	e := c.failure(ctx, op, err)
	if e.logOn && c.o.tickets {
		c.o.Kerberos.Forget(ctx, c.o.SPN)
	}
	return e
}

// opLogOn is what errors of the log-on call it.
const opLogOn = "log on"

// described is what was bound to and as whom, for people.
func (c *Client) described() string {
	var names []string
	for _, b := range c.contexts() {
		if b.served {
			names = append(names, b.String())
		}
	}
	return strings.Join(names, " and ") + " with packet privacy, " + c.o.described()
}

// bound is an interface that was bound to.
type bound struct {
	Interface

	served bool
}

// Serves tells whether the host takes calls of the interface on this connection.
func (c *Client) Serves(i Interface) bool {
	_, served := c.contextOf(i)
	return served
}

// contextOf is the presentation context that the interface is called in.
func (c *Client) contextOf(i Interface) (id uint16, served bool) {
	for k, b := range c.contexts() {
		if b.syntax == i.syntax && b.served {
			return uint16(k), true
		}
	}
	return 0, false
}

// contexts are what was bound to by now, which others may read while more is bound to.
func (c *Client) contexts() []bound {
	if all := c.bound.Load(); all != nil {
		return *all
	}
	return nil
}

// Close ends the connection, and a call under way.
func (c *Client) Close() error {
	c.cause.CompareAndSwap(nil, &Error{Op: "call", Host: c.o.Name, Err: net.ErrClosed})
	return c.nc.Close()
}

// Err is why the connection is broken, nil while it is not.
func (c *Client) Err() error {
	if e := c.cause.Load(); e != nil {
		return e
	}
	return nil
}

// watch closes the connection when ctx ends, which nothing but a stop before
// prevents: so no peer can hold up a call.
func (c *Client) watch(ctx context.Context) (stop func() bool) {
	return context.AfterFunc(ctx, func() { _ = c.nc.Close() })
}

// failure is the error of an operation: the host's answer, or the end of ctx, or
// what happened.
func (c *Client) failure(ctx context.Context, op string, err error) *Error {
	e := &Error{Op: op, Host: c.o.Name, kerberos: c.o.tickets, logOn: op == opLogOn, taken: c.o.taken}
	e.classify(contextError(ctx, err))
	return e
}

// contextError prefers the end of ctx over what followed from it.
func contextError(ctx context.Context, err error) error {
	if _, ok := errors.AsType[Fault](err); ok {
		return err
	}
	switch ended := context.Cause(ctx); {
	case ended == nil:
		return err
	case errors.Is(ended, context.DeadlineExceeded):
		return endedAt(err, context.DeadlineExceeded)
	default:
		return ended
	}
}

// endedAt is the end of ctx at the step that err tells of.
func endedAt(err, ended error) error {
	if errors.Is(err, krb.ErrUnreachable) { // it says for whom was waited
		return err
	}
	if step, ok := errors.AsType[*smb.Error](err); ok {
		return &smb.Error{Step: step.Step, Op: step.Op, Err: ended}
	}
	if step, ok := errors.AsType[*krb.Error](err); ok {
		return &krb.Error{Op: step.Op, Err: ended}
	}
	return ended
}
