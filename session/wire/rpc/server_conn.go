package rpc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// serverConn is one connection of a server. One goroutine serves it.
type serverConn struct {
	server *Server
	o      *ServerOptions
	stream bool // of ServeStream alone: whoever holds it is known, and nobody logs on
	ctx    context.Context
	cancel context.CancelFunc
	nc     net.Conn
	group  uint32
	once   sync.Once // closes the connection

	known    atomic.Bool               // has logged on with packet privacy
	refused  atomic.Bool               // its log-on was refused, which it hears late
	leaves   atomic.Pointer[time.Time] // until when it may ask why it makes room; nil: it need not
	accounts []string                  // that are logged on with packet privacy; the server's mutex guards it

	wire     *wire
	opened   time.Time
	bound    bool
	sendMax  int               // fragment size that the client takes
	served   []syntax          // interfaces
	contexts map[uint16]syntax // presentation contexts accepted
	secured  []*security
	call     call
	session  Session
	stub     []byte // of the last reply
	data     []byte // of the last collection
}

// call is the request being put together from fragments.
type call struct {
	active  bool
	id      uint32
	context uint16
	op      opnum
	sec     *security // nil: not protected
	stub    []byte
}

// errSilent is why idle connections are closed, and those of slow clients.
var errSilent = errors.New("the client was silent for too long")

// errProtocol marks what a client must not send.
var errProtocol = errors.New("the client breaks the protocol")

func newServerConn(ctx context.Context, s *Server, nc net.Conn, group uint32) *serverConn {
	c := &serverConn{server: s, o: &s.o, nc: nc, group: group, opened: time.Now(), contexts: map[uint16]syntax{}, served: []syntax{syntaxPerflibV2}, sendMax: s.o.FragmentSize}
	c.ctx, c.cancel = context.WithCancel(ctx)
	c.wire = newWire(nc, s.o.FragmentSize)
	return c
}

// end closes the connection, which ends its goroutine.
func (c *serverConn) end(why error) {
	c.once.Do(func() {
		c.cancel()
		_ = c.nc.Close()
		if why != nil {
			c.o.Report(c.nc.RemoteAddr(), why)
		}
	})
}

func (c *serverConn) serve() {
	defer c.closeSession()
	err := c.loop()
	switch {
	case errors.Is(err, io.EOF) || c.ctx.Err() != nil:
		err = nil // the client or the server has gone, as they may
	case errors.Is(err, errLogOn):
		err = nil // it was told
	case errors.Is(err, os.ErrDeadlineExceeded):
		err = errSilent
	}
	c.end(err)
}

func (c *serverConn) closeSession() {
	if c.session != nil {
		c.session.Close()
	}
}

func (c *serverConn) loop() error {
	for {
		h, pdu, err := c.read()
		if errors.Is(err, errHeader) {
			return errors.Join(err, c.write(appendFault(c.wire.out[:0], h.callID, 0, FaultProtocol)))
		}
		if err != nil {
			return err
		}
		if err := c.handle(h, pdu); err != nil {
			return err
		}
	}
}

// read waits for the next PDU: as long as clients may be idle for its first
// bytes, and much shorter for the rest.
func (c *serverConn) read() (header, []byte, error) {
	until := time.Now().Add(c.o.Idle)
	if limit := c.opened.Add(c.o.Handshake); !c.known.Load() && limit.Before(until) {
		until = limit
	}
	c.limit(c.nc.SetReadDeadline, until)
	h, err := c.wire.readHeader()
	if err != nil {
		return h, nil, err
	}
	c.limit(c.nc.SetReadDeadline, time.Now().Add(c.o.Handshake))
	pdu, err := c.wire.readBody(h)
	return h, pdu, err
}

func (c *serverConn) write(pdu []byte) error {
	c.limit(c.nc.SetWriteDeadline, time.Now().Add(c.o.Handshake))
	return c.wire.write(pdu)
}

// limit sets a deadline, which is none later than that of a connection that leaves,
// whenever it was told to.
func (c *serverConn) limit(set func(time.Time) error, until time.Time) {
	_ = set(until)
	if leaves := c.leaves.Load(); leaves != nil && leaves.Before(until) {
		_ = set(*leaves)
	}
}

// fault answers a call by a fault.
func (c *serverConn) fault(id uint32, context uint16, code Code) error {
	return c.write(appendFault(c.wire.out[:0], id, context, code))
}

// refuse answers by a fault and ends the connection with the error.
func (c *serverConn) refuse(h header, code Code, why error) error {
	return errors.Join(why, c.fault(h.callID, 0, code))
}

func (c *serverConn) handle(h header, pdu []byte) error {
	if c.leaves.Load() != nil {
		return c.sendAway(h)
	}
	switch h.kind {
	case pduBind:
		if c.bound {
			return c.refuse(h, FaultProtocol, fmt.Errorf("%w: second bind", errProtocol))
		}
		return c.bind(h, pdu)
	case pduAlter, pduAuth3, pduRequest, pduCancel, pduOrphaned:
		if !c.bound {
			return c.refuse(h, FaultProtocol, fmt.Errorf("%w: no bind", errProtocol))
		}
	}
	switch h.kind {
	case pduAlter:
		return c.bind(h, pdu)
	case pduAuth3:
		return c.auth3(h, pdu)
	case pduRequest:
		return c.request(h, pdu)
	case pduCancel: // calls are short: they are answered
		return nil
	case pduOrphaned:
		c.call.active = false
		return nil
	}
	return c.refuse(h, FaultProtocol, fmt.Errorf("%w: PDU of type %d", errProtocol, h.kind))
}

// sendAway answers what a connection says that makes room for others.
func (c *serverConn) sendAway(h header) error {
	switch h.kind {
	case pduAuth3: // has no answer; what follows it has
		return nil
	case pduBind:
		return c.refuseBind(h, nakCongestion, CodeServerTooBusy, errEvicted)
	}
	return c.refuse(h, CodeServerTooBusy, errEvicted)
}
