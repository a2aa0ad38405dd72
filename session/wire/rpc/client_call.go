package rpc

import (
	"context"
	"encoding/binary"
	"fmt"
	"time"
)

// call makes one call.
func (c *Client) call(ctx context.Context, k *Outgoing) error {
	if err := c.served(k); err != nil {
		return err
	}
	return c.alone(ctx, k)
}

// served tells why a call cannot be made.
func (c *Client) served(k *Outgoing) error {
	if c.Serves(k.Interface) {
		return nil
	}
	return &Error{Op: k.Name, Host: c.o.Name, Err: fmt.Errorf("%w (%v)", notServed(k.Interface), k.Interface)}
}

// alone makes a call when no other is under way.
func (c *Client) alone(ctx context.Context, k *Outgoing) error {
	return c.inTurn(ctx, k.Name, c.timeout(k), func(context.Context) error { return c.exchange(k) })
}

// tooLarge is the error of a call whose sizes are over their limits, which is not made.
func (c *Client) tooLarge(name string, limit uint32) error {
	return &Error{Op: name, Host: c.o.Name, Code: CodeInvalidParameter, Err: fmt.Errorf("size is over %d", limit)}
}

// inTurn does something with the connection when nobody else does.
func (c *Client) inTurn(ctx context.Context, op string, timeout time.Duration, do func(ctx context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	select {
	case <-c.turn:
	case <-ctx.Done():
		return &Error{Op: op, Host: c.o.Name, Err: inWords(contextError(ctx, ctx.Err()))}
	}
	defer func() { c.turn <- struct{}{} }()
	if e := c.cause.Load(); e != nil {
		return &Error{Op: op, Host: c.o.Name, Err: fmt.Errorf("%w: %w", ErrBroken, e)}
	}
	if ctx.Err() != nil { // nothing was sent: the connection stays
		return &Error{Op: op, Host: c.o.Name, Err: inWords(contextError(ctx, ctx.Err()))}
	}
	stop := c.watch(ctx)
	err := do(ctx)
	ended := !stop()
	if ended && err == nil {
		err = ctx.Err()
	}
	if err != nil && !ended && leavesWhole(err) {
		return c.failure(ctx, op, err)
	}
	if err != nil {
		e := c.failure(ctx, op, err)
		e.small = c.wire.most > 0 && c.wire.most <= passesAnywhere
		c.cause.CompareAndSwap(nil, e)
		_ = c.nc.Close()
		return e
	}
	if cap(c.reply) > maxKeptStub {
		c.reply = nil
	}
	return nil
}

// passesAnywhere is the size of a PDU that fits a packet of any path that works: 1,280 bytes is
// the least MTU of IPv6 (RFC 8200 5), less the headers.
const passesAnywhere = 1200

// exchange sends the request and reads its reply.
func (c *Client) exchange(k *Outgoing) error {
	c.o.Traffic.waited(1)
	c.callID++
	if err := c.send(k, c.callID); err != nil {
		return err
	}
	stub, err := c.receive(k.MaxReply)
	if err != nil {
		return err
	}
	c.o.Heard.called(k, stub, nil)
	return k.Take(stub)
}

// send sends a request.
func (c *Client) send(k *Outgoing, id uint32) error {
	context, _ := c.contextOf(k.Interface)
	f := fragments{kind: pduRequest, callID: id, context: context, op: opnum(k.Op), object: k.Object,
		max: c.sendMax, protect: unprotected, write: c.wire.write}
	if c.sec != nil {
		f.around, f.protect = trailerSize+c.sec.Overhead(), c.seal
	}
	return f.send(c.wire.out, k.Args)
}

// seal protects a request PDU and fills in its lengths.
func (c *Client) seal(pdu []byte) ([]byte, error) {
	size := c.sec.Overhead()
	pdu, end := appendTrailer(pdu, c.sec.trailer(), size)
	signature, err := c.sec.seal(pdu, end)
	if err == nil && len(signature) != size {
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
		if last, err := c.add(&c.reply, limit, h, pdu); last || err != nil {
			return c.reply, err
		}
	}
}

// add adds a fragment to the stub of a reply, and tells whether it was the last.
func (c *Client) add(stub *[]byte, limit int, h header, pdu []byte) (last bool, err error) {
	part, err := c.unseal(h, pdu)
	if err != nil {
		return false, err
	}
	first, last := h.flags&flagFirst != 0, h.flags&flagLast != 0
	switch {
	case first != (len(*stub) == 0):
		return false, fmt.Errorf("%w: fragments are out of order", errDamaged)
	case len(part) == 0 && !last:
		return false, fmt.Errorf("%w: empty fragment", errDamaged)
	case len(part) > limit-len(*stub):
		return false, fmt.Errorf("%w: over %d bytes", errDamaged, limit)
	}
	*stub = append(*stub, part...)
	if first && !last {
		err = c.expect(pdu, len(part))
	}
	return last, err
}

// expect lets a transport that has to ask for each fragment ask for many at
// once: the first tells how long the stub is (alloc_hint, C706 12.6.4.10), so at
// least as many follow as it fills at the largest size.
func (c *Client) expect(pdu []byte, got int) error {
	pipe, ok := c.nc.(interface{ Expect(n int) error })
	if !ok {
		return nil
	}
	left := int(binary.LittleEndian.Uint32(pdu[headerSize:])) - got
	room := c.receiveMax - callHeaderSize
	if left <= 0 {
		return nil
	}
	return pipe.Expect((left + room - 1) / room)
}

// unseal checks and deciphers a response PDU and returns its part of the stub.
func (c *Client) unseal(h header, pdu []byte) ([]byte, error) {
	if h.kind != pduResponse {
		return nil, fmt.Errorf("%w: PDU of type %d", errDamaged, h.kind)
	}
	if c.sec == nil {
		if h.auth != 0 || len(pdu) < callHeaderSize {
			return nil, fmt.Errorf("%w: response of %d bytes, %d of them protection", errDamaged, len(pdu), h.auth)
		}
		return pdu[callHeaderSize:], nil
	}
	body, t, signature := h.split(pdu)
	want := c.sec.trailer()
	switch {
	case h.auth == 0:
		return nil, errUnprotected
	case t.kind != want.kind || t.level != want.level || t.context != want.context:
		return nil, fmt.Errorf("%w: protected in another way", errUnprotected)
	case len(body) < callHeaderSize+t.pad:
		return nil, fmt.Errorf("%w: response of %d bytes", errDamaged, len(pdu))
	}
	if err := c.sec.unseal(pdu[:len(pdu)-h.auth], len(body), signature); err != nil {
		return nil, err
	}
	return body[callHeaderSize : len(body)-t.pad], nil
}

// EnumerateCounterSet implements PerflibV2.
func (c *Client) EnumerateCounterSet(ctx context.Context, inSize uint32) (Array, error) {
	return c.array(ctx, &request{op: opEnumerateCounterSet, inSize: inSize}, nil)
}

// QueryCounterSetRegistrationInfo implements PerflibV2.
func (c *Client) QueryCounterSetRegistrationInfo(ctx context.Context, set [16]byte, requestCode, lcid, inSize uint32) (Array, error) {
	return c.array(ctx, &request{op: opQueryCounterSetRegistrationInfo, set: set, requestCode: requestCode, lcid: lcid, inSize: inSize}, nil)
}

// EnumerateCounterSetInstances implements PerflibV2.
func (c *Client) EnumerateCounterSetInstances(ctx context.Context, set [16]byte, inSize uint32) (Array, error) {
	return c.array(ctx, &request{op: opEnumerateCounterSetInstances, set: set, inSize: inSize}, nil)
}

// OpenQueryHandle implements PerflibV2.
func (c *Client) OpenQueryHandle(ctx context.Context) (Handle, Code, error) {
	return c.handle(ctx, &request{op: opOpenQueryHandle})
}

// CloseQueryHandle implements PerflibV2.
func (c *Client) CloseQueryHandle(ctx context.Context, h Handle) (Handle, Code, error) {
	return c.handle(ctx, &request{op: opCloseQueryHandle, handle: h})
}

// QueryCounterInfo implements PerflibV2.
func (c *Client) QueryCounterInfo(ctx context.Context, h Handle, inSize uint32) (Array, error) {
	return c.array(ctx, &request{op: opQueryCounterInfo, handle: h, inSize: inSize}, nil)
}

// QueryCounterData implements PerflibV2.
func (c *Client) QueryCounterData(ctx context.Context, h Handle, inSize uint32, dst []byte) (Array, error) {
	return c.array(ctx, &request{op: opQueryCounterData, handle: h, inSize: inSize}, dst)
}

// ValidateCounters implements PerflibV2.
func (c *Client) ValidateCounters(ctx context.Context, h Handle, identifiers []byte, add bool) (code Code, err error) {
	r := &request{op: opValidateCounters, handle: h, inSize: uint32(min(len(identifiers), MaxValidate+1)), identifiers: identifiers, add: add}
	err = c.perflib(ctx, r, func(p *reply) {
		copy(identifiers, p.identifiers)
		code = p.result
	})
	return code, err
}

// perflib makes a call of PerflibV2.
func (c *Client) perflib(ctx context.Context, r *request, take func(*reply)) error {
	if limit := r.op.maxInSize(); r.inSize > limit || len(r.identifiers) > MaxValidate {
		return c.tooLarge(r.op.name(), limit)
	}
	return c.call(ctx, &Outgoing{
		Interface: MSPCQ, Op: uint16(r.op), Name: r.op.name(), Args: r.args(c.o.Machine), MaxReply: r.maxReplyStub(),
		Take: func(stub []byte) error {
			p, err := parseReply(r, stub)
			if err == nil {
				take(p)
			}
			return err
		},
	})
}

func (c *Client) array(ctx context.Context, r *request, dst []byte) (a Array, err error) {
	err = c.perflib(ctx, r, func(p *reply) {
		a = p.array
		a.Data = append(dst[:0], p.array.Data...)
	})
	return a, err
}

func (c *Client) handle(ctx context.Context, r *request) (h Handle, code Code, err error) {
	err = c.perflib(ctx, r, func(p *reply) { h, code = p.handle, p.result })
	return h, code, err
}

var _ PerflibV2 = (*Client)(nil)
