package rpc

import (
	"context"
	"errors"
	"net"
	"slices"
	"sync/atomic"
)

// A stream is a connection whose two ends know each other already: the pipe of a
// program that ssh has logged on for. Calls go over it as they are, without the
// protocol's own log-on and protection. Only Over and ServeStream use one: no
// connection of Dial or of a Server can become a stream, whatever its peer sends.

// Opening is what a client of a stream sends before it has heard anything: it binds, and
// where it binds to OwnBeside it asks for a description. It may be sent on ahead, before
// there is anybody at the other end: see Over.
func Opening(o Options) []byte {
	o.setStream()
	c := &Client{o: o, callID: bindID, wire: &wire{}}
	out := slices.Clone(appendToken(c.appendBind(pduBind, 0, 0), trailer{}, nil))
	at := slices.Index(o.Interfaces, OwnSideChannel)
	if at < 0 {
		return out
	}
	f := fragments{kind: pduRequest, callID: openingID, context: uint16(at), op: opening.op, max: minFragmentSize,
		protect: unprotected, write: func(pdu []byte) error { out = append(out, pdu...); return nil }}
	_ = f.send(nil, opening.args()) // to memory
	return out
}

// Calls of an Opening.
const (
	bindID uint32 = iota + 1
	openingID
)

var opening = sideRequest{op: opDescribe, inSize: MaxDescription}

// Over binds to the interfaces of whoever is at the other end of a stream, which the
// client closes, and to whom the Opening of the same options was sent. Of the options those
// about who logs on, and how, say nothing here.
func Over(ctx context.Context, stream net.Conn, o Options) (*Client, error) {
	o.setStream()
	ctx, cancel := context.WithTimeout(ctx, o.CallTimeout)
	defer cancel()
	c := &Client{o: o, turn: make(chan struct{}, 1), sendMax: o.FragmentSize, callID: bindID}
	c.nc = o.Rate.slowed(o.Traffic.counted(stream))
	c.wire = newWire(c.nc, o.FragmentSize)
	stop := c.watch(ctx)
	err := c.opened()
	if !stop() && err == nil {
		err = ctx.Err()
	}
	if err != nil {
		_ = c.nc.Close()
		return nil, c.failure(ctx, "bind", err)
	}
	c.turn <- struct{}{}
	return c, nil
}

// opened reads the answers to an Opening.
func (c *Client) opened() error {
	ack, _, err := c.readBindAck(pduBindAck)
	if err != nil {
		return err
	}
	c.sendMax = min(c.sendMax, int(ack.maxReceive))
	if !slices.Contains(c.o.Interfaces, OwnSideChannel) {
		return nil
	}
	c.callID = openingID
	stub, err := c.receive(opening.maxReplyStub())
	if _, refused := errors.AsType[Fault](err); refused {
		return nil
	}
	if err != nil {
		return err
	}
	about, err := parseBesideReply(&opening, stub)
	c.about = Array{Code: about.Code, Needed: about.Needed, Data: slices.Clone(about.Data)}
	return err
}

// About is how the other end of a stream described itself when it was opened; without
// data where it does not serve OwnBeside.
func (c *Client) About() Array { return c.about }

// unprotected fills in the lengths of a PDU that goes out as it is.
func unprotected(pdu []byte) ([]byte, error) {
	setLengths(pdu, len(pdu), 0)
	return pdu, nil
}

// ServeStream answers the calls that come over one stream until it ends, its client
// has been silent for longer than Idle, or ctx ends. Of the options those about
// accounts and numbers of connections say nothing here. It closes the stream.
func ServeStream(ctx context.Context, stream net.Conn, o ServerOptions) {
	o = o.withDefaults()
	c := newServerConn(ctx, &Server{o: o}, stream, 1)
	c.stream = true
	c.known.Store(true)
	stop := context.AfterFunc(c.ctx, func() { _ = stream.Close() })
	defer stop()
	defer c.cancel()
	c.serve()
}

// Traffic counts the bytes that go over connections, both ways, and how often answers to
// calls were waited for. The zero value is ready; connections may share one.
type Traffic struct{ n, waits atomic.Uint64 }

// Waits is how often calls waited for an answer, side by side or one after the other; what
// logging on waits for does not count.
func (t *Traffic) Waits() uint64 { return t.waits.Load() }

func (t *Traffic) waited(times int) {
	if t != nil {
		t.waits.Add(uint64(times))
	}
}

// Bytes is how many went so far.
func (t *Traffic) Bytes() uint64 { return t.n.Load() }

// counted is nc with its bytes counted; a nil Traffic counts nothing.
func (t *Traffic) counted(nc net.Conn) net.Conn {
	if t == nil {
		return nc
	}
	return &countedConn{Conn: nc, traffic: t}
}

type countedConn struct {
	net.Conn
	traffic *Traffic
}

func (c *countedConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.traffic.n.Add(uint64(n))
	return n, err //nolint:wrapcheck // it stands for the connection
}

func (c *countedConn) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	c.traffic.n.Add(uint64(n))
	return n, err //nolint:wrapcheck // it stands for the connection
}
