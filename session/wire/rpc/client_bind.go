package rpc

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"perfdeck/session/wire/smb"
)

// maxSteps bounds the messages of a log-on.
const maxSteps = 6

// bind binds to the interfaces and logs on.
func (c *Client) bind() error {
	token, done, err := c.sec.step(nil)
	if err != nil {
		return err
	}
	_, pipe := c.nc.(*smb.Pipe)
	if !pipe {
		_ = c.nc.SetReadDeadline(time.Now().Add(c.o.CallTimeout / 2)) // of the first answer
	}
	kind, answer, group := pduBind, pduBindAck, uint32(0)
	for range maxSteps {
		c.callID++
		if err := c.sendBind(kind, group, token); err != nil {
			return err
		}
		if kind == pduAuth3 { // it has no answer
			return nil
		}
		ack, received, err := c.readBindAck(answer)
		if err != nil && kind == pduBind && !pipe {
			return &unheardError{err}
		}
		if err != nil {
			return err
		}
		if kind == pduBind {
			_ = c.nc.SetReadDeadline(time.Time{})
			group, c.sendMax = ack.group, min(c.sendMax, int(ack.maxReceive))
		}
		if done && len(received) == 0 {
			return nil
		}
		if token, done, err = c.sec.step(received); err != nil {
			return err
		}
		switch {
		case len(token) == 0:
			if !done {
				return fmt.Errorf("%w: the log-on ends early", errDamaged)
			}
			return nil
		case done && c.sec.kind == authNTLM:
			kind = pduAuth3 // has no answer, and NTLM needs none
		default:
			kind, answer = pduAlter, pduAlterResponse
		}
	}
	return fmt.Errorf("%w: the log-on does not end", errDamaged)
}

// unheardError is a first message over TCP that was not answered as it should be.
type unheardError struct{ err error }

func (e *unheardError) Error() string { return e.err.Error() }
func (e *unheardError) Unwrap() error { return e.err }

// sendBind sends bind, alter_context or auth3 with a token of the log-on.
func (c *Client) sendBind(kind pduType, group uint32, token []byte) error {
	var out []byte
	switch {
	case kind == pduAuth3:
		out = append(appendHeader(c.wire.out[:0], kind, flagFirst|flagLast, c.callID), 0, 0, 0, 0)
	case kind == pduBind && c.o.SideBySide:
		out = c.appendBind(kind, group, flagHeaderSign|flagMultiplex)
	default:
		out = c.appendBind(kind, group, flagHeaderSign)
	}
	if n := len(out) + trailerSize + len(token); n > maxFragmentSize {
		return fmt.Errorf("%w: %d bytes", smb.ErrLongToken, len(token))
	}
	return c.wire.write(appendToken(out, c.sec.trailer(), token))
}

func (c *Client) appendBind(kind pduType, group uint32, flags uint8) []byte {
	p := bindCall(c.o.FragmentSize, group, c.o.Interfaces...)
	return p.append(appendHeader(c.wire.out[:0], kind, flagFirst|flagLast|flags, c.callID))
}

// readBindAck reads the answer to bind or alter_context and its token.
func (c *Client) readBindAck(want pduType) (*bindAck, []byte, error) {
	h, pdu, err := c.readPDU()
	if err != nil {
		return nil, nil, err
	}
	if h.kind != want {
		return nil, nil, fmt.Errorf("%w: PDU of type %d for a bind", errDamaged, h.kind)
	}
	body, t, token := h.split(pdu)
	if c.sec == nil {
		return c.acceptBindAck(body, nil)
	}
	if h.auth == 0 || t.kind != c.sec.kind || t.level != levelPrivacy || t.context != 0 {
		return nil, nil, fmt.Errorf("%w: the log-on was not answered", errNoPrivacy)
	}
	if want == pduBindAck {
		c.sec.headerSign = h.flags&flagHeaderSign != 0
		c.sideBySide = c.o.SideBySide && h.flags&flagMultiplex != 0
	}
	ack, received, err := c.acceptBindAck(body, token)
	if err == nil && want == pduBindAck {
		c.o.Heard.bound(h.flags, c.o.Interfaces, ack)
	}
	return ack, received, err
}

// acceptBindAck checks what the host answers to a bind, and keeps to its limits.
func (c *Client) acceptBindAck(body, token []byte) (*bindAck, []byte, error) {
	ack, err := parseBindAck(body)
	if err != nil {
		return nil, nil, err
	}
	all, err := accept(c.o.Interfaces, ack.results)
	if err != nil {
		return nil, nil, err
	}
	c.bound.Store(&all)
	if !slices.ContainsFunc(all, func(b bound) bool { return b.served }) {
		return nil, nil, notServed(c.o.Interfaces[0])
	}
	if ack.maxReceive < minFragmentSize {
		return nil, nil, fmt.Errorf("%w: fragments of %d bytes", errDamaged, ack.maxReceive)
	}
	c.receiveMax = min(c.o.FragmentSize, int(ack.maxSend))
	return ack, token, nil
}

// accept is which of the interfaces the host serves.
func accept(wanted []Interface, results []bindResult) ([]bound, error) {
	if len(results) != len(wanted) {
		return nil, fmt.Errorf("%w: %d answers to %d interfaces", errDamaged, len(results), len(wanted))
	}
	b := make([]bound, len(wanted))
	for k, i := range wanted {
		b[k] = bound{i, results[k].result == resultAccepted && results[k].transfer == syntaxNDR}
	}
	return b, nil
}

// mostBound bounds the interfaces of a connection.
const mostBound = 64

// Bind binds to more interfaces, after the log-on and under its protection. Serves tells
// which of them the host takes.
func (c *Client) Bind(ctx context.Context, wanted ...Interface) error {
	all := wanted
	wanted = nil
	for _, i := range all {
		if !c.Serves(i) && !slices.Contains(wanted, i) {
			wanted = append(wanted, i)
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	const op = "bind to more interfaces"
	return c.inTurn(ctx, op, c.o.CallTimeout, func(context.Context) error {
		all := c.contexts()
		if len(all)+len(wanted) > mostBound {
			return fmt.Errorf("%w: %d interfaces", errBindRejected, len(all)+len(wanted))
		}
		c.o.Traffic.waited(1)
		c.callID++
		p := bindCall(c.o.FragmentSize, 0)
		p.add(len(all), wanted)
		out := p.append(appendHeader(c.wire.out[:0], pduAlter, flagFirst|flagLast, c.callID))
		if err := c.wire.write(appendToken(out, trailer{}, nil)); err != nil {
			return err
		}
		h, pdu, err := c.readPDU()
		if err != nil {
			return err
		}
		if h.kind != pduAlterResponse || h.auth != 0 {
			return fmt.Errorf("%w: PDU of type %d for a bind", errDamaged, h.kind)
		}
		ack, err := parseBindAck(pdu)
		if err != nil {
			return err
		}
		c.o.Heard.bound(h.flags, wanted, ack)
		more, err := accept(wanted, ack.results)
		all = slices.Concat(all, more)
		c.bound.Store(&all)
		return err
	})
}

// readPDU reads the answer to the last PDU sent. A fault, a refused bind and the
// end of the host are errors.
func (c *Client) readPDU() (header, []byte, error) {
	h, pdu, err := c.readAnswer()
	if err == nil && h.callID != c.callID {
		err = fmt.Errorf("%w: it answers call %d, not %d", errDamaged, h.callID, c.callID)
	}
	return h, pdu, err
}

// readAnswer reads an answer to any PDU sent.
func (c *Client) readAnswer() (header, []byte, error) {
	h, err := c.wire.readHeader()
	if err != nil {
		return h, nil, err
	}
	pdu, err := c.wire.readBody(h)
	if err != nil {
		return h, nil, err
	}
	switch h.kind {
	case pduFault:
		code, err := parseFault(pdu)
		switch {
		case err != nil:
		case h.auth > 0: // what else it says is not known
			err = fmt.Errorf("protected %w", Fault(code))
		default:
			err = Fault(code)
		}
		return h, nil, err
	case pduBindNak:
		return h, nil, nakError(pdu)
	case pduShutdown:
		return h, nil, errors.New("the host ends")
	}
	return h, pdu, nil
}

// nakError is why a bind was refused.
func nakError(pdu []byte) error {
	reason, err := parseBindNak(pdu)
	switch {
	case err != nil:
		return err
	case reason == nakAuthType:
		return errAuthType
	case reason == nakInvalidChecksum:
		return Fault(CodeAccessDenied)
	case reason == nakCongestion || reason == nakLimit:
		return Fault(CodeServerTooBusy)
	}
	return fmt.Errorf("%w (reason %d)", errBindRejected, reason)
}
