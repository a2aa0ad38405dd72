package rpc

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// request takes one fragment of a request and answers the call after its last.
func (c *serverConn) request(h header, pdu []byte) error {
	sec, payload, err := c.open(h, pdu)
	if err == nil {
		err = c.gather(h, pdu, sec, payload)
	}
	if err != nil {
		code := FaultProtocol
		if f, ok := errors.AsType[Fault](err); ok {
			code = Code(f)
		}
		return c.refuse(h, code, err)
	}
	if c.call.active {
		return nil
	}
	s := c.contexts[c.call.context]
	if c.several == nil || !s.beside {
		return c.answer(&c.call, s)
	}
	return c.answerBeside(s)
}

// answerBeside answers a call while others are; it waits until there may be one more.
func (c *serverConn) answerBeside(s service) error {
	select {
	case c.several <- struct{}{}:
	case <-c.ctx.Done():
		return c.ctx.Err()
	}
	k := c.call
	c.call.stub = nil
	c.running.Add(1)
	c.o.Go(func() {
		defer c.running.Done()
		defer func() { <-c.several }()
		if err := c.answer(&k, s); err != nil {
			c.end(err)
		}
	})
	return nil
}

// open checks and deciphers a fragment in place. It returns the security context
// that protects it, nil for a fragment without protection, and its part of the
// stub. A Fault in its error is the answer to give.
func (c *serverConn) open(h header, pdu []byte) (*security, []byte, error) {
	first := payloadAt(pdu)
	body, t, signature := h.split(pdu)
	if len(body) < first+t.pad {
		return nil, nil, fmt.Errorf("%w: request of %d bytes", errProtocol, len(pdu))
	}
	payload := body[first : len(body)-t.pad]
	if h.auth == 0 {
		if i := slices.IndexFunc(c.secured, func(s *security) bool { return s.failed }); i >= 0 {
			return nil, nil, fmt.Errorf("%w: call after a refused log-on: %w", errLogon, Fault(c.secured[i].answer))
		}
		return nil, payload, nil
	}
	s := c.securityOf(t)
	switch {
	case s == nil || t.kind != s.kind || t.level != s.level:
		return nil, nil, fmt.Errorf("%w: unknown security context", errProtocol)
	case !s.ready():
		return nil, nil, fmt.Errorf("%w: call without log-on: %w", errLogon, Fault(s.answer))
	case s.level == levelConnect:
		return s, payload, nil
	}
	from, to := first, first
	if s.level == levelPrivacy {
		to = len(body)
	}
	before, secret, after := parts(s.oid(), s.headers, pdu[:len(pdu)-len(signature)], from, to)
	if err := s.Unseal(before, secret, after, signature); err != nil {
		return nil, nil, fmt.Errorf("request: %w: %w", err, Fault(CodeAccessDenied))
	}
	return s, payload, nil
}

// gather adds a fragment to the call that it belongs to.
func (c *serverConn) gather(h header, pdu []byte, sec *security, payload []byte) error {
	k := &c.call
	context, op := binary.LittleEndian.Uint16(pdu[20:]), opnum(binary.LittleEndian.Uint16(pdu[22:]))
	last := h.flags&flagLast != 0
	var object [16]byte
	if h.flags&flagObject != 0 {
		object = [16]byte(pdu[callHeaderSize:])
	}
	switch limit := c.maxRequest(sec); {
	case h.flags&flagFirst != 0:
		*k = call{id: h.callID, context: context, op: op, object: object, sec: sec, stub: k.stub[:0]}
	case !k.active || k.id != h.callID || k.context != context || k.op != op || k.sec != sec:
		return fmt.Errorf("%w: fragment of another call", errProtocol)
	case len(payload) == 0:
		return fmt.Errorf("%w: empty fragment", errProtocol)
	case len(k.stub)+len(payload) > limit:
		return fmt.Errorf("%w: request over %d bytes: %w", errProtocol, limit, Fault(FaultRemoteNoMemory))
	}
	k.stub = append(k.stub, payload...)
	k.active = !last
	return nil
}

// maxRequest keeps those who may call nothing from filling the memory.
func (c *serverConn) maxRequest(s *security) int {
	if c.stream || s.private() {
		return c.o.MaxRequest
	}
	return c.o.maxRequestUnknown
}

// maxKeptStub is the longest buffer that is kept for the next call.
const maxKeptStub = 2 << 20

// answer runs a whole call and sends its reply or fault.
func (c *serverConn) answer(k *call, s service) error {
	if s.answer == nil {
		return c.fault(k.id, k.context, FaultUnknownInterface)
	}
	stub, err := s.answer(c, k)
	if err != nil {
		var f Fault
		if !errors.As(err, &f) {
			f = Fault(CodeNoSystemResources)
			c.o.Report(c.nc.RemoteAddr(), fmt.Errorf("%s: %w", k.op.name(), err))
		}
		return c.fault(k.id, k.context, Code(f))
	}
	err = c.reply(k, stub)
	if cap(k.stub) > maxKeptStub {
		k.stub = nil
	}
	return err
}

// keepStub keeps the buffer of a reply for the next one.
func (c *serverConn) keepStub(b []byte) []byte {
	c.stub = nil
	if cap(b) <= maxKeptStub {
		c.stub = b[:0]
	}
	return b
}

// resultPerflib runs a call of PerflibV2 and makes the stub of its reply.
func (c *serverConn) resultPerflib(k *call) ([]byte, error) {
	if k.op > opValidateCounters {
		return nil, Fault(FaultOpRange)
	}
	req, err := parseRequest(k.op, k.stub)
	if err != nil {
		return nil, Fault(CodeBadStubData)
	}
	rep := &reply{op: req.op, inSize: req.inSize, array: Array{Code: CodeAccessDenied}, result: CodeAccessDenied, handle: req.handle, identifiers: req.identifiers}
	if c.stream || k.sec.private() {
		if rep, err = c.run(req); err != nil {
			return nil, err
		}
	}
	return c.keepStub(rep.append(c.stub)), nil
}

// errReply marks a reply that the session must not give.
var errReply = errors.New("reply is larger than asked for")

// run asks the session.
func (c *serverConn) run(r *request) (*reply, error) {
	s, ctx := c.begun(), c.ctx
	p := &reply{op: r.op, inSize: r.inSize, identifiers: r.identifiers}
	var err error
	switch r.op {
	case opEnumerateCounterSet:
		p.array, err = s.EnumerateCounterSet(ctx, r.inSize)
	case opQueryCounterSetRegistrationInfo:
		p.array, err = s.QueryCounterSetRegistrationInfo(ctx, r.set, r.requestCode, r.lcid, r.inSize)
	case opEnumerateCounterSetInstances:
		p.array, err = s.EnumerateCounterSetInstances(ctx, r.set, r.inSize)
	case opOpenQueryHandle:
		p.handle, p.result, err = s.OpenQueryHandle(ctx)
	case opCloseQueryHandle:
		p.handle, p.result, err = s.CloseQueryHandle(ctx, r.handle)
	case opQueryCounterInfo:
		p.array, err = s.QueryCounterInfo(ctx, r.handle, r.inSize)
	case opQueryCounterData:
		p.array, err = s.QueryCounterData(ctx, r.handle, r.inSize, c.data)
		c.keepData(p.array.Data)
	case opValidateCounters:
		p.result, err = s.ValidateCounters(ctx, r.handle, r.identifiers, r.add)
	}
	if size := r.op.elementSize(); err == nil && (len(p.array.Data) > int(r.inSize)*size || len(p.array.Data)%size != 0) {
		err = fmt.Errorf("%w: %d bytes for %d", errReply, len(p.array.Data), r.inSize)
	}
	return p, err
}

// begun is the session, which the first call begins.
func (c *serverConn) begun() Session {
	if c.session == nil {
		c.session = c.o.Connect()
	}
	return c.session
}

// keepData keeps the buffer of collected data for the next collection.
func (c *serverConn) keepData(b []byte) {
	if cap(b) <= maxKeptStub {
		c.data = b[:0]
	}
}

// reply sends a stub, protected as the call was.
func (c *serverConn) reply(k *call, stub []byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	f := fragments{kind: pduResponse, callID: k.id, context: k.context, max: c.sendMax, protect: k.sec.protect, write: c.writePart}
	if k.sec != nil {
		f.around = trailerSize + k.sec.Overhead()
	}
	return f.send(c.wire.out, stub)
}

// protect seals a response PDU and fills in its lengths.
func (s *security) protect(pdu []byte) ([]byte, error) {
	if s == nil || s.level < levelPacket {
		return unprotected(pdu)
	}
	pdu, end := appendTrailer(pdu, s.trailer, s.Overhead())
	from := end
	if s.level == levelPrivacy {
		from = callHeaderSize
	}
	signature, err := s.Seal(parts(s.oid(), s.headers, pdu, from, end))
	return append(pdu, signature...), err
}
