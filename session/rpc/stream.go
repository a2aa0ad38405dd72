package rpc

import (
	"context"
	"fmt"
	"net"
)

// A stream is a connection whose two ends know each other already: the pipe of a
// program that ssh has logged on for. Calls go over it as they are, without the
// protocol's own log-on and protection. Only Over and ServeStream use one: no
// connection of Dial or of a Server can become a stream, whatever its peer sends.

// Over binds to the interfaces of whoever is at the other end of a stream, which the
// client closes. Of the options those about who logs on, and how, say nothing here.
func Over(ctx context.Context, stream net.Conn, o Options) (*Client, error) {
	if len(o.Interfaces) == 0 {
		o.Interfaces = []Interface{MSPCQ}
	}
	if o.Name == "" {
		o.Name = o.Host
	}
	o.setLimits()
	ctx, cancel := context.WithTimeout(ctx, o.CallTimeout)
	defer cancel()
	c := &Client{o: o, turn: make(chan struct{}, 1), sendMax: o.FragmentSize}
	c.nc = o.Traffic.counted(stream)
	c.wire = newWire(c.nc, o.FragmentSize)
	stop := c.watch(ctx)
	err := c.bindStream()
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

// bindStream binds without a log-on.
func (c *Client) bindStream() error {
	c.callID++
	if err := c.wire.write(appendToken(c.appendBind(pduBind, 0, 0), trailer{}, nil)); err != nil {
		return err
	}
	ack, _, err := c.readBindAck(pduBindAck)
	if err != nil {
		return err
	}
	c.sendMax = min(c.sendMax, int(ack.maxReceive))
	return nil
}

// unprotected fills in the lengths of a PDU that goes out as it is.
func unprotected(pdu []byte) ([]byte, error) {
	setLengths(pdu, len(pdu), 0)
	return pdu, nil
}

// plainPart is the part of the stub in a response without protection.
func plainPart(h header, pdu []byte) ([]byte, error) {
	if h.auth != 0 || len(pdu) < callHeaderSize {
		return nil, fmt.Errorf("%w: response of %d bytes, %d of them protection", errDamaged, len(pdu), h.auth)
	}
	return pdu[callHeaderSize:], nil
}

// ServeStream answers the calls that come over one stream until it ends, its client
// has been silent for longer than Idle, or ctx ends. Of the options those about
// accounts and numbers of connections say nothing here. It closes the stream.
func ServeStream(ctx context.Context, stream net.Conn, o ServerOptions) {
	o = o.withDefaults()
	c := newServerConn(ctx, &Server{o: o}, stream, 1)
	c.stream = true
	c.known.Store(true)
	c.served = append(c.served, syntaxBeside)
	stop := context.AfterFunc(c.ctx, func() { _ = stream.Close() })
	defer stop()
	defer c.cancel()
	c.serve()
}
