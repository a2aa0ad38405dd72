package rpc

import (
	"encoding/asn1"
	"errors"
	"fmt"
)

// spnegoInitiator is the client's part of a negotiation that offers one
// mechanism, RFC 4178.
type spnegoInitiator struct {
	mech  mechanism
	list  []byte // the mechanisms, as they were offered
	ready bool   // the mechanism is done
}

// errOther is why a log-on ends that the host wants in another way.
var errOther = errors.New("the host wants another kind of log-on")

// Step takes the host's token, nil at first, and makes the next one. done tells
// that the keys are there; the host's last token may follow, and a Step for it.
func (n *spnegoInitiator) Step(token []byte) (next []byte, done bool, err error) {
	if n.list == nil {
		next, err = n.offer()
		return next, n.ready, err
	}
	r, err := parseSPNEGOResponse(token)
	switch {
	case err != nil:
		return nil, false, fmt.Errorf("%w: %w", errDamaged, err)
	case r.State == spnegoRejected:
		return nil, false, Fault(codeLogonFailure)
	case r.Mechanism != nil && !r.Mechanism.Equal(n.mech.oid()):
		return nil, false, errOther
	}
	answer, err := n.inner(r)
	if err != nil {
		return nil, false, err
	}
	if r.State == spnegoCompleted && r.MIC != nil {
		if !n.ready { // there are no keys to sign with
			return nil, false, fmt.Errorf("%w: the log-on ends early", errDamaged)
		}
		if err = changed(n.mech.Verify(n.list, r.MIC)); err == nil {
			err = n.mech.restart()
		}
	}
	if err != nil || answer == nil {
		return nil, n.ready, err
	}
	next, err = answer.marshal()
	return next, n.ready, err
}

// offer makes NegTokenInit.
func (n *spnegoInitiator) offer() (token []byte, err error) {
	var init spnegoInit
	init.OID = oidSPNEGO
	if init.Init.Token, n.ready, err = n.mech.Step(nil); err != nil {
		return nil, err
	}
	if n.list, err = asn1.Marshal([]asn1.ObjectIdentifier{n.mech.oid()}); err != nil {
		return nil, err
	}
	init.Init.Mechanisms = asn1.RawValue{Class: asn1.ClassContextSpecific, IsCompound: true, Bytes: n.list}
	return asn1.MarshalWithParams(init, initFrame)
}

// inner hands the host's token to the mechanism and answers by its next one; nil where there is
// none.
func (n *spnegoInitiator) inner(r *spnegoResponse) (answer *spnegoResponse, err error) {
	if n.ready || r.Token == nil {
		return nil, nil
	}
	token, done, err := n.mech.Step(r.Token)
	if err != nil {
		return nil, err
	}
	n.ready = done
	if len(token) == 0 {
		return nil, nil
	}
	answer = &spnegoResponse{State: spnegoUntold, Token: token}
	if done {
		answer.MIC, err = signed(n.mech, n.list)
	}
	return answer, err
}
