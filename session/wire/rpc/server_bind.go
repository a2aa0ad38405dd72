package rpc

import (
	"errors"
	"fmt"
	"perfdeck/session"
	"perfdeck/session/text/printable"
	"slices"
)

// security is one security context of a connection: a log-on and the level that
// it protects calls at.
type security struct {
	trailer
	acceptor
	headers bool // the client signs headers too
	failed  bool
	answer  Code // to calls when it failed
}

// ready tells whether the log-on is done.
func (s *security) ready() bool { return s.done() && !s.failed }

// private tells whether a call came over packet privacy; of one without protection there is
// no security.
func (s *security) private() bool { return s != nil && s.level == levelPrivacy }

// account is who makes a private call.
func (s *security) account() string {
	if s.private() {
		return s.user()
	}
	return ""
}

// acceptor is the server's end of a log-on, and the protection of messages with what came
// of it.
type acceptor interface {
	oid() string
	accept(token []byte) (answer []byte, err error)
	// user is who logs on, as far as the client has said.
	user() string
	// done tells whether the client is logged on: messages can be protected.
	done() bool
	protection
}

// bind answers bind and alter_context.
func (c *serverConn) bind(h header, pdu []byte) error {
	body, t, token := h.split(pdu)
	p, err := parseBind(body[headerSize:])
	if err != nil {
		return c.refuseBind(h, nakNotSpecified, FaultProtocol, err)
	}
	if h.kind == pduBind {
		if p.maxReceive < minFragmentSize {
			return c.refuseBind(h, nakNotSpecified, FaultProtocol, fmt.Errorf("%w: fragments of %d bytes", errProtocol, p.maxReceive))
		}
		c.sendMax = min(c.sendMax, int(p.maxReceive))
		if p.group != 0 {
			c.group = p.group
		}
		if h.flags&flagMultiplex != 0 && c.o.Calls > 1 {
			c.several = make(chan struct{}, c.o.Calls)
		}
	}
	var answer []byte
	if h.auth > 0 && c.stream {
		return c.refuseBind(h, nakAuthType, CodeAccessDenied, fmt.Errorf("%w: log-on over a stream", errProtocol))
	}
	if h.auth > 0 {
		if answer, err = c.logOn(h, t, token); err != nil {
			return c.refuseLogOn(h, err)
		}
	}
	c.bound = true
	return c.acknowledge(h, p, t, answer)
}

// refuseLogOn answers a bind or an alter_context whose log-on is not taken.
func (c *serverConn) refuseLogOn(h header, why error) error {
	code := logOnCode(why)
	reason := nakInvalidChecksum
	switch {
	case errors.Is(why, errUnknownAuth):
		reason = nakAuthType
	case code != CodeAccessDenied:
		reason = nakCongestion
	}
	return c.refuseBind(h, reason, code, why)
}

// logOnCode is the fault that tells why a log-on is not taken.
func logOnCode(why error) Code {
	if f, ok := errors.AsType[Fault](why); ok {
		return Code(f)
	}
	return CodeAccessDenied
}

// refuseBind answers bind by bind_nak, alter_context by a fault.
func (c *serverConn) refuseBind(h header, reason int, code Code, why error) error {
	if h.kind == pduAlter {
		return c.refuse(h, code, why)
	}
	return errors.Join(why, c.write(appendBindNak(nil, h.callID, uint16(reason))))
}

// acknowledge sends bind_ack or alter_context_resp.
func (c *serverConn) acknowledge(h header, p *bind, t trailer, token []byte) error {
	ack := &bindAck{maxSend: uint16(c.sendMax), maxReceive: uint16(c.o.FragmentSize), group: c.group}
	kind := pduAlterResponse
	if h.kind == pduBind {
		kind, ack.address = pduBindAck, "0"
	}
	for _, pc := range p.contexts {
		s := c.serves(pc.abstract)
		r := judge(pc, s)
		if r.result == resultAccepted {
			c.contexts[pc.id] = s
		}
		ack.results = append(ack.results, r)
	}
	flags := uint8(flagFirst | flagLast)
	if h.auth > 0 {
		flags |= h.flags & flagHeaderSign
	}
	if c.several != nil {
		flags |= flagMultiplex
	}
	out := ack.append(appendHeader(nil, kind, flags, h.callID))
	return c.write(appendToken(out, t, token))
}

// judge decides on one presentation context: an interface that is served, in NDR
// 2.0.
func judge(p presentation, s service) bindResult {
	for _, t := range p.transfers {
		if [8]byte(t.uuid[:]) == [8]byte(featurePrefix[:]) {
			return bindResult{result: resultFeatures, reason: uint16(t.uuid[8]) & featureMultiplexing}
		}
	}
	switch {
	case s.answer == nil:
		return bindResult{result: resultRejected, reason: reasonInterface}
	case !slices.Contains(p.transfers, syntaxNDR):
		return bindResult{result: resultRejected, reason: reasonTransfer}
	}
	return bindResult{transfer: syntaxNDR}
}

// auth3 takes the last message of an NTLM log-on, which has no answer: a refused
// one is told at the next request.
func (c *serverConn) auth3(h header, pdu []byte) error {
	_, t, token := h.split(pdu)
	s := c.securityOf(t)
	if h.auth == 0 || s == nil {
		return fmt.Errorf("%w: end of a log-on that was not begun", errProtocol)
	}
	if _, err := c.logOn(h, t, token); err != nil {
		s.failed, s.answer = true, logOnCode(err)
		if !errors.Is(err, errLogOn) {
			c.o.Report(c.nc.RemoteAddr(), err)
		}
	}
	return nil
}

// securityOf finds the security context of a trailer.
func (c *serverConn) securityOf(t trailer) *security {
	for _, s := range c.secured {
		if s.context == t.context {
			return s
		}
	}
	return nil
}

// errLogOn marks a log-on that was refused, which was reported at once.
var errLogOn = errors.New("log-on")

// errUnknownAuth is a kind of log-on that is not served.
var errUnknownAuth = errors.New("unknown kind of log-on")

// logOn takes the next token of a security context, which it begins if there is
// none. Refused log-ons are answered late; one that is not taken for another
// reason is told so at once.
func (c *serverConn) logOn(h header, t trailer, token []byte) ([]byte, error) {
	s := c.securityOf(t)
	if s == nil {
		var err error
		if s, err = c.newSecurity(h, t); err != nil {
			return nil, err
		}
		c.secured = append(c.secured, s)
	}
	if s.kind != t.kind || s.level != t.level || s.failed || s.ready() {
		return nil, fmt.Errorf("%w: log-on changes or goes on after its end", errProtocol)
	}
	answer, err := s.accept(token)
	if err == nil && s.ready() && s.level == levelPrivacy {
		if err = c.server.place(c, s.user()); err != nil {
			s.failed = true
		}
	}
	if err != nil {
		err = fmt.Errorf("%w of %q: %w", errLogOn, printable.Shorten(s.user(), mostName), err)
		c.o.Report(c.nc.RemoteAddr(), err)
		if logOnCode(err) == CodeAccessDenied {
			c.refused.Store(true)
			session.Sleep(c.ctx, c.o.LogonDelay)
		}
		return nil, err
	}
	return answer, nil
}

// mostName is how many characters of a name reports show.
const mostName = 64

func (c *serverConn) newSecurity(h header, t trailer) (*security, error) {
	switch {
	case len(c.secured) == c.o.LogonsPerConnection:
		return nil, fmt.Errorf("%w: too many log-ons", errProtocol)
	case t.level < levelConnect || t.level > levelPrivacy:
		return nil, fmt.Errorf("%w: protection level %d", errProtocol, t.level)
	}
	ntlm := &ntlmAcceptor{accounts: c.o.Accounts, name: c.o.Name, attempt: c.attempt}
	s := &security{trailer: t, acceptor: ntlm, headers: h.flags&flagHeaderSign != 0, answer: CodeAccessDenied}
	switch t.kind {
	case authNTLM:
	case authSPNEGO:
		n := &spnegoAcceptor{acceptor: ntlm}
		if c.o.Tickets != nil && t.level == levelPrivacy {
			a := c.o.Tickets.Accept()
			n.first = &krbAcceptor{krbMechanism{&a.Context}, c.o.Accounts, a}
		}
		s.acceptor = n
	default:
		return nil, fmt.Errorf("%w: type %d", errUnknownAuth, t.kind)
	}
	return s, nil
}

// attempt checks a password, unless too many were wrong.
func (c *serverConn) attempt(account string, check func() error) error {
	return c.server.throttle.attempt(c.nc.RemoteAddr(), account, check)
}
