package rpc

import (
	"bytes"
	"encoding/asn1"
	"errors"
	"fmt"
	"slices"
)

// errSPNEGO marks a damaged negotiation token.
var errSPNEGO = errors.New("damaged SPNEGO token")

// Object identifiers.
var (
	oidSPNEGO = asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 2}
	oidNTLM   = asn1.ObjectIdentifier{1, 3, 6, 1, 4, 1, 311, 2, 2, 10}
)

// States of a negotiation, RFC 4178 4.2.2.
const (
	spnegoCompleted  = 0
	spnegoIncomplete = 1
	spnegoRejected   = 2
	spnegoWantsMIC   = 3
	spnegoUntold     = 255
)

// spnegoInit is NegTokenInit in its GSS-API frame, RFC 4178 4.2.1.
type spnegoInit struct {
	OID  asn1.ObjectIdentifier
	Init struct {
		Mechanisms asn1.RawValue `asn1:"explicit,tag:0"` // their list as it came, under the signature
		Flags      asn1.RawValue `asn1:"explicit,optional,tag:1"`
		Token      []byte        `asn1:"explicit,optional,tag:2"` // of the first mechanism
		MIC        asn1.RawValue `asn1:"explicit,optional,tag:3"`
	} `asn1:"explicit,tag:0"`
}

// spnegoResponse is NegTokenResp, RFC 4178 4.2.2.
type spnegoResponse struct {
	State     asn1.Enumerated       `asn1:"explicit,optional,tag:0,default:255"`
	Mechanism asn1.ObjectIdentifier `asn1:"explicit,optional,tag:1"` // that the host chose; nil where it does not say
	Token     []byte                `asn1:"explicit,optional,tag:2"`
	MIC       []byte                `asn1:"explicit,optional,tag:3"`
}

// How the tokens are framed.
const (
	initFrame     = "application,tag:0"
	responseFrame = "explicit,tag:1"
)

// parseSPNEGO reads a whole token.
func parseSPNEGO(b []byte, v any, frame string) error {
	rest, err := asn1.UnmarshalWithParams(b, v, frame)
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w", errSPNEGO, err)
	case len(rest) > 0:
		return fmt.Errorf("%w: %d bytes left", errSPNEGO, len(rest))
	}
	return nil
}

func parseSPNEGOResponse(b []byte) (*spnegoResponse, error) {
	r := &spnegoResponse{}
	return r, parseSPNEGO(b, r, responseFrame)
}

func (r *spnegoResponse) marshal() ([]byte, error) {
	return asn1.MarshalWithParams(*r, responseFrame)
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
	answer := &spnegoResponse{State: spnegoIncomplete}
	if answer.Token, err = a.acceptor.accept(r.Token); err != nil {
		return nil, err
	}
	if !a.acceptor.done() {
		return answer.marshal()
	}
	answer.State, answer.Token = spnegoCompleted, nil
	switch {
	case r.MIC != nil:
		if err = a.Verify(a.mechanisms, r.MIC); err == nil {
			answer.MIC, err = signed(a, a.mechanisms)
		}
	case a.needsMIC:
		err = fmt.Errorf("%w: the choice of NTLM is not signed", errLogon)
	}
	if err != nil {
		return nil, err
	}
	a.agreed = true
	return answer.marshal()
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
	var init spnegoInit
	var offered []asn1.ObjectIdentifier
	err := parseSPNEGO(token, &init, initFrame)
	if err == nil {
		err = parseSPNEGO(init.Init.Mechanisms.Bytes, &offered, "")
	}
	if err == nil && !init.OID.Equal(oidSPNEGO) {
		err = fmt.Errorf("%w: not SPNEGO", errSPNEGO)
	}
	if err != nil {
		return nil, err
	}
	a.mechanisms = bytes.Clone(init.Init.Mechanisms.Bytes)
	ntlm := slices.IndexFunc(offered, oidNTLM.Equal)
	switch {
	case a.first != nil && len(offered) > 0 && offered[0].Equal(a.first.oid()):
		a.acceptor = a.first
	case ntlm < 0:
		return nil, fmt.Errorf("%w: the client does not offer NTLM", errLogon)
	default:
		a.needsMIC = ntlm > 0
	}
	answer := &spnegoResponse{State: spnegoIncomplete, Mechanism: a.oid()}
	switch {
	case a.needsMIC: // the token is another mechanism's
		answer.State = spnegoWantsMIC
	case init.Init.Token != nil:
		if answer.Token, err = a.acceptor.accept(init.Init.Token); err != nil {
			return nil, err
		}
	}
	return answer.marshal()
}
