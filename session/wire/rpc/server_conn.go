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
	sendMax  int // fragment size that the client takes
	serves   func(syntax) service
	contexts map[uint16]service // presentation contexts accepted
	secured  []*security
	several  chan struct{}  // holds a token for each call under way beside others; nil: there is one
	running  sync.WaitGroup // those
	writing  sync.Mutex     // guards what goes out
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
	object  [16]byte
	sec     *security // nil: not protected
	stub    []byte
}

// service answers the calls of an interface; without answer it is not served.
type service struct {
	answer func(c *serverConn, k *call) ([]byte, error)
	beside bool // its calls may be answered beside each other
}

// offered finds an interface: one that this package knows, or one of the options.
func (c *serverConn) offered(s syntax) service {
	switch {
	case s == syntaxPerflibV2 && c.o.Connect != nil:
		return service{answer: (*serverConn).resultPerflib}
	case s == syntaxBeside && c.stream:
		return service{answer: (*serverConn).resultBeside}
	case c.o.Interface == nil:
		return service{}
	}
	h := c.o.Interface(s.uuid, s.version)
	if h == nil {
		return service{}
	}
	return service{beside: true, answer: func(c *serverConn, k *call) ([]byte, error) {
		return h(c.ctx, &Call{Object: k.object, Op: uint16(k.op), Stub: k.stub, Account: k.sec.account()})
	}}
}

// errSilent is why idle connections are closed, and those of slow clients.
var errSilent = errors.New("the client was silent for too long")

// errProtocol marks what a client must not send.
var errProtocol = errors.New("the client breaks the protocol")

func newServerConn(ctx context.Context, s *Server, nc net.Conn, group uint32) *serverConn {
	c := &serverConn{server: s, o: &s.o, nc: nc, group: group, opened: time.Now(), contexts: map[uint16]service{}, sendMax: s.o.FragmentSize}
	c.serves = c.offered
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
	defer func() {
		if c.session != nil {
			c.session.Close()
		}
	}()
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
	c.running.Wait()
}

func (c *serverConn) loop() error {
	for {
		h, pdu, err := c.read()
		if errors.Is(err, errHeader) {
			return errors.Join(err, c.fault(h.callID, 0, FaultProtocol))
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

// write sends an answer of one PDU.
func (c *serverConn) write(pdu []byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	return c.writePart(pdu)
}

// writePart sends one PDU of an answer; c.writing is held.
func (c *serverConn) writePart(pdu []byte) error {
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
	return c.write(appendFault(nil, id, context, code))
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
