package rpc

import (
	"bytes"
	"errors"
	"fmt"
)

// errSPNEGO marks a damaged negotiation token.
var errSPNEGO = errors.New("damaged SPNEGO token")

// Object identifiers in DER, with tag and length.
const (
	oidSPNEGO = "\x06\x06\x2b\x06\x01\x05\x05\x02"                 // 1.3.6.1.5.5.2
	oidNTLM   = "\x06\x0a\x2b\x06\x01\x04\x01\x82\x37\x02\x02\x0a" // 1.3.6.1.4.1.311.2.2.10
)

// DER tags of RFC 4178.
const (
	derOctets      = 0x04
	derOID         = 0x06
	derEnum        = 0x0a
	derSequence    = 0x30
	derApplication = 0x60
	derContext     = 0xa0 // and its number
)

// States of a negotiation, RFC 4178 4.2.2.
const (
	spnegoCompleted  = 0
	spnegoIncomplete = 1
	spnegoRejected   = 2
	spnegoWantsMIC   = 3
	spnegoAbsent     = 0xff
)

// spnegoInit is NegTokenInit.
type spnegoInit struct {
	mechanisms []byte // the list as it came, under the signature
	first      string // of it, in DER
	ntlm       int    // position of NTLM in it, -1 if absent
	token      []byte // of the first mechanism
}

// spnegoResponse is NegTokenResp.
type spnegoResponse struct {
	state      byte
	mechanism  []byte // that the host chose, in DER; nil where it does not say
	token, mic []byte
}

// der reads one element with the tag and returns its content and what follows.
// ok is false where there is another tag; damage is an error.
func der(b []byte, tag byte) (content, rest []byte, ok bool, err error) {
	if len(b) == 0 || b[0] != tag {
		return nil, b, false, nil
	}
	if len(b) < 2 {
		return nil, nil, false, errSPNEGO
	}
	n, at := int(b[1]), 2
	if n >= 0x80 {
		octets := n & 0x7f
		if octets == 0 || octets > 3 || len(b) < 2+octets {
			return nil, nil, false, fmt.Errorf("%w: length of %d octets", errSPNEGO, octets)
		}
		n = 0
		for _, o := range b[2 : 2+octets] {
			n = n<<8 | int(o)
		}
		at += octets
	}
	if n > len(b)-at {
		return nil, nil, false, fmt.Errorf("%w: element of %d bytes in %d", errSPNEGO, n, len(b)-at)
	}
	return b[at : at+n], b[at+n:], true, nil
}

// derOne reads an element that must be there and be the last.
func derOne(b []byte, tag byte) ([]byte, error) {
	content, rest, ok, err := der(b, tag)
	if err == nil && (!ok || len(rest) > 0) {
		err = fmt.Errorf("%w: element 0x%02x is missing or not alone", errSPNEGO, tag)
	}
	return content, err
}

// derFields reads a sequence of optional context-tagged fields in order.
func derFields(b []byte) (fields [4][]byte, err error) {
	b, err = derOne(b, derSequence)
	for i := 0; i < len(fields) && err == nil; i++ {
		fields[i], b, _, err = der(b, derContext+byte(i))
	}
	if err == nil && len(b) > 0 {
		err = fmt.Errorf("%w: %d bytes left", errSPNEGO, len(b))
	}
	return fields, err
}

// derOctetField reads an OCTET STRING field, nil if it is absent.
func derOctetField(field []byte) ([]byte, error) {
	if field == nil {
		return nil, nil
	}
	return derOne(field, derOctets)
}

// parseSPNEGOInit reads NegTokenInit in its GSS-API frame.
func parseSPNEGOInit(b []byte) (*spnegoInit, error) {
	b, err := derOne(b, derApplication)
	if err != nil {
		return nil, err
	}
	if !bytes.HasPrefix(b, []byte(oidSPNEGO)) {
		return nil, fmt.Errorf("%w: not SPNEGO", errSPNEGO)
	}
	if b, err = derOne(b[len(oidSPNEGO):], derContext); err != nil {
		return nil, err
	}
	fields, err := derFields(b)
	if err != nil {
		return nil, err
	}
	init := &spnegoInit{mechanisms: fields[0], ntlm: -1}
	if init.token, err = derOctetField(fields[2]); err != nil {
		return nil, err
	}
	list, err := derOne(fields[0], derSequence)
	for i := 0; err == nil && len(list) > 0; i++ {
		_, rest, ok, damage := der(list, derOID)
		if err = damage; err == nil && !ok {
			err = fmt.Errorf("%w: list of mechanisms", errSPNEGO)
		}
		oid := string(list[:len(list)-len(rest)])
		if i == 0 {
			init.first = oid
		}
		if oid == oidNTLM && init.ntlm < 0 {
			init.ntlm = i
		}
		list = rest
	}
	return init, err
}

// parseSPNEGOResponse reads NegTokenResp.
func parseSPNEGOResponse(b []byte) (*spnegoResponse, error) {
	b, err := derOne(b, derContext+1)
	if err != nil {
		return nil, err
	}
	fields, err := derFields(b)
	if err != nil {
		return nil, err
	}
	r := &spnegoResponse{state: spnegoAbsent}
	if fields[0] != nil {
		state, err := derOne(fields[0], derEnum)
		if err != nil || len(state) != 1 {
			return nil, fmt.Errorf("%w: state", errSPNEGO)
		}
		r.state = state[0]
	}
	r.mechanism = fields[1]
	if r.token, err = derOctetField(fields[2]); err != nil {
		return nil, err
	}
	r.mic, err = derOctetField(fields[3])
	return r, err
}

// appendDER appends an element of less than 16 MiB.
func appendDER(b []byte, tag byte, content []byte) []byte {
	b = append(b, tag)
	switch n := len(content); {
	case n < 0x80:
		b = append(b, byte(n))
	case n < 0x100:
		b = append(b, 0x81, byte(n))
	case n < 0x1_0000:
		b = append(b, 0x82, byte(n>>8), byte(n))
	default:
		b = append(b, 0x83, byte(n>>16), byte(n>>8), byte(n))
	}
	return append(b, content...)
}

// marshal makes a NegTokenResp that names a mechanism; empty: none.
func (r *spnegoResponse) marshal(mechanism string) []byte {
	var b []byte
	b = appendDER(b, derContext, []byte{derEnum, 1, r.state})
	if mechanism != "" {
		b = appendDER(b, derContext+1, []byte(mechanism))
	}
	if r.token != nil {
		b = appendDER(b, derContext+2, appendDER(nil, derOctets, r.token))
	}
	if r.mic != nil {
		b = appendDER(b, derContext+3, appendDER(nil, derOctets, r.mic))
	}
	return appendDER(nil, derContext+1, appendDER(nil, derSequence, b))
}

// spnegoAcceptor is the server's part of a negotiation that ends in NTLM, or in the client's
// first choice.
type spnegoAcceptor struct {
	acceptor          // of what is negotiated
	first    acceptor // what is taken as the client's first choice alone; nil: nothing is

	mechanisms []byte
	needsMIC   bool // NTLM was not the client's first choice
	agreed     bool
}

// done tells whether the mechanism's log-on is over, and the choice of it was not forged.
func (a *spnegoAcceptor) done() bool { return a.agreed }

// accept takes the client's next token and returns the answer to it.
func (a *spnegoAcceptor) accept(token []byte) ([]byte, error) {
	if a.mechanisms == nil {
		return a.begin(token)
	}
	r, err := parseSPNEGOResponse(token)
	if err != nil {
		return nil, err
	}
	answer := &spnegoResponse{state: spnegoIncomplete}
	if answer.token, err = a.acceptor.accept(r.token); err != nil {
		return nil, err
	}
	if !a.acceptor.done() {
		return answer.marshal(""), nil
	}
	answer.state, answer.token = spnegoCompleted, nil
	switch {
	case r.mic != nil:
		if err = a.Verify(a.mechanisms, r.mic); err == nil {
			answer.mic, err = signed(a, a.mechanisms)
		}
	case a.needsMIC:
		err = fmt.Errorf("%w: the choice of NTLM is not signed", errLogon)
	}
	a.agreed = err == nil
	return answer.marshal(""), err
}

// signed is the signature of the list of mechanisms, after which the ciphers begin anew.
func signed(by protection, list []byte) ([]byte, error) {
	mic, err := by.Sign(list)
	if err != nil {
		return nil, err
	}
	return mic, by.restart()
}

func (a *spnegoAcceptor) begin(token []byte) ([]byte, error) {
	init, err := parseSPNEGOInit(token)
	if err != nil {
		return nil, err
	}
	a.mechanisms = bytes.Clone(init.mechanisms)
	switch {
	case a.first != nil && init.first == a.first.oid():
		a.acceptor = a.first
	case init.ntlm < 0:
		return nil, fmt.Errorf("%w: the client does not offer NTLM", errLogon)
	default:
		a.needsMIC = init.ntlm > 0
	}
	answer := &spnegoResponse{state: spnegoIncomplete}
	switch {
	case a.needsMIC: // the token is another mechanism's
		answer.state = spnegoWantsMIC
	case init.token != nil:
		if answer.token, err = a.acceptor.accept(init.token); err != nil {
			return nil, err
		}
	}
	return answer.marshal(a.oid()), nil
}
