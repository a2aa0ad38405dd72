package rpc

import (
	"context"
	"encoding/binary"
	"fmt"
)

// call makes one call and hands its reply to take, which copies what it wants:
// the reply is valid only until take returns.
func (c *Client) call(ctx context.Context, r *request, take func(*reply)) error {
	op := r.op.name()
	if limit := r.op.maxInSize(); r.inSize > limit || len(r.identifiers) > MaxValidate {
		return &Error{Op: op, Host: c.o.Host, Code: CodeInvalidParameter, Err: fmt.Errorf("size is over %d", limit)}
	}
	ctx, cancel := context.WithTimeout(ctx, c.o.CallTimeout)
	defer cancel()
	select {
	case <-c.turn:
	case <-ctx.Done():
		return &Error{Op: op, Host: c.o.Host, Err: contextError(ctx, ctx.Err())}
	}
	defer func() { c.turn <- struct{}{} }()
	if e := c.cause.Load(); e != nil {
		return &Error{Op: op, Host: c.o.Host, Err: fmt.Errorf("%w: %w", ErrBroken, e)}
	}
	if ctx.Err() != nil { // nothing was sent: the connection stays
		return &Error{Op: op, Host: c.o.Host, Err: contextError(ctx, ctx.Err())}
	}
	stop := c.watch(ctx)
	p, err := c.exchange(r)
	if !stop() && err == nil {
		err = ctx.Err()
	}
	if err != nil {
		e := c.failure(ctx, op, err)
		c.cause.CompareAndSwap(nil, e)
		_ = c.nc.Close()
		return e
	}
	take(p)
	if cap(c.reply) > maxKeptStub {
		c.reply = nil
	}
	if cap(c.request) > maxKeptStub {
		c.request = nil
	}
	return nil
}

// exchange sends the request and reads its reply.
func (c *Client) exchange(r *request) (*reply, error) {
	c.callID++
	c.request = r.append(c.request[:0], c.o.Machine)
	if err := c.send(r.op, c.request); err != nil {
		return nil, err
	}
	stub, err := c.receive(r.maxReplyStub())
	if err != nil {
		return nil, err
	}
	return parseReply(r, stub)
}

// send sends a stub in as many fragments as it needs.
func (c *Client) send(op opnum, stub []byte) error {
	room := (c.sendMax - callHeaderSize - trailerSize - signatureSize) &^ (payloadAlignment - 1)
	total := len(stub)
	flags := uint8(flagFirst)
	for {
		part := stub[:min(room, len(stub))]
		stub = stub[len(part):]
		if len(stub) == 0 {
			flags |= flagLast
		}
		out := appendHeader(c.wire.out[:0], pduRequest, flags, c.callID)
		out = binary.LittleEndian.AppendUint32(out, uint32(total))
		out = binary.LittleEndian.AppendUint16(out, clientContext)
		out = binary.LittleEndian.AppendUint16(out, uint16(op))
		out, err := c.seal(append(out, part...))
		if err == nil {
			err = c.wire.write(out)
		}
		if err != nil || flags&flagLast != 0 {
			return err
		}
		flags = 0
	}
}

// seal protects a request PDU and fills in its lengths.
func (c *Client) seal(pdu []byte) ([]byte, error) {
	t := c.sec.trailer()
	t.pad = -(len(pdu) - callHeaderSize) & (payloadAlignment - 1)
	pdu = append(pdu, make([]byte, t.pad)...)
	end := len(pdu)
	pdu = t.append(pdu)
	setLengths(pdu, len(pdu)+signatureSize, signatureSize)
	signature, err := c.sec.seal(pdu, end)
	if err == nil && len(signature) != signatureSize {
		err = errLibrary
	}
	return append(pdu, signature...), err
}

// receive reads the fragments of a reply into one stub of at most limit bytes.
func (c *Client) receive(limit int) ([]byte, error) {
	c.reply = c.reply[:0]
	for {
		h, pdu, err := c.readPDU()
		if err != nil {
			return nil, err
		}
		part, err := c.unseal(h, pdu)
		if err != nil {
			return nil, err
		}
		first, last := h.flags&flagFirst != 0, h.flags&flagLast != 0
		switch {
		case first != (len(c.reply) == 0):
			return nil, fmt.Errorf("%w: fragments are out of order", errDamaged)
		case len(part) == 0 && !last:
			return nil, fmt.Errorf("%w: empty fragment", errDamaged)
		case len(part) > limit-len(c.reply):
			return nil, fmt.Errorf("%w: over %d bytes", errDamaged, limit)
		}
		c.reply = append(c.reply, part...)
		if last {
			return c.reply, nil
		}
	}
}

// unseal checks and deciphers a response PDU and returns its part of the stub.
func (c *Client) unseal(h header, pdu []byte) ([]byte, error) {
	if h.kind != pduResponse {
		return nil, fmt.Errorf("%w: PDU of type %d", errDamaged, h.kind)
	}
	body, t, signature := h.split(pdu)
	want := c.sec.trailer()
	switch {
	case h.auth == 0:
		return nil, errUnprotected
	case h.auth != signatureSize || t.kind != want.kind || t.level != want.level || t.context != want.context:
		return nil, fmt.Errorf("%w: protected in another way", errUnprotected)
	case len(body) < callHeaderSize+t.pad:
		return nil, fmt.Errorf("%w: response of %d bytes", errDamaged, len(pdu))
	}
	if err := c.sec.unseal(pdu[:len(pdu)-signatureSize], len(body), signature); err != nil {
		return nil, err
	}
	return body[callHeaderSize : len(body)-t.pad], nil
}
