package rpc

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// Authentication is how a client logs on.
type Authentication uint8

// The ways to log on.
const (
	SPNEGO Authentication = iota // negotiated, which ends in NTLM today
	NTLM                         // plain NTLM
)

// Options say where and how a client connects.
type Options struct {
	Host    string // name or address; also what errors and szMachine say
	Port    int    // TCP, default 14500
	Connect Transport

	Authentication Authentication
	User, Domain   string // User may be DOMAIN\name or name@domain
	// Password is asked once for each Dial. What it returns is wiped after use.
	Password func(ctx context.Context) ([]byte, error)

	CallTimeout  time.Duration // of each call and of Dial where ctx has no earlier end, default 30 s
	FragmentSize int           // of PDUs, bytes, both ways, default 65528
	Machine      string        // szMachine of the calls, default empty: the host itself
}

// DefaultPort is where perfdeck serves.
const DefaultPort = 14500

// Transport opens the stream that PDUs go over: TCP, or a named pipe in byte
// mode. Closing the connection must end its reads and writes.
type Transport func(ctx context.Context, o *Options) (net.Conn, error)

// TCP is the transport ncacn_ip_tcp.
func TCP(ctx context.Context, o *Options) (net.Conn, error) {
	var d net.Dialer
	return d.DialContext(ctx, "tcp", net.JoinHostPort(o.Host, strconv.Itoa(o.Port)))
}

// FixedPassword is a Password that is always the same.
func FixedPassword(password string) func(context.Context) ([]byte, error) {
	return func(context.Context) ([]byte, error) { return []byte(password), nil }
}

func (o Options) withDefaults() Options {
	if o.Connect == nil {
		o.Connect = TCP
	}
	if d, u, ok := strings.Cut(o.User, `\`); ok && o.Domain == "" {
		o.Domain, o.User = d, u
	}
	o.Port = orDefault(o.Port, DefaultPort)
	o.CallTimeout = orDefault(o.CallTimeout, 30*time.Second)
	o.FragmentSize = min(max(orDefault(o.FragmentSize, maxFragmentSize), minFragmentSize), maxFragmentSize)
	return o
}

// Client is a connection to a host that calls over packet privacy, one call at a
// time; several goroutines may use it. Every call ends at its deadline. After
// any error, but one of a call that was never sent, the connection is broken:
// dial a new one.
type Client struct {
	o     Options
	nc    net.Conn
	wire  *wire
	sec   *initiator
	turn  chan struct{} // holds one token: whose turn it is
	cause atomic.Pointer[Error]

	sendMax int // fragment size that the host takes
	callID  uint32
	request []byte
	reply   []byte
}

// Dial connects, logs on with packet privacy and binds to the interface. NTLM
// tells of a refused log-on only at the first call.
func Dial(ctx context.Context, o Options) (*Client, error) {
	o = o.withDefaults()
	ctx, cancel := context.WithTimeout(ctx, o.CallTimeout)
	defer cancel()
	c := &Client{o: o, turn: make(chan struct{}, 1), sendMax: o.FragmentSize}
	var err error
	if c.sec, err = logOnOf(ctx, &o); err != nil {
		return nil, &Error{Op: "log on", Host: o.Host, Err: err}
	}
	if c.nc, err = o.Connect(ctx, &o); err != nil {
		return nil, &Error{Op: "connect", Host: o.Host, Err: contextError(ctx, err)}
	}
	c.wire = newWire(c.nc, o.FragmentSize)
	stop := c.watch(ctx)
	err = c.bind()
	if !stop() && err == nil {
		err = ctx.Err()
	}
	if err != nil {
		_ = c.nc.Close()
		return nil, c.failure(ctx, "log on", err)
	}
	c.turn <- struct{}{}
	return c, nil
}

// logOnOf asks for the password and prepares the log-on.
func logOnOf(ctx context.Context, o *Options) (*initiator, error) {
	if o.User == "" || o.Password == nil {
		return nil, errNoUser
	}
	password, err := o.Password(ctx)
	if err != nil {
		return nil, fmt.Errorf("password: %w", err)
	}
	hash := NTHash(password)
	clear(password)
	return newInitiator(o.Authentication, o.User, o.Domain, hash), nil
}

// Host is the host as it was given.
func (c *Client) Host() string { return c.o.Host }

// Close ends the connection, and a call under way.
func (c *Client) Close() error {
	c.cause.CompareAndSwap(nil, &Error{Op: "call", Host: c.o.Host, Err: net.ErrClosed})
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

// failure is the error of an operation: the fault, or the end of ctx, or what
// happened.
func (c *Client) failure(ctx context.Context, op string, err error) *Error {
	if f, ok := errors.AsType[Fault](err); ok {
		return &Error{Op: op, Host: c.o.Host, Code: Code(f)}
	}
	return &Error{Op: op, Host: c.o.Host, Err: contextError(ctx, err)}
}

// contextError prefers the end of ctx over what followed from it.
func contextError(ctx context.Context, err error) error {
	switch ended := ctx.Err(); {
	case ended == nil:
		return err
	case errors.Is(ended, context.DeadlineExceeded):
		return fmt.Errorf("no answer in time: %w", context.DeadlineExceeded)
	default:
		return ended
	}
}
