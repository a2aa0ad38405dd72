package rpc

import (
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
	case r.state == spnegoRejected:
		return nil, false, Fault(codeLogonFailure)
	case r.mechanism != nil && string(r.mechanism) != n.mech.oid():
		return nil, false, errOther
	}
	answer, err := n.inner(r)
	if err != nil {
		return nil, false, err
	}
	if r.state == spnegoCompleted && r.mic != nil {
		if !n.ready { // there are no keys to sign with
			return nil, false, fmt.Errorf("%w: the log-on ends early", errDamaged)
		}
		if err = changed(n.mech.Verify(n.list, r.mic)); err == nil {
			err = n.mech.restart()
		}
	}
	if err != nil || answer == nil {
		return nil, n.ready, err
	}
	return answer, n.ready, nil
}

// offer makes NegTokenInit.
func (n *spnegoInitiator) offer() ([]byte, error) {
	token, done, err := n.mech.Step(nil)
	if err != nil {
		return nil, err
	}
	n.ready = done
	n.list = appendDER(nil, derSequence, []byte(n.mech.oid()))
	body := appendDER(nil, derContext, n.list)
	body = appendDER(body, derContext+2, appendDER(nil, derOctets, token))
	body = appendDER(nil, derContext, appendDER(nil, derSequence, body))
	return appendDER(nil, derApplication, append([]byte(oidSPNEGO), body...)), nil
}

// inner hands the host's token to the mechanism and makes NegTokenResp of its
// next one; nil where there is none.
func (n *spnegoInitiator) inner(r *spnegoResponse) ([]byte, error) {
	if n.ready || r.token == nil {
		return nil, nil
	}
	token, done, err := n.mech.Step(r.token)
	if err != nil {
		return nil, err
	}
	n.ready = done
	if len(token) == 0 {
		return nil, nil
	}
	body := appendDER(nil, derContext+2, appendDER(nil, derOctets, token))
	if done {
		mic, err := signed(n.mech, n.list)
		if err != nil {
			return nil, err
		}
		body = appendDER(body, derContext+3, appendDER(nil, derOctets, mic))
	}
	return appendDER(nil, derContext+1, appendDER(nil, derSequence, body)), nil
}
